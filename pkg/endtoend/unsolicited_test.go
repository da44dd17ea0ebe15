package endtoend_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestUnsolicitedBytesStayOut has a server that sends more than it was asked for:
// net/http quotes the rest in the log of the standard library.
func TestUnsolicitedBytesStayOut(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				r := bufio.NewReader(conn)
				for {
					if _, err := http.ReadRequest(r); err != nil {
						return
					}
					fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}unsolicited")
				}
			}()
		}
	}()
	fetch, err := exec.LookPath("fetch")
	must(t, err)
	origin := "http://" + listener.Addr().String()
	cmd := exec.Command(fetch, origin+"/acme/tool/pulls/7", "--api-url", origin+"/api/v1", "--token-env", "UNSOLICITED", "--token-host", listener.Addr().String())
	cmd.Env = append(os.Environ(), "UNSOLICITED=not-a-real-one")
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Run(); err == nil {
		t.Fatal("the run succeeded")
	}
	for line := range strings.Lines(errs.String()) {
		if !strings.HasPrefix(line, "fetch: ") {
			t.Errorf("stderr has a line of another sort: %q", line)
		}
	}
}
