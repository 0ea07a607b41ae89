package edit

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Again parses a written thing.
func Again(s *cloud.Snapshot, of ops.Editable, state ops.State) (ops.State, error) {
	text, err := kinds.EditText(s, of, state)
	if err != nil {
		return nil, err
	}
	return kinds.ReadEdit(s, state, text)
}

// Text writes a provider in the form that Read reads.
func Text(s *cloud.Snapshot, id placement.ProviderID, st ops.ProviderState) (string, error) {
	return kinds.EditText(s, ops.EditableProvider{ID: id}, st)
}

// Read parses the text of a provider.
func Read(s *cloud.Snapshot, text string) (ops.ProviderState, error) {
	st, err := kinds.ReadEdit(s, ops.ProviderState{}, text)
	if err != nil {
		return ops.ProviderState{}, err
	}
	return st.(ops.ProviderState), nil
}
