package devices_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/devices"
	"github.com/placetop/placetop/tui/tuitest"
)

func openARQs(t testing.TB, c *tuitest.Cloud, filter string) *tuitest.Host {
	t.Helper()
	return tuitest.List(devices.NewARQs).On(t, c, filter)
}

func TestARQList(t *testing.T) {
	t.Parallel()
	tuitest.List(devices.NewARQs).Check(t, tuitest.Fleet)
}

func TestARQFilters(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		"": "infer-1 infer-2 infer-3 mixed-1 train-2", "state=BindFailed": "infer-3", "state=BindStarted": "infer-2", "host=cmp-2": "train-2",
		"handle:nvidia": "infer-1 infer-2 mixed-1 train-2", "provider:84 age<1h": "infer-2", "fault:free": "infer-3", "instance=mixed-*": "mixed-1", "group>0": "",
	} {
		var got []string
		for line := range strings.Lines(openARQs(t, tuitest.Fleet(t), filter).At(150, 10).Text()) {
			for word := range strings.FieldsSeq(line) {
				if i := strings.LastIndexByte(word, '-'); i > 0 && strings.Contains("infer mixed train", word[:i]) {
					got = append(got, word)
					break
				}
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q shows %q, want %s", filter, got, want)
		}
	}
}

func TestARQGoes(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	card, _ := c.Snapshot().Placement().ProviderByName("cmp-1_0000:84:00.0")
	h := openARQs(t, c, "infer-3")
	for key, want := range map[string]tea.Msg{
		"enter": screen.Goto{To: place.Instance{ID: modeltest.ConsumerID("infer-3")}},
		"i":     screen.Goto{To: place.Provider{ID: card.ID()}},
	} {
		h.Asks(key, want)
	}
	h.Wants("no attach handle is free")
}

// TestKeptByAMove says of a request that belongs to a move how long it stays.
func TestKeptByAMove(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	must.Succeed(t, c.Change(cloud.Change{Ops: []cloud.Op{cyborg.PutRecords{Records: []versioned.Change{{After: &cyborg.ARQ{
		UUID: uuid.UUID(modeltest.ConsumerID("arq of train-2")), State: cyborg.ARQInitial, Profile: "t4-1", Instance: modeltest.ConsumerID("resize of train-2"),
	}}}}}}))
	openARQs(t, c, "state=Initial").At(120, 20).Wants("kept by the resize cmp-1 > cmp-2 until that is over")
}
