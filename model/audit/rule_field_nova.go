package audit

import (
	"time"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// InstanceFields returns the fields of rows that have an instance.
func InstanceFields[R any](instance func(R) *nova.Instance) []Field[R] {
	return []Field[R]{
		agoField("age", func(r R) time.Time { return instance(r).CreatedAt() }),
		filter.NumberField("devices", filter.Count, func(r R, at At) (float64, bool) {
			var n int64
			for _, held := range DevicesOf(at.Snap.Placement(), instance(r).UUID) {
				n += held
			}
			return float64(n), true
		}),
		textField("fault", func(r R) string { return instance(r).Fault }),
		textField("flavor", func(r R) string { return nova.FlavorName(instance(r).Flavor) }),
		textField("host", func(r R) string { return instance(r).Host }),
		filter.TextField("move", func(r R, at At) string {
			for m := range at.Snap.Nova().MigrationsOf(instance(r).UUID) {
				if m.Status.UnderWay() {
					return string(m.Status)
				}
			}
			return ""
		}),
		textField("name", func(r R) string { return instance(r).Name }),
		filter.WordsField("owner", func(r R, at At, words []string) []string {
			for owner, n := range DevicesOf(at.Snap.Placement(), instance(r).UUID) {
				if n > 0 {
					words = append(words, placement.Owner(owner).String()) //nolint:gosec // an index of four
				}
			}
			return words
		}),
		textField("project", func(r R) string { return instance(r).Project }),
		textField("state", func(r R) string { return string(instance(r).VMState) }),
		textField("task", func(r R) string { return string(instance(r).TaskState) }),
		textField("user", func(r R) string { return instance(r).User }),
		textField("uuid", func(r R) string { return instance(r).UUID.String() }),
		textField("zone", func(r R) string { return instance(r).Zone }),
	}
}

// DevicesOf returns how many accelerators a consumer holds, by the placement.Owner
// of their providers.
func DevicesOf(s *placement.Snapshot, id placement.ConsumerID) (held [4]int64) {
	c, ok := s.Consumer(id)
	if !ok {
		return held
	}
	for a := range s.Allocations(c) {
		if s.ClassName(a.Class).IsAccelerator() {
			held[s.Owner(a.Provider)] += a.Used
		}
	}
	return held
}

// MigrationFields returns the fields of rows that have a migration.
func MigrationFields[R any](migration func(R) *nova.Migration) []Field[R] {
	return []Field[R]{
		agoField("age", func(r R) time.Time { return migration(r).CreatedAt() }),
		textField("fault", func(r R) string { return migration(r).Fault }),
		filter.WordsField("flavor", func(r R, _ At, words []string) []string {
			return append(words, nova.FlavorName(migration(r).OldFlavor), nova.FlavorName(migration(r).NewFlavor))
		}),
		filter.WordsField("host", func(r R, _ At, words []string) []string {
			return append(words, migration(r).Source, migration(r).Dest)
		}),
		filter.TextField("name", func(r R, at At) string { return ops.ConsumerName(at.Snap, migration(r).Instance) }),
		textField("status", func(r R) string { return string(migration(r).Status) }),
		textField("type", func(r R) string { return string(migration(r).Type) }),
		textField("uuid", func(r R) string { return migration(r).UUID.String() }),
	}
}

// ServiceFields returns the fields of rows that have a service.
func ServiceFields[R any](service func(R) *nova.Service) []Field[R] {
	return []Field[R]{
		textField("binary", func(r R) string { return service(r).Binary }),
		textField("cell", func(r R) string { return service(r).Cell }),
		{Name: "gate", Open: func(at At) func(R) filter.Value {
			words := map[*nova.Service]string{}
			gate := at.Snap.Nova().Gate()
			for _, h := range gate.Holds {
				words[h.Service] = "holds"
			}
			for _, h := range gate.Unasked {
				words[h.Service] = "not asked"
			}
			return func(r R) filter.Value { return filter.Text(words[service(r)]) }
		}},
		textField("host", func(r R) string { return service(r).Host }),
		agoField("seen", func(r R) time.Time { return service(r).SeenAt() }),
		filter.TextField("state", func(r R, at At) string { return ServiceState(service(r), at.Now) }),
		filter.NumberField("version", filter.Count, func(r R, _ At) (float64, bool) {
			return float64(service(r).Version), service(r).Version > 0
		}),
	}
}

// ServiceState says whether a service is up at now, and what was done about it:
// "up", "forced down", "down, disabled".
func ServiceState(s *nova.Service, now time.Time) string {
	words := string(s.State(now))
	if s.ForcedDown {
		words = "forced down"
	}
	if s.Disabled {
		words += ", disabled"
	}
	return words
}
