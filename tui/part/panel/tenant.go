package panel

import (
	"cmp"

	"github.com/placetop/placetop/model/cloud"
)

// Project returns what a project is called, its id if that is not known.
func Project(s *cloud.Snapshot, id string) string { return cmp.Or(s.ProjectName(id), id) }

// User returns what a user is called, its id if that is not known.
func User(s *cloud.Snapshot, id string) string { return cmp.Or(s.UserName(id), id) }
