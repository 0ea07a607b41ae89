package edit

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
)

// Again reads what is written of a thing.
func Again(s *cloud.Snapshot, of ops.Subject, state any) (any, error) {
	text, err := textOf(s, of, state)
	if err != nil {
		return nil, err
	}
	return readAs(s, state, text)
}
