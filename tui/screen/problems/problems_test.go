package problems_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/problems"
	"github.com/placetop/placetop/tui/tuitest"
)

func open(t testing.TB, c *tuitest.Cloud, typed string) *tuitest.Host {
	t.Helper()
	at, _ := place.Parse(place.Problems{}, typed)
	return tuitest.Open(t, c, problems.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), at.(place.Problems)))
}

func onDemo(t *testing.T) *tuitest.Cloud {
	t.Helper()
	return tuitest.Demo(t, 12)
}

// acknowledge acknowledges the first finding, and mutes the last rule.
func acknowledge(t *testing.T, c *tuitest.Cloud) (known, muted audit.RuleID) {
	t.Helper()
	said := audit.Remark{Note: "decided on Monday", By: "me", At: tuitest.Now(), Until: tuitest.Now().Add(72 * time.Hour)}
	found := audit.Find(c.Snapshot())
	first, last := found[0], found[len(found)-1]
	plan, err := audit.PlanAcknowledge(c.Snapshot(), []audit.Finding{first}, said)
	if err == nil {
		err = c.Change(plan.Change)
	}
	must.Succeed(t, err)
	rule, _ := audit.RuleByID(last.Rule)
	if plan, err = audit.PlanMute(c.Snapshot(), rule, said); err == nil {
		err = c.Change(plan.Change)
	}
	must.Succeed(t, err)
	return first.Rule, last.Rule
}

// TestRowsDoNotWaitForFixes opens a large cloud, in which trying fixes on a copy takes a
// while.
func TestRowsDoNotWaitForFixes(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 250)
	h := tuitest.OpenManual(t, c, problems.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), place.Problems{}))
	for h.Pending() > 0 && !strings.Contains(h.At(120, 30).Text(), "over capacity") {
		h.RunOne(0)
	}
	h.At(120, 30).Wants("F plan")
	h.Settle()
	h.At(120, 30).Wants("F release")
	h.Lacks("F plan")
}

// TestFixesFollowTheCloud changes a large cloud while the search for fixes rests.
func TestFixesFollowTheCloud(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 250)
	env := tuitest.Env(c, tuitest.Plain())
	now, tick := tuitest.Now(), time.Millisecond
	env.Clock = func() time.Time { now = now.Add(tick); return now }
	h := tuitest.OpenManual(t, c, problems.New(env, c.Snapshot(), place.Problems{}))
	until := func(text string) time.Time {
		for h.Pending() > 0 && !strings.Contains(h.At(120, 70).Text(), text) {
			h.RunOne(0)
		}
		return now
	}
	planning := until("F plan")
	until("F release")
	now, tick = planning, 0 // it rests from now on
	lone := modeltest.Provider{Name: "lone", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(4)}}
	h.Change(lone.Ops(placement.ProviderID{})...)
	h.Settle()
	h.Manual = false
	filtered(h, "lone").At(120, 30).Wants("o02")
	h.At(120, 30).Lacks("F plan")
}

// TestReadsUpOnWhatIsNext shows everything about a row as soon as the cursor reaches it.
func TestReadsUpOnWhatIsNext(t *testing.T) {
	t.Parallel()
	h := open(t, onDemo(t), "")
	for range 4 {
		h.Settle()
		h.Manual = true
		h.Press("j")
		h.Lacks("looking for fixes")
		h.Manual = false
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	tuitest.Frames(t, map[string]func() *tuitest.Host{
		"no match": func() *tuitest.Host { return filtered(open(t, onDemo(t), ""), "nobody") },
		"unfolded": func() *tuitest.Host {
			h := open(t, fleet(t), "")
			h.Press("x")
			return h
		},
		"quiet": func() *tuitest.Host {
			c := onDemo(t)
			acknowledge(t, c)
			h := open(t, c, "")
			h.Press(".", "G")
			return h
		},
	})
}

// TestCountsProblems does not count rules as findings if a filter leaves nothing.
func TestCountsProblems(t *testing.T) {
	t.Parallel()
	h := open(t, fleet(t), "")
	want := fmt.Sprintf("(%d without it)", len(audit.Find(h.Cloud.Snapshot())))
	if text := filtered(h, "zzz").Text(); !strings.Contains(text, want) {
		t.Errorf("%s is not in\n%s", want, text)
	}
}

// fleet is a cloud in which rules find several things.
func fleet(t *testing.T) *tuitest.Cloud {
	t.Helper()
	c := tuitest.Fleet(t)
	for n := range 3 {
		p := modeltest.Provider{Name: fmt.Sprint("lone-", n), Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(4)}}
		must.Succeed(t, c.Do(p.Ops(placement.ProviderID{})...))
	}
	return c
}

