package check

import (
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
)

// Singletons are the singleton documents of a tree.
type Singletons struct {
	Collection  *tree.Collection
	Entity      *tree.Entity
	Relations   *tree.Relations
	Runs        *tree.AgentRuns
	Actors      *tree.ActorState
	ThreadState *tree.ThreadState
}

// Singletons gives the singleton documents of the tree. Each has its listed bytes and
// obeys its schema; what one says of another is not compared.
func (s *Snapshot) Singletons() (*Singletons, error) {
	if err := s.v.documents(); err != nil {
		return nil, err
	}
	if err := first(s.v.list); err != nil {
		return nil, err
	}
	v := s.v
	for _, d := range [...]struct {
		path string
		have bool
	}{
		{tree.CollectionPath, v.collection != nil},
		{tree.EntityPath, v.entity != nil},
		{tree.ReviewsPath, v.relations != nil},
		{tree.AgentRunsPath, v.runs != nil},
		{tree.ActorsPath, v.actors != nil},
		{tree.ThreadStatePath, v.threadState != nil},
	} {
		if !d.have {
			return nil, missing(d.path)
		}
	}
	return &Singletons{v.collection, v.entity, v.relations, v.runs, v.actors, v.threadState}, nil
}

// CheckMetadata gives the metadata of a check at the path that its row names. It has its
// listed bytes and obeys its schema.
func (s *Snapshot) CheckMetadata(path string) (*tree.Check, error) {
	var c *tree.Check
	if err := load(s.v, path, "check.schema.json", &c); err != nil {
		return nil, err
	}
	if err := first(s.v.list); err != nil {
		return nil, err
	}
	if c == nil {
		return nil, missing(path)
	}
	return c, nil
}

func missing(path string) error {
	return &fault.Error{Exit: fault.Aborted, File: path, Rule: RuleMissingFile.Name, Detail: RuleMissingFile.Meaning}
}
