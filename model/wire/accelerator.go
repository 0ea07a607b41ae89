package wire

import (
	"encoding/json"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cyborg"
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

// acceleratorCalls returns the calls for a verb of Cyborg's. There are none for what its
// agents and its conductor write.
//
// Source: cyborg/api/controllers/v2/{device_profiles,arqs,devices}.py.
func acceleratorCalls(s *cyborg.Snapshot, op cyborg.Op) []Call {
	const profiles, arqs, devices = "/device_profiles", "/accelerator_requests", "/devices/"
	call := func(method, path, version string, status int, body any) []Call {
		c, _ := one(method, path, version, body)
		c[0].Service, c[0].Answer = Accelerator, Answer{Status: status}
		return c
	}
	switch op := op.(type) {
	case cyborg.CreateDeviceProfile:
		p := op.Profile
		return call("POST", profiles, "2.0", statusCreated, []profileBody{{p.Name, p.Groups, p.Description}})
	case cyborg.DeleteDeviceProfile:
		return call("DELETE", profiles+"/"+escape(op.Profile), "2.0", statusNoContent, nil)
	case cyborg.DisableDevice:
		return call("POST", devices+op.Device.String()+"/disable", "2.3", statusOK, nil)
	case cyborg.EnableDevice:
		return call("POST", devices+op.Device.String()+"/enable", "2.3", statusOK, nil)
	case cyborg.CreateARQs:
		return call("POST", arqs, "2.0", statusCreated, arqsBody{op.Profile})
	case cyborg.StartBind:
		return call("PATCH", arqs, "2.0", statusAccepted, bindBody(s, op))
	case cyborg.Unbind:
		body := map[string][]patchBody{}
		for _, id := range op.ARQs {
			for _, path := range []string{"/hostname", "/device_rp_uuid", "/instance_uuid"} {
				body[id.String()] = append(body[id.String()], patchBody{Op: "remove", Path: path})
			}
		}
		return call("PATCH", arqs, "2.0", statusAccepted, body)
	case cyborg.DeleteARQs:
		return call("DELETE", arqs+"?arqs="+joined(op.ARQs), "2.0", statusNoContent, nil)
	}
	return nil
}

// bindBody returns where each request is to be bound. The provider is that of the
// request's own group.
func bindBody(s *cyborg.Snapshot, op cyborg.StartBind) map[string][]patchBody {
	body := map[string][]patchBody{}
	for _, id := range op.ARQs {
		set := []patchBody{{"add", "/hostname", op.Host}}
		if q, ok := s.ARQ(id); ok {
			if by := op.Mappings[cyborg.GroupSuffix(q.Group)]; len(by) > 0 {
				set = append(set, patchBody{"add", "/device_rp_uuid", by[0].String()})
			}
		}
		body[id.String()] = append(set, patchBody{"add", "/instance_uuid", op.Instance.String()})
	}
	return body
}

// acceleratorCommands returns a verb of Cyborg's as typed with the openstack client.
//
// Source: python-cyborgclient, cyborgclient/osc/v2/.
func acceleratorCommands(op cyborg.Op) []string {
	accelerator := func(version string, words ...string) []string {
		return command(Accelerator, version, append([]string{"accelerator"}, words...)...)
	}
	switch op := op.(type) {
	case cyborg.CreateDeviceProfile:
		groups, err := json.Marshal(op.Profile.Groups)
		if err != nil {
			return nil
		}
		words := []string{"device", "profile", "create", op.Profile.Name, string(groups)}
		if op.Profile.Description != "" {
			words = append(words, "--description", op.Profile.Description)
		}
		return accelerator("", words...)
	case cyborg.DeleteDeviceProfile:
		return accelerator("", "device", "profile", "delete", op.Profile)
	case cyborg.DisableDevice:
		return accelerator("2.3", "device", "disable", op.Device.String())
	case cyborg.EnableDevice:
		return accelerator("2.3", "device", "enable", op.Device.String())
	case cyborg.CreateARQs:
		return accelerator("", "arq", "create", op.Profile)
	case cyborg.DeleteARQs:
		words := []string{"arq", "delete"}
		for _, id := range op.ARQs {
			words = append(words, id.String())
		}
		return accelerator("", words...)
	}
	return nil
}

func joined(ids []uuid.UUID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = id.String()
	}
	return strings.Join(words, ",")
}