func filtered(h *tuitest.Host, filter string) *tuitest.Host {
	h.Press("/", "ctrl+u")
	h.Type(filter)
	h.Press("enter")
	return h
}

func TestEverySize(t *testing.T) {
	t.Parallel()
	tuitest.EverySize(t, open(t, onDemo(t), ""))
}

func TestActions(t *testing.T) {
	t.Parallel()
	tuitest.Actions(t, open(t, onDemo(t), ""))
	tuitest.Actions(t, open(t, tuitest.NewCloud(cloud.Empty()), ""))
}

func TestAnything(t *testing.T) {
	t.Parallel()
	tuitest.Anything(t, func(env screen.Env, snap *cloud.Snapshot) screen.Screen {
		return problems.New(env, snap, place.Problems{})
	}, "/ s S O a x o . F A M l h > 1 = enter esc backspace")
}

func TestNamesAreHarmless(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Hostile(t), "")
	h.Press("x")
	h.Harmless()
}

// wants fails the test if one of texts is not on the screen.
func wants(t *testing.T, h *tuitest.Host, texts ...string) {
	t.Helper()
	got := h.At(100, 40).Text()
	for _, text := range texts {
		if !strings.Contains(got, text) {
			t.Errorf("no %q:\n%s", text, got)
		}
	}
}

// TestNothingWrong is the best screen there is.
func TestNothingWrong(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.NewCloud(cloud.Empty()), "")
	wants(t, h, "EMPTY", fmt.Sprintf("%d rules, nothing wrong, last pass 14:02:07Z, <1 ms", len(audit.Rules())))
	must.Be(t, h.Status(), "0 problems   last pass 14:02:07Z, <1 ms")
	h.Press("enter", "F", "A", "M", "c", "C", "x", ".", "o")
	if h.Asked != nil {
		t.Errorf("it asks for %v", h.Asked)
	}
}

