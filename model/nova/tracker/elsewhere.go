package tracker

// TickElsewhere is Tick for a live cloud, as far as Placement is concerned: inventories and
// traits are reported, and an instance of the host that holds nothing gets its claim. What
// an instance holds is not corrected, and nothing is released: what Nova did not list may
// still be there, and Nova releases what it deletes.
//
// Errors: as Tick.
func (w World) TickElsewhere(node *Node, driver Tree) (Outcome, error) {
	t := tickRun{World: w, node: node.clone(), alone: driver.Alone}
	if err := t.devices(driver); err != nil {
		return Outcome{}, err
	}
	if err := t.report(driver); err != nil {
		return Outcome{}, err
	}
	if err := t.heal(true); err != nil {
		return Outcome{}, err
	}
	t.out.Nova = nil // Nova writes its own records
	return t.out, nil
}
