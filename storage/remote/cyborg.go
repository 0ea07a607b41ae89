package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// cyborgMirror holds what Cyborg answered, by part.
type cyborgMirror struct {
	devices     []cyborgDevice
	deployables []cyborgDeployable
	profiles    []cyborgProfile
	arqs        []cyborgARQ
}

// The answers of the Accelerator API, as far as they are read. It does not list attach
// handles and control paths, except for the handle of a bound request.
//
// Source: cyborg/api/controllers/v2/{devices,deployables,device_profiles,arqs}.py.
type (
	cyborgDevice struct {
		ID              *int64              `json:"id"` // not in every release
		UUID            uuid.UUID           `json:"uuid"`
		Type            cyborg.DeviceType   `json:"type"`
		Vendor          string              `json:"vendor"`
		Model           string              `json:"model"`
		Hostname        string              `json:"hostname"`
		Status          cyborg.DeviceStatus `json:"status"` // from 2.3 on
		StdBoardInfo    string              `json:"std_board_info"`
		VendorBoardInfo string              `json:"vendor_board_info"`
		Created         when                `json:"created_at"`
	}
	cyborgDeployable struct {
		UUID         uuid.UUID             `json:"uuid"`
		Device       *int64                `json:"device_id"`
		Name         string                `json:"name"`
		Accelerators int64                 `json:"num_accelerators"`
		Driver       string                `json:"driver_name"`
		Bitstream    string                `json:"bitstream_id"`
		Provider     *placement.ProviderID `json:"rp_uuid"`
		Attributes   string                `json:"attributes_list"` // JSON: a list of objects of one key each
	}
	cyborgProfile struct {
		UUID        uuid.UUID           `json:"uuid"`
		Name        string              `json:"name"`
		Groups      []map[string]string `json:"groups"`
		Description string              `json:"description"`
		Created     when                `json:"created_at"`
	}
	cyborgARQ struct {
		UUID       uuid.UUID             `json:"uuid"`
		State      cyborg.ARQState       `json:"state"`
		Profile    string                `json:"device_profile_name"`
		Group      int64                 `json:"device_profile_group_id"`
		Hostname   string                `json:"hostname"`
		Provider   *placement.ProviderID `json:"device_rp_uuid"`
		Instance   *placement.ConsumerID `json:"instance_uuid"`
		Project    string                `json:"project_id"` // from 2.1 on
		HandleType cyborg.AttachType     `json:"attach_handle_type"`
		HandleInfo map[string]string     `json:"attach_handle_info"`
		HandleUUID *uuid.UUID            `json:"attach_handle_uuid"` // not in every release
		Created    when                  `json:"created_at"`
		Updated    when                  `json:"updated_at"`
	}
)

// readCyborg reads the parts of Cyborg that exist and may be read, with one request each:
// its lists have no pages.
//
// Errors: why nothing of it could be read.
func (r *reader) readCyborg(ctx context.Context) error {
	r.m.mu.Lock()
	c := r.m.cyborg
	r.m.mu.Unlock()
	list := func(path string, into *list) func() (int, error) {
		return func() (int, error) { return r.readList(ctx, api.Accelerator, path, into) }
	}
	err := r.parts(ctx, api.Accelerator, []partReading{
		{cloud.Devices, list("/devices", listOf("devices", &c.devices))},
		{cloud.Deployables, list("/deployables", listOf("deployables", &c.deployables))},
		{cloud.Profiles, list("/device_profiles", listOf("device_profiles", &c.profiles))},
		{cloud.ARQs, list("/accelerator_requests", listOf("arqs", &c.arqs))},
	})
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	r.m.cyborg = c
	return err
}

// records returns Cyborg's records.
func (c *cyborgMirror) records(of seen) []versioned.Record {
	var out []versioned.Record
	for _, d := range c.devices {
		if d.UUID == uuid.Nil || d.Hostname == "" {
			continue
		}
		out = append(out, &cyborg.Device{
			UUID: d.UUID, Type: d.Type, Vendor: d.Vendor, Model: d.Model, Hostname: d.Hostname, Status: cmp.Or(d.Status, cyborg.Enabled),
			StdBoardInfo: d.StdBoardInfo, VendorBoardInfo: d.VendorBoardInfo, Created: int64(d.Created),
		})
	}
	parts, at := c.parts(of)
	for _, d := range parts {
		out = append(out, d)
	}
	for _, d := range c.deployables {
		out = append(out, d.attributes()...)
	}
	known := map[uuid.UUID]int64{}
	for _, p := range c.profiles {
		if p.UUID != uuid.Nil && p.Name != "" {
			out = append(out, &cyborg.DeviceProfile{UUID: p.UUID, Name: p.Name, Groups: p.Groups, Description: p.Description, Created: int64(p.Created)})
		}
	}
	for _, a := range c.arqs {
		if a.UUID == uuid.Nil || a.State == "" {
			continue
		}
		r := &cyborg.ARQ{
			UUID: a.UUID, State: a.State, Profile: a.Profile, Group: a.Group, Hostname: a.Hostname, Project: a.Project, Created: int64(a.Created),
		}
		if a.Provider != nil {
			r.Provider = *a.Provider
		}
		if a.Instance != nil {
			r.Instance = *a.Instance
		}
		if r.State == cyborg.ARQBindStarted {
			r.BindStart = int64(a.Updated)
		}
		if h := a.handle(at[r.Provider]); h != nil && r.State.HoldsHandle() {
			r.AttachHandle = h.UUID
			known[h.Deployable]++
			out = append(out, h)
		}
		out = append(out, r)
	}
	// A deployable has as many attach handles as accelerators: those of no request are
	// free.
	for _, d := range parts {
		for n := known[d.UUID]; n < min(d.Accelerators, mostHandles); n++ {
			out = append(out, &cyborg.AttachHandle{UUID: derived("free", d.UUID.String(), strconv.FormatInt(n, 10)), Deployable: d.UUID, Type: cyborg.AttachPCI})
		}
	}
	return out
}