// TestTellsAllOfTheDemo unfolds everything: each finding of the audit has a row.
func TestTellsAllOfTheDemo(t *testing.T) {
	t.Parallel()
	c := onDemo(t)
	h := open(t, c, "")
	h.Press("x")
	found := audit.Find(c.Snapshot())
	text := h.At(160, 80).Text()
	for _, p := range audit.Problems(found) {
		if !strings.Contains(text, string(p.Rule.ID)+" "+p.Rule.Title[:8]) {
			t.Errorf("no row of %s:\n%s", p.Rule.ID, text)
		}
	}
	if n := strings.Count(text, "└─"); n != len(found) {
		t.Errorf("%d findings are shown, want %d:\n%s", n, len(found), text)
	}
	if want := fmt.Sprintf("%d problems  ✗4 !10 i2   last pass 14:02:07Z, <1 ms", len(found)); h.Status() != want {
		t.Errorf("status is %q, want %q", h.Status(), want)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	c := onDemo(t)
	h := open(t, c, "")
	for filter, want := range map[string]string{
		"severity=critical": "a02 o01 o03 o06", "owner=both": "o01", "rule=o0*": "o01 o03 o06 o02 o05", "state=acknowledged": "", "fix=release": "a01 a06",
		"host=cmp-012 severity=info": "v01", "spark": "a01", "class=VGPU severity=critical": "a02 o06",
	} {
		var got []string
		for line := range strings.Lines(filtered(h, filter).At(150, 15).Text()) {
			for _, p := range audit.Rules() {
				if strings.Contains(line, "▾ "+string(p.ID)) {
					got = append(got, string(p.ID))
				}
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q shows %q, want %q", filter, got, want)
		}
	}
	// By what operators call it.
	for typed, want := range map[string]string{"evacuated": "a07", "overcommitted": "a02", "rolling": "o05"} {
		text := filtered(h, typed).At(90, 40).Text()
		if !strings.Contains(text, "─ "+want+" ") { // the page below the list is about the row with the cursor
			t.Errorf("%q does not put the cursor on %s:\n%s", typed, want, text)
		}
	}
	// The cursor of a filter whose row is gone goes to the first row of the next one.
	filtered(h, "stuck")
	if text := filtered(h, "double").At(90, 40).Text(); !strings.Contains(text, "─ o01 ") {
		t.Errorf("the cursor is not on the first row:\n%s", text)
	}
	filtered(h, "")
	for _, want := range []string{"owner=nova", "owner=cyborg", "owner=both", "owner=none", ""} {
		h.Press("o")
		if got := h.Screen.(interface{ Expr() string }).Expr(); got != want {
			t.Errorf("o asks for %q, want %q", got, want)
		}
	}
}

// TestEnterOpensTheSubject goes where each kind of finding leads.
func TestEnterOpensTheSubject(t *testing.T) {
	t.Parallel()
	c := onDemo(t)
	h := open(t, c, "")
	h.Press("x")
	for _, f := range audit.Find(c.Snapshot()) { // each alone under its rule
		h.Press("j", "enter")
		to, ok := h.Last().(screen.Goto)
		if !ok {
			t.Errorf("%s of %s leads to %v", f.Rule, f.Subject, h.Last())
			continue
		}
		want := map[bool]string{true: f.Consumer.String(), false: f.Provider.String()}[!f.Consumer.IsZero()]
		if f.Service != "" {
			want = f.Service
		}
		if !strings.Contains(fmt.Sprint(to.To), want) || f.Rule == audit.RuleLeakedMigration && place.Kind(to.To) != "migrations" {
			t.Errorf("%s of %s leads to %v", f.Rule, f.Subject, to)
		}
		h.Press("j")
	}
	many := open(t, fleet(t), "o02")
	if many.Press("enter"); many.Last() != nil {
		t.Errorf("a rule with several findings leads to %v", many.Last())
	}
	wants(t, many, "▾ o02", "lone-1")
}

// TestMarkedRowsAreNotListed acts on marked rows when none of them is listed: a filter
// hides them, or the findings are gone.
func TestMarkedRowsAreNotListed(t *testing.T) {
	t.Parallel()
	c := fleet(t)
	h := open(t, c, "o02 lone-1")
	refused := func() {
		t.Helper()
		for _, key := range []string{"F", "A"} {
			h.Asked = nil
			h.Press(key)
			if toast, ok := h.Last().(screen.ToastMsg); !ok || toast.Text != "no marked row is in the list now: esc clears the marks" {
				t.Errorf("%s asks for %v", key, h.Last())
			}
		}
	}
	h.Press(" ")
	filtered(h, "lone-2")
	refused()
	filtered(h, "")
	p, _ := c.Snapshot().Placement().ProviderByName("lone-1")
	h.Change(placement.DeleteProvider{ID: p.ID()})
	refused()
	h.Press("esc", "F")
	if _, ok := h.Last().(screen.PushMsg); !ok {
		t.Errorf("without marks F asks for %v", h.Last())
	}
}

// TestFixesOfWhatHasGone presses F on a rule before the list knows that its findings are
// gone.
func TestFixesOfWhatHasGone(t *testing.T) {
	t.Parallel()
	c := tuitest.NewCloud(cloud.Empty())
	var gone []placement.Op
	for _, name := range []string{"lone-0", "lone-1"} {
		p := modeltest.Provider{Name: name, Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(4)}}
		must.Succeed(t, c.Do(p.Ops(placement.ProviderID{})...))
		gone = append(gone, placement.DeleteProvider{ID: modeltest.ProviderID(name)})
	}
	h := open(t, c, "o02")
	h.Manual = true
	h.Change(gone...)
	h.Press("F")
	h.Settle()
	if toast, ok := h.Last().(screen.ToastMsg); !ok || toast.Text != "none of the 2 problems of o02 is still there" {
		t.Errorf("F asks for %v", h.Last())
	}
}

// TestArgPutsTheCursor opens the screen on a rule, and on one of its findings.
func TestArgPutsTheCursor(t *testing.T) {
	t.Parallel()
	c := fleet(t)
	p, _ := c.Snapshot().Placement().ProviderByName("lone-1")
	for arg, want := range map[string]string{
		"o02": "> ! ▸ o02", "o02 lone-1": "> ! ├─", "o02 " + p.ID().String(): "> ! ├─", "x99": "> ", "o02 nobody": "> ",
	} {
		text := open(t, c, arg).At(100, 40).Text()
		at := strings.Index(text, "> ")
		if line, _, _ := strings.Cut(text[max(at, 0):], "\n"); !strings.HasPrefix(line, want) || strings.Contains(arg, "lone") && !strings.Contains(line, "lone-1") {
			t.Errorf("%q puts the cursor on %q:\n%s", arg, line, text)
		}
	}
}

// TestFollowsTheCloud has others repair and break things while the cursor is on a
// finding.
func TestFollowsTheCloud(t *testing.T) {
	t.Parallel()
	c := fleet(t)
	h := open(t, c, "o02 lone-1")
	cursor := h.Screen.(tuitest.Lister).CursorID()
	for n, step := range []struct {
		op   placement.Op
		want string
	}{
		{placement.DeleteProvider{ID: modeltest.ProviderID("lone-0")}, "lone-1"},
		{placement.CreateProvider{ID: modeltest.ProviderID("z"), Name: "z"}, "lone-1"},
	} {
		h.Change(step.op)
		if got := h.Screen.(tuitest.Lister).CursorID(); got != cursor {
			t.Errorf("step %d: the cursor is on %q", n, got)
		}
	}
	h.At(100, 40).Lacks("lone-0")
	h.Change(placement.DeleteProvider{ID: modeltest.ProviderID("lone-1")})
	if got := h.Screen.(tuitest.Lister).CursorID(); got == cursor || got == "" {
		t.Errorf("the cursor is on %q, which is gone", got)
	}
}

// TestStaleIsMarked holds the pass back after the cloud has changed.
func TestStaleIsMarked(t *testing.T) {
	t.Parallel()
	c := onDemo(t)
	h := tuitest.OpenManual(t, c, problems.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), place.Problems{}))
	h.Settle()
	h.Change(placement.CreateProvider{ID: modeltest.ProviderID("z"), Name: "z"})
	if got := h.Status(); !strings.Contains(got, "stale: of rev") {
		t.Errorf("status is %q", got)
	}
	h.Settle()
	if got := h.Status(); strings.Contains(got, "stale") {
		t.Errorf("status is %q", got)
	}
}

