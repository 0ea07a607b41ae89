package form

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/tui/style"
)

// required returns a check that refuses an empty text.
func required(why string) func(string) error {
	return func(text string) error {
		if strings.TrimSpace(text) == "" {
			return &fault{text: why}
		}
		return nil
	}
}

// newYesNo returns a field for yes or no, as it is now.
func newYesNo(st *style.Styles, label, about string, now bool) *field {
	f := newField(st, label, about, map[bool]string{true: "yes", false: "no"}[now], len("yes"))
	f.check = func(text string) error {
		if text != "yes" && text != "no" {
			return &fault{text: "yes or no"}
		}
		return nil
	}
	f.complete = func(text string) []string { return startingWith(text, []string{"no", "yes"}) }
	return f
}

// yes reports what a field for yes or no says.
func (f *field) yes() bool { return f.text == "yes" }

// oneOf refuses a text that is none of names; an empty one stands for any.
func oneOf(text, what string, names []string) error {
	if text == "" || slices.Contains(names, text) {
		return nil
	}
	return &fault{text: "there is no such " + what + "; leave it empty for any"}
}

// startingWith completes a whole text from names.
func startingWith(text string, names []string) []string {
	slices.Sort(names)
	return first(slices.DeleteFunc(slices.Compact(names), func(name string) bool { return !strings.HasPrefix(name, text) }))
}

// flavorNames returns the flavors that an instance can be booted with.
func flavorNames(s *cloud.Snapshot) []string {
	var names []string
	for f := range s.Nova().CurrentFlavors() {
		if !f.Disabled {
			names = append(names, f.Name)
		}
	}
	return names
}

// zoneNames returns the availability zones of the host aggregates.
func zoneNames(s *cloud.Snapshot) []string {
	var names []string
	for a := range s.Nova().Aggregates() {
		if z := a.Zone(); z != "" {
			names = append(names, z)
		}
	}
	return names
}

// computeHosts returns the hosts with a nova-compute.
func computeHosts(s *cloud.Snapshot) []string {
	var names []string
	for svc := range s.Nova().Services() {
		if svc.Binary == nova.Compute {
			names = append(names, svc.Host)
		}
	}
	return names
}
