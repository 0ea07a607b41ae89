package find_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/find"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func open(t testing.TB, c *tuitest.Cloud, st *style.Styles) *tuitest.Host {
	t.Helper()
	env := tuitest.Env(c, st)
	env.Views = func() []screen.Named {
		return []screen.Named{{Name: "pulses", Title: "pulses", To: place.Pulses{}}, {Name: "dp", Title: "device profiles", Also: "boot", To: place.Profiles{}}}
	}
	return tuitest.Open(t, c, find.New(env, c.Snapshot(), ""))
}

func TestFits(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Demo(t, 12), tuitest.Plain())
	tuitest.EverySize(t, h)
	if got := h.Status(); !strings.HasSuffix(got, ", the best 100 listed") {
		t.Errorf("of more than a hundred it says %q", got)
	}
	h.Type("zzzz")
	tuitest.EverySize(t, h)
	if got := h.Status(); !strings.HasPrefix(got, "0 of ") || strings.Contains(got, ",") {
		t.Errorf("of none it says %q", got)
	}
	h.At(80, 20).Wants("nothing is called that")
}

// TestGoesOnceItIsRead types letters and enter before the index was read.
func TestGoesOnceItIsRead(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 1_500)
	h := tuitest.OpenManual(t, c, find.New(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), ""))
	h.Type("owner_c")
	h.At(80, 10).Wants("reading what there is", "/owner_c")
	h.Press("enter")
	h.Manual = false
	h.Settle()
	must.Be[any](t, h.Last(), screen.Goto{To: place.Traits{Filter: "name=OWNER_CYBORG"}})
}

// TestFinds goes to the best match: whole names first, then prefixes, beginnings of
// words, uuids, and letters in order.
func TestFinds(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	pl := c.Snapshot().Placement()
	host, _ := pl.ProviderByName("cmp-004")
	card, _ := pl.ProviderByName("cmp-012_pci_0000_41_00_0")
	for typed, want := range map[string]place.Place{
		"pulses":                 place.Pulses{},
		"cmp-004":                place.Provider{ID: host.ID()},
		"cmp 012 41":             place.Provider{ID: card.ID()},
		host.ID().String()[:13]:  place.Provider{ID: host.ID()},
		"owner_c":                place.Traits{Filter: "name=OWNER_CYBORG"},
		"vgpu":                   place.Classes{Filter: "name=VGPU"},
		"boot":                   place.Profiles{}, // a word for the view comes before a part of a trait's name
		"ml-tr":                  place.Projects{Filter: "project=ml-train"},
		"MISC_SHARES":            place.Traits{Filter: "name=MISC_SHARES_VIA_AGGREGATE"},
		"mscsharesviaaggregates": nil,
	} {
		h := open(t, c, tuitest.Plain())
		h.Type(typed)
		h.Press("enter")
		if want == nil {
			if h.Last() != nil {
				t.Errorf("%q leads to %v", typed, h.Last())
			}
		} else if h.Last() != (screen.Goto{To: want}) {
			t.Errorf("%q leads to %v, want %v:\n%s", typed, h.Last(), want, h.At(80, 10).Text())
		}
	}
}

// TestKeys moves and closes; the cursor stays on its row while the cloud
// changes.
func TestKeys(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	h := open(t, c, tuitest.Plain())
	h.Type("cmp-00")
	h.Text()
	h.Press("down", "down", "up", "pgdown", "pgup", "down")
	h.Change(placement.CreateProvider{ID: modeltest.ProviderID("cmp-00"), Name: "cmp-00"})
	h.Press("enter")
	third, _ := c.Snapshot().Placement().ProviderByName("cmp-003")
	must.Be[any](t, h.Last(), (screen.Goto{To: place.Provider{ID: third.ID()}}))
	h.Type("x")
	h.Screen.Update(screen.ResumeMsg{})
	if h.Press("ctrl+u", "esc"); h.Last() != (screen.PopMsg{}) {
		t.Errorf("esc asks for %v", h.Last())
	}
}

// BenchmarkKey types a letter with 100,000 consumers.
func BenchmarkKey(b *testing.B) {
	h := open(b, tuitest.Big(b, modeltest.Size{Hosts: 3000, Traits: 40, Cards: 2, Servers: 33}), tuitest.Plain())
	for i := 0; b.Loop(); i++ {
		h.Type(fmt.Sprint(i % 10))
		h.Press("backspace")
	}
}
