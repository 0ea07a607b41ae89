package api

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/placement"
)

// The bodies of requests of the Accelerator API.
type (
	// profileBody is sent as a list of exactly one.
	profileBody struct {
		Name        string              `json:"name"`
		Groups      []map[string]string `json:"groups"`
		Description string              `json:"description,omitempty"`
	}
	arqsBody struct {
		Profile string `json:"device_profile_name"`
	}
	patchBody struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value string `json:"value,omitempty"`
	}
)

// accelerator returns how a verb of Cyborg's looks from outside.
//
// Source: cyborg/api/controllers/v2/{device_profiles,arqs,devices}.py; python-cyborgclient,
// cyborgclient/osc/v2/.
func (v view) accelerator(op cyborg.Op) row {
	const profiles, arqs, devices = "/device_profiles", "/accelerator_requests", "/devices/"
	const first = microversion.AcceleratorFirst
	r := row{service: Accelerator}
	switch op := op.(type) {
	case cyborg.CreateDeviceProfile:
		p := op.Profile
		r.calls = call(Accelerator, "POST", profiles, first, statusCreated, []profileBody{{p.Name, p.Groups, p.Description}})
		groups, _ := json.Marshal(p.Groups) // they hold only strings
		client := say("accelerator device profile create", p.Name, string(groups))
		if p.Description != "" {
			client = client.and("--description", p.Description)
		}
		r.client = []command{client}
	case cyborg.DeleteDeviceProfile:
		r.calls = call(Accelerator, "DELETE", profiles+"/"+url.PathEscape(op.Profile), first, statusNoContent, nil)
		r.client = []command{say("accelerator device profile delete", op.Profile)}
	case cyborg.DisableDevice:
		r.calls = call(Accelerator, "POST", devices+op.Device.String()+"/disable", microversion.DisableDevice, statusOK, nil)
		r.client, r.itself = []command{say("accelerator device disable", op.Device.String())}, is[placement.SetInventory]
	case cyborg.EnableDevice:
		r.calls = call(Accelerator, "POST", devices+op.Device.String()+"/enable", microversion.DisableDevice, statusOK, nil)
		r.client, r.itself = []command{say("accelerator device enable", op.Device.String())}, is[placement.SetInventory]
	case cyborg.CreateARQs:
		r.calls = call(Accelerator, "POST", arqs, first, statusCreated, arqsBody{op.Profile})
		r.client = []command{say("accelerator arq create", op.Profile)}
	case cyborg.StartBind:
		r.calls = call(Accelerator, "PATCH", arqs, first, statusAccepted, v.bindBody(op))
	case cyborg.Unbind:
		body := map[string][]patchBody{}
		for _, id := range op.ARQs {
			for _, path := range []string{"/hostname", "/device_rp_uuid", "/instance_uuid"} {
				body[id.String()] = append(body[id.String()], patchBody{Op: "remove", Path: path})
			}
		}
		r.calls = call(Accelerator, "PATCH", arqs, first, statusAccepted, body)
	case cyborg.DeleteARQs:
		ids := texts(op.ARQs)
		r.calls = call(Accelerator, "DELETE", arqs+"?arqs="+strings.Join(ids, ","), first, statusNoContent, nil)
		r.client = []command{say("accelerator arq delete", ids...)}
	default:
		return row{} // its agents and its conductor write that
	}
	return r
}

// bindBody returns where each request is to be bound. The provider is that of the
// request's own group.
func (v view) bindBody(op cyborg.StartBind) map[string][]patchBody {
	body := map[string][]patchBody{}
	for _, id := range op.ARQs {
		set := []patchBody{{"add", "/hostname", op.Host}}
		if q, ok := v.Cyborg().ARQ(id); ok {
			if by := op.Mappings[cyborg.GroupSuffix(q.Group)]; len(by) > 0 {
				set = append(set, patchBody{"add", "/device_rp_uuid", by[0].String()})
			}
		}
		body[id.String()] = append(set, patchBody{"add", "/instance_uuid", op.Instance.String()})
	}
	return body
}
