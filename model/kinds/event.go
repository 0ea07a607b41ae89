package kinds

import (
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
)

// defaultEvents is how many events are listed by default.
const defaultEvents = 100

// Change is one record before and after, for JSON.
type Change struct {
	Kind   versioned.Kind   `json:"kind"`
	Title  string           `json:"record"`
	Before versioned.Record `json:"before"`
	After  versioned.Record `json:"after"`
}

// events returns the kind for the revisions of the journal, which the store keeps: rows
// are *cloud.Event.
func events() *Kind {
	type event = cloud.Event
	return &Kind{
		Name: Events, Aliases: []string{"event", "ev", "journal"},
		Short: "Events: the journal of who changed what, newest first",
		What:  "the number of a revision",
		Limit: defaultEvents,
		Fields: []*Field{
			count("revision", func(ev *event) cloud.Revision { return ev.Revision }).short("rev"),
			plain("at", Time, func(ev *event) Value { return timeValue(ev.At) }).short("age").byUs(),
			text("actor", func(ev *event) string { return ev.Actor }),
			text("note", func(ev *event) string { return ev.Note }),
			toldField("verb", func(t EventSummary) string { return t.Verb }).help("what was done: alloc+, trait-, inv, move; + is added, - is removed"),
			toldField("subject", func(t EventSummary) string { return t.What }).help("what it was done to"),
			toldField("host", func(t EventSummary) string { return t.Where }).help("where, if that is not the subject"),
			toldField("detail", func(t EventSummary) string { return t.Detail }).short("what"),
			toldField("gen", func(t EventSummary) string { return t.Gen }).help("the generations before and after"),
			text("task", func(ev *event) string { return ev.Task }).omit().help("the task it was part of, such as resize"),
			text("step", func(ev *event) string { return ev.Step }).omit().help("the step of the task"),
			count("changes", func(ev *event) int { return len(ev.Changes) + ev.Omitted }).as(inJSON(func(_ At, ev *event) any {
				out := []Change{}
				for _, c := range ev.Changes {
					out = append(out, Change{Kind: c.Kind(), Title: c.Title(), Before: c.Before, After: c.After})
				}
				return out
			})),
			plain("omitted", Count, func(ev *event) Value {
				if ev.Omitted == 0 {
					return Value{}
				}
				return countValue(int64(ev.Omitted), 0)
			}).omit().help("changes the journal no longer keeps"),
			titles().hidden(),
		},
		Columns: "revision at actor | verb subject host detail | changes note | records",
		Text: func(at At, row Row) string {
			ev := row.(*event) // a row of this kind
			t := Summarize(at.Snap, ev)
			return strings.Join([]string{ev.At.UTC().Format("2006-01-02 Jan _2 15:04:05"), ev.Actor, t.Verb, t.What, t.Where, t.Detail, ev.Note}, " ")
		},
	}
}

// toldField returns a field for a part of EventSummary.
func toldField(name string, get func(EventSummary) string) *Field {
	return opened(name, Text, func(at At) func(*cloud.Event) Value {
		return func(ev *cloud.Event) Value { return textValue(get(Summarize(at.Snap, ev))) }
	}).omit()
}

// titles returns the field for the records that an event changed: tables show them as one
// text, filters compare each.
func titles() *Field {
	return words("records", func(_ At, ev *cloud.Event, words []string) []string {
		for _, c := range ev.Changes {
			words = append(words, c.Title())
		}
		return words
	}).short("record").joined(", ")
}
