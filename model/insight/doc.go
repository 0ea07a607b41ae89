// Package insight reads a cloud as a whole: how much there is of what (Totals), who
// owns it (Owners), what Nova and Cyborg are doing (ActivityOf), how ready the cloud is
// for the owner filter (ReadinessOf), and what opening its gate would change
// (GateRun).
//
// Metrics gives the same as named figures with labels, for a system such as Prometheus: ours in
// metrics_own.go, a line each, and in metrics_others.go those of openstack-exporter and
// os-capacity under their names there, so that existing dashboards keep working:
//
//	Snapshot ── RoomOf ──► Room ─┐
//	   │                         ├─► Metrics ──► Series: a Family and its Points
//	   └── keeper: a Report ─────┘
//
// At 10,000 hosts they take about 0.1 s, and RoomOf as much for every few flavors: too long to
// run while a user waits.
//
// Everything here is a pure function of one cloud.Snapshot.
package insight
