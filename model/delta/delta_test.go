package delta_test

import (
	"slices"
	"testing"

	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/modeltest/must"
)

// inventory and thing have what records and edited states have.
type inventory struct {
	Total    int64 `json:"total"`
	Reserved int64 `json:"reserved"`
}

type thing struct {
	Name        string                      `json:"name"`
	Parent      string                      `json:"parent_provider_uuid,omitempty"`
	Size        int64                       `json:"size,omitempty"`
	Updated     int64                       `json:"updated_at_ms,omitempty"`
	Interval    int64                       `json:"report_interval_ms,omitempty"`
	Traits      []string                    `json:"traits"`
	Inventories map[string]inventory        `json:"inventories"`
	Allocations map[string]map[string]int64 `json:"allocations,omitempty"`
	Metadata    map[string]string           `json:"metadata"`
}

func base() thing {
	return thing{
		Name: "a", Size: 1 << 60, Traits: []string{"A", "B"}, Inventories: map[string]inventory{"VCPU": {8, 0}},
		Allocations: map[string]map[string]int64{"h": {"VCPU": 2}}, Metadata: map[string]string{"rack": "1", "inventories": "6"},
	}
}

// edited returns base with edits.
func edited(edits ...func(*thing)) thing {
	t := base()
	for _, edit := range edits {
		edit(&t)
	}
	return t
}

func rename(t *thing)   { t.Name = "b" }
func total(t *thing)    { t.Inventories = map[string]inventory{"VCPU": {16, 0}} }
func reserved(t *thing) { t.Inventories = map[string]inventory{"VCPU": {8, 1}} }
func drop(t *thing)     { t.Inventories = nil }
func add(t *thing)      { t.Inventories = map[string]inventory{"VCPU": {8, 0}, "VGPU": {4, 1}} }
func trait(t *thing)    { t.Traits = []string{"B", "C"} }
func theirs(t *thing)   { t.Traits = []string{"A", "B", "D"} }
func reorder(t *thing)  { t.Traits = []string{"B", "A"} }
func untrait(t *thing)  { t.Traits = nil }
func release(t *thing)  { t.Allocations = nil }
func empty(t *thing)    { t.Metadata = map[string]string{"rack": "1", "": ""} }
func adopt(t *thing)    { t.Parent = "p" }
func write(t *thing)    { t.Updated = 1000 }
func slower(t *thing)   { t.Interval = 5 }

// metadata sets metadata, of which one key is "inventories", unless that is "".
func metadata(rack, inventories string) func(*thing) {
	return func(t *thing) {
		if t.Metadata = map[string]string{"rack": rack}; inventories != "" {
			t.Metadata["inventories"] = inventories
		}
	}
}

// key sets metadata whose keys read like fields.
func key(t *thing) {
	t.Metadata = map[string]string{"rack": "1", "updated_at_ms": "5", "inventories": "7", "project_id": "7"}
}

func words(of []delta.Field) (out []string) {
	for _, f := range delta.Telling(of) {
		out = append(out, f.Words())
	}
	return out
}

// TestOf tells how things differ, in words and as text.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, after any
		want          []string
	}{
		{base(), base(), nil},
		{base(), edited(reorder), nil},
		{base(), edited(rename, total, trait), []string{"name a > b", "traits +C -A", "VCPU total 8 > 16"}},
		{base(), edited(adopt, write), []string{"parent none > p", "updated_at none > 1970-01-01T00:00:01Z"}},
		{base(), edited(drop, untrait, release), []string{"traits -A -B", "VCPU total 8 > none", "h VCPU 2 > none"}},
		{base(), edited(add), []string{"VGPU total none > 4"}},
		{base(), edited(slower), []string{"report_interval_ms none > 5"}},
		{base(), edited(key), []string{"inventories 6 > 7", "project_id none > 7", "updated_at_ms none > 5"}},
		{nil, thing{Name: "a", Size: 3}, []string{"name none > a", "size none > 3"}},
		{thing{Name: "a", Size: 3}, nil, []string{"name a > none", "size 3 > none"}},
	} {
		must.Match(t, c.want, words(delta.Of(c.before, c.after)))
	}
	empty := delta.Of(base(), edited(empty))[0].Text()
	must.Be(t, empty.Name, `metadata.""`)
	for _, f := range delta.Of(base(), edited(key, slower)) {
		if f.Text().Time {
			t.Errorf("%s is a time", f.Text().Name)
		}
	}
}

// TestBack puts fields back and leaves others, or says which were written since.
func TestBack(t *testing.T) {
	t.Parallel()
	type edits []func(*thing)
	for name, c := range map[string]struct {
		did, then edits
		want      edits // what is left
		written   []string
	}{
		"all":                          {edits{rename, total, trait, release, adopt, empty}, nil, nil, nil},
		"beside another field":         {edits{total}, edits{total, rename}, edits{rename}, nil},
		"of a set":                     {edits{trait}, edits{trait, func(t *thing) { t.Traits = append(t.Traits, "D") }}, edits{theirs}, nil},
		"what is as before already":    {edits{rename, total}, edits{total}, nil, nil},
		"written since":                {edits{total}, edits{func(t *thing) { t.Inventories = map[string]inventory{"VCPU": {32, 0}} }}, nil, []string{"VCPU total 16 > 32"}},
		"gone since":                   {edits{total}, edits{drop}, nil, []string{"VCPU total 16 > none"}},
		"its reserved":                 {edits{reserved}, edits{drop}, nil, []string{"VCPU reserved 1 > none"}},
		"an inventory of another size": {edits{add}, edits{add, func(t *thing) { t.Inventories["VGPU"] = inventory{4, 2} }}, nil, []string{"VGPU reserved 1 > 2"}},
	} {
		then := c.then
		if then == nil {
			then = c.did
		}
		back, written, err := delta.Back(edited(then...), delta.Of(base(), edited(c.did...)))
		must.Succeed(t, err)
		must.Match(t, c.written, words(written))
		if left := words(delta.Of(edited(c.want...), back)); c.written == nil && len(left) > 0 {
			t.Errorf("%s: it differs: %q", name, left)
		}
	}
}

// TestMerge puts an edit over what another has written meanwhile.
func TestMerge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mine, theirs, want []func(*thing)
	}{
		"other fields":              {[]func(*thing){total}, []func(*thing){reserved, rename}, []func(*thing){rename, func(t *thing) { t.Inventories = map[string]inventory{"VCPU": {16, 1}} }}},
		"elements":                  {[]func(*thing){trait}, []func(*thing){theirs}, []func(*thing){func(t *thing) { t.Traits = []string{"B", "C", "D"} }}},
		"an inventory that is gone": {[]func(*thing){total}, []func(*thing){drop}, []func(*thing){total}},
		"and is not edited":         {[]func(*thing){rename}, []func(*thing){drop}, []func(*thing){rename, drop}},
		"an empty value":            {[]func(*thing){empty}, nil, []func(*thing){empty}},
		"metadata that is gone":     {[]func(*thing){metadata("2", "6")}, []func(*thing){metadata("1", "")}, []func(*thing){metadata("2", "")}},
		"the same field":            {[]func(*thing){rename}, []func(*thing){func(t *thing) { t.Name = "c" }}, []func(*thing){rename}},
	} {
		got, err := delta.Merge[any](base(), edited(c.mine...), edited(c.theirs...))
		must.Succeed(t, err)
		if left := delta.Of(edited(c.want...), got); len(left) > 0 || !slices.Equal(got.(thing).Traits, edited(c.want...).Traits) {
			t.Errorf("%s: it differs: %q", name, words(left))
		}
	}
}
