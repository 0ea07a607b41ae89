package panel

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

// TestChosenTimes shows times that a user chose, not those that only say when something
// was done.
func TestChosenTimes(t *testing.T) {
	t.Parallel()
	v := Diff{At: time.Date(2026, 3, 4, 14, 2, 7, 500, time.UTC)}
	const now, later = "2026-03-04T14:02:07Z", "2026-03-11T14:02:07Z"
	for name, c := range map[string]struct {
		field delta.Text
		want  bool
	}{
		"created":           {delta.Text{After: now}, false},
		"updated again":     {delta.Text{Before: "2026-03-01T00:00:00Z", After: now}, false},
		"until next week":   {delta.Text{After: later}, true},
		"no clock any more": {delta.Text{Before: later}, true},
	} {
		if got := v.chosen(c.field); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

// TestChangesSince shows what differs: how full a provider is, or that another write changed
// it.
func TestChangesSince(t *testing.T) {
	t.Parallel()
	preview := func(generation ops.Generation, used int64) ops.Preview {
		return ops.Preview{Providers: []ops.ProviderDiff{{
			Name: "cmp-1", GenerationBefore: generation, GenerationAfter: generation + 1,
			Classes: []ops.ClassDiff{{Class: placement.VCPU, UsedBefore: used, UsedAfter: used + 2}},
		}}}
	}
	for name, c := range map[string]struct {
		now  ops.Preview
		want string
	}{
		"the same":  {preview(3, 8), ""},
		"more used": {preview(4, 10), "VCPU of cmp-1: 8 were used, now 10; gen 3, now 4"},
		"written":   {preview(4, 8), "someone wrote to cmp-1: gen 3, now 4"},
	} {
		if got := strings.Join(ChangesSince(preview(3, 8), c.now), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestConsequenceChecks summarises many findings of one rule in a line.
func TestConsequenceChecks(t *testing.T) {
	t.Parallel()
	var some []audit.Finding
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		some = append(some, audit.Finding{Rule: "a04", Severity: audit.Warning, Subject: name, Text: "holds nothing"})
	}
	other := audit.Finding{Rule: "a02", Severity: audit.Critical, Subject: "x", Text: "is over"}
	worse := some[0]
	worse.Worse = true
	for want, brings := range map[string][]audit.Finding{
		"clears a02 x: is over": nil,
		"clears a02 x: is over | would worsen a04 a: holds nothing":                                                                      {worse},
		"clears a02 x: is over | would raise a04 no allocations, 5 times: a, b, c and 2 more | would raise a02 x: is over":               append(slices.Clone(some), other),
		"clears a02 x: is over | would raise a04 a: holds nothing | would raise a04 b: holds nothing | would raise a04 c: holds nothing": some[:3],
	} {
		var got []string
		for _, c := range ConsequenceChecks([]audit.Finding{other}, brings) {
			got = append(got, c.Text)
		}
		if text := strings.Join(got, " | "); text != want {
			t.Errorf("got  %s\nwant %s", text, want)
		}
	}
}

// TestFieldsOfSets shows what comes and goes of a set: of all that it has, the difference is cut.
func TestFieldsOfSets(t *testing.T) {
	t.Parallel()
	v := Diff{Styles: plain(t), Snap: cloud.Empty()}
	got := v.field(delta.Text{Name: "traits", Before: "[" + strings.Repeat("A", 90) + "]", After: "[" + strings.Repeat("A", 90) + ",B]", Elements: "+B"}, 80)
	if text := strings.Join(strings.Fields(strings.Join(got, " ")), " "); text != "traits +B" {
		t.Errorf("got %q", text)
	}
}

// TestTouchedWhole shows large amounts whole: half of one reads as another.
func TestTouchedWhole(t *testing.T) {
	t.Parallel()
	inv := placement.NewInventory(10_000_000)
	v := Diff{Styles: plain(t), Snap: cloud.Empty(), Preview: ops.Preview{Providers: []ops.ProviderDiff{{
		Name: "br-physnet0", Classes: []ops.ClassDiff{{Class: "NET_BW_EGR_KILOBIT_PER_SEC", Before: &inv, After: &inv, UsedBefore: 900_000}},
	}}}}
	for _, w := range []int{78, 96, 158} {
		if got := strings.Join(v.Touched(w), "\n"); !strings.Contains(got, "-900 000") {
			t.Errorf("at %d cells:\n%s", w, got)
		}
	}
}

// TestNamesWhoIsNew calls an instance that is to be booted by its name.
func TestNamesWhoIsNew(t *testing.T) {
	t.Parallel()
	v := Diff{Styles: plain(t), Snap: cloud.Empty(), Preview: ops.Preview{Consumers: []ops.ConsumerDiff{{
		Consumer: modeltest.ConsumerID("new"), Name: "web-1", GenerationBefore: ops.NoGeneration,
	}}}}
	if got := v.Consumers(96)[0]; !strings.HasPrefix(got, " web-1 ") || !strings.Contains(got, modeltest.ConsumerID("new").String()) {
		t.Errorf("an instance to be called web-1 is %q", got)
	}
}

// TestNovaKeepsTypes draws a consumer whose type our forecast changes, and Nova does not:
// it writes by a version of the API without types.
func TestNovaKeepsTypes(t *testing.T) {
	t.Parallel()
	v := Diff{Styles: plain(t), Snap: cloud.Empty(), Preview: ops.Preview{Consumers: []ops.ConsumerDiff{{
		Consumer: modeltest.ConsumerID("i"), Name: "web-1", Type: placement.InstanceConsumer, Changed: []delta.Text{{Name: "type", Before: "unknown", After: "INSTANCE"}},
	}}}}
	for asked, want := range map[bool]string{false: " web-1  unknown > INSTANCE ", true: " web-1  unknown   project "} {
		if v.Asked = asked; !strings.HasPrefix(v.Consumers(96)[0], want) {
			t.Errorf("asked %t: %q, want %q", asked, v.Consumers(96)[0], want)
		}
	}
}

func plain(tb testing.TB) *style.Styles {
	tb.Helper()
	return style.NewPlain(must.Get(themes.Load(nil, "default-dark"))(tb), style.Block())
}
