package panel

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/screen"
)

// Copies returns what can be copied of a row of a kind: what names it, the commands that
// show it, all that is known of it, and the same as text for a ticket.
func Copies(kind *kinds.Kind, at kinds.At, row kinds.Row) []screen.CopyMsg {
	id, name := fieldText(kind, at, row, "uuid"), fieldText(kind, at, row, "name")
	if name == "" {
		name = kind.Key(at)(row)
	}
	var out []screen.CopyMsg
	add := func(what, text string) {
		if text != "" && !slices.ContainsFunc(out, func(c screen.CopyMsg) bool { return c.Text == text }) {
			out = append(out, screen.CopyMsg{What: what, Text: text})
		}
	}
	add("uuid", id)
	add("name", name)
	which := id
	if which == "" {
		which = name
	}
	if kind.Find != nil {
		add("command", "placetop get "+string(kind.Name)+" "+api.Quote(which))
	}
	add("openstack command", openstackCommand(kind.Name, which))
	records := kinds.Records{Kind: kind, At: at, Rows: []kinds.Row{row}, One: true}
	if doc, err := records.MarshalJSON(); err == nil {
		doc = versioned.EscapeUnseen(doc)
		var b bytes.Buffer
		if json.Indent(&b, doc, "", "  ") == nil {
			add("JSON", b.String())
		}
		if text, err := format.YAML(doc); err == nil {
			add("YAML", string(text))
		}
	}
	add("text for a ticket", ticket(kind, at, row, name))
	return out
}

// fieldText returns the value of a field of a row, "" if the kind has no such field.
func fieldText(kind *kinds.Kind, at kinds.At, row kinds.Row, name string) string {
	f := kind.Field(name)
	if f == nil {
		return ""
	}
	return f.Get(at)(row).String()
}

// openstackCommand returns the command of OpenStack's clients that shows the thing, "" if
// there is none.
func openstackCommand(kind kinds.Name, which string) string {
	command := map[kinds.Name]string{
		kinds.Providers:  "openstack --os-placement-api-version 1.39 resource provider show --allocations ",
		kinds.Consumers:  "openstack --os-placement-api-version 1.39 resource provider allocation show ",
		kinds.Instances:  "openstack server show ",
		kinds.Flavors:    "openstack flavor show ",
		kinds.Profiles:   "openstack accelerator device profile show ",
		kinds.Devices:    "openstack accelerator device show ",
		kinds.ARQs:       "openstack accelerator arq show ",
		kinds.Traits:     "openstack --os-placement-api-version 1.39 trait show ",
		kinds.Classes:    "openstack --os-placement-api-version 1.39 resource class show ",
		kinds.Aggregates: "openstack --os-placement-api-version 1.39 resource provider list --member-of ",
	}[kind]
	if command == "" || which == "" {
		return ""
	}
	return command + api.Quote(which)
}

// ticket returns a row in words: its name, and a line for each of its non-empty fields in
// tables.
func ticket(kind *kinds.Kind, at kinds.At, row kinds.Row, name string) string {
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(string(kind.Name), "s") + " " + name + ", seen " + at.Now.UTC().Format(cloud.Moment) + "\n")
	for _, c := range kind.TableColumns() {
		if text, _ := c.Cell(at)(row); text != "" && text != name {
			b.WriteString("  " + strings.ReplaceAll(c.Name, "_", " ") + ": " + format.Harmless(text) + "\n")
		}
	}
	return b.String()
}
