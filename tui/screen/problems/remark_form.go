package problems

import (
	"strings"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/screen"
)

// NewAcknowledge returns the form that asks why findings are known, and until when they, or
// all that their rule finds, are to be quiet. What names them in the title.
func NewAcknowledge(env screen.Env, snap *cloud.Snapshot, what string, rule audit.Rule, findings []audit.Finding) *form.Wizard {
	note := form.NewField(env.Styles, "note", "why it is left alone; for your colleagues", "", form.NameLimit)
	note.Check = form.Required("say why: somebody will ask")
	whole := form.NewYesNo(env.Styles, "whole rule", "also everything else that "+string(rule.ID)+" finds, now and later: yes or no", false)
	end := form.NewField(env.Styles, "ends", "in 8h, 7d, 4w, or on 2030-12-31; empty: until it is repaired, or gets worse", "", form.NumberLimit)
	end.Check = func(text string) error {
		_, err := endOf(text, env.Clock())
		return form.AsFault(err)
	}
	end.Note = func(text string) string {
		if at, err := endOf(text, env.Clock()); err == nil && !at.IsZero() {
			return "until " + at.UTC().Format("Monday 2006-01-02 15:04Z")
		}
		return ""
	}
	return form.New(env, snap, form.Ask{
		Scope: "remark", Title: "acknowledge " + what, Section: "KNOWN", Steps: []string{"why", "preview"},
		Fields: form.NewFields(env.Styles, note, end, whole), Note: func() string { return component.Plural(len(findings), "problem") },
		Write: func() (confirm.Spec, error) {
			now := env.Clock()
			until, err := endOf(end.Text, now)
			said := audit.Remark{Note: strings.TrimSpace(note.Text), By: env.Actor, At: now, Until: until}
			if whole.Yes() {
				return confirm.Spec{Title: "mute " + string(rule.ID), Verb: "mute", Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return audit.PlanMute(s, rule, said) }}, err
			}
			return confirm.Spec{Verb: "acknowledge", Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return audit.PlanAcknowledge(s, findings, said) }}, err
		},
	})
}

// NewUnacknowledge returns the page that takes acknowledgements back.
func NewUnacknowledge(env screen.Env, snap *cloud.Snapshot, what string, all []*operator.Acknowledgement) *confirm.Page {
	return confirm.Write(env, snap, "withdraw", "acknowledged: "+what, func(s *cloud.Snapshot) (ops.Plan, error) {
		return audit.PlanUnacknowledge(s, all)
	}, "")
}

// NewUnmute returns the page that lets a rule be heard again.
func NewUnmute(env screen.Env, snap *cloud.Snapshot, rule audit.RuleID) *confirm.Page {
	return confirm.Write(env, snap, "unmute", "unmute "+string(rule), func(s *cloud.Snapshot) (ops.Plan, error) {
		return audit.PlanUnmute(s, rule)
	}, "")
}

// endOf is audit.ParseEnd, but returns the zero time for an empty text.
func endOf(text string, now time.Time) (time.Time, error) {
	if text = strings.TrimSpace(text); text == "" {
		return time.Time{}, nil
	}
	return audit.ParseEnd(text, now)
}
