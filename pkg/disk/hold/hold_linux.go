package hold

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a command that was asked to end may take.
const patience = 3 * time.Second

// Run runs argv with the streams of this process and gives its exit status, 128 and the
// number of a signal for one that a signal ended. It returns when no process that descends
// from the command is left. watch is a process whose end ends everything; 0 for none. A
// signal is passed on to the command; what still runs after three seconds is killed.
//
// The calling process adopts what its descendants leave behind, so it must have no other
// children.
func Run(argv []string, watch int, signals <-chan os.Signal) (int, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	// What this process holds, the lock of a run above all, is not the command's.
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return 0, err
	}
	gone, err := watchProcess(watch)
	if err != nil {
		return 0, err
	}
	command := exec.Command(argv[0], argv[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	status := statusOf(command, wait(command, ended, gone, signals))
	return status, killAll()
}

// wait waits for the command, for a signal, or for the end of the process that is watched.
func wait(command *exec.Cmd, ended <-chan error, gone <-chan struct{}, signals <-chan os.Signal) error {
	var deadline <-chan time.Time
	for {
		select {
		case err := <-ended:
			return err
		case s := <-signals:
			// The group may be gone; what is left of it is killed below.
			if number, ok := s.(syscall.Signal); ok {
				_ = syscall.Kill(-command.Process.Pid, number)
			}
			if deadline == nil {
				deadline = time.After(patience)
			}
		case <-gone:
			_ = command.Process.Kill()
			gone = nil
		case <-deadline:
			_ = command.Process.Kill()
			deadline = nil
		}
	}
}

// watchProcess gives a channel that is closed when a process ends.
func watchProcess(pid int) (<-chan struct{}, error) {
	gone := make(chan struct{})
	if pid == 0 {
		return gone, nil
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(gone)
		defer unix.Close(fd)
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			if n, err := unix.Poll(poll, -1); n > 0 || err != nil && !errors.Is(err, unix.EINTR) {
				return
			}
		}
	}()
	return gone, nil
}

func statusOf(command *exec.Cmd, err error) int {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 1
	}
	if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return command.ProcessState.ExitCode()
}

// killAll kills what the command has left until there is nothing to wait for. What a killed
// process leaves behind becomes a child of this one, so every descendant comes by; one that
// forks faster is stopped first.
func killAll() error {
	for {
		left, err := descendants(os.Getpid())
		if err != nil {
			return err
		}
		for _, pid := range left {
			_ = unix.Kill(pid, unix.SIGSTOP)
		}
		for _, pid := range left {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		switch _, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); {
		case errors.Is(err, unix.ECHILD):
			return nil
		case err != nil && !errors.Is(err, unix.EINTR):
			return err
		}
		if len(left) == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// descendants lists the living processes below pid.
func descendants(pid int) ([]int, error) {
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, path := range entries {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		if own, parent, alive := parseStat(stat); alive {
			children[parent] = append(children[parent], own)
		}
	}
	var found []int
	for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
		found = append(found, children[queue[0]]...)
		queue = append(queue, children[queue[0]]...)
	}
	return found, nil
}

// parseStat reads pid, state and parent of /proc/PID/stat. The name between them may hold
// anything, parentheses too. A zombie still has its place in the tree.
func parseStat(stat []byte) (pid, parent int, ok bool) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 1 || end < open {
		return 0, 0, false
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(stat[:open])))
	if err != nil {
		return 0, 0, false
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 2 {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return pid, parent, err == nil
}
