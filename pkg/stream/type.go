package stream

import (
	"slices"

	"snapline/pkg/contract"
)

// lineType binds a type's name to its table.
type lineType struct {
	name   contract.Type
	prefix []byte // how our writers begin the line
	read   func(*Reader, []entry) (contract.Line, error)
	write  func(*encoder, contract.Line)
}

// bind makes the lineType of a table. T is the value type, L its pointer.
func bind[T any, L interface {
	*T
	contract.Line
}](name contract.Type, t *table[T]) lineType {
	return lineType{
		name:   name,
		prefix: []byte(`{"type":"` + string(name) + `"`),
		read: func(r *Reader, in []entry) (contract.Line, error) {
			v := new(T)
			err := t.read(&r.decoder, in, v)
			return L(v), err
		},
		write: func(e *encoder, l contract.Line) { t.append(e, (*T)(l.(L)), string(name)) },
	}
}

var lineTypes = []lineType{
	{
		name:   contract.TypeSnapshot,
		prefix: []byte(`{"type":"snapshot"`),
		read: func(r *Reader, in []entry) (contract.Line, error) {
			h, err := readHeader(&r.decoder, in)
			if err == nil && r.options.Position != 0 && r.options.Position != h.Position() {
				err = broken(RulePosition, "the stream was last written by %s, and one written by %s is needed",
					stageName(h.Position()), stageName(r.options.Position))
			}
			return h, err
		},
		write: func(e *encoder, l contract.Line) {
			h := l.(*contract.Snapshot)
			headerTable(h.Family).append(e, h, string(contract.TypeSnapshot))
		},
	},
	bind(contract.TypeActor, &actorTable),
	bind(contract.TypeRecord, &recordTable),
	bind(contract.TypeThread, &threadTable),
	bind(contract.TypeCheck, &checkTable),
	bind(contract.TypeRun, &runTable),
	bind(contract.TypeLog, &logTable),
	bind(contract.TypeDocument, &documentTable),
	bind(contract.TypeGap, &gapTable),
	bind(contract.TypeEnd, &endTable),
	bind(contract.TypeAbort, &abortTable),
}

func findType[S ~string | ~[]byte](name S) *lineType {
	i := slices.IndexFunc(lineTypes, func(t lineType) bool { return string(t.name) == string(name) })
	if i < 0 {
		return nil
	}
	return &lineTypes[i]
}
