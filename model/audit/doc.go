// Package audit reads a cloud as a whole: how much there is of what (Totals), who
// owns it (Owners), how far the gate of the owner filter is (ReadinessOf,
// SimulateGate), and what is wrong (Find).
//
// What is wrong is asked by Rules, and by rules of users in the language of filters
// (NewUserRule). Inspect asks both, and sorts the findings by what operators wrote
// down about them (PlanAcknowledge, PlanMute): open, acknowledged, muted. Fixes says
// what can be done about one, Since what brought it about.
//
// Everything here is a pure function of one cloud.Snapshot. What a Fix writes is a
// Plan or a Course of package ops, previewed and run like any other.
package audit
