package remote

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/nova"
)

// quotas returns the quotas of a project, those that people look for first at the top. It
// takes one request, and is not read in the background. If Keystone keeps the limits, it
// returns those that Nova reports.
//
// Errors: what Nova answered.
//
// Source: nova/api/openstack/compute/quota_sets.py, detail.
func (s *Store) quotas(ctx context.Context, project string) ([]*nova.Quota, error) {
	var answer struct {
		Set map[string]json.RawMessage `json:"quota_set"`
	}
	call := s.reader.call
	path := "/os-quota-sets/" + url.PathEscape(project) + "/detail"
	if err := call.read(ctx, api.Compute, path, &answer); err != nil {
		return nil, err
	}
	delete(answer.Set, "id")
	var out []*nova.Quota
	for _, name := range slices.Sorted(maps.Keys(answer.Set)) {
		var q struct {
			Used     int64 `json:"in_use"`
			Reserved int64 `json:"reserved"`
			Limit    int64 `json:"limit"`
		}
		if err := json.Unmarshal(answer.Set[name], &q); err != nil {
			return nil, garbled(string(api.Compute), "GET "+path, "json", err)
		}
		out = append(out, &nova.Quota{Name: clip(name), Used: q.Used + q.Reserved, Limit: q.Limit})
	}
	first := []string{"ram", "cores", "instances"}
	slices.SortStableFunc(out, func(a, b *nova.Quota) int { return slices.Index(first, b.Name) - slices.Index(first, a.Name) })
	return out, nil
}
