package form

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// specLimit is the most characters of a line of the form key=value.
const specLimit = 512

// SpecLines are fields of one key=value each, of which the last is always empty,
// ready for one more.
type SpecLines struct {
	Styles *style.Styles
	Fields *Fields
	Label  string
	About  string
	Check  func(line int, text string) error // line is the place of the text, from 0
	// Complete returns what a line may become.
	Complete func(text string) []string
	Note     func(text string) string // nil for nothing
	lines    []*Field
}

// Add appends a line to the fields.
func (l *SpecLines) Add(text string) *Field {
	f := NewField(l.Styles, fmt.Sprintf("%s %d", l.Label, len(l.lines)+1), l.About, text, specLimit)
	f.Complete, f.Note = l.Complete, l.Note
	line := len(l.lines)
	f.Check = func(text string) error { return l.Check(line, text) }
	l.lines = append(l.lines, f)
	return f
}

// Twice refuses a text in a line where one above it sets the same key: there is no
// telling which one was meant.
func (l *SpecLines) Twice(line int, text string) error {
	for _, above := range l.lines[:line] {
		_, err := ops.ParseProperties([]string{above.Text, text})
		var wrong *ops.PropertyError
		if errors.As(err, &wrong) && wrong.Key != "" {
			return &Fault{Text: wrong.Key + " is given twice, in " + above.Label + " too: give it once"}
		}
	}
	return nil
}

// Key gives the fields a key, and adds a line once the last one is no longer
// empty.
func (l *SpecLines) Key(msg tea.KeyMsg) Event {
	ev := l.Fields.key(msg)
	if last := l.lines[len(l.lines)-1]; ev == Changed && last.Text != "" {
		l.Fields.All = append(l.Fields.All, l.Add(""))
	}
	return ev
}

// Texts returns the lines that are not empty.
func (l *SpecLines) Texts() []string {
	var out []string
	for _, f := range l.lines {
		if text := strings.TrimSpace(f.Text); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// Pairs returns lines of the form key=value as a map.
func Pairs(lines []string) map[string]string {
	out := map[string]string{}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "=")
		out[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return out
}

// CheckExtraSpec returns what is wrong with an extra spec among others, at the
// word; with an empty text, what is missing among the others.
func CheckExtraSpec(s *cloud.Snapshot, all map[string]string, text string) error {
	f := &nova.Flavor{Name: "it", FlavorID: "it", VCPUs: 1, MemoryMB: 1, ExtraSpecs: all}
	var wrong *nova.ExtraSpecError
	errors.As(f.CheckExtraSpecs(s.Placement()), &wrong)
	if strings.TrimSpace(text) == "" {
		return wanting(wrong, all)
	}
	key, _, ok := strings.Cut(text, "=")
	if !ok {
		like := "resources:VGPU=1"
		if strings.HasPrefix(text, "trait") {
			like = "trait:CUSTOM_A=required"
		}
		return &Fault{At: utf8.RuneCountInString(text), Text: "has no value: write it as " + like}
	}
	if wrong == nil || wrong.Key != strings.TrimSpace(key) {
		return nil // or another line is wrong, and says so
	}
	at := 0
	if i := strings.Index(text, wrong.Word); i > 0 && wrong.Word != "" {
		at = utf8.RuneCountInString(text[:i])
	}
	return &Fault{At: at, Text: wrong.Why + panel.ToMake(s.Placement(), wrong.Key, wrong.Word)}
}

// wanting returns the error that an extra spec is missing in all, nil if it is not.
func wanting(wrong *nova.ExtraSpecError, all map[string]string) error {
	if wrong == nil {
		return nil
	}
	if _, there := all[wrong.Key]; there {
		return nil // its own line says so
	}
	return &Fault{Text: wrong.Key + " " + wrong.Why}
}

// profileKey is the extra spec that names a device profile.
const profileKey = "accel:device_profile="

// NoteExtraSpec warns of a device profile that does not exist.
func NoteExtraSpec(s *cloud.Snapshot, text string) string {
	name, ok := strings.CutPrefix(text, profileKey)
	if _, there := s.Cyborg().DeviceProfile(name); !ok || there || name == "" {
		return ""
	}
	return "no such device profile: nothing can boot with it"
}

// CompleteExtraSpec completes keys, and after them classes, traits and device
// profiles.
func CompleteExtraSpec(s *cloud.Snapshot, text string) []string {
	if name, ok := strings.CutPrefix(text, profileKey); ok {
		var out []string
		for p := range s.Cyborg().DeviceProfiles() {
			if strings.HasPrefix(p.Name, name) {
				out = append(out, profileKey+p.Name)
			}
		}
		return First(out)
	}
	if done := CompleteKey(s.Placement(), text); done != nil {
		return done
	}
	if text == "" {
		return nil
	}
	return StartingWith(text, []string{profileKey, "resources:", "trait:", "group_policy=none", "group_policy=isolate"})
}

// CompleteKey completes the class after resources: and the trait after trait:, of
// a numbered group too.
func CompleteKey(s *placement.Snapshot, text string) []string {
	colon := strings.IndexByte(text, ':')
	if colon < 0 || strings.Contains(text, "=") {
		return nil
	}
	word := strings.ToUpper(text[colon+1:])
	var out []string
	switch kind := text[:colon]; {
	case strings.HasPrefix(kind, "resources"):
		for _, class := range s.Classes() {
			if strings.HasPrefix(string(class), word) {
				out = append(out, text[:colon+1]+string(class)+"=")
			}
		}
	case strings.HasPrefix(kind, "trait"):
		for _, trait := range s.Traits() {
			if strings.HasPrefix(string(trait), word) {
				out = append(out, text[:colon+1]+string(trait)+"=required")
			}
		}
	}
	slices.Sort(out)
	return First(out)
}
