package panel_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// thing returns the first provider of the demo with a name.
func thing(t *testing.T, c *tuitest.Cloud, name string) panel.Subject {
	t.Helper()
	p, ok := c.Snapshot().Placement().ProviderByName(name)
	if !ok {
		t.Fatalf("no provider %s", name)
	}
	return panel.Subject{Kind: kinds.Of(kinds.Providers), At: kinds.At{Snap: c.Snapshot(), Now: tuitest.Now()}, Row: p}
}

func TestTellsAllThatIsKnown(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	what := thing(t, c, "cmp-001")
	id := kinds.Of(kinds.Providers).Field("uuid").Get(what.At)(what.Row).String()
	for name, want := range map[string][]string{
		"words": {"uuid", id, "owner", "created at", " ago", "INVENTORIES", "VCPU", "ASK FOR IT", "placetop get providers " + id, "placement  GET /resource_providers/" + id},
		"yaml":  {"uuid: \"" + id, "name: cmp-001", "inventories:"},
	} {
		page := what.InWords(tuitest.Plain())
		if name == "yaml" {
			page = what.AsYAML(tuitest.Plain())
		}
		h := tuitest.Open(t, c, page)
		text := h.At(120, 200).Text()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s does not say %q:\n%s", name, w, text)
			}
		}
		h.Press("c")
		if copied, ok := h.Last().(screen.CopyMsg); !ok || !strings.Contains(copied.Text, id) {
			t.Errorf("c copies %v", h.Last())
		}
		tuitest.EverySize(t, h)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	what := thing(t, c, "cmp-001")
	env := tuitest.Env(c, tuitest.Plain())
	keys := map[string]bool{}
	for _, a := range panel.Describing("providers", env, what.Kind, nil, "", func() panel.Subject { return what }) {
		keys[a.Label()] = true
		msg := screen.Asks(a)
		switch msg := msg.(type) {
		case screen.PushMsg:
			if !strings.HasSuffix(msg.Screen.Title(), " cmp-001") {
				t.Errorf("%s opens %q", a.Label(), msg.Screen.Title())
			}
		case screen.Goto:
			if to, ok := msg.To.(place.EditText); ok {
				if id := what.Kind.Field("uuid").Get(what.At)(what.Row).String(); to != (place.EditText{Kind: "providers", Name: id}) {
					t.Errorf("%s edits %+v", a.Label(), to)
				}
				continue
			}
			if filter := msg.To.(place.Journal).Filter; !strings.Contains(filter, `record:"cmp-001"`) {
				t.Errorf("%s looks for %q", a.Label(), filter)
			}
		case screen.CopyMsg:
			if msg.What != "uuid of cmp-001" || len(msg.Text) != 36 {
				t.Errorf("%s copies %v", a.Label(), msg)
			}
		default:
			t.Errorf("%s asks for %v", a.Label(), msg)
		}
	}
	if !keys["d"] || !keys["y"] || !keys["H"] {
		t.Errorf("the keys are %v", keys)
	}
}

// TestFaultIsSaidOnce asks what is wrong with a thing where a column says it, and where none
// does.
func TestFaultIsSaidOnce(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	kind := kinds.Of(kinds.ARQs)
	for row := range kind.Rows(kinds.At{Snap: c.Snapshot(), Now: tuitest.Now()}, false) {
		what := panel.Subject{Kind: kind, At: kinds.At{Snap: c.Snapshot(), Now: tuitest.Now()}, Row: row}
		said := panel.FaultLines(tuitest.Plain(), 80, what, func(*kinds.Field) bool { return false })
		if again := panel.FaultLines(tuitest.Plain(), 80, what, func(f *kinds.Field) bool { return f.Name == "fault" }); again != nil {
			t.Errorf("it says again %q", again)
		}
		if len(said) > 0 {
			return
		}
	}
	t.Error("nothing is wrong with any request")
}
