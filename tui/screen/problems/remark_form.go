package problems

import (
	"strings"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// NewAcknowledge returns the form that asks why findings are known, and until when
// they are to be quiet. What names them in the title.
func NewAcknowledge(env screen.Env, snap *cloud.Snapshot, what string, findings []audit.Finding) *form.Form {
	note := form.NewField(env.Styles, "note", "why it may stay so; for those who come after you", "", form.NameLimit)
	note.Check = form.Required("say why: somebody will ask")
	return newRemark(env, snap, remark{
		verb: "acknowledge", title: "acknowledge " + what, section: "KNOWN", about: panel.Plural(len(findings), "finding"), note: note,
		without: "until it is repaired, or gets worse",
		plan: func(s *cloud.Snapshot, r audit.Remark) (ops.Plan, error) {
			return audit.PlanAcknowledge(s, findings, r)
		},
	})
}

// NewMute returns the form that asks until when a rule is to be quiet, and why.
func NewMute(env screen.Env, snap *cloud.Snapshot, rule audit.Rule) *form.Form {
	return newRemark(env, snap, remark{
		verb: "mute", title: "mute " + string(rule.ID), section: "MUTE A RULE", about: string(rule.ID) + " " + rule.Title,
		note:    form.NewField(env.Styles, "note", "why nobody wants to hear of it", "", form.NameLimit),
		without: "until somebody unmutes it",
		plan:    func(s *cloud.Snapshot, r audit.Remark) (ops.Plan, error) { return audit.PlanMute(s, rule, r) },
	})
}

// NewUnacknowledge returns the page that takes acknowledgements back.
func NewUnacknowledge(env screen.Env, snap *cloud.Snapshot, what string, all []*operator.Acknowledgement) *confirm.Page {
	return confirm.Write(env, snap, "take back", "acknowledged: "+what, func(s *cloud.Snapshot) (ops.Plan, error) {
		return audit.PlanUnacknowledge(s, all)
	}, "")
}

// NewUnmute returns the page that lets a rule be heard again.
func NewUnmute(env screen.Env, snap *cloud.Snapshot, rule audit.RuleID) *confirm.Page {
	return confirm.Write(env, snap, "unmute", "unmute "+string(rule), func(s *cloud.Snapshot) (ops.Plan, error) {
		return audit.PlanUnmute(s, rule)
	}, "")
}

// remark is what a form of an operator's remark asks for.
type remark struct {
	verb, title, section string
	about                string // what it is about
	note                 *form.Field
	without              string // when it ends where no end is given
	plan                 func(*cloud.Snapshot, audit.Remark) (ops.Plan, error)
}

// newRemark returns the form of a note and an end, with the page that previews what
// is written.
func newRemark(env screen.Env, snap *cloud.Snapshot, r remark) *form.Form {
	end := form.NewField(env.Styles, "ends", "in 8h, 7d, 4w, or on 2030-12-31; empty: "+r.without, "", form.NumberLimit)
	end.Check = func(text string) error {
		_, err := endOf(text, env.Clock())
		return form.AsFault(err)
	}
	end.Note = func(text string) string {
		at, err := endOf(text, env.Clock())
		switch {
		case err != nil:
			return ""
		case at.IsZero():
			return ""
		}
		return "until " + at.UTC().Format("Monday 2006-01-02 15:04Z")
	}
	a := form.Ask{
		Scope: "remark", Title: r.title, Section: r.section, Steps: []string{"why", "preview"},
		Fields: form.NewFields(env.Styles, r.note, end), Note: func() string { return r.about },
	}
	a.Submit = func(snap *cloud.Snapshot) (form.Next, bool) {
		now := env.Clock()
		until, _ := endOf(end.Text, now) // it was checked
		said := audit.Remark{Note: strings.TrimSpace(r.note.Text), By: env.Actor, At: now, Until: until}
		return confirm.New(env, snap, confirm.Spec{
			Title: r.title, Verb: r.verb, Steps: a.Steps, At: 1,
			Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return r.plan(s, said) },
		}), true
	}
	return form.New(env, snap, a)
}

// endOf is audit.ParseEnd, and the zero time for an empty text.
func endOf(text string, now time.Time) (time.Time, error) {
	if text = strings.TrimSpace(text); text == "" {
		return time.Time{}, nil
	}
	return audit.ParseEnd(text, now)
}
