package delta

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/nova"
)

// Text is a field that differs, as text; "" is a field that is not set.
type Text struct {
	Name   string `json:"name"` // as in exports, with the key after a dot if it is a map
	Before string `json:"before"`
	After  string `json:"after"`
	Time   bool   `json:"-"` // it says when something was done
}

// Text returns f as text: with the names of flavors, and times as times.
func (f Field) Text() Text {
	t := Text{Name: strings.Join(f.Path, ".")}
	if strings.HasSuffix(t.Name, ".") {
		t.Name += `""` // an empty key
	}
	t.Name, t.Time = strings.CutSuffix(t.Name, "_ms")
	show := func(v json.RawMessage) string {
		var ms int64
		var text string
		switch {
		case v == nil:
		case t.Time && json.Unmarshal(v, &ms) == nil:
			return time.UnixMilli(ms).UTC().Format(time.RFC3339)
		case json.Unmarshal(v, &text) != nil:
			return string(v)
		case nova.HasUnknownRevision(text):
			return nova.FlavorName(text) + " (revision unknown)"
		}
		return text
	}
	t.Before, t.After = show(f.Before), show(f.After)
	switch t.Name {
	case "flavor", "old_flavor", "new_flavor":
		t.Before, t.After = nova.FlavorNames(t.Before, t.After)
	}
	return t
}

// Words says how f differs: "VCPU total 16 > 32", "traits +CUSTOM_A -CUSTOM_B".
func (f Field) Words() string {
	added, removed, set := f.Elements()
	if !set {
		t := f.Text()
		return f.Label() + " " + cmp.Or(t.Before, "none") + " > " + cmp.Or(t.After, "none")
	}
	out := f.Label()
	for _, x := range added {
		out += " +" + x
	}
	for _, x := range removed {
		out += " -" + x
	}
	return out
}

// Label names f in a sentence: "VCPU total", "project".
func (f Field) Label() string {
	short := map[string]string{
		"inventories": "", "allocations": "", "extra_specs": "", "metadata": "", "providers": "",
		"project_id": "project", "user_id": "user", "consumer_type": "type", "parent_provider_uuid": "parent",
	}
	var out []string
	for _, name := range f.Path {
		if word, known := short[name]; known {
			name = word
		}
		if name != "" {
			out = append(out, strings.TrimSuffix(name, "_ms"))
		}
	}
	return strings.Join(out, " ")
}

// Implied reports whether f goes without saying: a field other than the total of an inventory
// that comes or goes as a whole.
func (f Field) Implied() bool {
	return (f.Before == nil || f.After == nil) && slices.Contains(f.Path, "inventories") && f.Path[len(f.Path)-1] != "total"
}
