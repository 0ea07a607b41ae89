package candidates_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

const (
	uuidA = "aaaaaaaa-0000-4000-8000-00000000000a"
	uuidB = "bbbbbbbb-0000-4000-8000-00000000000b"
)

type (
	resource = candidates.Resource
	anyTrait = candidates.AnyTrait
	traits   = []placement.Trait
	texts    = []candidates.AggregateText
)

func all(names ...placement.Trait) []anyTrait {
	var out []anyTrait
	for _, n := range names {
		out = append(out, anyTrait{Names: traits{n}})
	}
	return out
}

func none(names ...placement.Trait) []candidates.Trait {
	var out []candidates.Trait
	for _, n := range names {
		out = append(out, candidates.Trait{Name: n})
	}
	return out
}

// names returns a ledger that knows one custom trait and one custom class in addition to
// the standard ones.
func names(tb testing.TB) *placement.Snapshot {
	tb.Helper()
	s, _, err := placement.Empty().Apply(placement.Change{Ops: []placement.Op{
		placement.CreateTrait{Name: "CUSTOM_GOLD"}, placement.CreateClass{Name: "CUSTOM_FPGA_X1"},
	}})
	must.Succeed(tb, err)
	return s
}

func TestParseURL(t *testing.T) {
	t.Parallel()
	vcpu := []resource{{Class: "VCPU", Amount: 1}}
	group := func(change func(*candidates.Group)) candidates.Query {
		g := candidates.Group{Resources: vcpu}
		change(&g)
		return candidates.Query{Groups: []candidates.Group{g}}
	}
	for _, c := range []struct {
		name, url string
		version   microversion.Placement
		want      candidates.Query
		prints    string // if not url
	}{
		{
			name: "amounts in order", url: "resources=VCPU:2,MEMORY_MB:512",
			want: candidates.Query{Groups: []candidates.Group{{Resources: []resource{{Class: "VCPU", Amount: 2}, {Class: "MEMORY_MB", Amount: 512}}}}},
		},
		{
			name: "amounts as Python reads them", url: "resources=VCPU:+1,MEMORY_MB:%2B1_0,DISK_GB:007",
			want: candidates.Query{Groups: []candidates.Group{{Resources: []resource{
				{Class: "VCPU", Amount: 1}, {Class: "MEMORY_MB", Amount: 10}, {Class: "DISK_GB", Amount: 7},
			}}}},
			prints: "resources=VCPU:1,MEMORY_MB:10,DISK_GB:7",
		},
		{
			name: "amounts at the limits", url: "resources=VCPU:2147483647,MEMORY_MB:2147483648,DISK_GB:9223372036854775807",
			want: candidates.Query{Groups: []candidates.Group{{Resources: []resource{
				{Class: "VCPU", Amount: 2147483647}, {Class: "MEMORY_MB", Amount: 2147483648}, {Class: "DISK_GB", Amount: 9223372036854775807},
			}}}},
		},
		{
			name: "of a class named twice the last amount", url: "resources=VCPU:2,MEMORY_MB:1,VCPU:1", prints: "resources=VCPU:1,MEMORY_MB:1",
			want: candidates.Query{Groups: []candidates.Group{{Resources: []resource{{Class: "VCPU", Amount: 1}, {Class: "MEMORY_MB", Amount: 1}}}}},
		},
		{
			name: "of resources given twice the last", url: "resources=MEMORY_MB:2&resources=VCPU:1", prints: "resources=VCPU:1",
			want: group(func(*candidates.Group) {}),
		},
		{
			name: "what a later parameter replaces need not exist", url: "resources=CUSTOM_NONE:2&resources=VCPU:1", prints: "resources=VCPU:1",
			want: group(func(*candidates.Group) {}),
		},
		{
			name: "empty parameters are passed over", url: "&&resources=VCPU:1&", prints: "resources=VCPU:1",
			want: group(func(*candidates.Group) {}),
		},
		{
			name: "keys are decoded too", url: "re%73ources=VCPU:1", prints: "resources=VCPU:1",
			want: group(func(*candidates.Group) {}),
		},
		{
			name: "traits", url: "resources=VCPU:1&required=OWNER_NOVA, COMPUTE_NODE,!OWNER_CYBORG,!!CUSTOM_GOLD,OWNER_NOVA",
			prints: "resources=VCPU:1&required=OWNER_NOVA,COMPUTE_NODE,!OWNER_CYBORG,!CUSTOM_GOLD",
			want: group(func(g *candidates.Group) {
				g.Required, g.Forbidden = all("OWNER_NOVA", "COMPUTE_NODE"), none("OWNER_CYBORG", "CUSTOM_GOLD")
			}),
		},
		{
			name: "any of several traits, and repetition",
			url:  "resources=VCPU:1&required=OWNER_NOVA,!OWNER_CYBORG&required=in:COMPUTE_NODE,CUSTOM_GOLD&required=HW_NUMA_ROOT",
			want: group(func(g *candidates.Group) {
				g.Required = []anyTrait{
					{Names: traits{"OWNER_NOVA"}}, {Names: traits{"COMPUTE_NODE", "CUSTOM_GOLD"}}, {Names: traits{"HW_NUMA_ROOT"}},
				}
				g.Forbidden = none("OWNER_CYBORG")
			}),
			prints: "resources=VCPU:1&required=OWNER_NOVA&required=in:COMPUTE_NODE,CUSTOM_GOLD&required=HW_NUMA_ROOT,!OWNER_CYBORG",
		},
		{
			name: "below 1.39 the last required counts", url: "resources=VCPU:1&required=in:NONSENSE&required=CUSTOM_GOLD", version: 38,
			prints: "resources=VCPU:1&required=CUSTOM_GOLD",
			want:   group(func(g *candidates.Group) { g.Required = all("CUSTOM_GOLD") }),
		},
		{
			name: "aggregates", url: "resources=VCPU:1&member_of=" + uuidA + "&member_of=in:" + uuidA + "," + uuidB + "&member_of=!" + uuidB,
			want: group(func(g *candidates.Group) {
				g.MemberOf = []candidates.AnyAggregate{{IDs: texts{uuidA}}, {IDs: texts{uuidA, uuidB}}}
				g.ForbiddenAggregates = []candidates.Aggregate{{ID: uuidB}}
			}),
		},
		{
			name: "none of several aggregates", url: "resources=VCPU:1&member_of=!in:" + uuidA + "," + uuidB,
			want: group(func(g *candidates.Group) {
				g.ForbiddenAggregates = []candidates.Aggregate{{ID: uuidA}, {ID: uuidB}}
			}),
		},
		{
			name: "a uuid in any form", url: "resources=VCPU:1&member_of={AAAAAAAA00004000800000000000000A}&in_tree= urn:uuid:" + uuidB,
			prints: "resources=VCPU:1&member_of=%7BAAAAAAAA00004000800000000000000A%7D&in_tree=urn:uuid:" + uuidB,
			want: group(func(g *candidates.Group) {
				g.MemberOf = []candidates.AnyAggregate{{IDs: texts{"{AAAAAAAA00004000800000000000000A}"}}}
				g.InTree = "urn:uuid:" + uuidB
			}),
		},
		{
			name:   "groups",
			url:    "resources_GPU=VGPU:1&required_GPU=OWNER_NOVA&resources=VCPU:1&resources1=FPGA:1&group_policy=isolate&limit=7&root_required=COMPUTE_NODE,!COMPUTE_STATUS_DISABLED",
			prints: "resources=VCPU:1&resources_GPU=VGPU:1&required_GPU=OWNER_NOVA&resources1=FPGA:1&group_policy=isolate&root_required=COMPUTE_NODE,!COMPUTE_STATUS_DISABLED&limit=7",
			want: candidates.Query{
				Groups: []candidates.Group{
					{Resources: vcpu},
					{Suffix: "_GPU", Resources: []resource{{Class: "VGPU", Amount: 1}}, Required: all("OWNER_NOVA")},
					{Suffix: "1", Resources: []resource{{Class: "FPGA", Amount: 1}}},
				},
				GroupPolicy: candidates.PolicyIsolate, Limit: 7,
				Root: candidates.RootTerms{Required: none("COMPUTE_NODE"), Forbidden: none("COMPUTE_STATUS_DISABLED")},
			},
		},
		{
			name:   "a group without resources",
			url:    "resources_A=FPGA:1&required_N=HW_NUMA_ROOT&same_subtree=_A,_N&group_policy=none",
			prints: "resources_A=FPGA:1&required_N=HW_NUMA_ROOT&group_policy=none&same_subtree=_A,_N",
			want: candidates.Query{
				Groups: []candidates.Group{
					{Suffix: "_A", Resources: []resource{{Class: "FPGA", Amount: 1}}},
					{Suffix: "_N", Required: all("HW_NUMA_ROOT")},
				},
				GroupPolicy: candidates.PolicyNone, SameSubtree: []candidates.Subtree{{Suffixes: []string{"_A", "_N"}}},
			},
		},
		{
			name: "of limit and group_policy the first", url: "resources=VCPU:1&limit=3&limit=5&group_policy=none&group_policy=isolate",
			prints: "resources=VCPU:1&group_policy=none&limit=3",
			want:   candidates.Query{Groups: []candidates.Group{{Resources: vcpu}}, GroupPolicy: candidates.PolicyNone, Limit: 3},
		},
		{
			name: "a limit beyond everything", url: "resources=VCPU:1&limit=99999999999999999999", prints: "resources=VCPU:1&limit=2147483647",
			want: candidates.Query{Groups: []candidates.Group{{Resources: vcpu}}, Limit: 2147483647},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q := must.Get(candidates.ParseURL(c.url, c.version, names(t)))(t)
			c.want.Microversion = c.version
			if d := cmp.Diff(c.want, q); d != "" {
				t.Fatal(d)
			}
			if c.prints == "" {
				c.prints = c.url
			}
			if got := q.URL(); got != c.prints {
				t.Errorf("prints as\n%s, not\n%s", got, c.prints)
			}
			if err := q.Validate(names(t)); err != nil {
				t.Errorf("what was parsed is not valid: %v", err)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	const und, dup, bad, missing = candidates.CodeUndefined, candidates.CodeDuplicateKey, candidates.CodeBadValue, candidates.CodeMissingValue
	for _, c := range []struct {
		url     string
		version microversion.Placement
		param   string
		column  int
		code    candidates.ErrorCode
		says    string
	}{
		{"", 0, "resources", 1, missing, "at least one resources"},
		{"", 24, "resources", 1, und, "at least one resources"},
		{"resources=VCPU:1", 9, "", 17, und, "needs microversion 1.10, but this query uses 1.9"},
		{"resources", 0, "resources", 10, und, "is empty"},
		{"resources=", 0, "resources", 11, und, "is empty"},
		{"resources=VCPU", 0, "resources", 11, und, `"VCPU" is not CLASS:AMOUNT`},
		{"resources=VCPU:1:2", 0, "resources", 11, und, "is not CLASS:AMOUNT"},
		{"resources=VCPU:1,", 0, "resources", 18, und, "is not CLASS:AMOUNT"},
		{"resources=VCPU:0", 0, "resources", 16, und, "below 1"},
		{"resources=VCPU:-1", 0, "resources", 16, und, "below 1"},
		{"resources=VCPU:1.5", 0, "resources", 16, und, "is not a whole number"},
		{"resources=VCPU:1__0", 0, "resources", 16, und, "is not a whole number"},
		{"resources=VCPU:_1", 0, "resources", 16, und, "is not a whole number"},
		{"resources=VCPU:9223372036854775808", 0, "resources", 16, und, "above 9223372036854775807"},
		{"resources=VCPU:1,MEMRY_MB:5", 0, "resources", 18, und, "no such resource class MEMRY_MB, did you mean MEMORY_MB"},
		{"resources=%56CPU:1,%4DEMRY_MB:5", 0, "resources", 20, und, "MEMRY_MB"},
		{"resources=VCPU:1, MEMORY_MB:5", 0, "resources", 18, und, "only A-Z, 0-9 and _"},
		{"resources=VCPU:1&required=", 0, "required", 27, und, "empty trait"},
		{"resources=VCPU:1&required=OWNER_NOVA,,X", 0, "required", 38, und, "empty trait"},
		{"resources=VCPU:1&required=!", 0, "required", 27, und, "empty trait"},
		{"resources=VCPU:1&required=CUSTOM_GOLF", 0, "required", 27, und, "no such trait CUSTOM_GOLF, did you mean CUSTOM_GOLD"},
		{"resources=VCPU:1&required=OWNER_NOVA,!CUSTOM_GOLF", 0, "required", 39, und, "no such trait CUSTOM_GOLF"},
		{"resources=VCPU:1&required=in:OWNER_NOVA,!CUSTOM_GOLD", 0, "required", 41, und, "cannot contain a forbidden trait"},
		{"resources=VCPU:1&required=in:", 0, "required", 30, und, "empty trait"},
		{"resources=VCPU:1&required=in:OWNER_NOVA", 38, "required", 27, und, "needs microversion 1.39"},
		{"resources=VCPU:1&required=!OWNER_NOVA", 21, "required", 27, und, "needs microversion 1.22"},
		{"resources=VCPU:1&required=OWNER_NOVA", 16, "required", 18, und, "needs microversion 1.17"},
		{"resources=VCPU:1&required=OWNER_NOVA,!OWNER_NOVA", 0, "required", 18, und, "both required and forbidden"},
		{"resources=VCPU:1&required=in:OWNER_NOVA,CUSTOM_GOLD&required=!OWNER_NOVA,!CUSTOM_GOLD", 0, "required", 18, und, "both required and forbidden"},
		{"resources=VCPU:1&member_of=", 0, "member_of", 28, und, "is not a uuid"},
		{"resources=VCPU:1&member_of=abc", 0, "member_of", 28, und, `no aggregate is called "abc", and it is not a uuid`},
		{"resources=VCPU:1&member_of=" + uuidA + "," + uuidB, 0, "member_of", 64, und, "need in: or !in:"},
		{"resources=VCPU:1&member_of=in:" + uuidA + ",x", 0, "member_of", 68, und, `no aggregate is called "x", and it is not a uuid`},
		{"resources=VCPU:1&member_of=!" + uuidA, 31, "member_of", 28, und, "needs microversion 1.32"},
		{"resources=VCPU:1&member_of=" + uuidA + "&member_of=" + uuidA, 23, "member_of", 65, und, "needs microversion 1.24"},
		{"resources=VCPU:1&member_of=" + uuidA, 20, "member_of", 18, und, "needs microversion 1.21"},
		{"resources=VCPU:1&in_tree=abc", 0, "in_tree", 26, und, `no provider is called "abc"`},
		{"resources=VCPU:1&in_tree=" + uuidA, 30, "in_tree", 18, und, "needs microversion 1.31"},
		{"resources=VCPU:1&limit=0", 0, "limit", 24, und, "not a whole number of at least 1"},
		{"resources=VCPU:1&limit=010", 0, "limit", 24, und, "not a whole number of at least 1"},
		{"resources=VCPU:1&limit=1&limit=x", 0, "limit", 32, und, "not a whole number of at least 1"},
		{"resources=VCPU:1&limit=1", 15, "limit", 18, und, "needs microversion 1.16"},
		{"resources=VCPU:1&group_policy=some", 0, "group_policy", 31, und, "not one of none and isolate"},
		{"resources1=VCPU:1&resources2=VCPU:1", 0, "group_policy", 36, und, "must be none or isolate"},
		{"resources1=VCPU:1", 24, "resources1", 1, und, "needs microversion 1.25"},
		{"resources_A=VCPU:1", 32, "resources_A", 1, und, "needs microversion 1.33"},
		{"resources01=VCPU:1", 32, "resources01", 1, und, "needs microversion 1.33"},
		{"resources.=VCPU:1", 0, "resources.", 1, und, "is not 1 to 64 of"},
		{"resources" + strings.Repeat("x", 65) + "=VCPU:1", 0, "resources" + strings.Repeat("x", 65), 1, und, "is not 1 to 64 of"},
		{"colour=red&resources=VCPU:1", 0, "colour", 1, und, "no such parameter"},
		{"VGPU=16", 0, "VGPU", 1, und, "a resource class; ask for it with resources=VGPU:16"},
		{"VGPU", 0, "VGPU", 1, und, "a resource class; ask for it with resources=VGPU:1"},
		{"resources=VCPU:1&root_required=OWNER_NOVA&root_required=OWNER_NOVA", 0, "root_required", 43, dup, "only once"},
		{"resources=VCPU:1&root_required=OWNER_NOVA,!OWNER_NOVA", 0, "root_required", 18, bad, "both required and forbidden"},
		{"resources=VCPU:1&root_required=in:OWNER_NOVA", 0, "root_required", 32, und, "cannot ask for any one of several"},
		{"resources=VCPU:1&root_required=OWNER_NOVA", 34, "root_required", 18, und, "needs microversion 1.35"},
		{"resources1=VCPU:1&same_subtree=1,2", 0, "same_subtree", 19, bad, `no group with suffix "2"`},
		{"resources1=VCPU:1&same_subtree=1,", 0, "same_subtree", 34, bad, "un-suffixed group cannot be"},
		{"resources1=VCPU:1&same_subtree=1", 35, "same_subtree", 19, und, "needs microversion 1.36"},
		{"required_N=OWNER_NOVA&same_subtree=_N", 0, "resources", 38, missing, "at least one resources"},
		{"resources=VCPU:1&required_N=OWNER_NOVA", 0, "required_N", 18, bad, "must be named in same_subtree"},
		{"required=OWNER_NOVA&resources1=VCPU:1", 0, "required", 1, bad, "must be named in same_subtree"},
		{"resources1=VCPU:1&required2=OWNER_NOVA&group_policy=none", 35, "required2", 19, und, "needs microversion 1.36"},
		{"resources=VCPU:1&required=%ff", 0, "required", 18, und, "UTF-8"},
		{"resources=:1", 0, "resources", 11, und, "empty"},
		{"resources=VCPU:1&root_required=&root_required=OWNER_NOVA", 0, "root_required", 33, dup, "only once"},
		{"resources=VCPU:1&required=,&root_required=OWNER_NOVA,!OWNER_NOVA", 0, "root_required", 29, bad, "both required and forbidden"},
		{"required_N=CUSTOM_NONE&resources=VCPU:1", 0, "required_N", 1, bad, "must be named in same_subtree"},
		{"ресурсы=VCPU:1&resources=VCPU:x", 0, "ресурсы", 1, und, "no such parameter"},
	} {
		t.Run(c.url, func(t *testing.T) {
			t.Parallel()
			_, err := candidates.ParseURL(c.url, c.version, names(t))
			var e *candidates.ParseError
			if !errors.As(err, &e) || !errors.Is(err, placement.ErrInvalid) {
				t.Fatalf("%v is no ParseError that matches ErrInvalid", err)
			}
			if e.Param != c.param || e.Column != c.column || e.Code != c.code {
				t.Errorf("%s at %d with code %s, not %s at %d with code %s", e.Param, e.Column, e.Code, c.param, c.column, c.code)
			}
			if !strings.Contains(e.Error(), c.says) {
				t.Errorf("%q does not say %q", e, c.says)
			}
		})
	}
}

// TestValidateQueryMadeByHand covers queries that a parser cannot produce.
func TestValidateQueryMadeByHand(t *testing.T) {
	t.Parallel()
	one := []candidates.Group{{Resources: []resource{{Class: "VCPU", Amount: 1}}}}
	with := func(change func(*candidates.Query)) candidates.Query {
		q := candidates.Query{Groups: one}.Clone()
		change(&q)
		return q
	}
	for _, c := range []struct {
		says string
		q    candidates.Query
	}{
		{"is below 1", with(func(q *candidates.Query) { q.Groups[0].Resources[0].Amount = 0 })},
		{"no such resource class", with(func(q *candidates.Query) { q.Groups[0].Resources[0].Class = "CUSTOM_NONE" })},
		{"is given twice", with(func(q *candidates.Query) { q.Groups = append(q.Groups, q.Groups...) })},
		{"asks for nothing", with(func(q *candidates.Query) {
			q.Groups = append(q.Groups, candidates.Group{Suffix: "1"})
		})},
		{"comes first", with(func(q *candidates.Query) {
			q.Groups = []candidates.Group{{Suffix: "1", Resources: one[0].Resources}, one[0]}
		})},
		{"contains an empty trait", with(func(q *candidates.Query) { q.Groups[0].Required = []anyTrait{{}} })},
		{"no such trait", with(func(q *candidates.Query) { q.Groups[0].Required = all("CUSTOM_NONE") })},
		{"no such trait", with(func(q *candidates.Query) { q.Root.Forbidden = none("CUSTOM_NONE") })},
		{"is not a uuid", with(func(q *candidates.Query) { q.Groups[0].InTree = "x" })},
		{"is not a uuid", with(func(q *candidates.Query) { q.Groups[0].MemberOf = []candidates.AnyAggregate{{}} })},
		{"needs microversion 1.35", with(func(q *candidates.Query) { q.Microversion, q.Root.Required = 34, none("OWNER_NOVA") })},
		{"needs microversion 1.39", with(func(q *candidates.Query) {
			q.Microversion, q.Groups[0].Required = 38, []anyTrait{{Names: traits{"OWNER_NOVA", "CUSTOM_GOLD"}}}
		})},
		{"at least 1", with(func(q *candidates.Query) { q.Limit = -1 })},
	} {
		t.Run(c.says, func(t *testing.T) {
			t.Parallel()
			err := c.q.Validate(names(t))
			if !errors.Is(err, placement.ErrInvalid) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v does not say %q", err, c.says)
			}
		})
	}
}

func TestCommandAndWords(t *testing.T) {
	t.Parallel()
	q, err := candidates.ParseURL("resources=VCPU:2,MEMORY_MB:4096,DISK_GB:20&required=OWNER_NOVA,!OWNER_CYBORG&member_of=in:"+uuidA+","+uuidB+
		"&resources_GPU=VGPU:1&required_GPU=in:OWNER_NOVA,CUSTOM_GOLD&in_tree_GPU="+uuidA+
		"&resources1=FPGA:1&member_of1=!"+uuidB+"&group_policy=isolate&same_subtree=_GPU,1&root_required=COMPUTE_NODE&limit=5", 0, names(t))
	must.Succeed(t, err)
	command, lost := q.Command()
	const want = "openstack --os-placement-api-version 1.39 allocation candidate list" +
		" --resource VCPU=2 --resource MEMORY_MB=4096 --resource DISK_GB=20 --required OWNER_NOVA --forbidden OWNER_CYBORG --member-of " + uuidA + "," + uuidB +
		" --group _GPU --resource VGPU=1 --required OWNER_NOVA,CUSTOM_GOLD --group 1 --resource FPGA=1 --group-policy isolate --limit 5"
	if command != want {
		t.Errorf("command\n%s, not\n%s", command, want)
	}
	wantLost := []string{"in_tree_GPU=" + uuidA, "member_of1=!" + uuidB, "same_subtree=_GPU,1", "root_required=COMPUTE_NODE"}
	must.Match(t, wantLost, lost)
	const words = "2 VCPU, 4096 MEMORY_MB and 20 DISK_GB from one tree and pools shared with it with OWNER_NOVA without OWNER_CYBORG in aggregate " +
		uuidA + " or " + uuidB + "; group _GPU: 1 VGPU from one provider with OWNER_NOVA or CUSTOM_GOLD in the tree of " + uuidA +
		"; group 1: 1 FPGA from one provider not in aggregate " + uuidB + "; no two groups from one provider" +
		"; of the providers of groups _GPU, 1, one above all the others; on a tree whose root is with COMPUTE_NODE; at most 5 answers"
	if got := q.Words(); got != words {
		t.Errorf("words\n%s, not\n%s", got, words)
	}
	must.Be(t, q.Needs(), 39)
}

func TestNeedsIsTheOldestVersionThatTakesTheURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"resources=VCPU:1", "resources=VCPU:1&limit=2", "resources=VCPU:1&required=OWNER_NOVA", "resources=VCPU:1&member_of=" + uuidA,
		"resources=VCPU:1&required=!OWNER_NOVA", "resources=VCPU:1&member_of=" + uuidA + "&member_of=" + uuidB, "resources1=VCPU:1",
		"resources=VCPU:1&in_tree=" + uuidA, "resources=VCPU:1&member_of=!" + uuidA, "resources_A=VCPU:1",
		"resources=VCPU:1&root_required=OWNER_NOVA", "resources1=VCPU:1&same_subtree=1", "resources=VCPU:1&required=in:OWNER_NOVA,CUSTOM_GOLD",
	} {
		q := must.Get(candidates.ParseURL(url, 0, nil))(t)
		needs := q.Needs()
		if _, err := candidates.ParseURL(url, needs, nil); err != nil {
			t.Errorf("%s is said to need %s: %v", url, needs, err)
		}
		if _, err := candidates.ParseURL(url, needs-1, nil); err == nil {
			t.Errorf("%s is said to need %s, but %s takes it", url, needs, needs-1)
		}
		for v := microversion.Placement(1); v <= microversion.PlacementNewest; v++ {
			q.Microversion = v
			if err := q.Validate(nil); (err == nil) != (v >= needs) {
				t.Errorf("%s at %s: %v", url, v, err)
			}
		}
	}
}

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{
		"", "resources=VCPU:2,MEMORY_MB:4096&required=OWNER_NOVA,!OWNER_CYBORG&limit=10",
		"resources=VCPU:1&required=in:OWNER_NOVA,CUSTOM_GOLD&required=COMPUTE_NODE",
		"resources1=VGPU:1&resources_A=FPGA:1&required_N=HW_NUMA_ROOT&same_subtree=1,_A,_N&group_policy=isolate",
		"resources=VCPU:%2B1_0&member_of=in:" + uuidA + "," + uuidB + "&member_of=!in:" + uuidA + "&in_tree={" + uuidA + "}",
		"resources=VCPU:2147483647&root_required=COMPUTE_NODE,!COMPUTE_STATUS_DISABLED", "resources=VCPU: 1 &required=%", "a=%zz&&=;=&resources",
	} {
		f.Add(seed, 39)
		f.Add(seed, 24)
	}
	known := names(f)
	f.Fuzz(func(t *testing.T, text string, version int) {
		v := microversion.Placement(version)
		if v < 0 || v > microversion.PlacementNewest {
			return
		}
		for _, s := range []*placement.Snapshot{known, nil} {
			q, err := candidates.ParseURL(text, v, s)
			if err != nil {
				var e *candidates.ParseError
				if !errors.As(err, &e) || e.Column < 1 || e.Column > len([]rune(text))+1 || e.Why == "" || e.Code == "" {
					t.Fatalf("%q: error without place or reason: %#v", text, err)
				}
				continue
			}
			again, err := candidates.ParseURL(q.URL(), v, s)
			if err != nil {
				t.Fatalf("%q prints as %q, which is refused: %v", text, q.URL(), err)
			}
			if d := cmp.Diff(q, again); d != "" {
				t.Fatalf("%q prints as %q, which is another query:\n%s", text, q.URL(), d)
			}
			if err := q.Validate(s); err != nil {
				t.Fatalf("%q is parsed but not valid: %v", text, err)
			}
			if q.Needs() > q.Version() {
				t.Fatalf("%q is parsed at %s but needs %s", text, q.Version(), q.Needs())
			}
			if q.Words() == "" {
				t.Fatalf("%q has no words", text)
			}
			q.Command()
		}
	})
}
