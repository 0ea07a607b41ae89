package services

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// serviceChange is one change of several services.
type serviceChange struct {
	env screen.Env
	of  []serviceKey
}

// serviceKey identifies a service.
type serviceKey struct{ binary, host string }

// String implements fmt.Stringer.
func (n serviceKey) String() string { return n.binary + " on " + n.host }

// OpenService makes the screen of a place.
func OpenService(env screen.Env, at place.SetService) (screen.Screen, error) {
	return open(env, at.Do, serviceKey{at.Binary, at.Host})
}

// open makes the screen that changes services alike.
func open(env screen.Env, do place.ServiceVerb, of ...serviceKey) (screen.Screen, error) {
	what, s := string(do), serviceChange{env, of}
	snap := env.Cloud.Snapshot()
	for _, n := range of {
		if _, ok := snap.Nova().Service(n.host, n.binary); !ok {
			return nil, &placement.NotFoundError{What: "service", Name: n.String()}
		}
	}
	switch do {
	case place.Disable:
		return s.disable(snap), nil
	case place.Upgrade:
		return s.upgrade(snap), nil
	case place.Enable:
		return s.confirm(snap, what, "", func(n serviceKey) nova.Op { return nova.EnableService{Host: n.host, Binary: n.binary} }), nil
	case place.Down, place.Up:
		return s.confirm(snap, "force "+what, "", func(n serviceKey) nova.Op {
			return nova.ForceDownService{Host: n.host, Binary: n.binary, Down: do == place.Down}
		}), nil
	case place.Delete:
		word := of[0].host
		if len(of) > 1 {
			word = what
		}
		return s.confirm(snap, what, word, func(n serviceKey) nova.Op { return nova.DeleteService{Host: n.host, Binary: n.binary} }), nil
	default:
		return nil, &placement.InvalidError{Field: "service", Value: what, Why: "cannot be done to a service"}
	}
}

// what returns the names of the services.
func (s serviceChange) what() string {
	if len(s.of) > 1 {
		return component.Plural(len(s.of), "service")
	}
	return s.of[0].String()
}

// verbs returns the operations that apply op to each of the services.
func (s serviceChange) verbs(op func(serviceKey) nova.Op) []nova.Op {
	out := make([]nova.Op, len(s.of))
	for i, n := range s.of {
		out[i] = op(n)
	}
	return out
}

// plan returns a planner that applies op to each of the services, in one write.
func (s serviceChange) plan(verb string, op func(serviceKey) nova.Op) ops.Planner {
	at := s.env.Clock()
	return func(snap *cloud.Snapshot) (ops.Plan, error) {
		return ops.PlanNova(snap, verb+" "+s.what(), at, s.verbs(op)...)
	}
}

// confirm returns the page that previews op; word must be typed first, unless it is
// empty.
func (s serviceChange) confirm(snap *cloud.Snapshot, verb, word string, op func(serviceKey) nova.Op) *confirm.Page {
	return confirm.Write(s.env, snap, verb, verb+" "+s.what(), s.plan(verb, op), word)
}

// one returns a form of one field, and the page that previews the result.
func (s serviceChange) one(snap *cloud.Snapshot, verb string, f *form.Field, op func(n serviceKey, text string) nova.Op) *form.Wizard {
	a := form.Ask{
		Scope: "service", Title: verb + " " + s.what(), Section: strings.ToUpper(verb) + " A SERVICE", Steps: []string{f.Label, "preview"},
		Fields: form.NewFields(s.env.Styles, f), Note: s.what,
	}
	if len(s.of) > 1 {
		a.Section = strings.ToUpper(verb + " " + s.what())
	}
	a.Write = func() (confirm.Spec, error) {
		text := f.Text
		return confirm.Spec{Verb: verb, Plan: s.plan(verb, func(n serviceKey) nova.Op { return op(n, text) })}, nil
	}
	return form.New(s.env, snap, a)
}

// disable asks for the reason.
func (s serviceChange) disable(snap *cloud.Snapshot) *form.Wizard {
	f := form.NewField(s.env.Styles, "reason", "why nothing new may land there; for your colleagues", "", form.NameLimit)
	f.Check = form.Required("say why: somebody will ask")
	return s.one(snap, "disable", f, func(n serviceKey, why string) nova.Op {
		return nova.DisableService{Host: n.host, Binary: n.binary, Reason: strings.TrimSpace(why)}
	})
}

// upgrade asks for the version that the services were started with.
func (s serviceChange) upgrade(snap *cloud.Snapshot) *form.Wizard {
	need, has := snap.Nova().Gate().Need, 0
	for _, n := range s.of {
		if svc, ok := snap.Nova().Service(n.host, n.binary); ok {
			has = max(has, svc.Version)
		}
	}
	f := form.NewField(s.env.Styles, "version", fmt.Sprintf("it has %d; %d opens the gate", has, need), strconv.Itoa(max(need, has+1)), form.NumberLimit)
	upgrade := func(n serviceKey, text string) nova.Op {
		version, _ := strconv.Atoi(text) // it was checked
		return nova.UpgradeService{Host: n.host, Binary: n.binary, Version: version}
	}
	f.Check = func(text string) error {
		if err := form.AtLeast(1)(text); err != nil {
			return err
		}
		return form.AsFault(snap.Nova().Allows(s.verbs(func(n serviceKey) nova.Op { return upgrade(n, text) })...))
	}
	return s.one(snap, "upgrade", f, upgrade)
}
