package cli

import "golang.org/x/sys/unix"

const readTermios = unix.TIOCGETA
