package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/themes"
)

// deviceRow is a card that Cyborg manages as it is printed.
type deviceRow struct {
	UUID        uuid.UUID           `json:"uuid"`
	Hostname    string              `json:"hostname"`
	Address     string              `json:"address"` // "" where its control path has none
	Type        cyborg.DeviceType   `json:"type"`
	Vendor      string              `json:"vendor"`
	Model       string              `json:"model"`
	Status      cyborg.DeviceStatus `json:"status"`
	Deployables []deployableRow     `json:"deployables"`
	Created     *time.Time          `json:"created_at,omitempty"`
}

// deployableRow is what of a card can be handed out.
type deployableRow struct {
	UUID         uuid.UUID         `json:"uuid"`
	Name         string            `json:"name"`
	Accelerators int64             `json:"num_accelerators"`
	Driver       string            `json:"driver_name"`
	Provider     *uuid.UUID        `json:"rp_uuid"`           // nil until it is reported
	ProviderName string            `json:"resource_provider"` // "" where Placement has none
	Bitstream    string            `json:"bitstream_id"`
	Attributes   map[string]string `json:"attributes"`
	Handles      []handleRow       `json:"attach_handles"`
}

// handleRow is one unit that can be attached to a guest.
type handleRow struct {
	UUID     uuid.UUID         `json:"uuid"`
	Type     cyborg.AttachType `json:"attach_type"`
	Info     string            `json:"attach_info"`
	InUse    bool              `json:"in_use"`
	ARQ      *uuid.UUID        `json:"arq_uuid"` // that it is bound to
	Instance string            `json:"instance_name"`

	deployable string // its name
}

func devicesKind() kind {
	return kind{
		name: "devices", aliases: []string{"device", "dev"},
		short:   "Devices: the cards that Cyborg manages, and what of them is free",
		what:    "HOST:ADDRESS, such as compute1:0000:af:00.0, or the uuid of a device",
		filters: []string{byHost, byLimit},
		names:   deviceNames,
		print: func(q query) error {
			var only *cyborg.Device
			if q.name != "" {
				var err error
				if only, err = q.device(q.name); err != nil {
					return err
				}
			}
			var rows []deviceRow
			for d := range q.Cyborg().Devices() {
				if (only == nil || d == only) && (q.by.host == "" || d.Hostname == q.by.host) {
					rows = append(rows, newDeviceRow(q.finder, d))
				}
			}
			slices.SortFunc(rows, func(a, b deviceRow) int {
				return cmp.Or(strings.Compare(a.Hostname, b.Hostname), strings.Compare(a.Address, b.Address), strings.Compare(a.UUID.String(), b.UUID.String()))
			})
			if err := list(q, "devices", deviceColumns(), rows); err != nil {
				return err
			}
			table := q.out.format == formatTable || q.out.format == formatWide
			if only == nil || !table {
				return nil
			}
			return printParts(q.out, rows[0])
		},
	}
}

func newDeviceRow(f finder, d *cyborg.Device) deviceRow {
	r := deviceRow{
		UUID: d.UUID, Hostname: d.Hostname, Address: f.Cyborg().AddressOf(d.UUID), Type: d.Type, Vendor: d.Vendor, Model: d.Model,
		Status: d.Status, Deployables: []deployableRow{}, Created: moment(d.Created),
	}
	for dep := range f.Cyborg().DeployablesOf(d.UUID) {
		r.Deployables = append(r.Deployables, newDeployableRow(f, dep))
	}
	return r
}

func newDeployableRow(f finder, dep *cyborg.Deployable) deployableRow {
	r := deployableRow{
		UUID: dep.UUID, Name: dep.Name, Accelerators: dep.Accelerators, Driver: dep.Driver,
		Provider: given(uuid.UUID(dep.Provider)), Bitstream: dep.Bitstream, Attributes: map[string]string{}, Handles: []handleRow{},
	}
	if rp, ok := f.Placement().Provider(dep.Provider); ok {
		r.ProviderName = rp.Name()
	}
	for a := range f.Cyborg().AttributesOf(dep.UUID) {
		r.Attributes[a.Key] = a.Value
	}
	bound := map[uuid.UUID]arqRow{}
	for a := range f.Cyborg().ARQsAt(dep.Provider) {
		bound[a.AttachHandle] = newARQRow(f, a)
	}
	for h := range f.Cyborg().AttachHandlesOf(dep.UUID) {
		row := handleRow{UUID: h.UUID, Type: h.Type, Info: h.Info, InUse: h.InUse, deployable: dep.Name}
		if a, ok := bound[h.UUID]; ok {
			row.ARQ, row.Instance = &a.UUID, a.InstanceName
		}
		r.Handles = append(r.Handles, row)
	}
	return r
}

