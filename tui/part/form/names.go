package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/style"
)

// NumberLimit is how many characters an amount may have.
const NumberLimit = 12

// TextLimit is how many characters a description may have.
const TextLimit = 255

// Required returns a check that refuses an empty text.
func Required(why string) func(string) error {
	return func(text string) error {
		if strings.TrimSpace(text) == "" {
			return &Fault{Text: why}
		}
		return nil
	}
}

// NewYesNo returns a field for yes or no, as it is now. An empty one is no.
func NewYesNo(st *style.Styles, label, about string, now bool) *Field {
	f := NewField(st, label, about, map[bool]string{true: "yes", false: "no"}[now], len("yes"))
	f.Check = func(text string) error {
		if !slices.Contains([]string{"", "n", "no", "y", "yes"}, text) {
			return &Fault{Text: "yes or no"}
		}
		return nil
	}
	f.Complete = func(text string) []string { return StartingWith(text, []string{"no", "yes"}) }
	return f
}

// Yes reports what a field for yes or no says.
func (f *Field) Yes() bool { return strings.HasPrefix(f.Text, "y") }

// OneOf refuses a text that is none of names; an empty one means any.
func OneOf(text, what string, names []string) error {
	if text == "" || slices.Contains(names, text) {
		return nil
	}
	return &Fault{Text: "there is no such " + what + "; leave it empty for any"}
}

// StartingWith completes a whole text from names.
func StartingWith(text string, names []string) []string {
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, text) })
	slices.Sort(names)
	return First(slices.Compact(names))
}

// FlavorNames returns the flavors that an instance can be booted with.
func FlavorNames(s *cloud.Snapshot) []string {
	var names []string
	for f := range s.Nova().CurrentFlavors() {
		if !f.Disabled {
			names = append(names, f.Name)
		}
	}
	return names
}

// ZoneNames returns the availability zones of the host aggregates.
func ZoneNames(s *cloud.Snapshot) []string {
	var names []string
	for a := range s.Nova().Aggregates() {
		if z := a.Zone(); z != "" {
			names = append(names, z)
		}
	}
	return names
}

// ComputeHosts returns the hosts with a nova-compute.
func ComputeHosts(s *cloud.Snapshot) []string {
	var names []string
	for svc := range s.Nova().Services() {
		if svc.Binary == nova.Compute {
			names = append(names, svc.Host)
		}
	}
	return names
}

// AtLeast returns a check that refuses what is not a number, less than least, or more than
// any amount may be.
func AtLeast(least int64) func(string) error {
	return func(text string) error {
		if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < least || n > placement.MaxInt {
			return &Fault{Text: fmt.Sprintf("a number from %d to %d", least, placement.MaxInt)}
		}
		return nil
	}
}

// Number returns the number in a field that was checked.
func (f *Field) Number() int64 {
	n, _ := strconv.ParseInt(f.Text, 10, 64)
	return n
}

// AsFault returns err as what is wrong with a text, nil for none.
func AsFault(err error) error {
	if err == nil {
		return nil
	}
	return &Fault{Text: Reason(err)}
}
