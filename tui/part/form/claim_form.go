package form

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// The most characters in fields.
const (
	NameLimit      = 255     // of ids and types, as in Placement's schemas
	ListLimit      = 1 << 20 // of lists of many names, such as the hosts of a large aggregate
	resourcesLimit = 4096
)

// ClaimForm is the first step of an allocation: who is to hold how much of what.
type ClaimForm struct {
	st   *style.Styles
	Snap *cloud.Snapshot
	*Fields

	Consumer, Kind, Project, User, Resources, traits, aggregates, from *Field
}

// NewClaimForm returns the step for a new consumer. From is the name of the provider to
// take from, empty for any.
func NewClaimForm(st *style.Styles, snap *cloud.Snapshot, id placement.ConsumerID, user, from string) *ClaimForm {
	w := &ClaimForm{st: st, Snap: snap}
	w.Consumer = NewField(st, "consumer", "a uuid, or the name of an instance", id.String(), NameLimit)
	w.Kind = NewField(st, "type", "INSTANCE, MIGRATION or your own", string(placement.InstanceConsumer), NameLimit)
	w.Project = NewField(st, "project", "id of its project", "", NameLimit)
	w.User = NewField(st, "user", "id of its user", user, NameLimit)
	w.Resources = NewField(st, "resources", "units by class, as VCPU=2,VGPU=1", "", resourcesLimit)
	w.traits = NewField(st, "traits", "HW_GPU,!OWNER_CYBORG or in:A,B", "", resourcesLimit)
	w.aggregates = NewField(st, "aggregates", "az-1, !az-2 or in:az-1,az-2", "", resourcesLimit)
	w.from = NewField(st, "provider", "to take from; empty for any", from, NameLimit)

	w.Consumer.Check = func(text string) error { return checkConsumer(w.Snap, text) }
	w.Consumer.Note = func(text string) string { return noteConsumer(w.Snap, text) }
	w.Consumer.Complete = func(text string) []string { return CompleteFrom(instanceNames(w.Snap, text), text) }
	w.Kind.Check = checkType
	w.Kind.Complete = func(text string) []string { return CompleteFrom(typeNames(w.Snap), strings.ToUpper(text)) }
	w.Project.Check, w.User.Check = CheckOwner, CheckOwner
	w.Project.Complete = func(text string) []string { return CompleteFrom(ProjectNames(w.Snap), text) }
	w.User.Complete = func(text string) []string { return CompleteFrom(UserNames(w.Snap), text) }
	w.Resources.Check = func(text string) error { return checkResources(w.Snap.Placement(), text) }
	w.Resources.Complete = func(text string) []string { return CompleteResources(w.Snap.Placement(), text) }
	w.traits.Check = func(text string) error {
		_, err := ops.ParseTerms(w.Snap, text, "")
		return err
	}
	w.traits.Complete = func(text string) []string { return completeTraits(w.Snap.Placement(), text) }
	w.aggregates.Check = func(text string) error {
		_, err := ops.ParseTerms(w.Snap, "", text)
		return err
	}
	w.from.Check = func(text string) error {
		_, err := ProviderByText(w.Snap.Placement(), text)
		return err
	}
	w.from.Complete = func(text string) []string { return CompleteProvider(w.Snap.Placement(), text) }
	w.Fields = NewFields(st, w.Consumer, w.Kind, w.Project, w.User, w.Resources, w.traits, w.aggregates, w.from)
	return w
}

// Key gives the fields a key. An instance that was named brings its project and
// user with it, where they are still open.
func (w *ClaimForm) Key(msg tea.KeyMsg) Event {
	ev := w.Fields.key(msg)
	if w.All[w.At] == w.Consumer || w.Project.Text != "" {
		return ev
	}
	id, err := consumerByText(w.Snap, w.Consumer.Text)
	if err != nil {
		return ev
	}
	if i, ok := w.Snap.Nova().Instance(id); ok {
		w.Project.set(i.Project)
		w.User.set(i.User)
	}
	return ev
}

// Wish returns what the fields ask for. They must have been checked.
func (w *ClaimForm) Wish() (ops.Wish, error) {
	id, err := consumerByText(w.Snap, w.Consumer.Text)
	if err != nil {
		return ops.Wish{}, err
	}
	resources, err := ops.ParseResources(w.Resources.Text)
	if err != nil {
		return ops.Wish{}, err
	}
	terms, err := ops.ParseTerms(w.Snap, w.traits.Text, w.aggregates.Text)
	if err != nil {
		return ops.Wish{}, err
	}
	from, err := ProviderByText(w.Snap.Placement(), w.from.Text)
	if err != nil {
		return ops.Wish{}, err
	}
	return ops.Wish{
		Consumer: id, Type: placement.ConsumerType(strings.ToUpper(w.Kind.Text)),
		Project: w.Project.Text, User: w.User.Text, Resources: resources, Terms: terms, Provider: from,
	}, nil
}

// Classes lists the resource classes that some provider has.
func (w *ClaimForm) Classes(width int) []string {
	var out []string
	at := min(GutterWidth+LabelWidth, width/4)
	l := component.NewLine(w.st, width).Space(GutterWidth).Add(themes.Faint, "in use").To(at)
	for _, class := range panel.ClassesInUse(w.Snap.Placement()) {
		if component.Width(w.st, string(class)) > l.Left() && l.Pos() > at {
			out = append(out, l.String())
			l.Reset(width).To(at)
		}
		l.Add(themes.Dim, string(class)).Space(2)
	}
	return append(out, l.String())
}
