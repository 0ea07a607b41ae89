package remote

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// copyCloud copies what call reaches into a store, tree by tree. Providers that the store
// has at their current generation are not read again. Records of a part that cannot be
// read now stay in the store.
func copyCloud(ctx context.Context, call *caller, from string, into storage.Store, o engine.Options) (engine.CopyResult, error) {
	defer closeIdle(&call.client.HTTPClient)
	note := "copy of " + from
	task := "copy " + from // a later copy is recognised by this
	if err := mayCopy(ctx, into, task, note); err != nil {
		return engine.CopyResult{}, err
	}
	var out engine.CopyResult
	r := newReader(call, o.Clock)
	r.trees = true
	r.m.take(into.Snapshot())
	out.Revision = into.Snapshot().Revision()
	var failed error
	names := &cloud.TenantNames{Projects: into.Snapshot().Nova().Config().Projects, Users: into.Snapshot().Nova().Config().Users}
	keep := func(at int64) {
		if failed != nil {
			return
		}
		read := r.readings()
		r.m.note(read, cmp.Or(at, into.Snapshot().Nova().Config().Read), names)
		changes := slices.DeleteFunc(cloud.Differences(into.Snapshot().Records(), r.m.records()), func(c versioned.Change) bool {
			return c.After == nil && slices.ContainsFunc(cloud.PartsOf(c.Kind()), func(p cloud.Part) bool { return read.Of(p).Gap() != "" })
		})
		if len(changes) == 0 {
			return
		}
		c := cloud.PutRecords("import", note, changes)
		c.Task = task
		var done cloud.Commit
		if done, failed = into.Apply(ctx, c).Result(); failed == nil {
			out.Changed += len(changes)
			out.Revision = done.Event.Revision
		}
	}
	r.tell = func(done, of int) {
		if o.Progress != nil {
			o.Progress(done, of)
		}
	}
	r.show = func() {
		if r.m.begun() {
			keep(0)
		}
	}
	r.m.strict = true
	err := r.readAll(ctx)
	if err == nil && r.unsettled() { // what Nova did not know may be younger than its answer
		_ = r.read(ctx, api.Compute) // reads has the error
	}
	if err == nil && call.services[keystone] != nil {
		ctx, stop := context.WithTimeout(ctx, namesTime)
		names = r.m.ofOwners(r.readNames(ctx), names)
		stop()
	}
	if err == nil {
		r.m.strict = false
		keep(versioned.Millis(o.Clock()))
		err = failed
	}
	out.Requests = call.sent.Load()
	for _, of := range r.reads.list() {
		if of.Gap() != "" {
			out.Without = append(out.Without, string(of.Part)+": "+of.Gap())
		}
	}
	return out, orCancelled(ctx, err)
}

// gapTexts says why parts of a cloud were not read, or not as a whole, by the name of the part.
func gapTexts(read *cloud.Readings) map[string]string {
	out := map[string]string{}
	for _, p := range cloud.Parts() {
		if gap := read.Of(p).Gap(); gap != "" {
			out[string(p)] = gap
		}
	}
	return out
}

// note notes in the settings of the cloud how it was read, and when, and the names of its
// projects and users.
func (m *mirror) note(read *cloud.Readings, at int64, names *cloud.TenantNames) {
	m.mu.Lock()
	defer m.mu.Unlock()
	moving := read.Moving()
	if read.Of(cloud.Instances).Why != "" {
		moving = nil // nothing is judged by servers at all
	}
	if m.nova.config != nil {
		m.nova.config = versioned.Edited(m.nova.config, func(c *nova.Config) {
			c.Unread, c.Read, c.Moving, c.Projects, c.Users = gapTexts(read), at, moving, names.Projects, names.Users
		})
	}
}

// ofOwners returns the names of the projects and users that own something: Keystone may
// have thousands more. Those that are not known now keep the name that they had.
func (m *mirror) ofOwners(now, before *cloud.TenantNames) *cloud.TenantNames {
	out := &cloud.TenantNames{Projects: map[string]string{}, Users: map[string]string{}}
	add := func(project, user string) {
		if name := cmp.Or(now.Projects[project], before.Projects[project]); name != "" {
			out.Projects[project] = name
		}
		if name := cmp.Or(now.Users[user], before.Users[user]); name != "" {
			out.Users[user] = name
		}
	}
	for _, c := range m.consumers {
		add(c.project, c.user)
	}
	servers, _ := m.servers()
	for _, s := range servers {
		add(s.Project, s.User)
	}
	return out
}

// mayCopy refuses a store that holds something other than what such a task last wrote;
// note describes that for people.
func mayCopy(ctx context.Context, into storage.Store, task, note string) error {
	for range into.Snapshot().Records() {
		last, err := into.Events(ctx, cloud.EventQuery{Limit: 1})
		if err != nil {
			return err
		}
		if len(last) == 1 && last[0].Task == task {
			return nil
		}
		is := "not in its journal"
		if len(last) == 1 {
			is = fmt.Sprintf("%q", last[0].Note)
		}
		return fmt.Errorf("it holds something other than an unchanged %s (last write: %s): %w", note, is, placement.ErrExists)
	}
	return nil
}

// take takes in a cloud that was read before.
func (m *mirror) take(s *cloud.Snapshot) {
	for r := range s.Records() {
		switch r := r.(type) {
		case *placement.ClassRecord:
			m.classes.keep(r.Name, int64(r.ID))
		case *placement.TraitRecord:
			m.traits.keep(r.Name, int64(r.ID))
		case *placement.ProviderRecord:
			m.providers[r.UUID] = &provider{
				listed: listed{UUID: r.UUID, Name: r.Name, Generation: r.Generation, Parent: r.Parent},
				have:   [parts]bool{true, true, true, true}, at: r.Generation, inventories: r.Inventories, aggregates: r.Aggregates,
				held: map[placement.ConsumerID]holding{},
			}
		case *placement.ProviderTraitsRecord:
			m.providers[r.Provider].traits = r.Traits
		case *placement.ConsumerRecord:
			m.consumers[r.UUID] = &consumer{consumerOwner: consumerOwner{r.Project, r.User}, typ: r.Type, generation: r.Generation, known: true}
			for id, of := range r.Allocations {
				m.providers[id].held[r.UUID] = holding{Resources: of, Generation: r.Generation}
			}
		}
	}
}

// keep takes in the number of a custom name.
func (n *numbers[N]) keep(name N, id int64) {
	if id >= placement.CustomID && id <= math.MaxInt32 {
		n.of[name], n.given = int32(id), max(n.given, int32(id)-placement.CustomID+1)
	}
}

// begun reports whether any provider was read as a whole.
func (m *mirror) begun() bool {
	for _, p := range m.providers {
		if p.whole() {
			return true
		}
	}
	return false
}
