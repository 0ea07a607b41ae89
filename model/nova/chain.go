package nova

// Chain returns the change that makes several edits one after the other, each planned
// on what those before it lead to.
//
// Errors: those of the edits, and of Apply.
func (s *Snapshot) Chain(edits ...func(*Snapshot) (PutRecords, error)) (PutRecords, error) {
	var all PutRecords
	for _, edit := range edits {
		c, err := edit(s)
		if err != nil {
			return PutRecords{}, err
		}
		if s, _, err = s.Apply(Change{Ops: []Op{c}}); err != nil {
			return PutRecords{}, err
		}
		all.Records = append(all.Records, c.Records...)
	}
	return all, nil
}
