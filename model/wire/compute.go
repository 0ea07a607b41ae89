package wire

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
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

// computeCalls returns the calls for a verb of Nova's. There are none for what only Nova
// itself writes, or what the API names by an id that is not known: services to be deleted
// and host aggregates, in a cloud without a real Nova. Other calls name services by their
// host, as was possible up to 2.52.
//
// Source: nova/api/openstack/compute/{services,flavor_manage,flavors_extraspecs,aggregates}.py.
func computeCalls(s *cloud.Snapshot, op nova.Op) []Call {
	const services = "/os-services/"
	call := func(method, path, version string, status int, body any) []Call {
		c, _ := one(method, path, version, body)
		c[0].Service, c[0].Answer = Compute, Answer{Status: status}
		return c
	}
	switch op := op.(type) {
	case nova.DisableService:
		if op.Reason == "" {
			return call("PUT", services+"disable", "2.1", statusOK, serviceBody{Host: op.Host, Binary: op.Binary})
		}
		return call("PUT", services+"disable-log-reason", "2.1", statusOK, serviceBody{Host: op.Host, Binary: op.Binary, DisabledReason: op.Reason})
	case nova.EnableService:
		return call("PUT", services+"enable", "2.1", statusOK, serviceBody{Host: op.Host, Binary: op.Binary})
	case nova.ForceDownService:
		return call("PUT", services+"force-down", "2.11", statusOK, serviceBody{Host: op.Host, Binary: op.Binary, ForcedDown: &op.Down})
	case nova.DeleteService:
		if svc, ok := s.Nova().Service(op.Host, op.Binary); ok && svc.UUID != uuid.Nil {
			return call("DELETE", services+svc.UUID.String(), "2.53", statusNoContent, nil)
		}
	case nova.CreateFlavor:
		f, version := op.Flavor, "2.1"
		if f.Description != "" {
			version = "2.55"
		}
		calls := call("POST", "/flavors", version, statusOK, flavorBody{flavorFields{
			Name: f.Name, ID: f.FlavorID, RAM: f.MemoryMB, VCPUs: f.VCPUs, Disk: f.RootGB, Ephemeral: f.EphemeralGB,
			Swap: f.SwapMB, Public: !f.Private, Description: f.Description,
		}})
		if len(f.ExtraSpecs) > 0 {
			calls = append(calls, call("POST", extraSpecsOf(f.FlavorID), "2.1", statusOK, extraSpecsBody{f.ExtraSpecs})...)
		}
		return calls
	case nova.SetExtraSpecs:
		f, ok := s.Nova().FlavorNamed(op.Flavor)
		if !ok {
			return nil
		}
		var calls []Call
		if len(op.ExtraSpecs.Set) > 0 {
			calls = call("POST", extraSpecsOf(f.FlavorID), "2.1", statusOK, extraSpecsBody{op.ExtraSpecs.Set})
		}
		for _, key := range op.ExtraSpecs.Unset {
			calls = append(calls, call("DELETE", extraSpecsOf(f.FlavorID)+"/"+escape(key), "2.1", statusOK, nil)...)
		}
		return calls
	case nova.DeleteFlavor:
		if f, ok := s.Nova().FlavorNamed(op.Flavor); ok {
			return call("DELETE", "/flavors/"+escape(f.FlavorID), "2.1", statusAccepted, nil)
		}
	case nova.CreateAggregate:
		body, rest := aggregateBody{aggregateFields{Name: op.Name}}, metadataBody{map[string]*string{}}
		for key, value := range op.Metadata {
			if key == zoneKey {
				body.Aggregate.Zone = &value
			} else {
				rest.Metadata[key] = &value
			}
		}
		calls := call("POST", aggregates, "2.1", statusOK, body)
		if len(rest.Metadata) > 0 {
			calls = append(calls, call("POST", aggregates+"/"+NewAggregate+"/action", "2.1", statusOK, map[string]any{"set_metadata": rest})...)
		}
		return calls
	case nova.DeleteAggregate:
		if a := numbered(s, op.Aggregate); a != "" && !strings.HasSuffix(a, NewAggregate) {
			return call("DELETE", a, "2.1", statusOK, nil)
		}
	case nova.AddAggregateHost:
		if a := numbered(s, op.Aggregate); a != "" {
			return call("POST", a+"/action", "2.1", statusOK, map[string]any{"add_host": hostBody{op.Host}})
		}
	case nova.RemoveAggregateHost:
		if a := numbered(s, op.Aggregate); a != "" {
			return call("POST", a+"/action", "2.1", statusOK, map[string]any{"remove_host": hostBody{op.Host}})
		}
	case nova.SetAggregateMetadata:
		a, body := numbered(s, op.Aggregate), metadataBody{map[string]*string{}}
		for key, value := range op.Metadata.Set {
			body.Metadata[key] = &value
		}
		for _, key := range op.Metadata.Unset {
			body.Metadata[key] = nil
		}
		if a != "" {
			return call("POST", a+"/action", "2.1", statusOK, map[string]any{"set_metadata": body})
		}
	}
	return nil
}

