package api

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// The bodies of requests of the Compute API.
type (
	serviceBody struct {
		Host           string `json:"host"`
		Binary         string `json:"binary"`
		DisabledReason string `json:"disabled_reason,omitempty"`
		ForcedDown     *bool  `json:"forced_down,omitempty"`
	}
	flavorBody struct {
		Flavor flavorFields `json:"flavor"`
	}
	flavorFields struct {
		Name        string `json:"name"`
		ID          string `json:"id"`
		RAM         int64  `json:"ram"`
		VCPUs       int64  `json:"vcpus"`
		Disk        int64  `json:"disk"`
		Ephemeral   int64  `json:"OS-FLV-EXT-DATA:ephemeral"`
		Swap        int64  `json:"swap"`
		Public      bool   `json:"os-flavor-access:is_public"`
		Description string `json:"description,omitempty"`
	}
	extraSpecsBody struct {
		ExtraSpecs map[string]string `json:"extra_specs"`
	}
	aggregateBody struct {
		Aggregate aggregateFields `json:"aggregate"`
	}
	aggregateFields struct {
		Name string  `json:"name"`
		Zone *string `json:"availability_zone"`
	}
	metadataBody struct {
		Metadata map[string]*string `json:"metadata"` // nil for a key that is removed
	}
)

// NewAggregate in a path is the id of the host aggregate that the previous call
// creates.
const NewAggregate = "{id}"

const aggregates = "/os-aggregates"

// zoneKey is the metadata key of a host aggregate's availability zone.
const zoneKey = "availability_zone"

// compute returns how a verb of Nova's looks from outside. There are no calls for what the API
// names by an id that is not known: services to be deleted and host aggregates, in a cloud
// without a real Nova. Other calls name services by their host, as was possible up to 2.52.
//
// Source: nova/api/openstack/compute/{services,flavor_manage,flavors_extraspecs,aggregates}.py;
// python-openstackclient, openstackclient/compute/v2/{service,flavor,aggregate}.py. What Nova
// writes to Placement itself: nova/compute/manager.py, _update_compute_provider_status;
// nova/compute/api.py, AggregateAPI; nova/api/openstack/compute/services.py, delete.
func (v view) compute(op nova.Op) row {
	const services = "/os-services/"
	r := row{service: Compute}
	switch op := op.(type) {
	case nova.DisableService:
		path, client := "disable", say("compute service set --disable")
		if op.Reason != "" {
			path, client = "disable-log-reason", client.and("--disable-reason", op.Reason)
		}
		r.calls = call(Compute, "PUT", services+path, microversion.ComputeFirst, statusOK, serviceBody{Host: op.Host, Binary: op.Binary, DisabledReason: op.Reason})
		r.client, r.itself = []command{client.and(op.Host, op.Binary)}, v.marksDisabled
	case nova.EnableService:
		r.calls = call(Compute, "PUT", services+"enable", microversion.ComputeFirst, statusOK, serviceBody{Host: op.Host, Binary: op.Binary})
		r.client, r.itself = []command{say("compute service set --enable", op.Host, op.Binary)}, v.marksDisabled
	case nova.ForceDownService:
		r.calls = call(Compute, "PUT", services+"force-down", microversion.ForceDown, statusOK, serviceBody{Host: op.Host, Binary: op.Binary, ForcedDown: &op.Down})
		client := say("compute service set --up")
		if op.Down {
			client = "compute service set --down"
		}
		r.client = []command{client.and(op.Host, op.Binary)}
	case nova.DeleteService:
		r.itself = is[placement.DeleteProvider]
		if svc, ok := v.Nova().Service(op.Host, op.Binary); ok && svc.UUID != uuid.Nil {
			r.calls = call(Compute, "DELETE", services+svc.UUID.String(), microversion.ServiceByUUID, statusNoContent, nil)
			r.client = []command{say("compute service delete", svc.UUID.String())}
		}
	case nova.CreateFlavor:
		f, at := op.Flavor, microversion.ComputeFirst
		client := say("flavor create --id", f.FlavorID)
		for _, n := range []struct {
			flag   string
			amount int64
		}{{"--ram", f.MemoryMB}, {"--vcpus", f.VCPUs}, {"--disk", f.RootGB}, {"--ephemeral", f.EphemeralGB}, {"--swap", f.SwapMB}} {
			if n.amount != 0 {
				client = client.and(n.flag, strconv.FormatInt(n.amount, 10))
			}
		}
		if f.Private {
			client = client.and("--private")
		}
		if f.Description != "" {
			at, client = microversion.FlavorDescription, client.and("--description", f.Description)
		}
		r.calls = call(Compute, "POST", "/flavors", at, statusOK, flavorBody{flavorFields{
			Name: f.Name, ID: f.FlavorID, RAM: f.MemoryMB, VCPUs: f.VCPUs, Disk: f.RootGB, Ephemeral: f.EphemeralGB,
			Swap: f.SwapMB, Public: !f.Private, Description: f.Description,
		}})
		if len(f.ExtraSpecs) > 0 {
			r.calls = append(r.calls, setSpecs(f.FlavorID, f.ExtraSpecs)...)
		}
		r.client = []command{client.each("--property", pairs(f.ExtraSpecs)).and(f.Name)}
	case nova.SetExtraSpecs:
		if f, ok := v.Nova().FlavorNamed(op.Flavor); ok {
			if len(op.ExtraSpecs.Set) > 0 {
				r.calls = setSpecs(f.FlavorID, op.ExtraSpecs.Set)
			}
			for _, key := range op.ExtraSpecs.Unset {
				r.calls = append(r.calls, call(Compute, "DELETE", specsOf(f.FlavorID)+"/"+url.PathEscape(key), microversion.ComputeFirst, statusOK, nil)...)
			}
		}
		r.client = editCommands("flavor", op.ExtraSpecs, op.Flavor)
	case nova.DeleteFlavor:
		if f, ok := v.Nova().FlavorNamed(op.Flavor); ok {
			r.calls = call(Compute, "DELETE", "/flavors/"+url.PathEscape(f.FlavorID), microversion.ComputeFirst, statusAccepted, nil)
		}
		r.client = []command{say("flavor delete", op.Flavor)}
	case nova.CreateAggregate:
		body, rest, client := aggregateBody{aggregateFields{Name: op.Name}}, maps.Clone(op.Metadata), say("aggregate create")
		if zone, ok := op.Metadata[zoneKey]; ok {
			delete(rest, zoneKey)
			body.Aggregate.Zone, client = &zone, client.and("--zone", zone)
		}
		r.calls = call(Compute, "POST", aggregates, microversion.ComputeFirst, statusOK, body)
		if len(rest) > 0 {
			r.calls = append(r.calls, setMetadata(aggregates+"/"+NewAggregate, nova.KeyEdits{Set: rest})...)
		}
		r.client = []command{client.each("--property", pairs(rest)).and(op.Name)}
	default:
		return v.aggregate(op)
	}
	return r
}

