package forgetest

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"
)

// Reply is one answer of a REST fake.
type Reply struct {
	Status int // 0 means 200
	Header http.Header
	Body   string
}

// JSON gives a reply of status 200.
func JSON(body string) Reply { return Reply{Body: body} }

// Recorded reads an exchange as it was recorded: status line, header, empty line,
// body. A file without a status line is a bare body. Lengths, encodings and cookies
// of the recording are left out.
func Recorded(t testing.TB, file string) Reply {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(b, []byte("HTTP/")) {
		return JSON(string(b))
	}
	head, body, ok := bytes.Cut(b, []byte("\r\n\r\n"))
	if !ok {
		head, body, ok = bytes.Cut(b, []byte("\n\n"))
	}
	if !ok {
		t.Fatalf("%s: no empty line", file)
	}
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(append(head, "\n\n"...))), &http.Request{Method: http.MethodHead})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	resp.Body.Close()
	for _, name := range []string{"Content-Length", "Transfer-Encoding", "Set-Cookie"} {
		resp.Header.Del(name)
	}
	return Reply{Status: resp.StatusCode, Header: resp.Header, Body: string(body)}
}

// REST is a fake forge that answers by path. A route's key is a path, or a path with
// its query, which wins. Successive requests of one key get its replies in turn, the
// last one for ever. What has no route is 404.
type REST struct {
	Routes map[string][]Reply

	mu     sync.Mutex
	served map[string]int
}

// ServeHTTP implements http.Handler.
func (s *REST) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	key := r.URL.RequestURI()
	replies, ok := s.Routes[key]
	if !ok {
		key = r.URL.EscapedPath()
		replies, ok = s.Routes[key]
	}
	reply := Reply{Status: http.StatusNotFound, Body: `{"message":"404 Not found"}`}
	if ok {
		if s.served == nil {
			s.served = map[string]int{}
		}
		reply = replies[min(s.served[key], len(replies)-1)]
		s.served[key]++
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Date", NewClock().Now().Format(http.TimeFormat))
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
	}
	_, _ = io.WriteString(w, reply.Body)
}
