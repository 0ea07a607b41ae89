package rest

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// listUsages answers GET /resource_providers/{uuid}/usages.
func listUsages(r *request) *fault {
	s := r.placement()
	p, ok := r.provider(s)
	if !ok {
		return notFound("No resource provider with uuid %s found: No resource provider with uuid %s found", r.args[0], r.args[0])
	}
	b := r.text(`{"resource_provider_generation": `).num(p.Generation()).raw(`, "usages": {`)
	for i, iu := range p.Inventories() {
		b = b.comma(i > 0)
		b = b.str(string(s.ClassName(iu.Class))).raw(": ").num(iu.Used)
	}
	r.answer(http.StatusOK, b.raw("}}"), time.Time{})
	return nil
}

// usage is the usage of consumers of one type.
type usage struct {
	consumers int64
	used      map[placement.ClassID]int64
}

// totalUsages answers GET /usages.
//
// Source: placement/handlers/usage.py, get_total_usages.
func totalUsages(r *request) *fault {
	q, f := r.checkQuery(r.checkUsagesQuery)
	if f != nil {
		return f
	}
	s := r.placement()
	byType := usagesOf(s, q, r.at(microversion.ConsumerType))
	b := r.text(`{"usages": {`)
	if !r.at(microversion.ConsumerType) {
		if u := byType[""]; u != nil {
			b = b.appendUsed(s, u)
		}
	} else {
		for i, name := range slices.Sorted(maps.Keys(byType)) {
			b = b.comma(i > 0)
			b = b.str(name).raw(": {").appendUsed(s, byType[name]).raw(`, "consumer_count": `).num(byType[name].consumers).raw("}")
		}
	}
	r.answer(http.StatusOK, b.raw("}}"), time.Time{})
	return nil
}

// appendUsed appends amounts by class, without the braces around them.
func (b jsonText) appendUsed(s *placement.Snapshot, u *usage) jsonText {
	for i, class := range slices.Sorted(maps.Keys(u.used)) {
		b = b.comma(i > 0)
		b = b.str(string(s.ClassName(class))).raw(": ").num(u.used[class])
	}
	return b
}

// usagesOf returns the usage that a query requests: by consumer type, or all under "".
func usagesOf(s *placement.Snapshot, q params, typed bool) map[string]*usage {
	project, user, kind := q.last("project_id"), q.last("user_id"), q.last("consumer_type")
	byType := map[string]*usage{}
	for t := range s.Tallies(project, user) {
		name := t.Type.String()
		switch {
		case !typed:
			name = ""
		case kind == "all":
			name = "all"
		case kind != "" && kind != name:
			continue
		}
		u := byType[name]
		if u == nil {
			u = &usage{used: map[placement.ClassID]int64{}}
			byType[name] = u
		}
		u.consumers += t.Consumers
		for class, units := range t.Used() {
			u.used[class] += units
		}
	}
	return byType
}
