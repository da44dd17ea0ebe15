package seal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"snapline/pkg/requirement"
)

// What was sealed cannot be changed by its maker, neither through the file nor beside
// it, and every reader gets it from the start.
func TestSeal(t *testing.T) {
	requirement.Claim(t, "VER-05", "VER-06")
	const text = "what was judged"
	f, err := New("test")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, part := range []string{text[:4], text[4:]} {
		if _, err := f.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	digest, err := f.Seal()
	if sum := sha256.Sum256([]byte(text)); err != nil || digest != hex.EncodeToString(sum[:]) || f.Size() != int64(len(text)) {
		t.Fatalf("%d bytes, digest %s, %v", f.Size(), digest, err)
	}
	if n, err := f.Write([]byte("x")); n != 0 || !errors.Is(err, errSealed) {
		t.Errorf("written after the seal: %d, %v", n, err)
	}
	fd := int(f.f.Fd())
	again, err := os.OpenFile("/proc/self/fd/"+strconv.Itoa(fd), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for what, err := range map[string]error{
		"written":    second(unix.Pwrite(fd, []byte("x"), 0)),
		"shortened":  unix.Ftruncate(fd, 1),
		"lengthened": unix.Ftruncate(fd, 100),
		"mapped":     second(unix.Mmap(fd, 0, len(text), unix.PROT_WRITE, unix.MAP_SHARED)),
		"unsealed":   second(unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, 0)),
		"reopened":   second(again.WriteAt([]byte("x"), 0)),
	} {
		if !errors.Is(err, unix.EPERM) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for range 2 {
		in, err := f.Stdin()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(in)
		if err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
		if _, err := in.Write([]byte("x")); err == nil {
			t.Error("the reader can write")
		}
		_ = in.Close()
	}
	at := make([]byte, 3)
	if n, err := f.ReadAt(at, 5); n != 3 || err != nil || string(at) != text[5:8] {
		t.Errorf("%q, %v", at[:n], err)
	}
}

func second[T any](_ T, err error) error { return err }
