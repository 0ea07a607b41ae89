package problems

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/place"
)

// dossier is what is known about a finding: how it happened, and what can be done.
type dossier struct {
	id    string    // of its row
	story []chapter // newest first
	fault error     // why the journal could not be read
	ways  []way
	none  string // why there is no way, "" if there is one
}

// chapter is an event of the journal that affected the subject of a finding.
type chapter struct {
	revision cloud.Revision
	at       time.Time
	actor    string
	text     string
	gens     string // "gen 38>39", "" if no generation rose
}

// way is a fix with what is known of it before it is taken.
type way struct {
	audit.Fix
	does    ops.Preview // its effect; empty if not tried, or refused
	refused error       // why it cannot be done now; nil if it can
	form    place.Place // of the form that asks what only people know, and does it; nil if the fix needs none
}

// waysFor returns what can be done about an existing finding on s, without trying it.
func waysFor(s *cloud.Snapshot, f audit.Finding) []way {
	var out []way
	for _, x := range audit.Fixes(s, f) {
		out = append(out, way{Fix: x})
	}
	return append(out, formsFor(f)...)
}

// waysOf returns what can be done about an existing finding on s, each tried on a copy at
// the given time, except what has a form.
func waysOf(s *cloud.Snapshot, f audit.Finding, now time.Time) []way {
	out := waysFor(s, f)
	for i, w := range out {
		if w.form == nil {
			out[i].does, out[i].refused = w.Preview(s, now)
		}
	}
	return out
}

// formsFor returns what forms can do about a finding.
func formsFor(f audit.Finding) []way {
	if f.Rule != audit.RuleIsolatedPool {
		return nil
	}
	return []way{{
		Fix:  audit.Fix{Name: "link", Title: "let the hosts of a host aggregate use " + f.Subject},
		form: place.Pool{ID: f.Provider},
	}}
}

// mostChapters is how many events are shown: more than a screen has lines.
const mostChapters = 20

// newDossier gathers what is known about an existing finding on s.
func newDossier(s *cloud.Snapshot, f audit.Noted, events []cloud.Event, now time.Time) dossier {
	d := dossier{id: f.ID(), ways: waysOf(s, f.Finding, now)}
	if len(d.ways) == 0 {
		d.none = audit.NoFix(s, f.Finding)
	}
	for _, ev := range events {
		if len(d.story) == mostChapters {
			break
		}
		if c, ok := touches(ev, f.Finding); ok {
			d.story = append(d.story, c)
		}
	}
	return d
}

// newChapter returns the chapter of an event, without generations.
func newChapter(ev cloud.Event) chapter {
	c := chapter{revision: ev.Revision, at: ev.At, actor: ev.Actor, text: ev.Note}
	if c.actor+c.text == "" {
		c.text = fmt.Sprintf("revision %d, by an unknown actor", ev.Revision)
	}
	return c
}

// touches returns what an event did to the subject of a finding; false if nothing.
func touches(ev cloud.Event, f audit.Finding) (chapter, bool) {
	c, did := newChapter(ev), false
	for _, ch := range ev.Changes {
		if !isOf(ch, f) {
			continue
		}
		did = true
		if from, to, ok := kinds.Generations(ch); ok && c.gens == "" {
			c.gens = fmt.Sprintf("gen %d>%d", from, to)
		}
	}
	return c, did
}

// isOf reports whether a change is one of a finding's subject, or of what the finding
// mentions.
func isOf(ch versioned.Change, f audit.Finding) bool {
	r := ch.After
	if r == nil {
		r = ch.Before
	}
	switch r := r.(type) {
	case *placement.ProviderRecord:
		return f.Consumer.IsZero() && (r.UUID == f.Provider || slices.Contains(f.Others, r.UUID))
	case *placement.ProviderTraitsRecord:
		return r.Provider == f.Provider || slices.Contains(f.Others, r.Provider)
	case *placement.ConsumerRecord:
		return r.UUID == f.Consumer && !f.Consumer.IsZero()
	case *nova.Instance:
		return r.UUID == f.Consumer && !f.Consumer.IsZero()
	case *nova.Migration:
		return !f.Consumer.IsZero() && (r.UUID == f.Consumer || r.Instance == f.Consumer)
	case *nova.Service:
		return r.Host == f.Service && f.Service != ""
	}
	return false
}
