package audit

// RuleLedger is "ledger disagrees with itself".
const RuleLedger RuleID = "c01"

// ledgerAgrees finds what does not agree within the ledger itself: a usage that is
// not the sum of the allocations, a consumer without any, a broken tree. No
// request can bring that about.
func ledgerAgrees() rule {
	return rule{
		Rule: Rule{
			ID: RuleLedger, Title: "ledger disagrees with itself", Severity: Critical,
			Why:    "What is shown, and what may be claimed, is not what is held.",
			Advice: "Keep the file, report it as a bug of this program, and go back to a backup.",
		},
		core: func(a *auditor) {
			for _, err := range a.Cloud.Check() {
				a.found(Finding{Subject: "ledger", Text: err.Error()})
			}
		},
		people: "what is true cannot be told from the ledger",
	}
}
