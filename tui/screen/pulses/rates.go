package pulses

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
)

// rates are how often things happened, in equal steps of span, the last of which ends
// now, and why instances found no host.
type rates struct {
	rows    []rate
	reasons []reason // most frequent first
}

// rate is how often something happened in each step, oldest first, or how much of
// something there was. It is shorter than steps if the journal does not go back far
// enough.
type rate struct {
	name   string
	series []float64
	level  bool // it says how much there was
}

// reason is why there was no host, and for how many instances.
type reason struct {
	why   string
	count int
}

// What is counted.
const (
	writes = iota
	boots
	deletes
	moves
	noHost
	races
	rateCount
)

// rateNames returns the names of the rates.
func rateNames() [rateCount]string {
	return [rateCount]string{"writes", "boots", "deletes", "moves", "no host", "races lost"}
}

// ratesOf counts what happened up to now by events, newest first, and by the races that
// writers lost. Gate is the current gate.
func ratesOf(events []cloud.Event, lost []cloud.Conflict, gate nova.Gate, now time.Time) rates {
	var counts [rateCount][steps]float64
	var held [steps]float64 // changes of the number of services that hold the gate
	why := map[string]int{}
	step := func(at time.Time) int { return steps - 1 - int(max(now.Sub(at), 0)*steps/span) }
	from := 0 // the first step that the journal covers completely
	if n := len(events); n > 0 && events[n-1].Revision > 1 {
		from = max(step(events[n-1].At)+1, 0)
	}
	for _, ev := range events {
		i := step(ev.At)
		if i < from {
			break
		}
		counts[writes][i]++
		for _, c := range ev.Changes {
			if kind := happened(c); kind > writes {
				counts[kind][i]++
			}
			held[i] += holds(c.After, gate) - holds(c.Before, gate)
			if is, ok := c.After.(*nova.Instance); ok {
				if text := ops.NoHostReason(is.Fault); text != "" && faultOf(c.Before) != is.Fault {
					counts[noHost][i]++
					why[text]++
				}
			}
		}
	}
	for _, c := range lost {
		if i := step(c.At); i >= 0 {
			counts[races][i]++
		}
	}
	var out rates
	for kind, name := range rateNames() {
		out.rows = append(out.rows, rate{name: name, series: counts[kind][from:]})
	}
	if gate.Minimum > 0 && !gate.Judged {
		level := make([]float64, steps)
		for i, at := steps-1, float64(len(gate.Holds)); i >= 0; i-- {
			level[i] = max(at, 0)
			at -= held[i]
		}
		out.rows = append(out.rows, rate{"hold gate", level[from:], true})
	}
	for text, n := range why {
		out.reasons = append(out.reasons, reason{text, n})
	}
	sorted.By(out.reasons, func(a, b reason) int { return cmp.Or(b.count-a.count, cmp.Compare(a.why, b.why)) })
	return out
}

// happened returns what a change of a record counts as; writes if nothing else.
func happened(c versioned.Change) int {
	switch r := c.Record().(type) {
	case *placement.ConsumerRecord:
		switch {
		case r.Type != placement.InstanceConsumer:
		case c.Before == nil:
			return boots
		case c.After == nil:
			return deletes
		}
	case *nova.Migration:
		if c.Before == nil {
			return moves
		}
	}
	return writes
}

// holds returns 1 for the record of a nova-compute whose version holds the gate closed.
func holds(r versioned.Record, gate nova.Gate) float64 {
	if v, ok := r.(*nova.Service); ok && v.Binary == nova.Compute && v.Version < gate.Need {
		return 1
	}
	return 0
}

// faultOf returns why the last request for an instance failed.
func faultOf(r versioned.Record) string {
	if i, ok := r.(*nova.Instance); ok {
		return i.Fault
	}
	return ""
}

// mostHeight is how many lines the chart of a rate may take.
const mostHeight = 3

// mostReasons is how many reasons are shown, and reasonLines how many lines each may
// take.
const (
	mostReasons = 3
	reasonLines = 2
)

// rateLines draws the rates, at most n lines, and below them why there was no host: rates
// of 0 are left out for that.
func (s *Screen) rateLines(w, n int) []string {
	reasons := s.reasonLines(w)
	rows := s.rates.rows
	for i := len(rows) - 1; i >= 0 && len(rows)+len(reasons) > n && len(reasons) > 0; i-- {
		if rows[i].name != rateNames()[noHost] && slices.Max(append(slices.Clone(rows[i].series), 0)) == 0 {
			rows = slices.Concat(rows[:i], rows[i+1:])
		}
	}
	// As many rates as the first reason leaves room for.
	rows = rows[:min(len(rows), max(n-min(len(reasons), 1+reasonLines), 0))]
	high := min(max((n-len(reasons))/max(len(rows), 1), 1), mostHeight)
	l := component.NewLine(s.env.Styles, w)
	var out []string
	for _, r := range rows {
		most := slices.Max(append(slices.Clone(r.series), 0))
		h := high
		if most == 0 {
			h = 1
		}
		step := max(most, 1) / float64(h)
		figures := r.figures(most)
		for y := range h {
			l.Reset(w).Cell(10)
			if y == 0 {
				l.Add(themes.Dim, r.name)
			}
			l.EndCell(component.AlignLeft).Space(1)
			below := float64(h - 1 - y) // lines of the chart
			component.Spark(l, max(l.Left()-8, 0), r.series, step*below, step*(below+1))
			out = append(out, l.Cell(8).Add(themes.Text, figures[y]).EndCell(component.AlignRight).String())
		}
	}
	out = append(out, reasons...)
	return out[:min(len(out), max(n, 0))]
}

// figures returns what stands beside the lines of a chart: how often it happens now, at the
// most, and in all.
func (r rate) figures(most float64) [mostHeight]string {
	n := len(r.series)
	if n == 0 {
		return [mostHeight]string{"-"}
	}
	all := 0.0
	for _, v := range r.series {
		all += v
	}
	out := [mostHeight]string{component.Count(int64(r.series[n-1]))}
	if !r.level {
		out[0] += "/h"
	}
	out[1] = "max " + component.Count(int64(most))
	if !r.level {
		out[2] = "all " + component.Count(int64(all))
	}
	return out
}

// reasonLines says why there was no host, and how often.
func (s *Screen) reasonLines(w int) []string {
	if len(s.rates.reasons) == 0 {
		return nil
	}
	const indent = 5
	l := component.NewLine(s.env.Styles, w)
	out := []string{l.Add(themes.Dim, "no host, 24 h, because of").String()}
	for _, r := range s.rates.reasons[:min(len(s.rates.reasons), mostReasons)] {
		why := strings.TrimPrefix(strings.TrimPrefix(r.why, "no host meets "), "all: ") // the heading says it
		text := component.WrapAsIs(s.env.Styles, why, w-indent)
		for i, part := range text[:min(len(text), reasonLines)] {
			l.Reset(w)
			if i == 0 {
				l.Cell(indent-1).Add(themes.Strong, component.Count(int64(r.count))).EndCell(component.AlignRight)
			}
			out = append(out, l.To(indent).Add(themes.Text, part).String())
		}
	}
	return out
}
