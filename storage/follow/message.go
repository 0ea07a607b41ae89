package follow

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
)

// hello is the first message of both sides.
type hello struct {
	Magic    string   `cbor:"1,keyasint"`
	Protocol int      `cbor:"2,keyasint"`
	Release  string   `cbor:"3,keyasint"`
	Formats  []string `cbor:"4,keyasint"` // of all records: kind and version
	PID      int      `cbor:"5,keyasint"`

	// Of the owner.
	Scheme    string           `cbor:"7,keyasint,omitempty"`
	ReadOnly  string           `cbor:"8,keyasint,omitempty"` // why the store cannot be written
	Backup    bool             `cbor:"10,keyasint,omitempty"`
	Condition engine.Condition `cbor:"17,keyasint,omitempty"` // of the store

	// Of the follower.
	Looks   bool   `cbor:"11,keyasint,omitempty"` // it will not write
	As      string `cbor:"15,keyasint,omitempty"` // as in Peer; "" if it stays for a moment
	SinceMS int64  `cbor:"16,keyasint,omitempty"` // likewise
}

type bye struct {
	Why string `cbor:"1,keyasint"`
}

// question is what a follower asks. Its kind says which of the rest it has.
type question struct {
	ID uint64 `cbor:"1,keyasint"`

	Entry entry `cbor:"2,keyasint,omitempty"` // to append

	Query cloud.EventQuery `cbor:"3,keyasint,omitempty"`
	Wait  bool             `cbor:"4,keyasint,omitempty"` // until there is something after Query.After

	// Of a backup.
	Path      string                   `cbor:"5,keyasint,omitempty"`
	Overwrite bool                     `cbor:"6,keyasint,omitempty"`
	Keep      []diskfile.ProtectedFile `cbor:"7,keyasint,omitempty"`

	Changes int `cbor:"8,keyasint,omitempty"` // of the peers: the number of changes that the follower knows of; the answer comes when it is another
}

// answer is the answer to a question.
type answer struct {
	ID       uint64           `cbor:"1,keyasint"`
	Revision cloud.Revision   `cbor:"2,keyasint,omitempty"` // that an append has led to, of a checkpoint, or that the owner is at
	Moved    bool             `cbor:"3,keyasint,omitempty"` // nothing was appended: the cloud is at another revision
	Error    string           `cbor:"4,keyasint,omitempty"`
	Matches  uint64           `cbor:"5,keyasint,omitempty"` // of the error: see sentinels
	Defects  []storage.Defect `cbor:"6,keyasint,omitempty"`
	Entries  []entry          `cbor:"7,keyasint,omitempty"` // newest first
	Part     []byte           `cbor:"8,keyasint,omitempty"` // of a checkpoint; the answer itself follows
	Peers    []engine.Peer    `cbor:"9,keyasint,omitempty"`
	Changes  int              `cbor:"10,keyasint,omitempty"` // that led to these peers
}

// entry is a shared.Entry of one event.
type entry struct {
	_        struct{} `cbor:",toarray"`
	Revision cloud.Revision
	Head     []byte
	Body     []byte // nil if it must be asked for
}
