package rules

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
)

// readSample gives the texts of the precision corpus, one behind the other.
func readSample(fsys fs.FS) ([]byte, error) {
	file, err := fsys.Open("testdata/precision/corpus.ndjson.gz")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var out []byte
	for texts := json.NewDecoder(unpacked); ; {
		var line struct{ Text string }
		if err := texts.Decode(&line); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(append(out, line.Text...), '\n')
	}
}
