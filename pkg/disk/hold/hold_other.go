//go:build !linux

package hold

import "os"

// Run holds nothing here.
func Run(argv []string, watch int, signals <-chan os.Signal) (int, error) {
	return 0, ErrUnsupported
}
