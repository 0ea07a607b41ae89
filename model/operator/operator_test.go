package operator_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

func acknowledgement(edit func(*operator.Acknowledgement)) *operator.Acknowledgement {
	a := &operator.Acknowledgement{Rule: "a02", Subject: "class=VGPU", Note: "known", By: "ann", At: 1000, Until: 2000}
	edit(a)
	return a
}

func mute(edit func(*operator.Mute)) *operator.Mute {
	m := &operator.Mute{Rule: "u01", By: "ann", At: 1000}
	edit(m)
	return m
}

func TestRecordsAreValidated(t *testing.T) {
	t.Parallel()
	type ack = operator.Acknowledgement
	for name, tc := range map[string]struct {
		row  ledger.Row
		good bool
	}{
		"an acknowledgement":          {acknowledgement(func(*ack) {}), true},
		"without end":                 {acknowledgement(func(a *ack) { a.Until = 0 }), true},
		"without rule":                {acknowledgement(func(a *ack) { a.Rule = "" }), false},
		"without subject":             {acknowledgement(func(a *ack) { a.Subject = "" }), false},
		"without note":                {acknowledgement(func(a *ack) { a.Note = "" }), false},
		"of nobody":                   {acknowledgement(func(a *ack) { a.By = "" }), false},
		"with two rules in one":       {acknowledgement(func(a *ack) { a.Rule = "a02\x00class" }), false},
		"over before it began":        {acknowledgement(func(a *ack) { a.Until = 1000 }), false},
		"a mute":                      {mute(func(*operator.Mute) {}), true},
		"a mute of nothing":           {mute(func(m *operator.Mute) { m.Rule = "" }), false},
		"a mute of nobody":            {mute(func(m *operator.Mute) { m.By = "" }), false},
		"a mute over before it began": {mute(func(m *operator.Mute) { m.Until = 999 }), false},
	} {
		var c operator.PutRecords
		modeltest.Put(&c, operator.Empty(), tc.row)
		_, _, err := operator.Empty().Apply(operator.Change{Ops: []placement.Op{c}})
		if tc.good != (err == nil) || !tc.good && !errors.Is(err, placement.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTermsEnd(t *testing.T) {
	t.Parallel()
	at := func(ms int64) time.Time { return time.UnixMilli(ms) }
	a, forever := acknowledgement(func(*operator.Acknowledgement) {}), mute(func(*operator.Mute) {})
	for ms, want := range map[int64]bool{1000: false, 1999: false, 2000: true, 3000: true} {
		if a.Expired(at(ms)) != want || forever.Expired(at(ms)) {
			t.Errorf("at %d: %t, %t", ms, a.Expired(at(ms)), forever.Expired(at(ms)))
		}
	}
	if !a.AtTime().Equal(at(1000)) || !a.UntilTime().Equal(at(2000)) || !forever.UntilTime().IsZero() {
		t.Errorf("%s, %s, %s", a.AtTime(), a.UntilTime(), forever.UntilTime())
	}
}

// A remark can only be replaced by someone who has seen it.
func TestRemarksAreGuarded(t *testing.T) {
	t.Parallel()
	first := acknowledgement(func(*operator.Acknowledgement) {})
	var c operator.PutRecords
	modeltest.Put(&c, operator.Empty(), first)
	modeltest.Put(&c, operator.Empty(), mute(func(*operator.Mute) {}))
	s, done, err := operator.Empty().Apply(operator.Change{Ops: []placement.Op{c}})
	if err != nil || len(done) != 2 {
		t.Fatal(len(done), err)
	}
	if a, ok := s.Acknowledgement("a02", "class=VGPU"); !ok || a.Note != "known" {
		t.Errorf("%v, %t", a, ok)
	}
	if _, ok := s.Acknowledgement("a02", "class=VCPU"); ok {
		t.Error("found by another subject")
	}
	if _, ok := s.Mute("u01"); !ok || len(slices.Collect(s.Mutes())) != 1 {
		t.Error("no mute")
	}
	blind := operator.PutRecords{Records: []versioned.Change{{After: acknowledgement(func(a *operator.Acknowledgement) { a.Note = "mine" })}}}
	if _, _, err := s.Apply(operator.Change{Ops: []placement.Op{blind}}); !errors.Is(err, placement.ErrConflict) {
		t.Errorf("written over what was not seen: %v", err)
	}
	var back operator.PutRecords
	modeltest.Delete(&back, s, first)
	gone, _, err := s.Apply(operator.Change{Ops: []placement.Op{back}})
	if err != nil || len(slices.Collect(gone.Acknowledgements())) != 0 || len(slices.Collect(s.Acknowledgements())) != 1 {
		t.Errorf("taken back: %v", err)
	}
	again := must.Get(operator.Load(slices.Collect(s.Records())))(t)
	must.Match(t, slices.Collect(s.Records()), slices.Collect(again.Records()))
}