// numbered returns the path of a host aggregate, "" if its number is not known. One that
// does not exist is created by an earlier call.
func numbered(s *cloud.Snapshot, id placement.AggregateID) string {
	switch a, ok := s.Nova().Aggregate(id); {
	case !ok:
		return aggregates + "/" + NewAggregate
	case a.Number == 0:
		return ""
	default:
		return aggregates + "/" + strconv.FormatInt(a.Number, 10)
	}
}

// Sent returns the operations that a service must be asked for, of a list that changes
// a cloud: without what Nova and Cyborg write to Placement by themselves as they carry
// out the others.
//
// Source: nova/compute/manager.py, _update_compute_provider_status; nova/compute/api.py,
// AggregateAPI; nova/api/openstack/compute/services.py, delete; cyborg/api/controllers/v2/devices.py.
func Sent(s *cloud.Snapshot, ops []cloud.Op) []cloud.Op {
	status, groups, devices, gone := false, false, false, false
	for _, op := range ops {
		switch op.(type) {
		case nova.DisableService, nova.EnableService:
			status = true
		case nova.AddAggregateHost, nova.RemoveAggregateHost:
			groups = true
		case nova.DeleteService:
			gone = true
		case cyborg.DisableDevice, cyborg.EnableDevice:
			devices = true
		}
	}
	return slices.DeleteFunc(slices.Clone(ops), func(op cloud.Op) bool {
		switch op := op.(type) {
		case placement.SetTraits:
			return status && marksDisabled(s.Placement(), op)
		case placement.SetAggregates:
			return groups
		case placement.SetInventory:
			return devices
		case placement.DeleteProvider:
			return gone
		}
		return false
	})
}

// marksDisabled reports whether an operation only disables or enables a host.
func marksDisabled(s *placement.Snapshot, op placement.SetTraits) bool {
	p, ok := s.Provider(op.Provider)
	if !ok {
		return false
	}
	rest := func(traits []placement.Trait) []placement.Trait {
		return inOrder(slices.DeleteFunc(slices.Clone(traits), func(t placement.Trait) bool { return t == placement.ComputeStatusDisabled }))
	}
	return slices.Equal(rest(op.Traits), rest(s.TraitsOf(p)))
}

func extraSpecsOf(flavorID string) string { return "/flavors/" + escape(flavorID) + "/os-extra_specs" }

