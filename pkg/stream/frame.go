package stream

import (
	"bytes"
	"io"
)

const (
	chunkSize  = 256 << 10
	emptyReads = 100 // an input that gives nothing so often in a row is stuck
)

// frames cuts the input into lines. A line within the chunk is handed out in place;
// a longer one is gathered in a buffer of its own.
type frames struct {
	in         *input
	chunk      []byte
	start, end int // unread part of chunk
	err        error
	pool       *pool
	long       int // about the length of the long lines so far
}

// next gives the next line without its LF, which lies one byte behind; it is valid
// until the next call. large is the buffer that holds the line alone, if there is
// one. limit gives the cap for a line that starts with the given bytes. At the end
// of input err is io.EOF.
func (f *frames) next(limit func(head []byte) int64) (line, large []byte, err error) {
	if f.chunk == nil {
		f.chunk = make([]byte, chunkSize)
	}
	scanned := f.start
	for {
		if at := bytes.IndexByte(f.chunk[scanned:f.end], '\n'); at >= 0 {
			line = f.chunk[f.start : scanned+at]
			f.start = scanned + at + 1
			if int64(len(line)) > limit(line) {
				return nil, nil, overCap(limit(line))
			}
			return line, nil, nil
		}
		scanned = f.end
		if f.start > 0 && f.end == len(f.chunk) {
			f.end = copy(f.chunk, f.chunk[f.start:f.end])
			scanned, f.start = f.end, 0
		}
		if f.end == len(f.chunk) {
			return f.gather(limit)
		}
		if err := f.fill(); err != nil {
			return nil, nil, f.atEnd(f.end-f.start, err)
		}
	}
}

// gather reads a line that is longer than the chunk.
func (f *frames) gather(limit func([]byte) int64) (line, large []byte, err error) {
	most := limit(f.chunk)
	buf := append(f.pool.get(min(int(most), max(4*chunkSize, f.long+f.long/16))), f.chunk...)
	for {
		if int64(len(buf)) > most {
			f.pool.put(buf)
			return nil, nil, overCap(most)
		}
		f.start, f.end = 0, 0
		if err := f.fill(); err != nil {
			return nil, nil, f.atEnd(len(buf), err)
		}
		at := bytes.IndexByte(f.chunk[:f.end], '\n')
		more := at + 1
		if at < 0 {
			more = f.end
		}
		buf = f.grow(buf, more, most)
		buf = append(buf, f.chunk[:more]...)
		if at >= 0 {
			f.start = at + 1
			f.long = max(len(buf), f.long/2)
			line = buf[:len(buf)-1]
			if int64(len(line)) > most {
				f.pool.put(buf)
				return nil, nil, overCap(most)
			}
			return line, buf, nil
		}
	}
}

// grow makes room by half of what is there, so that a line is never held more than
// two and a half times.
func (f *frames) grow(buf []byte, more int, most int64) []byte {
	if len(buf)+more <= cap(buf) {
		return buf
	}
	room := max(int64(len(buf)+more), min(int64(cap(buf)+cap(buf)/2), most+chunkSize))
	// What was outgrown is not kept: the next long line starts with room enough.
	return append(f.pool.get(int(room)), buf...)
}

// fill reads once into the free part of the chunk.
func (f *frames) fill() error {
	for range emptyReads {
		if f.err != nil {
			return f.err
		}
		n, err := f.in.Read(f.chunk[f.end:])
		f.end += n
		f.err = err
		if n > 0 {
			return nil
		}
	}
	return f.in.fault(io.ErrNoProgress)
}

// ended reports whether nothing is left; err is then nil or what a decoder found
// behind its last byte.
func (f *frames) ended() (bool, error) {
	if f.start < f.end {
		return false, nil
	}
	f.start, f.end = 0, 0
	switch err := f.fill(); {
	case err == nil:
		return false, nil
	case err == io.EOF:
		return true, nil
	default:
		return true, err
	}
}

func (f *frames) atEnd(pending int, err error) error {
	if err == io.EOF && pending > 0 {
		return broken(RuleUnterminated, "the input ends within a line; the stage before was cut off")
	}
	return err
}

func overCap(most int64) error {
	return broken(RuleLineCap, "the line has more than %d bytes", most)
}
