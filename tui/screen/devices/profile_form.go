package devices

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// OpenProfile makes the form of a new device profile. Each line is a group, with commas
// between its keys: resources:VGPU=1,trait:CUSTOM_A=required.
func OpenProfile(env screen.Env, _ place.NewProfile) (screen.Screen, error) {
	st, snap := env.Styles, env.Cloud.Snapshot()
	name := form.NewField(st, "name", "letters, digits, - and _", "", form.NameLimit)
	about := form.NewField(st, "about", "what it is for; may be empty", "", form.NameLimit)
	groups := &form.SpecLines{Styles: st, Label: "group", About: "such as resources:VGPU=1,trait:OWNER_CYBORG=required"}
	a := form.Ask{
		Scope: "profile", Title: "new device profile", Section: "NEW DEVICE PROFILE", Steps: []string{"profile", "preview"},
		Key: groups.Key, Snap: &snap,
	}
	name.Check = func(text string) error {
		if _, ok := snap.Cyborg().DeviceProfile(text); ok {
			return &form.Fault{Text: "is taken by another device profile"}
		}
		return checkProfile(text, []map[string]string{{"resources:VGPU": "1"}}, text)
	}
	groups.Check = func(_ int, text string) error {
		if strings.TrimSpace(text) == "" {
			if len(groups.Texts()) > 0 {
				return nil
			}
			return &form.Fault{Text: "a device profile needs at least one group"}
		}
		if err := checkTwice(text); err != nil {
			return err
		}
		return checkProfile("it", []map[string]string{groupOf(text)}, text)
	}
	groups.Complete = func(text string) []string {
		at := form.LastWord(text)
		var out []string
		for _, done := range form.CompleteKey(snap.Placement(), text[at:]) {
			out = append(out, text[:at]+done)
		}
		return out
	}
	a.Fields = form.NewFields(st, name, about, groups.Add(""))
	groups.Fields = a.Fields
	a.Write = func() (confirm.Spec, error) {
		p := &cyborg.DeviceProfile{Name: name.Text, Description: about.Text}
		for _, text := range groups.Texts() {
			p.Groups = append(p.Groups, groupOf(text))
		}
		at := env.Clock()
		return confirm.Spec{Verb: "create", Makes: p.Name, Plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanProfile(s, p, at)
		}}, nil
	}
	return form.New(env, snap, a), nil
}

// OpenDeleteProfile makes the page that deletes a device profile. If flavors ask for
// it, its name must be typed.
func OpenDeleteProfile(env screen.Env, at place.DelProfile) (screen.Screen, error) {
	name, snap := at.Name, env.Cloud.Snapshot()
	if _, ok := snap.Cyborg().DeviceProfile(name); !ok {
		return nil, &placement.NotFoundError{What: "device profile", Name: name}
	}
	return confirm.New(env, snap, confirm.Spec{
		Title: "delete device profile " + name, Verb: "delete",
		Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteProfile(s, name) },
		Word: func(s *cloud.Snapshot, _ ops.Preview) string {
			for f := range s.Nova().CurrentFlavors() {
				if f.DeviceProfile() == name {
					return name
				}
			}
			return ""
		},
	}), nil
}

// groupOf returns the keys of a group that is typed on one line.
func groupOf(text string) map[string]string { return form.Pairs(strings.Split(text, ",")) }

// checkTwice refuses a group on one line with a duplicate key, at the second.
func checkTwice(text string) error {
	parts := strings.Split(text, ",")
	_, err := ops.ParseProperties(parts)
	var wrong *ops.PropertyError
	if !errors.As(err, &wrong) || wrong.Key == "" {
		return nil
	}
	before := strings.Join(parts[:wrong.At], ",") + ","
	return &form.Fault{At: utf8.RuneCountInString(before), Text: wrong.Key + " is given twice: give it once"}
}

// checkProfile returns what is wrong with a typed device profile, at the wrong word.
func checkProfile(name string, groups []map[string]string, text string) error {
	err := (&cyborg.DeviceProfile{Name: name, Groups: groups}).Check()
	var invalid *placement.InvalidError
	if !errors.As(err, &invalid) {
		return form.AsFault(err)
	}
	at := 0
	if i := strings.Index(text, invalid.Value); i > 0 && invalid.Value != "" {
		at = utf8.RuneCountInString(text[:i])
	}
	return &form.Fault{At: at, Text: invalid.Why}
}
