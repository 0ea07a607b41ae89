package cloud

// Strides sets how far apart the Snapshots are that r keeps.
func (r *Recall) Strides(n Revision) *Recall {
	r.stride = n
	return r
}