// TestQuietOnesAreHidden hides what operators have acknowledged or muted.
func TestQuietOnesAreHidden(t *testing.T) {
	t.Parallel()
	c := onDemo(t)
	known, muted := acknowledge(t, c)
	h := open(t, c, "")
	hidden := func(want bool) {
		t.Helper()
		text := h.At(100, 60).Text()
		if strings.Contains(text, "▸ "+string(known)) == want || strings.Contains(text, "▸ "+string(muted)) == want {
			t.Errorf("hidden: %v, want %v\n%s", !want, want, text)
		}
	}
	hidden(true)
	if got := h.Status(); !strings.Contains(got, "14 problems  ✗3 !10 i1   1 acknowledged   1 rule muted") {
		t.Errorf("status is %q", got)
	}
	h.Press(".", "G", "k")
	hidden(false)
	wants(t, h, "acknowledged by me 0s ago, until 2026-11-23 14:02Z: decided on Monday")
	h.Press("esc")
	hidden(true)
	if h.Back() {
		t.Error("there is more to close")
	}
}

func TestCopies(t *testing.T) {
	t.Parallel()
	h := open(t, onDemo(t), "o01")
	text := "critical\to01\tboth owners\tcmp-011/0000:81:00.0\thas OWNER_NOVA and OWNER_CYBORG, VGPU 4/8 used"
	h.Asks("c", screen.CopyMsg{What: "what is wrong", Text: text})
	for what, want := range map[string]string{"text for a ticket": text, "command that repairs": "placetop check --fix --dry-run --only o01"} {
		if got := h.Copied(what); got != want {
			t.Errorf("%s is %q, want %q", what, got, want)
		}
	}
}
