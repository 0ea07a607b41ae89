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
	// Elements are what comes and goes of a set: "+CUSTOM_A -CUSTOM_B"; "" of any other field.
	Elements string `json:"-"`
}

// Text returns f as text: with the names of flavors, and times as times.
func (f Field) Text() Text {
	t := Text{Name: strings.Join(f.Path, ".")}
	if strings.HasSuffix(t.Name, ".") {
		t.Name += `""` // an empty key
	}
	if t.Time = f.moment(); t.Time {
		t.Name = f.Label()
	}
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
	if f.Before != nil && f.After != nil {
		t.Elements = f.elements()
	}
	switch t.Name {
	case "flavor", "old_flavor", "new_flavor":
		t.Before, t.After = nova.FlavorNames(t.Before, t.After)
	}
	return t
}

// Words says how f differs: "VCPU total 16 > 32", "traits +CUSTOM_A -CUSTOM_B".
func (f Field) Words() string {
	if set := f.elements(); set != "" {
		return f.Label() + " " + set
	}
	t := f.Text()
	return f.Label() + " " + cmp.Or(t.Before, "none") + " > " + cmp.Or(t.After, "none")
}

// elements says what comes and goes of a set; "" of any other field.
func (f Field) elements() string {
	added, removed, set := f.Elements()
	if !set {
		return ""
	}
	var out []string
	for _, x := range added {
		out = append(out, "+"+x)
	}
	for _, x := range removed {
		out = append(out, "-"+x)
	}
	return strings.Join(out, " ")
}

// Label names f in a sentence: "VCPU total", "project".
func (f Field) Label() string {
	short := map[string]string{
		"inventories": "", "allocations": "", "extra_specs": "", "metadata": "", "providers": "",
		"project_id": "project", "user_id": "user", "consumer_type": "type", "parent_provider_uuid": "parent",
	}
	var out []string
	for i, name := range f.Path {
		ours := i == 0 || i == 2 && f.Path[0] == "providers" // no key that somebody chose
		if word, known := short[name]; known && ours {
			name = word
		}
		if f.moment() {
			name = strings.TrimSuffix(name, "_ms")
		}
		if name != "" {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// moment reports whether f says when something was or will be done. What says how long it
// takes does not, nor does any key that somebody chose.
func (f Field) moment() bool {
	name := f.Path[0]
	return len(f.Path) == 1 && (strings.HasSuffix(name, "_at_ms") || slices.Contains([]string{"at_ms", "until_ms", "last_seen_up_ms"}, name))
}

// Telling returns fields without those that go without saying: of an inventory that comes or
// goes as a whole, its total tells.
func Telling(of []Field) []Field {
	whole := map[string]bool{}
	total := func(f Field) bool { return f.Path[len(f.Path)-1] == "total" }
	for _, f := range of {
		if (f.Before == nil || f.After == nil) && total(f) {
			whole[f.inventory()] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(of), func(f Field) bool {
		in := f.inventory()
		return in != "" && whole[in] && !total(f)
	})
}
