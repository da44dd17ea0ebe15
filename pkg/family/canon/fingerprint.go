package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"syscall"
	"time"
)

// Fingerprint is what the protocol's helper says about a path. It hashes file bytes,
// without the prefix that the hashes in a state have.
type Fingerprint struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
	*FileFacts
}

// FileFacts are the facts of a path that exists.
type FileFacts struct {
	IsFile bool   `json:"is_file"`
	IsDir  bool   `json:"is_dir"`
	Size   int64  `json:"size_bytes"`
	MTime  string `json:"mtime_utc"`
	SHA256 string `json:"sha256,omitempty"` // regular files
}

// FingerprintOf looks at a path; links are followed. A path that is not there, or a
// link to nowhere, is no error.
func FingerprintOf(name string) (Fingerprint, error) {
	name = normalPath(name)
	f := Fingerprint{Path: name}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	f.Exists = true
	f.FileFacts = &FileFacts{IsFile: info.Mode().IsRegular(), IsDir: info.IsDir(), Size: info.Size(), MTime: isoTime(info.ModTime())}
	if f.IsFile {
		f.SHA256, err = fileHash(name)
	}
	return f, err
}

func fileHash(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// normalPath drops empty and dot components, as the helper's language does. It keeps
// "..", and exactly two leading slashes.
func normalPath(name string) string {
	root := ""
	switch {
	case strings.HasPrefix(name, "//") && !strings.HasPrefix(name, "///"):
		root = "//"
	case strings.HasPrefix(name, "/"):
		root = "/"
	}
	var kept []string
	for _, c := range strings.Split(name, "/") {
		if c != "" && c != "." {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 && root == "" {
		return "."
	}
	return root + strings.Join(kept, "/")
}

// isoTime gives a time as the helper does: from a float of seconds, rounded to
// microseconds, which are left out when they are 0.
func isoTime(t time.Time) string {
	seconds, fraction := math.Modf(float64(t.Unix()) + 1e-9*float64(t.Nanosecond()))
	t = time.Unix(int64(seconds), int64(math.RoundToEven(fraction*1e6))*1000).UTC()
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05+00:00")
	}
	return t.Format("2006-01-02T15:04:05.000000+00:00")
}
