package devices_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/devices"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func open(t testing.TB, c *tuitest.Cloud, filter string) *tuitest.Host {
	t.Helper()
	return tuitest.List(devices.New).On(t, c, filter)
}

func TestList(t *testing.T) {
	t.Parallel()
	tuitest.List(devices.New).Check(t, tuitest.Fleet)
}

// page opens the page of the first device that a filter matches.
func page(t *testing.T, c *tuitest.Cloud, st *style.Styles, filter string) *tuitest.Host {
	t.Helper()
	h := open(t, c, filter)
	h.Press("enter")
	s := must.Get(devices.Open(tuitest.Env(c, st), c.Snapshot(), h.Last().(screen.Goto).To.(place.Device).ID))(t)
	return tuitest.Open(t, c, s)
}

// TestExported checks that numbers are written of devices, and no bars.
func TestExported(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Demo(t, 12), "")
	h.At(80, 24).Text()
	table, _ := h.Screen.(screen.Tabler).Table()
	must.Be(t, strings.Join(table.Heads, " "), "host address type model status owner units uuid")
}

func TestFilters(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]int{
		"": 3, "type=GPU": 2, "status=maintaining": 1, "free>0": 2, "used=3": 1, "used=4": 0, "host=cmp-2": 2, "model:T4 owner=cyborg": 2, "0000:af": 1, "fault:requests": 0,
	} {
		if got := open(t, tuitest.Fleet(t), filter).Status(); !strings.Contains(got, fmt.Sprintf("%d of 3", want)) {
			t.Errorf("%q shows %s, want %d", filter, got, want)
		}
	}
}

// TestOwners goes round the owners of the cards.
func TestOwners(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Fleet(t), "")
	for _, want := range []string{"0 of 3", "2 of 3"} { // Nova's, Cyborg's
		h.Press("o")
		if got := h.Status(); !strings.Contains(got, want) {
			t.Errorf("it shows %s, want %s", got, want)
		}
	}
}

// TestUnitsThatDoNotAgree marks a card with a unit in use that no request holds.
func TestUnitsThatDoNotAgree(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	var change cyborg.PutRecords
	for d := range c.Snapshot().Cyborg().DevicesOn("cmp-2") {
		for dep := range c.Snapshot().Cyborg().DeployablesOf(d.UUID) {
			for h := range c.Snapshot().Cyborg().AttachHandlesOf(dep.UUID) {
				if d.Type == cyborg.FPGA {
					modeltest.Put(&change, c.Snapshot().Cyborg(), d.Edit(func(d *cyborg.Device) { d.Status = cyborg.Maintaining }))
					modeltest.Put(&change, c.Snapshot().Cyborg(), h.Edit(func(h *cyborg.AttachHandle) { h.InUse = true }))
				}
			}
		}
	}
	must.Succeed(t, c.Change(cloud.Change{Ops: []cloud.Op{change}}))
	text := open(t, c, "type=FPGA").At(120, 20).Text()
	_, pane, _ := strings.Cut(text, "─ cmp-2:")
	must.Be(t, strings.Count(pane, "fault"), 0)
	_, after, told := strings.Cut(pane, "1 attach handles of cmp-2_0000:af:00.0 are in use, but 0 requests hold one")
	if !strings.Contains(text, "✗ cmp-2") || !told || !strings.Contains(after, "in maintenance: nothing new lands here") || strings.Contains(after, "0 requests hold one") {
		t.Errorf("the card is not marked, or what is wrong does not come first, and once:\n%s", text)
	}
	if text := page(t, c, tuitest.Plain(), "type=FPGA").At(120, 30).Text(); !strings.Contains(text, "nobody's") || !strings.Contains(text, "FAULT") {
		t.Errorf("the page does not say what is wrong:\n%s", text)
	}
}

func TestGoes(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	h := page(t, c, tuitest.Plain(), "cmp-1")
	h.Text()
	card, _ := c.Snapshot().Placement().ProviderByName("cmp-1_0000:84:00.0")
	if h.Press("enter"); h.Last() != (screen.Goto{To: place.Provider{ID: card.ID()}}) {
		t.Errorf("a deployable leads to %v", h.Last())
	}
	h.Press("tab")
	seen := map[string]int{}
	for range 4 {
		before := len(h.Asked)
		h.Press("enter", "j")
		for _, msg := range h.Asked[before:] {
			seen[place.Kind(msg.(screen.Goto).To)]++
		}
	}
	if seen["instance"] != 3 {
		t.Errorf("the units in use lead to %v, want 3 instances", seen)
	}
	for _, id := range []uuid.UUID{{}, uuid.UUID(modeltest.ConsumerID("nobody"))} {
		if _, err := devices.Open(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), id); err == nil {
			t.Errorf("%s has a page", id)
		}
	}
}
