package pipe

import (
	"context"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// untilReaderLeaves gives a context that ends when the pipe on stdout has no reader any
// more, with EPIPE as its cause. A stage that is still waiting for its input or for a
// forge then ends at once, and with it the stage before it: a pipe that its end refuses
// costs no further request. Other kinds of stdout are not watched.
func untilReaderLeaves(ctx context.Context, stdout io.Writer) (context.Context, context.CancelFunc) {
	file, ok := stdout.(*os.File)
	if !ok {
		return context.WithCancel(ctx)
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return context.WithCancel(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	raw, err := file.SyscallConn()
	if err == nil {
		go func() {
			for ctx.Err() == nil {
				gone := false
				err := raw.Control(func(fd uintptr) {
					poll := []unix.PollFd{{Fd: int32(fd)}}
					n, err := unix.Poll(poll, int(pollEvery/time.Millisecond))
					gone = err == nil && n > 0 && poll[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0
				})
				if err != nil {
					return // stdout was closed by ourselves
				}
				if gone {
					cancel(syscall.EPIPE)
				}
			}
		}()
	}
	return ctx, func() { cancel(context.Canceled) }
}

// pollEvery is how long one look at stdout lasts at most.
const pollEvery = 100 * time.Millisecond