// handles returns how many of the units of a device are in use, of how many.
func (r deviceRow) handles() (used, all int) {
	for _, dep := range r.Deployables {
		for _, h := range dep.Handles {
			all++
			if h.InUse {
				used++
			}
		}
	}
	return used, all
}

func deviceColumns() []column[deviceRow] {
	status := text("status", func(r deviceRow) string { return string(r.Status) })
	status.token = func(r deviceRow) themes.Token {
		if r.Status == cyborg.Maintaining {
			return themes.Warn
		}
		return themes.Text
	}
	parts := func(of func(deployableRow) string) func(deviceRow) string {
		return func(r deviceRow) string {
			var out []string
			for _, dep := range r.Deployables {
				out = append(out, of(dep))
			}
			return join(out)
		}
	}
	return []column[deviceRow]{
		text("hostname", func(r deviceRow) string { return r.Hostname }),
		text("address", func(r deviceRow) string { return r.Address }),
		text("type", func(r deviceRow) string { return string(r.Type) }),
		text("model", func(r deviceRow) string { return r.Model }),
		status,
		number("handles_in_use", func(r deviceRow) int64 { used, _ := r.handles(); return int64(used) }),
		number("handles", func(r deviceRow) int64 { _, all := r.handles(); return int64(all) }),
		dim(text("uuid", func(r deviceRow) string { return r.UUID.String() })),
		wide(text("vendor", func(r deviceRow) string { return r.Vendor })),
		wide(text("deployables", parts(func(d deployableRow) string { return d.Name }))),
		wide(text("resource_classes", parts(func(d deployableRow) string { return d.Attributes["rc"] }))),
		wide(text("drivers", parts(func(d deployableRow) string { return d.Driver }))),
		wide(text("created_at", func(r deviceRow) string { return stamp(r.Created) })),
	}
}

// printParts prints what a device is made of, below it.
func printParts(out *printer, r deviceRow) error {
	var handles []handleRow
	for _, dep := range r.Deployables {
		handles = append(handles, dep.Handles...)
	}
	if len(r.Deployables) > 0 {
		if err := blank(out); err != nil {
			return err
		}
		if err := printList(out, deployableColumns(), r.Deployables, false); err != nil {
			return err
		}
	}
	if len(handles) > 0 {
		if err := blank(out); err != nil {
			return err
		}
		return printList(out, handleColumns(), handles, false)
	}
	return nil
}

func deployableColumns() []column[deployableRow] {
	return []column[deployableRow]{
		text("deployable", func(r deployableRow) string { return r.Name }),
		text("resource_provider", func(r deployableRow) string { return r.ProviderName }),
		number("num_accelerators", func(r deployableRow) int64 { return r.Accelerators }),
		text("driver_name", func(r deployableRow) string { return r.Driver }),
		text("attributes", func(r deployableRow) string { return properties(r.Attributes) }),
		dim(text("uuid", func(r deployableRow) string { return r.UUID.String() })),
		wide(dim(text("rp_uuid", func(r deployableRow) string { return idText(r.Provider) }))),
		wide(text("bitstream_id", func(r deployableRow) string { return r.Bitstream })),
	}
}

func handleColumns() []column[handleRow] {
	return []column[handleRow]{
		text("attach_handle", func(r handleRow) string { return r.UUID.String() }),
		text("deployable", func(r handleRow) string { return r.deployable }),
		text("attach_type", func(r handleRow) string { return string(r.Type) }),
		text("in_use", func(r handleRow) string { return strconv.FormatBool(r.InUse) }),
		text("instance_name", func(r handleRow) string { return r.Instance }),
		wide(dim(text("arq_uuid", func(r handleRow) string { return idText(r.ARQ) }))),
		wide(text("attach_info", func(r handleRow) string { return r.Info })),
	}
}
