package component_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// press returns the message of a key by its name; other text is typed.
func press(name string) tea.KeyMsg {
	for k, n := range map[tea.KeyType]string{
		tea.KeyEnter: "enter", tea.KeyEsc: "esc", tea.KeyBackspace: "backspace", tea.KeyUp: "up",
		tea.KeyDown: "down", tea.KeyLeft: "left", tea.KeyRight: "right", tea.KeyHome: "home", tea.KeyEnd: "end",
		tea.KeyTab: "tab", tea.KeyCtrlN: "ctrl+n", tea.KeyCtrlP: "ctrl+p", tea.KeyCtrlW: "ctrl+w",
		tea.KeyCtrlRight: "ctrl+right", tea.KeyCtrlV: "ctrl+v", tea.KeyDelete: "delete",
	} {
		if n == name {
			return tea.KeyMsg{Type: k}
		}
	}
	if name == "space" {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

func commands(text string) []string {
	if text == "" {
		return nil
	}
	var out []string
	for _, c := range []string{"providers tree", "providers flat", "problems", "quit"} {
		if strings.HasPrefix(c, text) {
			out = append(out, c)
		}
	}
	return out
}

func TestPromptEdits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		keys  string
		want  string
		event component.PromptEvent
	}{
		{"types", "a b c", "abc", component.PromptChanged},
		{"edits in the middle", "a c left b", "abc", component.PromptChanged},
		{"deletes a word", "a b space c ctrl+w", "ab ", component.PromptChanged},
		{"moving is no change", "a b home", "ab", component.PromptNone},
		{"enter submits", "a enter", "a", component.PromptSubmit},
		{"esc cancels", "a esc", "a", component.PromptCancel},
		{"backspace on nothing cancels", "a backspace backspace", "", component.PromptCancel},
		{"tab takes the suggestion", "p r o v tab", "providers tree", component.PromptChanged},
		{"right takes it too", "p r o v right", "providers tree", component.PromptChanged},
		{"right inside the text moves", "p r o v left right", "prov", component.PromptNone},
		{"a word of it", "p r o v ctrl+right", "providers", component.PromptChanged},
		{"the next one", "p r o v ctrl+n tab", "providers flat", component.PromptChanged},
		{"around the end", "p r o v ctrl+p tab", "providers flat", component.PromptChanged},
		{"the clipboard of the host is not read", "a ctrl+v", "a", component.PromptNone},
		{"history", "up", "last", component.PromptChanged},
		{"older history", "up up", "first", component.PromptChanged},
		{"history ends", "up up up", "first", component.PromptNone},
		{"back to the draft", "x y up down", "xy", component.PromptChanged},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := component.NewPrompt(plain(t, style.Block()), ":")
			p.Suggest = commands
			p.SetHistory([]string{"first", "last"})
			var ev component.PromptEvent
			for _, k := range strings.Fields(c.keys) {
				ev = p.Key(press(k))
			}
			if p.Value() != c.want || ev != c.event {
				t.Errorf("%q with event %d, want %q with %d", p.Value(), ev, c.want, c.event)
			}
		})
	}
}

func TestPromptPastesOneCleanLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ paste, want string }{
		{"9f2c41d0\n", "9f2c41d0"},
		{"a\nb\r\n\tc", "a b c"},
		{"\x1b[31mred\x1b[0m", "red"},
		{"\x1b]0;title\adone", "done"},
		{"a\x00\u202eb\u200b", "ab"},
		{"quit\r", "quit"},
		{"home", "home"}, // not the key
		{"\xff\xfe", ""},
	} {
		p := component.NewPrompt(plain(t, style.Block()), "/")
		p.Key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(c.paste), Paste: true})
		if got := p.Value(); got != c.want && !strings.Contains(c.paste, "\xff") {
			t.Errorf("%q becomes %q, want %q", c.paste, got, c.want)
		}
	}
}

func TestPromptRemembersLinesOnce(t *testing.T) {
	t.Parallel()
	p := component.NewPrompt(plain(t, style.Block()), ":")
	for _, v := range []string{"a", "b", " ", "a"} {
		p.SetValue(v)
		p.Key(press("enter"))
		p.Reset()
	}
	must.Match(t, []string{"b", "a"}, p.History())
}

func TestPromptViewFollowsTheCursor(t *testing.T) {
	t.Parallel()
	p := component.NewPrompt(plain(t, style.Block()), "/")
	p.SetValue("cmp-014/pci_0000_41_00_0")
	must.Be(t, p.View(12), "/00_41_00_0 ")
	p.Key(press("home"))
	must.Be(t, p.View(12), "/cmp-014/pc…")
	p.SetValue("ab")
	p.SetNote(themes.Critical, "unknown field")
	must.Be(t, p.View(32), "/ab                unknown field")
	p.Suggest = commands
	p.SetValue("qu")
	p.SetNote(themes.Blank, "")
	must.Be(t, p.View(10), "/quit     ")
}

func TestPromptHoldsItsWidth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := component.NewPrompt(plain(t, drawGlyphs(rt)), ":")
		p.Suggest = commands
		for range rapid.IntRange(0, 20).Draw(rt, "keys") {
			k := rapid.OneOf(
				rapid.SampledFrom([]string{"left", "right", "home", "end", "backspace", "delete", "tab", "up", "down", "enter", "日", "é", "p", "r"}),
				rapid.StringN(1, 3, -1),
			).Draw(rt, "key")
			p.Key(press(k))
			w := rapid.IntRange(1, 30).Draw(rt, "w")
			checkFrame(rt, p.View(w), w, 1)
		}
	})
}

// TestPromptTakesAHugePaste would take minutes if drawing measured the text from each of
// its runes.
func TestPromptTakesAHugePaste(t *testing.T) {
	t.Parallel()
	p := component.NewPrompt(plain(t, style.Block()), "/")
	long := strings.Repeat("VCPU=1 MEMORY_MB=512 ", 50_000) + "end"
	p.Key(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(long)})
	if got := p.View(20); ansi.StringWidth(got) != 20 || !strings.HasSuffix(strings.TrimRight(ansi.Strip(got), " "), "MEMORY_MB=512 end") {
		t.Errorf("View = %q", ansi.Strip(got))
	}
	p.Key(tea.KeyMsg{Type: tea.KeyHome})
	if got := ansi.Strip(p.View(20)); got != "/VCPU=1 MEMORY_MB=5…" {
		t.Errorf("View at the start = %q", got)
	}
}

func TestPromptTypesOverWhatWasThere(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{"x": "x", "right x": "beforex", "backspace": "", "left x": "beforxe", "up": "before"} {
		p := component.NewPrompt(plain(t, style.Block()), "/")
		p.SetSelected("before")
		for _, key := range strings.Fields(keys) {
			p.Key(press(key))
		}
		if got := p.Value(); got != want {
			t.Errorf("%s leaves %q, want %q", keys, got, want)
		}
	}
}
