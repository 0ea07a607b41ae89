package audit

// RuleLedger is "ledger inconsistent".
const RuleLedger RuleID = "c01"

// ledgerAgrees finds inconsistencies within the ledger itself: a usage that is not the
// sum of the allocations, a consumer without any, a broken tree. No request can cause
// them.
func ledgerAgrees() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleLedger, Title: "ledger inconsistent", Severity: Critical,
			Also:   "corrupt corruption damaged inconsistent",
			Why:    "What is shown, and what can be allocated, differs from what is held.",
			Advice: "Keep the file, report a bug in this program, and restore a backup.",
		},
		core: func(a *auditor) {
			for _, err := range a.Cloud.Check() {
				a.found(Finding{Subject: "ledger", Text: err.Error()})
			}
		},
		people: "the ledger does not say which figure is right",
	}
}
