package fetch

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/family/document"
	"snapline/pkg/fault"
	"snapline/pkg/stream"
)

// DocumentFile is one file that may hold documents of a family.
type DocumentFile struct {
	Name string // as the user gave it; "stdin" for -
	Raw  []byte
}

// DocumentConfig says of which family the documents are and which limits the later
// stages hold them to.
type DocumentConfig struct {
	Family contract.Family
	Limits contract.Limits
	Most   int // documents in all files
	// Split gives the documents in a file and the number of parts that are none.
	Split func(raw []byte) ([]document.Part, int)
	Read  document.Family
}

// Documents writes the documents in files as a stream, in the order of their family
// and, where that says nothing, as they came. No byte of them changes. A document over
// the size limit is left out, named in log and counted as a gap.
func Documents(files []DocumentFile, out *stream.Writer, cfg DocumentConfig, log *fault.Log) error {
	if err := out.Write(&contract.Snapshot{Family: cfg.Family, Stages: []contract.Stage{contract.Self(Name)}, Limits: &cfg.Limits}); err != nil {
		return err
	}
	type ordered struct {
		line *contract.Document
		key  string
	}
	var documents []ordered
	var tooLarge int64
	taken := map[string]bool{}
	for _, f := range files {
		parts, others := cfg.Split(f.Raw)
		if others > 0 {
			log.Notice(fault.Notice{Record: f.Name, Count: int64(others), Text: "lines that carry no document"})
		}
		if len(parts) > cfg.Most-len(documents) {
			return &fault.Error{
				Exit: fault.Environment, Stage: Name, File: f.Name, Rule: "input.too-large",
				Detail: fmt.Sprintf("there are more than %d documents", cfg.Most), Hint: "fetch fewer files at a time",
			}
		}
		for _, p := range parts {
			name := documentName(f.Name, p.Line, taken)
			if int64(len(p.Raw)) > cfg.Limits.MaxDocumentBytes {
				tooLarge++
				log.Notice(fault.Notice{Record: name, Scope: string(contract.ScopeDocuments), Code: string(contract.SourceTooLarge)})
				continue
			}
			d := &contract.Document{Name: name, Format: document.FormatUnreadable, Raw: p.Raw, HasRaw: true, SHA256: tree.Digest(p.Raw)}
			reading, err := cfg.Read(p.Raw)
			if err == nil {
				d.Format = reading.Format
			} else {
				log.Notice(fault.Notice{Record: name, Code: document.FormatUnreadable, Text: err.Error()})
			}
			documents = append(documents, ordered{d, reading.Order})
		}
	}
	slices.SortStableFunc(documents, func(a, b ordered) int { return strings.Compare(a.key, b.key) })
	for _, d := range documents {
		if err := out.Write(d.line); err != nil {
			return err
		}
	}
	if tooLarge > 0 {
		if err := out.Write(&contract.Gap{Scope: contract.ScopeDocuments, Code: contract.SourceTooLarge, Count: tooLarge}); err != nil {
			return err
		}
	}
	return out.End()
}

// documentName makes a name that can stand in a file name and is not taken yet: the
// file's base name without its ending, the line for one of several, and a number for
// one that is taken.
func documentName(file string, line int, taken map[string]bool) string {
	base := strings.TrimSuffix(path.Base(file), path.Ext(file))
	base = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '-'
	}, base)
	base = strings.TrimLeft(base[:min(len(base), 96)], ".-")
	if base == "" {
		base = "document"
	}
	if line > 0 {
		base += ".line-" + strconv.Itoa(line)
	}
	name := base
	for n := 2; taken[name]; n++ {
		name = base + "." + strconv.Itoa(n)
	}
	taken[name] = true
	return name
}
