// Package audit says what is wrong with a cloud (Find), and what can be done about it
// (Fixes).
//
// What is wrong is asked by Rules, and by rules of users in the language of filters
// (NewUserRule). Inspect asks both, and sorts the findings by what operators wrote
// down about them (PlanAcknowledge, PlanMute): open, acknowledged, muted. Since says
// what brought a finding about.
//
// Everything here is a pure function of one cloud.Snapshot. What a Fix writes is a
// Plan or a Course of package ops, previewed and run like any other.
package audit
