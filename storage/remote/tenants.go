package remote

import (
	"context"
	"strings"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// keystone is the service, which is asked for nothing but names once there is a token.
const keystone api.Service = "identity"

// identityAt returns the address of version 3 of a Keystone, whether or not auth_url
// includes the version.
func identityAt(address string) string {
	address = strings.TrimRight(address, "/")
	if strings.HasSuffix(address, "/v3") {
		return address
	}
	return address + "/v3"
}

// How often the names of projects and users are read, and how long a command that shows
// them waits for them.
const (
	namesEvery = 10 * time.Minute
	namesTime  = 10 * time.Second
)

// readNames returns the names of projects and users that Keystone gives this user: of all
// of them, or of the user's own projects and the user. There may be none. What it does not give is
// noted.
//
// Source: keystone/common/policies/project.py, list_projects and list_user_projects;
// user.py, list_users.
func (r *reader) readNames(ctx context.Context) *cloud.TenantNames {
	type row struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	var lacks []string
	read := func(key string, paths ...string) map[string]string {
		var rows []row
		for i, path := range paths {
			err := r.call.get(ctx, keystone, path, -1, listOf(key, &rows))
			if err == nil {
				break
			}
			if i == 0 {
				lacks = append(lacks, "not all "+key+": "+err.Error())
			}
		}
		out := make(map[string]string, len(rows))
		for _, is := range rows {
			out[is.ID] = is.Name
		}
		return out
	}
	names := &cloud.TenantNames{Projects: read("projects", "/projects", "/auth/projects"), Users: read("users", "/users")}
	if me := r.call.granted.user; me.ID != "" {
		names.Users[me.ID] = me.Name
	}
	var err error
	if len(lacks) > 0 {
		err = &cutError{what: strings.Join(lacks, "; ")}
	}
	if ctx.Err() == nil {
		r.reads.note(cloud.Identities, len(names.Projects)+len(names.Users), r.clock(), err)
	}
	return names
}

// name reads names and shows them; with again set, again and again until the store is
// closed.
func (s *Store) name(ctx context.Context, again bool) {
	for {
		names := s.reader.readNames(ctx)
		if ctx.Err() != nil {
			return
		}
		s.publishes.Lock()
		s.names = names
		s.begin(s.kept.Snapshot())
		s.publishes.Unlock()
		s.say(func(l *engine.Link) { l.Parts = s.reader.reads.list() })
		if !again || storage.Pause(ctx, namesEvery) != nil {
			return
		}
	}
}

// begin shows a Snapshot that no event led to. The caller holds publishes.
func (s *Store) begin(next *cloud.Snapshot) { s.kept.Begin(next.Named(s.names)) }

// goTo shows a Snapshot and what led to it. The caller holds publishes.
func (s *Store) goTo(next *cloud.Snapshot, ev cloud.Event) { s.kept.Follow(next.Named(s.names), ev) }
