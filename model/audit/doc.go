// Package audit says what is wrong with a cloud (Find), and what can be done about it
// (Fixes).
//
// Problems are found by Rules.
// Inspect runs both and sorts the findings by what operators noted about them
// (PlanAcknowledge, PlanMute): open, acknowledged, muted. Since says which event caused
// a finding.
//
// To add a rule, write a file whose name starts with its id, with a function that returns
// the rule, and add that function to allRules:
//
//	// RuleNoRoom is "provider without inventory".
//	const RuleNoRoom RuleID = "t02"
//
//	func noRoom() rule {
//		return rule{
//			Rule: Rule{
//				ID: RuleNoRoom, Title: "provider without inventory", Severity: Info,
//				Why: "Nothing can be placed on it.", Advice: "Give it an inventory, or delete it.",
//			},
//			provider: func(a *auditor, p *placement.ResourceProvider) {
//				if len(p.Inventories()) == 0 {
//					a.found(Finding{Provider: p.ID(), Subject: p.Name(), Text: "it has no inventory"})
//				}
//			},
//			people: "what it should have is not written down",
//		}
//	}
//
// A rule whose findings can be fixed has fixes instead of people. Its cases go into the
// test beside it (testRule). A test says which of these is missing.
//
// Everything here is a pure function of one cloud.Snapshot. What a Fix writes is a
// Plan or a Course of package ops, previewed and run like any other.
package audit
