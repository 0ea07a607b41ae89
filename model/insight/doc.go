// Package insight reads a cloud as a whole: how much there is of what (Totals), who
// owns it (Owners), what Nova and Cyborg are doing (ActivityOf), how ready the cloud is
// for the owner filter (ReadinessOf), and what opening its gate would change
// (GateRun).
//
// Everything here is a pure function of one cloud.Snapshot.
package insight
