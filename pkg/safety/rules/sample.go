package rules

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
)

// sample is text of all sorts, one behind the other: the logs of the precision corpus, its
// other texts, and code.
type sample struct{ logs, bodies, code []byte }

func readSample(fsys fs.FS) (*sample, error) {
	file, err := fsys.Open("testdata/precision/corpus.ndjson.gz")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var out sample
	if out.code, err = fs.ReadFile(fsys, "rules/sample.txt"); err != nil {
		return nil, err
	}
	for texts := json.NewDecoder(unpacked); ; {
		var line struct{ Kind, Text string }
		if err := texts.Decode(&line); errors.Is(err, io.EOF) {
			return &out, nil
		} else if err != nil {
			return nil, err
		}
		to := &out.bodies
		if line.Kind == "log" {
			to = &out.logs
		}
		*to = append(append(*to, line.Text...), '\n')
	}
}
