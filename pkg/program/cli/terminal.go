package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// isTerminal reports whether a person may look at what is written to f. A character
// device alone is no terminal: /dev/null is one too.
func isTerminal(f *os.File) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	terminal := false
	err = raw.Control(func(fd uintptr) {
		_, err := unix.IoctlGetTermios(int(fd), readTermios)
		terminal = err == nil
	})
	return err == nil && terminal
}
