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
	"github.com/placetop/placetop/tui/style"
)

// specLimit is how many characters a line of the form key=value may have.
const specLimit = 512

// specLines are fields of one key=value each, of which the last is always empty,
// ready for one more.
type specLines struct {
	st    *style.Styles
	fs    *fields
	label string
	about string
	check func(line int, text string) error // line is the place of the text, from 0
	// complete returns what a line may become.
	complete func(text string) []string
	note     func(text string) string // nil for nothing
	lines    []*field
}

// add appends a line to the fields.
func (l *specLines) add(text string) *field {
	f := newField(l.st, fmt.Sprintf("%s %d", l.label, len(l.lines)+1), l.about, text, specLimit)
	f.complete, f.note = l.complete, l.note
	line := len(l.lines)
	f.check = func(text string) error { return l.check(line, text) }
	l.lines = append(l.lines, f)
	return f
}

// twice refuses a text in a line where one above it sets the same: which of the two was
// meant, nobody can tell.
func (l *specLines) twice(line int, text string) error {
	for _, above := range l.lines[:line] {
		_, err := ops.ParseProperties([]string{above.text, text})
		var wrong *ops.PropertyError
		if errors.As(err, &wrong) && wrong.Key != "" {
			return &fault{text: wrong.Key + " is named twice, in " + above.label + " too: name it once"}
		}
	}
	return nil
}

// key gives the fields a key, and adds a line where the last one is not empty any
// more.
func (l *specLines) key(msg tea.KeyMsg) fieldEvent {
	ev := l.fs.key(msg)
	if last := l.lines[len(l.lines)-1]; ev == fieldChanged && last.text != "" {
		l.fs.all = append(l.fs.all, l.add(""))
	}
	return ev
}

// texts returns the lines that are not empty.
func (l *specLines) texts() []string {
	var out []string
	for _, f := range l.lines {
		if text := strings.TrimSpace(f.text); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// pairs returns lines of the form key=value as a map.
func pairs(lines []string) map[string]string {
	out := map[string]string{}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "=")
		out[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return out
}

// checkExtraSpec returns what is wrong with an extra spec among others, at the
// word; with an empty text, what is wanting among the others.
func checkExtraSpec(s *cloud.Snapshot, all map[string]string, text string) error {
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
		return &fault{at: utf8.RuneCountInString(text), text: "has no value: write it as " + like}
	}
	if wrong == nil || wrong.Key != strings.TrimSpace(key) {
		return nil // or another line is at fault, and says so itself
	}
	at := 0
	if i := strings.Index(text, wrong.Word); i > 0 && wrong.Word != "" {
		at = utf8.RuneCountInString(text[:i])
	}
	return &fault{at: at, text: wrong.Why}
}

// wanting returns that an extra spec is at fault which none of all is, nil for nothing.
func wanting(wrong *nova.ExtraSpecError, all map[string]string) error {
	if wrong == nil {
		return nil
	}
	if _, there := all[wrong.Key]; there {
		return nil // its line says so
	}
	return &fault{text: wrong.Key + " " + wrong.Why}
}

// profileKey is the extra spec that names a device profile.
const profileKey = "accel:device_profile="

// noteExtraSpec warns of a device profile that is not there.
func noteExtraSpec(s *cloud.Snapshot, text string) string {
	name, ok := strings.CutPrefix(text, profileKey)
	if _, there := s.Cyborg().DeviceProfile(name); !ok || there || name == "" {
		return ""
	}
	return "there is no such device profile: nothing can be booted with it"
}

// completeExtraSpec completes keys, and after them classes, traits and device
// profiles.
func completeExtraSpec(s *cloud.Snapshot, text string) []string {
	if name, ok := strings.CutPrefix(text, profileKey); ok {
		var out []string
		for p := range s.Cyborg().DeviceProfiles() {
			if strings.HasPrefix(p.Name, name) {
				out = append(out, profileKey+p.Name)
			}
		}
		return first(out)
	}
	if done := completeKey(s.Placement(), text); done != nil {
		return done
	}
	if text == "" {
		return nil
	}
	return startingWith(text, []string{profileKey, "resources:", "trait:", "group_policy=none", "group_policy=isolate"})
}

// completeKey completes the class after resources: and the trait after trait:, of
// a numbered group too.
func completeKey(s *placement.Snapshot, text string) []string {
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
	return first(out)
}
