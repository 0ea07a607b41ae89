package nova

import "github.com/placetop/placetop/model/placement"

// Destination is what was asked about where an instance is to go, and what is to happen
// to it there. It is kept in the record of the task, so that it still applies if the task
// continues after a crash. It is never changed once recorded.
//
// Source: nova/objects/request_spec.py, Destination.
type Destination struct {
	Host     string `json:"host,omitempty" cbor:"1,keyasint,omitempty"`      // that it is to go to; "" for any
	SameHost bool   `json:"same_host,omitempty" cbor:"2,keyasint,omitempty"` // a resize may stay on its host
	// Allocations are those of the candidate that was picked, in units of each class
	// of each provider; nil for the first one.
	Allocations placement.Amounts `json:"allocations,omitempty" cbor:"3,keyasint,omitempty"`
}

// IsZero reports whether nothing was asked.
func (d Destination) IsZero() bool {
	return d.Host == "" && !d.SameHost && d.Allocations == nil
}
