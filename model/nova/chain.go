package nova

// Chain returns the change that makes several edits one after the other, each planned
// on what those before it lead to.
//
// Errors: those of the edits, and of Apply.
func (s *Snapshot) Chain(edits ...func(*Snapshot) (Change, error)) (Change, error) {
	var all Change
	for _, edit := range edits {
		c, err := edit(s)
		if err != nil {
			return Change{}, err
		}
		if s, _, err = s.Apply(c); err != nil {
			return Change{}, err
		}
		all.Records = append(all.Records, c.Records...)
	}
	return all, nil
}
