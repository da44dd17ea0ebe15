package ndjson

import (
	"slices"

	"snapline/pkg/record"
)

// lineType binds a type's name to its table.
type lineType struct {
	name   record.Type
	prefix []byte // how our writers begin the line
	read   func(*Reader, []entry) (record.Line, error)
	write  func(*encoder, record.Line)
}

// bind makes the lineType of a table. T is the value type, L its pointer.
func bind[T any, L interface {
	*T
	record.Line
}](name record.Type, t *table[T]) lineType {
	return lineType{
		name:   name,
		prefix: []byte(`{"type":"` + string(name) + `"`),
		read: func(r *Reader, in []entry) (record.Line, error) {
			v := new(T)
			err := t.read(&r.decoder, in, v)
			return L(v), err
		},
		write: func(e *encoder, l record.Line) { t.append(e, (*T)(l.(L)), string(name)) },
	}
}

var lineTypes = []lineType{
	{
		name:   record.TypeSnapshot,
		prefix: []byte(`{"type":"snapshot"`),
		read: func(r *Reader, in []entry) (record.Line, error) {
			h, err := readHeader(&r.decoder, in)
			if err == nil && r.options.Position != 0 && r.options.Position != h.Position() {
				err = broken(RulePosition, "the stream was last written by %s, and one written by %s is needed",
					stageName(h.Position()), stageName(r.options.Position))
			}
			return h, err
		},
		write: func(e *encoder, l record.Line) {
			h := l.(*record.Snapshot)
			headerTable(h.Family).append(e, h, string(record.TypeSnapshot))
		},
	},
	bind(record.TypeActor, &actorTable),
	bind(record.TypeRecord, &recordTable),
	bind(record.TypeThread, &threadTable),
	bind(record.TypeCheck, &checkTable),
	bind(record.TypeRun, &runTable),
	bind(record.TypeLog, &logTable),
	bind(record.TypeDocument, &documentTable),
	bind(record.TypeGap, &gapTable),
	bind(record.TypeEnd, &endTable),
	bind(record.TypeAbort, &abortTable),
}

func findType[S ~string | ~[]byte](name S) *lineType {
	i := slices.IndexFunc(lineTypes, func(t lineType) bool { return string(t.name) == string(name) })
	if i < 0 {
		return nil
	}
	return &lineTypes[i]
}
