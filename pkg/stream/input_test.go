package stream

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
)

// skippableFrame is a zstd frame that holds nothing of the content.
func skippableFrame(n int) string {
	head := binary.LittleEndian.AppendUint32([]byte("\x5a\x2a\x4d\x18"), uint32(n))
	return string(head) + strings.Repeat("x", n)
}

func TestCompressedInput(t *testing.T) {
	plain := base(t, 1).seal()
	half := len(plain) / 2
	for name, packed := range map[string]string{
		"plain":                     plain,
		"gzip":                      gzipped(t, plain),
		"gzip in two members":       gzipped(t, plain[:half]) + gzipped(t, plain[half:]),
		"zstd":                      zstandard(t, plain),
		"zstd in two frames":        zstandard(t, plain[:half]) + zstandard(t, plain[half:]),
		"zstd behind skippable":     skippableFrame(1000) + zstandard(t, plain),
		"zstd with skippable last":  zstandard(t, plain) + skippableFrame(10),
		"zstd between two of these": skippableFrame(0) + zstandard(t, plain[:half]) + skippableFrame(7) + zstandard(t, plain[half:]),
	} {
		for reader, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytewise": iotest.OneByteReader, "half": iotest.HalfReader, "data with error": iotest.DataErrReader,
		} {
			h, lines, err := readAll(NewReader(wrap(strings.NewReader(packed)), ReaderOptions{}))
			if err != nil {
				t.Errorf("%s, %s: %v", name, reader, err)
				continue
			}
			if got := write(t, h, lines...); string(got) != plain {
				t.Errorf("%s, %s: other lines", name, reader)
			}
		}
	}
}

// TestEveryCut: a stream that is cut anywhere, plain or compressed, is refused.
func TestEveryCut(t *testing.T) {
	plain := edited(issue, 1, func(*stream) {})(t)
	for name, whole := range map[string]string{"plain": plain, "gzip": gzipped(t, plain), "zstd": zstandard(t, plain)} {
		for cut := range len(whole) {
			_, _, err := readAll(NewReader(strings.NewReader(whole[:cut]), ReaderOptions{}))
			if f := faultOf(t, err); f.Exit != fault.Input {
				t.Fatalf("%s cut at %d: %v", name, cut, err)
			}
		}
	}
}