// computeCommands returns a verb of Nova's as typed with the openstack client, nil if the
// client has no such command.
//
// Source: python-openstackclient, openstackclient/compute/v2/{service,flavor,aggregate}.py.
func computeCommands(s *cloud.Snapshot, op nova.Op) []string {
	switch op := op.(type) {
	case nova.DisableService:
		words := []string{"compute", "service", "set", "--disable"}
		if op.Reason != "" {
			words = append(words, "--disable-reason", op.Reason)
		}
		return command("", "", append(words, op.Host, op.Binary)...)
	case nova.EnableService:
		return command("", "", "compute", "service", "set", "--enable", op.Host, op.Binary)
	case nova.ForceDownService:
		way := "--up"
		if op.Down {
			way = "--down"
		}
		return command(Compute, "2.11", "compute", "service", "set", way, op.Host, op.Binary)
	case nova.DeleteService:
		if svc, ok := s.Nova().Service(op.Host, op.Binary); ok && svc.UUID != uuid.Nil {
			return command(Compute, "2.53", "compute", "service", "delete", svc.UUID.String())
		}
	case nova.CreateFlavor:
		return flavorCommand(op.Flavor)
	case nova.SetExtraSpecs:
		var lines []string
		if len(op.ExtraSpecs.Set) > 0 {
			lines = command("", "", append(properties([]string{"flavor", "set"}, op.ExtraSpecs.Set), op.Flavor)...)
		}
		if len(op.ExtraSpecs.Unset) > 0 {
			lines = append(lines, command("", "", append(unset([]string{"flavor", "unset"}, op.ExtraSpecs.Unset), op.Flavor)...)...)
		}
		return lines
	case nova.DeleteFlavor:
		return command("", "", "flavor", "delete", op.Flavor)
	case nova.CreateAggregate:
		words := []string{"aggregate", "create"}
		rest := map[string]string{}
		for key, value := range op.Metadata {
			if key == zoneKey {
				words = append(words, "--zone", value)
			} else {
				rest[key] = value
			}
		}
		return command("", "", append(properties(words, rest), op.Name)...)
	}
	return aggregateCommands(s, op)
}

// aggregateCommands is computeCommands for existing host aggregates: the client takes
// their names, unlike the API.
func aggregateCommands(s *cloud.Snapshot, op nova.Op) []string {
	switch op := op.(type) {
	case nova.DeleteAggregate:
		if a, ok := s.Nova().Aggregate(op.Aggregate); ok {
			return command("", "", "aggregate", "delete", a.Name)
		}
	case nova.AddAggregateHost:
		if a, ok := s.Nova().Aggregate(op.Aggregate); ok {
			return command("", "", "aggregate", "add", "host", a.Name, op.Host)
		}
	case nova.RemoveAggregateHost:
		if a, ok := s.Nova().Aggregate(op.Aggregate); ok {
			return command("", "", "aggregate", "remove", "host", a.Name, op.Host)
		}
	case nova.SetAggregateMetadata:
		a, ok := s.Nova().Aggregate(op.Aggregate)
		if !ok {
			return nil
		}
		var lines []string
		if len(op.Metadata.Set) > 0 {
			lines = command("", "", append(properties([]string{"aggregate", "set"}, op.Metadata.Set), a.Name)...)
		}
		if len(op.Metadata.Unset) > 0 {
			lines = append(lines, command("", "", append(unset([]string{"aggregate", "unset"}, op.Metadata.Unset), a.Name)...)...)
		}
		return lines
	}
	return nil
}

func flavorCommand(f *nova.Flavor) []string {
	words := []string{"flavor", "create", "--id", f.FlavorID}
	for _, n := range []struct {
		flag   string
		amount int64
	}{
		{"--ram", f.MemoryMB},
		{"--vcpus", f.VCPUs},
		{"--disk", f.RootGB},
		{"--ephemeral", f.EphemeralGB},
		{"--swap", f.SwapMB},
	} {
		if n.amount != 0 {
			words = append(words, n.flag, strconv.FormatInt(n.amount, 10))
		}
	}
	if f.Private {
		words = append(words, "--private")
	}
	version, service := "", Service("")
	if f.Description != "" {
		words = append(words, "--description", f.Description)
		version, service = "2.55", Compute
	}
	return command(service, version, append(properties(words, f.ExtraSpecs), f.Name)...)
}

// properties appends --property KEY=VALUE for each entry, by key.
func properties(words []string, set map[string]string) []string {
	for _, key := range slices.Sorted(maps.Keys(set)) {
		words = append(words, "--property", key+"="+set[key])
	}
	return words
}

// unset appends --property KEY for each key.
func unset(words, keys []string) []string {
	for _, key := range keys {
		words = append(words, "--property", key)
	}
	return words
}
