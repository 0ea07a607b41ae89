package services

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// changed is a service that is to be changed.
type changed struct {
	env          screen.Env
	binary, host string
}

// OpenService makes the screen of a place.
func OpenService(env screen.Env, at place.SetService) (screen.Screen, error) {
	what, s := string(at.Do), changed{env: env, binary: at.Binary, host: at.Host}
	snap := env.Cloud.Snapshot()
	svc, ok := snap.Nova().Service(s.host, s.binary)
	if !ok {
		return nil, &placement.NotFoundError{What: "service", Name: s.binary + " on " + s.host}
	}
	switch at.Do {
	case place.Disable:
		return s.disable(snap), nil
	case place.Upgrade:
		return s.upgrade(snap, svc), nil
	case place.Enable:
		return s.confirm(snap, what, "", nova.EnableService{Host: s.host, Binary: s.binary}), nil
	case place.Down, place.Up:
		return s.confirm(snap, "force "+what, "", nova.ForceDownService{Host: s.host, Binary: s.binary, Down: at.Do == place.Down}), nil
	case place.Delete:
		return s.confirm(snap, what, s.host, nova.DeleteService{Host: s.host, Binary: s.binary}), nil
	default:
		return nil, &placement.InvalidError{Field: "service", Value: what, Why: "is nothing that can be done to a service"}
	}
}

// title names what is done.
func (s changed) title(verb string) string { return verb + " " + s.binary + " on " + s.host }

// plan returns what does op to the service.
func (s changed) plan(verb string, op nova.Op) ops.Planner {
	at := s.env.Clock()
	return func(snap *cloud.Snapshot) (ops.Plan, error) { return ops.PlanNova(snap, s.title(verb), at, op) }
}

// confirm returns the page that previews op; word must be typed first, unless it is
// empty.
func (s changed) confirm(snap *cloud.Snapshot, verb, word string, op nova.Op) *confirm.Page {
	return confirm.Write(s.env, snap, verb, s.title(verb), s.plan(verb, op), word)
}

// one returns a form of one field, and the page that previews what comes of it.
func (s changed) one(snap *cloud.Snapshot, verb string, f *form.Field, op func(text string) nova.Op) *form.Form {
	a := form.Ask{
		Scope: "service", Title: s.title(verb), Section: strings.ToUpper(verb) + " A SERVICE", Steps: []string{f.Label, "preview"},
		Fields: form.NewFields(s.env.Styles, f), Note: func() string { return s.binary + " on " + s.host },
	}
	a.Submit = func(snap *cloud.Snapshot) (form.Next, bool) {
		return confirm.New(s.env, snap, confirm.Spec{
			Title: a.Title, Verb: verb, Steps: a.Steps, At: 1,
			Plan: s.plan(verb, op(f.Text)),
		}), true
	}
	return form.New(s.env, snap, a)
}

// disable asks for the reason.
func (s changed) disable(snap *cloud.Snapshot) *form.Form {
	f := form.NewField(s.env.Styles, "reason", "why nothing new may land there; for those who come after you", "", form.NameLimit)
	f.Check = form.Required("say why: somebody will ask")
	return s.one(snap, "disable", f, func(why string) nova.Op {
		return nova.DisableService{Host: s.host, Binary: s.binary, Reason: why}
	})
}

// upgrade asks for the version that the service was started with.
func (s changed) upgrade(snap *cloud.Snapshot, svc *nova.Service) *form.Form {
	need := snap.Nova().Gate().Need
	f := form.NewField(s.env.Styles, "version", fmt.Sprintf("it has %d; %d opens the gate", svc.Version, need), strconv.Itoa(max(need, svc.Version+1)), form.NumberLimit)
	upgrade := func(text string) nova.Op {
		version, _ := strconv.Atoi(text) // it was checked
		return nova.UpgradeService{Host: s.host, Binary: s.binary, Version: version}
	}
	f.Check = func(text string) error {
		if err := form.AtLeast(1)(text); err != nil {
			return err
		}
		return form.AsFault(snap.Nova().Allows(upgrade(text)))
	}
	return s.one(snap, "upgrade", f, upgrade)
}
