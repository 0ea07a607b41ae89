// Package insight reads a cloud as a whole: how much there is of what (Totals), who
// owns it (Owners), what Nova and Cyborg are at (StandingOf), how far the upgrade gate
// of the owner filter is (ReadinessOf), and what opening it would change (SimulateGate).
//
// Everything here is a pure function of one cloud.Snapshot.
package insight
