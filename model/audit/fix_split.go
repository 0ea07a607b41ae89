package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// evacuating reports whether an instance is being evacuated, as far as is known.
func (a *auditor) evacuating(instance placement.ConsumerID) bool {
	for m := range a.migrationsOf(instance) {
		if m.Evacuating() {
			return true
		}
	}
	return false
}

// openEvacuation returns the evacuation of an instance that is not over, either in progress or
// done while the old host is not vacated; nil if there is none.
func openEvacuation(s *cloud.Snapshot, instance placement.ConsumerID) *nova.Migration {
	for m := range s.Nova().MigrationsOf(instance) {
		if m.Evacuating() {
			return m
		}
	}
	return nil
}

// notVacated says why what an evacuated instance holds on two hosts has no fix, "" if it
// was not evacuated.
func notVacated(s *cloud.Snapshot, f Finding) string {
	m := openEvacuation(s, f.Consumer)
	switch {
	case m == nil:
		for m := range s.Nova().MigrationsOf(f.Consumer) {
			if ops.KeepsSource(s, m) {
				return fmt.Sprintf("its migration from %s has status %s, and what it holds there stays until that is over", m.Source, m.Status)
			}
		}
		return ""
	case !m.ToVacate():
		return fmt.Sprintf("its evacuation from %s is %s: Nova finishes it, or undoes it", m.Source, m.Status)
	case s.Live():
		return fmt.Sprintf("nova-compute on %s releases what it holds there once it starts again; if that host never comes back, delete its service with the openstack client: Nova then releases what is held there", m.Source)
	default:
		_, _, err := ops.Vacate{Migration: m.UUID}.Next(s, f.asked(s).At)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("what it holds on %s is released once that is up again: it may still run there", m.Source)
	}
}
