package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// ownerExistsError says that an owner still exists.
type ownerExistsError struct{ why string }

func (e *ownerExistsError) Error() string { return e.why }

func ownerExists(format string, args ...any) error {
	return &ownerExistsError{fmt.Sprintf(format, args...)}
}

// questions are asked about the owners of claims. Lists are read once for all of them.
type questions struct {
	call       *caller
	now        *cloud.Snapshot
	migrations map[placement.ConsumerID]novaMigration // all; nil before they are read
	servers    map[string][]novaServer                // by path
	arqs       *[]cyborgARQ                           // all; nil before they are read
	cells      bool                                   // all cells answer
	admin      bool                                   // servers of all projects are told
}

// get reads from a service at its newest microversion.
func (q *questions) get(ctx context.Context, of api.Service, path string, into any) error {
	if q.call.services[of] == nil {
		return fmt.Errorf("the cloud was opened without %s, which knows%s", map[api.Service]string{api.Compute: "Nova", api.Accelerator: "Cyborg"}[of], q.call.elsewhere[of])
	}
	if err := q.call.meet(ctx, of); err != nil {
		return err
	}
	return q.call.read(ctx, of, path, into)
}

// administrator returns an error unless Nova tells this user of the servers of all projects.
func (q *questions) administrator(ctx context.Context) error {
	if q.admin {
		return nil
	}
	err := q.get(ctx, api.Compute, api.AdministratorPath, listOf("servers", &[]novaServer{}))
	if forbidden(err) {
		return fmt.Errorf("%w; a user who is no administrator gets 404 for servers of other projects", err)
	}
	q.admin = err == nil
	return err
}

// readMigrations reads all migrations that Nova lists, once. If that ends where a page does,
// those that may hold something are asked for by status as well.
func (q *questions) readMigrations(ctx context.Context) error {
	if q.migrations != nil {
		return nil
	}
	rows, err := wholeList[novaMigration](ctx, q, api.MigrationsPath, "migrations")
	if err != nil {
		return err
	}
	if len(rows)%page == 0 {
		for _, status := range nova.HoldingStatuses() {
			more, err := wholeList[novaMigration](ctx, q, api.MigrationsPath+"status="+string(status), "migrations")
			if err != nil {
				return err
			}
			rows = append(rows, more...)
		}
	}
	q.migrations = map[placement.ConsumerID]novaMigration{}
	for _, m := range oneMigration(rows) {
		q.migrations[m.UUID] = m
	}
	return nil
}

// held returns how much a consumer holds of each class in the tree of p and of the pools
// that serve it; of a pool, wherever that is, as it serves many trees.
func (q *questions) held(id placement.ConsumerID, p *placement.ResourceProvider) map[placement.ClassID]int64 {
	out := map[placement.ClassID]int64{}
	c, ok := q.now.Placement().Consumer(id)
	if !ok {
		return out
	}
	root := q.now.Placement().Root(p)
	for h := range c.Held() {
		if q.now.Placement().Shares(p) || ops.WithinReach(q.now.Placement(), q.now.Placement().ProviderAt(h.Number), root) {
			out[h.Class] += h.Used
		}
	}
	return out
}

// holdsOf reports whether a consumer holds anything of a provider itself.
func (q *questions) holdsOf(id placement.ConsumerID, p *placement.ResourceProvider) bool {
	c, ok := q.now.Placement().Consumer(id)
	return ok && slices.Contains(slices.Collect(c.ProviderNumbers()), p.Number())
}

// allCells returns an error if a cell does not answer: lists leave out what is there.
func (q *questions) allCells(ctx context.Context) error {
	if q.cells {
		return nil
	}
	var services []novaService
	if err := q.get(ctx, api.Compute, api.ServicesPath, listOf("services", &services)); err != nil {
		return err
	}
	hosts := func(yield func(string) bool) {
		for node := range q.now.Nova().ComputeNodes() {
			if !yield(node.Host) {
				return
			}
		}
	}
	if why := cellsGap(q.call.services[api.Compute].newest(), services, hosts); why != "" {
		return errors.New(why)
	}
	q.cells = true
	return nil
}

// unbound returns an error unless requests are gone, or belong to nobody.
func (q *questions) unbound(ctx context.Context, ids []uuid.UUID) error {
	for _, id := range ids {
		var a cyborgARQ
		switch err := q.get(ctx, api.Accelerator, api.ARQPath(id), &a); {
		case absent(err):
		case err != nil:
			return err
		case a.Instance != nil && !a.Instance.IsZero() || a.State == cyborg.ARQBound || a.State == cyborg.ARQBindStarted:
			return ownerExists("Cyborg has accelerator request %s, which is %s", id, a.State)
		}
	}
	return nil
}

// wholeList reads one of Nova's lists to its end, which only an empty page proves: a page
// may be short because Nova left rows out.
//
// Source: nova/api/openstack/compute/migrations.py, _output.
func wholeList[T any, P interface {
	*T
	pagedRow
}](ctx context.Context, q *questions, path, key string) ([]T, error) {
	var all []T
	marker := ""
	for range mostPages * mostParts {
		var rows []T
		answer := pagesOf[T, P](key, &rows)
		answer.most = page
		if err := q.get(ctx, api.Compute, strings.Replace(path+fmt.Sprintf("&limit=%d", page)+marker, "?&", "?", 1), answer); err != nil {
			return nil, midway(err, marker)
		}
		if len(rows) == 0 {
			return all, nil
		}
		all = append(all, rows...)
		next := "&marker=" + url.QueryEscape(P(&rows[len(rows)-1]).marker())
		if next == marker {
			return nil, fmt.Errorf("the list of %s does not come to an end", key)
		}
		marker = next
	}
	return nil, fmt.Errorf("the list of %s has too many pages", key)
}

// absent reports whether Nova itself says that it has no such thing. Other answers with
// status 404 come from something in between, or from a wrong address.
//
// Source: nova/api/openstack/wsgi.py, Fault; cyborg/common/exception.py, ResourceNotFound.
func absent(err error) bool {
	f := withStatus(err, http.StatusNotFound)
	return f != nil && f.absent
}
