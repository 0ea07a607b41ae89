package form

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen"
)

// service is a service that is to be changed.
type service struct {
	env          screen.Env
	binary, host string
}

// OpenService makes the screen of kind screen.SetService: arg is what is to be done
// (disable, enable, down, up, upgrade, delete), the binary and the host.
func OpenService(env screen.Env, arg string) (screen.Screen, error) {
	words := strings.Fields(arg)
	if len(words) != 3 {
		return nil, &placement.InvalidError{Field: "service", Value: arg, Why: "give what to do, the binary and the host"}
	}
	what, s := words[0], service{env: env, binary: words[1], host: words[2]}
	snap := env.Cloud.Snapshot()
	svc, ok := snap.Nova().Service(s.host, s.binary)
	if !ok {
		return nil, &placement.NotFoundError{What: "service", Name: s.binary + " on " + s.host}
	}
	switch what {
	case "disable":
		return s.disable(snap), nil
	case "upgrade":
		return s.upgrade(snap, svc), nil
	case "enable":
		return s.confirm(snap, what, "", func(s service, n *nova.Snapshot) (nova.PutRecords, error) { return n.EnableService(s.host, s.binary) }), nil
	case "down", "up":
		return s.confirm(snap, "force "+what, "", func(s service, n *nova.Snapshot) (nova.PutRecords, error) {
			return n.ForceDownService(s.host, s.binary, what == "down")
		}), nil
	case "delete":
		return s.confirm(snap, what, s.host, func(s service, n *nova.Snapshot) (nova.PutRecords, error) { return n.DeleteService(s.host, s.binary) }), nil
	default:
		return nil, &placement.InvalidError{Field: "service", Value: what, Why: "is nothing that can be done to a service"}
	}
}

// title names what is done.
func (s service) title(verb string) string { return verb + " " + s.binary + " on " + s.host }

// plan returns what makes a change of the service, with what goes with it in
// Placement.
func (s service) plan(verb string, change func(service, *nova.Snapshot) (nova.PutRecords, error)) ops.Planner {
	return func(snap *cloud.Snapshot) (ops.Plan, error) {
		c, err := change(s, snap.Nova())
		if err != nil {
			return ops.Plan{}, err
		}
		var placed []placement.Op
		if s.binary == nova.Compute {
			switch verb {
			case "disable", "enable":
				placed = snap.Nova().StatusOps(snap.Placement(), s.host, verb == "disable")
			case "delete":
				placed = snap.Nova().DeleteProviderOps(snap.Placement(), s.host)
			}
		}
		return ops.PlanNova(snap, s.title(verb), c, placed)
	}
}

// confirm returns the page that previews a change; word must be typed first, unless
// it is empty.
func (s service) confirm(snap *cloud.Snapshot, verb, word string, change func(service, *nova.Snapshot) (nova.PutRecords, error)) *Preview {
	return NewConfirm(s.env, snap, verb, s.title(verb), s.plan(verb, change), word)
}

// one returns a form of one field, and the page that previews what comes of it.
func (s service) one(snap *cloud.Snapshot, verb string, f *field, change func(service, *nova.Snapshot, string) (nova.PutRecords, error)) *Form {
	a := ask{
		scope: "service", title: s.title(verb), section: strings.ToUpper(verb) + " A SERVICE", steps: []string{f.label, "preview"},
		fields: newFields(s.env.Styles, f), note: func() string { return s.binary + " on " + s.host },
	}
	a.submit = func(snap *cloud.Snapshot) (next, bool) {
		text := f.text
		return NewPreview(s.env, snap, Write{
			Title: a.title, Verb: verb, Steps: a.steps, At: 1,
			Plan: s.plan(verb, func(s service, n *nova.Snapshot) (nova.PutRecords, error) { return change(s, n, text) }),
		}), true
	}
	return newForm(s.env, snap, a)
}

// disable asks for the reason.
func (s service) disable(snap *cloud.Snapshot) *Form {
	f := newField(s.env.Styles, "reason", "why nothing new may land there; for those who come after you", "", nameLimit)
	f.check = required("say why: somebody will ask")
	return s.one(snap, "disable", f, func(s service, n *nova.Snapshot, why string) (nova.PutRecords, error) {
		return n.DisableService(s.host, s.binary, why)
	})
}

// upgrade asks for the version that the service was started with.
func (s service) upgrade(snap *cloud.Snapshot, svc *nova.Service) *Form {
	need := snap.Nova().Gate().Need
	f := newField(s.env.Styles, "version", fmt.Sprintf("it has %d; %d opens the gate", svc.Version, need), strconv.Itoa(max(need, svc.Version+1)), numberLimit)
	at := s.env.Clock()
	change := func(s service, n *nova.Snapshot, text string) (nova.PutRecords, error) {
		version, _ := strconv.Atoi(text) // it was checked
		return n.UpgradeService(s.host, s.binary, version, at)
	}
	f.check = func(text string) error {
		if err := atLeast(1)(text); err != nil {
			return err
		}
		_, err := change(s, snap.Nova(), text)
		return asFault(err)
	}
	return s.one(snap, "upgrade", f, change)
}

// OpenDevice makes the screen of kind screen.SetDevice: arg is disable or enable,
// and the uuid of a device.
func OpenDevice(env screen.Env, arg string) (screen.Screen, error) {
	verb, text, _ := strings.Cut(arg, " ")
	status, ok := map[string]cyborg.DeviceStatus{"disable": cyborg.Maintaining, "enable": cyborg.Enabled}[verb]
	id, err := uuid.Parse(text)
	if !ok || err != nil {
		return nil, &placement.InvalidError{Field: "device", Value: arg, Why: "give disable or enable, and the uuid of a device"}
	}
	snap := env.Cloud.Snapshot()
	d, ok := snap.Cyborg().Device(id)
	if !ok {
		return nil, &placement.NotFoundError{What: "device", Name: text}
	}
	title := fmt.Sprintf("%s the %s %s on %s", verb, d.Type, d.Model, d.Hostname)
	return NewConfirm(env, snap, verb, title, func(s *cloud.Snapshot) (ops.Plan, error) {
		return ops.PlanDeviceStatus(s, id, status)
	}, ""), nil
}
