package audit

import "github.com/placetop/placetop/model/cloud"

// FindAll is Find with every rule, including those that take long.
func FindAll(s *cloud.Snapshot) []Finding {
	found, _ := findings(s, true, &Observations{At: s.At()})
	return found
}
