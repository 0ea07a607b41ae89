package main

import (
	"slices"
	"strconv"
	"time"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
)

// serviceRow is a service of Nova's as it is printed.
type serviceRow struct {
	Host       string            `json:"host"`
	Binary     string            `json:"binary"`
	Cell       string            `json:"cell"`
	Zone       string            `json:"availability_zone"` // of its host, by host aggregates
	Version    int               `json:"version"`           // 0 where it never said
	Status     string            `json:"status"`            // enabled or disabled
	State      nova.ServiceState `json:"state"`             // as the command was run
	Reason     string            `json:"disabled_reason"`
	ForcedDown bool              `json:"forced_down"`
	Reports    int64             `json:"report_count"`
	Seen       *time.Time        `json:"last_seen_up,omitempty"`
	Created    *time.Time        `json:"created_at,omitempty"`
}

func servicesKind() kind {
	return kind{
		name: "services", aliases: []string{"service", "svc"},
		short:   "Services: the processes of Nova, with the version of their code",
		what:    "a host",
		filters: []string{byLimit},
		names:   serviceHosts,
		print: func(q query) error {
			all := slices.Collect(q.Nova().Services())
			if q.name != "" {
				var err error
				if all, err = q.services(q.name); err != nil {
					return err
				}
			}
			var rows []serviceRow
			for _, s := range all {
				rows = append(rows, newServiceRow(q.finder, s, q.now))
			}
			q.name = "" // a host may have several
			return list(q, "services", serviceColumns(), rows)
		},
	}
}

func newServiceRow(f finder, s *nova.Service, now time.Time) serviceRow {
	r := serviceRow{
		Host: s.Host, Binary: s.Binary, Cell: s.Cell, Zone: f.Nova().ZoneOf(s.Host), Version: s.Version,
		Status: "enabled", State: s.State(now), Reason: s.DisabledReason,
		ForcedDown: s.ForcedDown, Reports: s.ReportCount, Seen: moment(s.LastSeenUp), Created: moment(s.Created),
	}
	if s.Disabled {
		r.Status = "disabled"
	}
	return r
}

func serviceColumns() []column[serviceRow] {
	status := text("status", func(r serviceRow) string { return r.Status })
	status.token = func(r serviceRow) themes.Token {
		if r.Status == "disabled" {
			return themes.Warn
		}
		return themes.Text
	}
	state := text("state", func(r serviceRow) string { return string(r.State) })
	state.token = func(r serviceRow) themes.Token {
		if r.State == nova.ServiceDown {
			return themes.Critical
		}
		return themes.Text
	}
	return []column[serviceRow]{
		text("host", func(r serviceRow) string { return r.Host }),
		text("binary", func(r serviceRow) string { return r.Binary }),
		text("cell", func(r serviceRow) string { return r.Cell }),
		number("version", func(r serviceRow) int64 { return int64(r.Version) }),
		status,
		state,
		text("forced_down", func(r serviceRow) string { return strconv.FormatBool(r.ForcedDown) }),
		text("last_seen_up", func(r serviceRow) string { return stamp(r.Seen) }),
		wide(text("availability_zone", func(r serviceRow) string { return r.Zone })),
		wide(text("disabled_reason", func(r serviceRow) string { return r.Reason })),
		wide(number("report_count", func(r serviceRow) int64 { return r.Reports })),
		wide(text("created_at", func(r serviceRow) string { return stamp(r.Created) })),
	}
}

// cellRow is a cell of Nova's as it is printed.
type cellRow struct {
	Name     string `json:"name"`
	Down     bool   `json:"down"` // it does not answer, and nothing in it is asked
	Services int    `json:"service_count"`
	Minimum  int    `json:"minimum_version"` // over its computes; 0 for none
}

func cellsKind() kind {
	return kind{
		name: "cells", aliases: []string{"cell"},
		short:   "Cells: the databases of Nova, each with its own services",
		what:    "the name of a cell",
		filters: []string{byLimit},
		names:   cellNames,
		print: func(q query) error {
			if q.name != "" {
				if _, err := q.cell(q.name); err != nil {
					return err
				}
			}
			var rows []cellRow
			for c := range q.Nova().Cells() {
				if q.name == "" || c.Name == q.name {
					rows = append(rows, newCellRow(q.finder, c))
				}
			}
			return list(q, "cells", []column[cellRow]{
				text("name", func(r cellRow) string { return r.Name }),
				text("down", func(r cellRow) string { return strconv.FormatBool(r.Down) }),
				number("service_count", func(r cellRow) int64 { return int64(r.Services) }),
				number("minimum_version", func(r cellRow) int64 { return int64(r.Minimum) }),
			}, rows)
		},
	}
}

func newCellRow(f finder, c *nova.Cell) cellRow {
	r := cellRow{Name: c.Name, Down: c.Down}
	for s := range f.Nova().Services() {
		if s.Cell != c.Name {
			continue
		}
		r.Services++
		if s.Binary == nova.Compute && s.Version > 0 && !s.ForcedDown && (r.Minimum == 0 || s.Version < r.Minimum) {
			r.Minimum = s.Version
		}
	}
	return r
}
