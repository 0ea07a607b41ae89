package form

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen"
)

// OpenProfile makes the screen of kind screen.NewProfile: arg is the name of a
// device profile to make, and may be empty. Each line is a group, with commas
// between its keys: resources:VGPU=1,trait:CUSTOM_A=required.
func OpenProfile(env screen.Env, arg string) (screen.Screen, error) {
	st, snap := env.Styles, env.Cloud.Snapshot()
	name := newField(st, "name", "letters, digits, - and _", arg, nameLimit)
	about := newField(st, "about", "what it is for; may be empty", "", nameLimit)
	groups := &specLines{st: st, label: "group", about: "such as resources:VGPU=1,trait:OWNER_CYBORG=required"}
	a := ask{
		scope: "profile", title: "new device profile", section: "NEW DEVICE PROFILE", steps: []string{"profile", "preview"},
		key: groups.key, follow: func(s *cloud.Snapshot) { snap = s },
	}
	name.check = func(text string) error {
		if _, ok := snap.Cyborg().DeviceProfile(text); ok {
			return &fault{text: "is taken: there is such a device profile"}
		}
		return checkProfile(text, []map[string]string{{"resources:VGPU": "1"}}, text)
	}
	groups.check = func(_ int, text string) error {
		if strings.TrimSpace(text) == "" {
			if len(groups.texts()) > 0 {
				return nil
			}
			return &fault{text: "a device profile needs at least one group"}
		}
		if err := checkTwice(text); err != nil {
			return err
		}
		return checkProfile("it", []map[string]string{groupOf(text)}, text)
	}
	groups.complete = func(text string) []string {
		at := lastWord(text)
		var out []string
		for _, done := range completeKey(snap.Placement(), text[at:]) {
			out = append(out, text[:at]+done)
		}
		return out
	}
	a.fields = newFields(st, name, about, groups.add(""))
	groups.fs = a.fields
	a.submit = func(s *cloud.Snapshot) (next, bool) {
		p := &cyborg.DeviceProfile{Name: name.text, Description: about.text}
		for _, text := range groups.texts() {
			p.Groups = append(p.Groups, groupOf(text))
		}
		at := env.Clock()
		return NewPreview(env, s, Write{Title: a.title, Verb: "create", Steps: a.steps, At: 1, Plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			plan, _, err := ops.PlanProfile(s, p, at)
			return plan, err
		}}), true
	}
	return newForm(env, snap, a), nil
}

// OpenDeleteProfile makes the screen of kind screen.DelProfile: arg is the name of the
// device profile. Where flavors ask for it, its name must be typed.
func OpenDeleteProfile(env screen.Env, arg string) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	if _, ok := snap.Cyborg().DeviceProfile(arg); !ok {
		return nil, &placement.NotFoundError{What: "device profile", Name: arg}
	}
	return NewPreview(env, snap, Write{
		Title: "delete device profile " + arg, Verb: "delete",
		Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteProfile(s, arg) },
		Word: func(s *cloud.Snapshot, _ ops.Plan) string {
			for f := range s.Nova().CurrentFlavors() {
				if f.DeviceProfile() == arg {
					return arg
				}
			}
			return ""
		},
	}), nil
}

// groupOf returns the keys of a group that is written on one line.
func groupOf(text string) map[string]string { return pairs(strings.Split(text, ",")) }

// checkTwice refuses a group that is written on one line and names a key twice, at the
// second.
func checkTwice(text string) error {
	parts := strings.Split(text, ",")
	_, err := ops.ParseProperties(parts)
	var wrong *ops.PropertyError
	if !errors.As(err, &wrong) || wrong.Key == "" {
		return nil
	}
	before := strings.Join(parts[:wrong.At], ",") + ","
	return &fault{at: utf8.RuneCountInString(before), text: wrong.Key + " is named twice: name it once"}
}

// checkProfile returns what is wrong with a device profile that is made of text, at
// the word at fault.
func checkProfile(name string, groups []map[string]string, text string) error {
	_, _, err := cyborg.CreateDeviceProfile(cyborg.Empty(), &cyborg.DeviceProfile{Name: name, Groups: groups}, time.Time{})
	var invalid *placement.InvalidError
	if !errors.As(err, &invalid) {
		return asFault(err)
	}
	at := 0
	if i := strings.Index(text, invalid.Value); i > 0 && invalid.Value != "" {
		at = utf8.RuneCountInString(text[:i])
	}
	return &fault{at: at, text: invalid.Why}
}