// aggregate is compute for existing host aggregates: the client takes their names, the API
// their numbers. One that does not exist is created by an earlier call.
func (v view) aggregate(op nova.Op) row {
	r := row{service: Compute}
	at := func(id placement.AggregateID) (path, name string) {
		switch a, ok := v.Nova().Aggregate(id); {
		case !ok:
			return aggregates + "/" + NewAggregate, ""
		case a.Number == 0:
			return "", a.Name
		default:
			return aggregates + "/" + strconv.FormatInt(a.Number, 10), a.Name
		}
	}
	var path, name string
	switch op := op.(type) {
	case nova.DeleteAggregate:
		path, name = at(op.Aggregate)
		if strings.HasSuffix(path, NewAggregate) {
			path = ""
		}
		r.calls = call(Compute, "DELETE", path, microversion.ComputeFirst, statusOK, nil)
		r.client = []command{say("aggregate delete", name)}
	case nova.AddAggregateHost:
		path, name = at(op.Aggregate)
		r.calls = call(Compute, "POST", path+"/action", microversion.ComputeFirst, statusOK, map[string]any{"add_host": hostBody{op.Host}})
		r.client, r.itself = []command{say("aggregate add host", name, op.Host)}, is[placement.SetAggregates]
	case nova.RemoveAggregateHost:
		path, name = at(op.Aggregate)
		r.calls = call(Compute, "POST", path+"/action", microversion.ComputeFirst, statusOK, map[string]any{"remove_host": hostBody{op.Host}})
		r.client, r.itself = []command{say("aggregate remove host", name, op.Host)}, is[placement.SetAggregates]
	case nova.SetAggregateMetadata:
		path, name = at(op.Aggregate)
		r.calls, r.client = setMetadata(path, op.Metadata), editCommands("aggregate", op.Metadata, name)
	default:
		return row{} // only Nova itself writes that
	}
	if path == "" {
		r.calls = nil
	}
	if name == "" {
		r.client = nil
	}
	return r
}

// marksDisabled reports whether an operation only disables or enables a host.
func (v view) marksDisabled(op placement.Op) bool {
	set, ok := op.(placement.SetTraits)
	if !ok {
		return false
	}
	p, ok := v.ledger.Provider(set.Provider)
	if !ok {
		return false
	}
	rest := func(traits []placement.Trait) []placement.Trait {
		return slices.DeleteFunc(slices.Sorted(slices.Values(traits)), func(t placement.Trait) bool { return t == placement.ComputeStatusDisabled })
	}
	return slices.Equal(rest(set.Traits), rest(v.ledger.TraitsOf(p)))
}

func specsOf(flavorID string) string {
	return "/flavors/" + url.PathEscape(flavorID) + "/os-extra_specs"
}

// setSpecs returns the call that sets extra specs of a flavor.
func setSpecs(flavorID string, specs map[string]string) []Call {
	return call(Compute, "POST", specsOf(flavorID), microversion.ComputeFirst, statusOK, extraSpecsBody{specs})
}

// setMetadata returns the call that edits the metadata of a host aggregate.
func setMetadata(path string, edits nova.KeyEdits) []Call {
	body := metadataBody{map[string]*string{}}
	for key, value := range edits.Set {
		body.Metadata[key] = &value
	}
	for _, key := range edits.Unset {
		body.Metadata[key] = nil
	}
	return call(Compute, "POST", path+"/action", microversion.ComputeFirst, statusOK, map[string]any{"set_metadata": body})
}

// editCommands returns the commands that edit the properties of something.
func editCommands(noun command, edits nova.KeyEdits, name string) []command {
	var out []command
	if len(edits.Set) > 0 {
		out = append(out, (noun+" set").each("--property", pairs(edits.Set)).and(name))
	}
	if len(edits.Unset) > 0 {
		out = append(out, (noun+" unset").each("--property", edits.Unset).and(name))
	}
	return out
}