// mostHandles limits how many attach handles a deployable is taken to have.
const mostHandles = 1024

// parts returns the deployables, and the provider of each. One without a provider in the
// answer is matched by name, which Cyborg gives its provider, too; one without a device
// belongs to the only device of its host.
func (c *cyborgMirror) parts(of seen) (parts []*cyborg.Deployable, at map[placement.ProviderID]uuid.UUID) {
	byID, byHost := map[int64]uuid.UUID{}, map[string][]uuid.UUID{}
	for _, d := range c.devices {
		if d.ID != nil {
			byID[*d.ID] = d.UUID
		}
		byHost[d.Hostname] = append(byHost[d.Hostname], d.UUID)
	}
	at = map[placement.ProviderID]uuid.UUID{}
	for _, d := range c.deployables {
		if d.UUID == uuid.Nil || d.Name == "" {
			continue
		}
		r := &cyborg.Deployable{UUID: d.UUID, Name: d.Name, Accelerators: max(d.Accelerators, 0), Driver: d.Driver, Bitstream: d.Bitstream, Provider: of.named[d.Name]}
		if d.Provider != nil {
			r.Provider = *d.Provider
		}
		if d.Device != nil {
			r.Device = byID[*d.Device]
		}
		if i := strings.LastIndexByte(d.Name, '_'); r.Device == uuid.Nil && i > 0 && len(byHost[d.Name[:i]]) == 1 {
			r.Device = byHost[d.Name[:i]][0]
		}
		if !r.Provider.IsZero() {
			at[r.Provider] = r.UUID
		}
		parts = append(parts, r)
	}
	return parts, at
}

// attributes returns the attributes of a deployable.
func (d cyborgDeployable) attributes() []versioned.Record {
	var list []map[string]string
	if json.Unmarshal([]byte(d.Attributes), &list) != nil {
		return nil // not for us to judge
	}
	all := map[string]string{}
	for _, one := range list {
		maps.Copy(all, one)
	}
	var out []versioned.Record
	for _, key := range slices.Sorted(maps.Keys(all)) {
		out = append(out, &cyborg.Attribute{UUID: derived("attribute", d.UUID.String(), key), Deployable: d.UUID, Key: key, Value: all[key]})
	}
	return out
}

// handle returns the attach handle of a request if it belongs to the deployable of, else
// nil.
func (a cyborgARQ) handle(of uuid.UUID) *cyborg.AttachHandle {
	if a.HandleType == "" && a.HandleUUID == nil {
		return nil
	}
	h := &cyborg.AttachHandle{UUID: derived("attach handle", a.UUID.String()), Deployable: of, Type: a.HandleType, InUse: true}
	if a.HandleUUID != nil {
		h.UUID = *a.HandleUUID
	}
	if text, err := json.Marshal(a.HandleInfo); err == nil && a.HandleInfo != nil {
		h.Info = string(text)
	}
	return h
}

// derived returns a uuid for something whose uuid the API does not report: the same one
// at each reading.
func derived(words ...string) uuid.UUID {
	return uuid.NewSHA1(uuid.Nil, []byte(strings.Join(words, "\x00")))
}

// speaks returns the newest microversion to use with a Cyborg, from the versions at its
// address: the lowest if it reports none.
func (c *caller) speaks(ctx context.Context) (int, error) {
	var doc map[string]any
	if err := c.get(ctx, api.Accelerator, "/", -1, &doc); err != nil {
		if f, ok := errors.AsType[*FaultError](err); ok && f.Status >= 400 && f.Status < 500 {
			return 0, nil // it answers, but without versions
		}
		return 0, err
	}
	versions := []any{doc, doc["version"], doc["default_version"]}
	if list, ok := doc["versions"].([]any); ok {
		versions = append(versions, list...)
	}
	newest := 0
	for _, v := range versions {
		of, _ := v.(map[string]any)
		text, _ := of["max_version"].(string)
		if n, err := strconv.Atoi(strings.TrimPrefix(text, "2.")); err == nil && strings.HasPrefix(text, "2.") {
			newest = max(newest, n)
		}
	}
	return min(newest, int(microversion.AcceleratorNewest)), nil
}
