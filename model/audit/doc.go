// Package audit says what is wrong with a cloud (Find), and what can be done about it
// (Fixes).
//
// What is wrong is asked by Rules, and by rules of users in the language of filters
// (NewUserRule). Inspect asks both, and sorts the findings by what operators wrote
// down about them (PlanAcknowledge, PlanMute): open, acknowledged, muted. Since says
// what brought a finding about.
//
// To add a rule, write a file that starts with its id, with a function that returns the
// rule, and name the function in allRules:
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
// A rule that can be repaired has fixes in place of people. Its cases go into the test
// beside it (testRule), a row of the table into the README. A test says which of these
// is missing.
//
// Everything here is a pure function of one cloud.Snapshot. What a Fix writes is a
// Plan or a Course of package ops, previewed and run like any other.
package audit