func TestEmptyInput(t *testing.T) {
	for name, raw := range map[string]string{
		"nothing":               "",
		"gzip of nothing":       gzipped(t, ""),
		"skippable frames only": skippableFrame(3) + skippableFrame(0),
		"an empty frame":        "\x28\xb5\x2f\xfd\x00\x58\x01\x00\x00",
	} {
		_, err := NewReader(strings.NewReader(raw), ReaderOptions{Name: "stdin"}).Header()
		if f := faultOf(t, err); f.Rule != RuleEmptyInput || f.Line != 0 || !strings.Contains(err.Error(), "wrote nothing") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestShortInputs(t *testing.T) {
	for _, raw := range []string{"\n", "{", "{}\n", "\x1f", "\x1f\x8b", "\x28\xb5", "\x28\xb5\x2f", "\x50\x2a\x4d", "\xef\xbb\xbf", "\xff\xfe{\x00", "\x00", "PK\x03\x04"} {
		_, err := NewReader(strings.NewReader(raw), ReaderOptions{}).Header()
		if f := faultOf(t, err); f.Exit != fault.Input {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

// TestHostileCompression bounds the memory that a few bytes can take.
func TestHostileCompression(t *testing.T) {
	frame := func(descriptor string) string { return "\x28\xb5\x2f\xfd" + descriptor + "\x01\x00\x00" }
	for name, raw := range map[string]string{
		"window of 3.75 TiB":              frame("\x00\xff"),
		"window of 16 MiB":                frame("\x00\x70"),
		"content of 256 MiB, one segment": frame("\xa0\x00\x00\x00\x10"),
		"content of 4 GiB, own window":    frame("\x80\x58\xff\xff\xff\xff"),
		"content of 2^63, own window":     frame("\xc0\x58\xff\xff\xff\xff\xff\xff\xff\x7f"),
		"content of 2^64, one segment":    frame("\xe0\xff\xff\xff\xff\xff\xff\xff\xff"),
		"reserved bit":                    frame("\x08\x58"),
		"dictionary":                      frame("\x01\x58\x05"),
	} {
		before := allocated()
		_, err := NewReader(strings.NewReader(raw), ReaderOptions{}).Header()
		if f := faultOf(t, err); f.Exit != fault.Input {
			t.Errorf("%s: %v", name, err)
		}
		if n := allocated() - before; n > 40<<20 {
			t.Errorf("%s: %d bytes allocated", name, n)
		}
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestGzipBomb(t *testing.T) {
	raw := bomb(t, 140<<20, func(t testing.TB, s string) string {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression) // the standard library's packs tighter
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(z, s); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
	_, _, err := readAll(NewReader(strings.NewReader(raw), ReaderOptions{}))
	if f := faultOf(t, err); f.Rule != RuleExpansion || f.Hint == "" {
		t.Errorf("%d bytes: %v", len(raw), err)
	}
}

// TestFailingInput: an input that fails is no broken stream but a fault of the
// environment, wherever it fails.
func TestFailingInput(t *testing.T) {
	trouble := errors.New("device gone")
	plain := base(t, 1).seal()
	for name, whole := range map[string]string{"plain": plain, "gzip": gzipped(t, plain), "zstd": zstandard(t, plain)} {
		for _, at := range []int{0, 1, 3, 10, len(whole) / 2, len(whole) - 1, len(whole)} {
			in := io.MultiReader(strings.NewReader(whole[:at]), iotest.ErrReader(trouble))
			r := NewReader(in, ReaderOptions{Name: "stdin"})
			_, _, err := readAll(r)
			f := faultOf(t, err)
			if f.Exit != fault.Environment || f.Rule != RuleRead || !errors.Is(err, trouble) {
				t.Errorf("%s, failing at %d: %v", name, at, err)
			}
			if _, again := r.Next(); again != err {
				t.Errorf("%s, failing at %d: then %v", name, at, again)
			}
		}
	}
	_, err := NewReader(stuck{}, ReaderOptions{}).Header()
	if f := faultOf(t, err); f.Exit != fault.Environment {
		t.Errorf("an input that gives nothing: %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// endless is a line that never ends; it counts what was taken.
type endless struct {
	head  *strings.Reader
	taken int64
}

func (e *endless) Read(p []byte) (int, error) {
	if n, _ := e.head.Read(p); n > 0 {
		return n, nil
	}
	for i := range p {
		p[i] = 'x'
	}
	e.taken += int64(len(p))
	return len(p), nil
}

// TestLineThatNeverEnds: the reader takes no more of a line than its cap, and a
// buffer's length.
func TestLineThatNeverEnds(t *testing.T) {
	s := issue(t, 1).sub(1, `"max_source_bytes":16777216`, `"max_source_bytes":4096`)
	record := int64(16*4096 + 64<<10)
	for name, c := range map[string]struct {
		head string
		most int64
	}{
		"first line":       {`{"type":"snapshot","x":"`, 8 << 20},
		"first of no type": {`x`, 8 << 20},
		"record":           {s.body() + `{"type":"record","body":"`, record},
		"check":            {s.body() + `{"type":"check","name":"`, 8 << 20},
		"type not first":   {s.body() + `{"body":"`, 8 << 20},
	} {
		in := &endless{head: strings.NewReader(c.head)}
		before := allocated()
		_, _, err := readAll(NewReader(in, ReaderOptions{}))
		if f := faultOf(t, err); f.Rule != RuleLineCap {
			t.Errorf("%s: %v", name, err)
		}
		if in.taken > c.most+2*chunkSize {
			t.Errorf("%s: %d bytes taken of a line of at most %d", name, in.taken, c.most)
		}
		if n := allocated() - before; n > uint64(5*c.most)+2<<20 {
			t.Errorf("%s: %d bytes allocated for a line of at most %d", name, n, c.most)
		}
	}
}

// TestGeneralCap walks the cap of lines without content.
func TestGeneralCap(t *testing.T) {
	const general = 8 << 20
	for _, n := range []int{general - 1, general, general + 1} {
		raw := edited(issue, 1, func(s *stream) {
			s.sub(2, `,"id"`, ","+strings.Repeat(" ", n-len(s.lines[1])+1)+`"id"`)
			if len(s.lines[1]) != n+1 {
				t.Fatalf("%d", len(s.lines[1]))
			}
		})(t)
		_, _, err := readAll(NewReader(strings.NewReader(raw), ReaderOptions{}))
		if (err == nil) != (n <= general) || err != nil && faultOf(t, err).Rule != RuleLineCap {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// TestMemoryOfLargeLogs: reading and writing logs of 16 MiB one after the other
// holds about three times one of them.
func TestMemoryOfLargeLogs(t *testing.T) {
	const size = 16 << 20
	raw := logCapture(t, ansiLog(size), 3)
	r := NewReader(bytes.NewReader(raw), ReaderOptions{})
	w := NewWriter(io.Discard)
	h, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	base := live()
	if err := w.Write(h); err != nil {
		t.Fatal(err)
	}
	var most uint64
	for {
		l, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
		if _, ok := l.(*contract.Log); ok {
			most = max(most, live()-base)
		}
		r.Recycle(l)
	}
	line := uint64(len(raw) / 3)
	t.Logf("%.2f times a line of %d bytes", float64(most)/float64(line), line)
	if most > 3*line+line/2 {
		t.Errorf("%d bytes live with one log of %d", most, line)
	}
}

func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
