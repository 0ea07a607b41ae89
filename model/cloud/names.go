package cloud

// TenantNames are what a live cloud calls its projects and users, by id, as far as Keystone
// says. They are immutable.
type TenantNames struct{ Projects, Users map[string]string }

// Named returns s with names of projects and users. It is of the same revision: what they
// are called is no fact of a ledger, and nothing rests on it.
func (s *Snapshot) Named(n *TenantNames) *Snapshot {
	next := *s
	next.names = n
	return &next
}

// ProjectName returns what a project is called, "" if that is not known. A copy of a live
// cloud has the names of then.
func (s *Snapshot) ProjectName(id string) string {
	if s.names == nil {
		return s.Nova().Config().Projects[id]
	}
	return s.names.Projects[id]
}

// UserName returns what a user is called, "" if that is not known.
func (s *Snapshot) UserName(id string) string {
	if s.names == nil {
		return s.Nova().Config().Users[id]
	}
	return s.names.Users[id]
}
