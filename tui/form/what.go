package form

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/form/sheet"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// The most characters that fields take.
const (
	nameLimit      = 255 // of ids and types, as in Placement's schemas
	resourcesLimit = 4096
)

// what is the first step of an allocation: who shall hold how much of what.
type what struct {
	st   *style.Styles
	snap *cloud.Snapshot
	voc  vocabulary
	*fields

	consumer, kind, project, user, resources, traits, aggregates, from *field
}

// newWhat returns the step for a new consumer. From is the name of the provider to
// take from, empty for any.
func newWhat(st *style.Styles, snap *cloud.Snapshot, id placement.ConsumerID, user, from string) *what {
	w := &what{st: st, snap: snap}
	w.consumer = newField(st, "consumer", "a uuid, or the name of an instance", id.String(), nameLimit)
	w.kind = newField(st, "type", "INSTANCE, MIGRATION or your own", string(placement.InstanceConsumer), nameLimit)
	w.project = newField(st, "project", "id of the project that it counts for", "", nameLimit)
	w.user = newField(st, "user", "id of the user that it counts for", user, nameLimit)
	w.resources = newField(st, "resources", "units by class, as VCPU=2,VGPU=1", "", resourcesLimit)
	w.traits = newField(st, "traits", "HW_GPU,!OWNER_CYBORG or in:A,B", "", resourcesLimit)
	w.aggregates = newField(st, "aggregates", "az-1, !az-2 or in:az-1,az-2", "", resourcesLimit)
	w.from = newField(st, "provider", "to take from; empty for any", from, nameLimit)

	w.consumer.check = func(text string) error { return checkConsumer(w.snap, text) }
	w.consumer.note = func(text string) string { return noteConsumer(w.snap, text) }
	w.consumer.complete = func(text string) []string { return completeFrom(w.voc.instances, text) }
	w.kind.check = checkType
	w.kind.complete = func(text string) []string { return completeFrom(w.voc.types, strings.ToUpper(text)) }
	w.project.check, w.user.check = checkOwner, checkOwner
	w.project.complete = func(text string) []string { return completeFrom(w.voc.projects, text) }
	w.user.complete = func(text string) []string { return completeFrom(w.voc.users, text) }
	w.resources.check = func(text string) error { return checkResources(w.snap.Placement(), text) }
	w.resources.complete = func(text string) []string { return completeResources(w.snap.Placement(), text) }
	w.traits.check = func(text string) error {
		_, err := ops.ParseTerms(w.snap, text, "")
		return err
	}
	w.traits.complete = func(text string) []string { return completeTraits(w.snap.Placement(), text) }
	w.aggregates.check = func(text string) error {
		_, err := ops.ParseTerms(w.snap, "", text)
		return err
	}
	w.from.check = func(text string) error {
		_, err := providerByText(w.snap.Placement(), text)
		return err
	}
	w.from.complete = func(text string) []string { return completeProvider(w.snap.Placement(), text) }
	w.fields = newFields(st, w.consumer, w.kind, w.project, w.user, w.resources, w.traits, w.aggregates, w.from)
	return w
}

// know takes the names to complete from.
func (w *what) know(v vocabulary) {
	w.voc = v
	w.refresh()
}

// follow takes a newer Snapshot.
func (w *what) follow(snap *cloud.Snapshot) {
	w.snap = snap
	w.fields.all[w.fields.at].refresh()
}

// key gives the fields a key. An instance that was named brings its project and
// user with it, where they are still open.
func (w *what) key(msg tea.KeyMsg) fieldEvent {
	ev := w.fields.key(msg)
	if w.all[w.at] == w.consumer || w.project.text != "" {
		return ev
	}
	id, err := consumerByText(w.snap, w.consumer.text)
	if err != nil {
		return ev
	}
	if i, ok := w.snap.Nova().Instance(id); ok {
		w.project.set(i.Project)
		w.user.set(i.User)
	}
	return ev
}

// wish returns what the fields ask for. They must have been checked.
func (w *what) wish() (ops.Wish, error) {
	id, err := consumerByText(w.snap, w.consumer.text)
	if err != nil {
		return ops.Wish{}, err
	}
	resources, err := ops.ParseResources(w.resources.text)
	if err != nil {
		return ops.Wish{}, err
	}
	terms, err := ops.ParseTerms(w.snap, w.traits.text, w.aggregates.text)
	if err != nil {
		return ops.Wish{}, err
	}
	from, err := providerByText(w.snap.Placement(), w.from.text)
	if err != nil {
		return ops.Wish{}, err
	}
	return ops.Wish{
		Consumer: id, Type: placement.ConsumerType(strings.ToUpper(w.kind.text)),
		Project: w.project.text, User: w.user.text, Resources: resources, Terms: terms, Provider: from,
	}, nil
}

// view draws the step.
func (w *what) view(width, h int, steps []string) string {
	head := sheet.Steps(w.st, width, steps, 0)
	if h >= 12 {
		head = component.Stack(head, component.Titled(w.st, width, "NEW ALLOCATION", ""))
	}
	foot := fieldHints(w.st, width)
	return sheet.Page(width, h, head, foot, func(bw, bh int) string {
		lines, focus, end := w.lines(bw)
		if bh > len(lines)+2 {
			lines = append(lines, "", w.classes(bw))
		}
		return strings.Join(window(lines, focus, end, bh), "\n")
	})
}

// classes lists the resource classes that some provider has.
func (w *what) classes(width int) string {
	l := component.NewLine(w.st, width).Space(gutterWidth).Add(themes.Faint, "in use")
	l.To(min(gutterWidth+labelWidth, width/4))
	for i, class := range panel.ClassesInUse(w.snap.Placement()) {
		if component.Width(w.st, string(class))+2 > l.Left() {
			l.Add(themes.Faint, " "+w.st.Glyphs.Ellipsis)
			break
		}
		if i > 0 {
			l.Space(2)
		}
		l.Add(themes.Dim, string(class))
	}
	return l.String()
}
