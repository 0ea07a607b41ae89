package ops

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// PlanNova plans verbs of Nova's, to be written at the given time, with what each does
// in Placement. It warns of a version newer than all known ones, and of one that
// brings owner traits that are not there yet.
//
// Errors: those of Snapshot.Apply.
func PlanNova(s *cloud.Snapshot, note string, at time.Time, verbs ...nova.Op) (Plan, error) {
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		// Nova refuses before it touches Placement.
		err := s.Nova().Allows(verbs...)
		if e, ok := errors.AsType[*placement.NotFoundError](err); ok && e.What == nova.ComputeHost {
			err = s.Missing(e, cloud.Services)
		}
		return cloud.Change{Note: note, At: at, Ops: NovaOps(s, verbs...)}, err
	}).With(rowRemarks).Plan(s)
}

// PlanSettings plans changes of settings: nova.Configure, operator.LimitJournal.
//
// Errors: those of Snapshot.Apply.
func PlanSettings(s *cloud.Snapshot, at time.Time, settings ...cloud.Op) (Plan, error) {
	notes := make([]string, len(settings))
	for i, op := range settings {
		notes[i] = op.String()
	}
	c := cloud.Change{Note: strings.Join(notes, " and "), At: at, Ops: settings}
	return Decider(func(*cloud.Snapshot) (cloud.Change, error) { return c, nil }).With(func(p Plan) []string {
		return append(rowRemarks(p), adoptRemarks(p)...)
	}).Plan(s)
}

// adoptRemarks says what a copy of a live cloud lacks that becomes a cloud like any other.
func adoptRemarks(p Plan) []string {
	own := p.After.Nova().Config()
	if p.On.Nova().Config().Live == "" || own.Live != "" || len(own.Unread) == 0 {
		return nil
	}
	parts := strings.Join(slices.Sorted(maps.Keys(own.Unread)), ", ")
	return []string{"not known, as it was not read, or not as a whole, when it was copied: " + parts + "; the rules that need it are still not judged"}
}

// NovaOps returns Nova's verbs with what Nova does in Placement along with each: the
// trait of a disabled host, the aggregates of its providers, their deletion.
func NovaOps(s *cloud.Snapshot, verbs ...nova.Op) []cloud.Op {
	out := slices.Clone(verbs)
	for _, op := range verbs {
		switch op := op.(type) {
		case nova.DisableService:
			out = append(out, statusOps(s, op.Host, op.Binary, true)...)
		case nova.EnableService:
			out = append(out, statusOps(s, op.Host, op.Binary, false)...)
		case nova.DeleteService:
			if op.Binary == nova.Compute {
				out = append(out, s.Nova().DeleteProviderOps(s.Placement(), op.Host)...)
			}
		case nova.AddAggregateHost:
			out = append(out, s.Nova().AggregateOps(s.Placement(), op.Aggregate, op.Host, true)...)
		case nova.RemoveAggregateHost:
			out = append(out, s.Nova().AggregateOps(s.Placement(), op.Aggregate, op.Host, false)...)
		}
	}
	return out
}

func statusOps(s *cloud.Snapshot, host, binary string, disabled bool) []placement.Op {
	if binary != nova.Compute {
		return nil
	}
	return s.Nova().StatusOps(s.Placement(), host, disabled)
}

// rowRemarks returns warnings about what p newly writes to Nova's records and is probably
// not meant: an unknown version, a host without a compute node, a flavor that asks for a
// trait or class that Placement does not know, which Nova stores as it is.
func rowRemarks(p Plan) []string {
	var out []string
	after := p.After.Nova()
	for _, c := range p.Preview.Records {
		switch is := c.After.(type) {
		case *nova.Flavor:
			if err := is.CheckExtraSpecs(p.After.Placement()); err != nil && c.Before == nil {
				out = append(out, err.Error())
			}
		case *nova.Service:
			was, ok := c.Before.(*nova.Service)
			if ok && was.Version == is.Version {
				continue
			}
			if text := tagsLater(after, p.On.Placement(), was, is); text != "" {
				out = append(out, text)
			}
			out = append(out, is.Remarks()...)
		case *nova.Instance:
			if was, ok := c.Before.(*nova.Instance); ok && was.Host == is.Host && was.Live() == is.Live() {
				continue
			}
			if is.Live() && is.Host != "" && !hasNode(after, is.Host) {
				out = append(out, fmt.Sprintf("instance %s is on host %s, which has no compute node", is.Name, is.Host))
			}
		}
	}
	return out
}

// hasNode reports whether a host has a compute node.
func hasNode(s *nova.Snapshot, host string) bool {
	for range s.ComputeNodesOf(host) {
		return true
	}
	return false
}
