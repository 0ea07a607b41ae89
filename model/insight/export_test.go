package insight

// Families returns all figures, by name.
func Families() (out []Family) {
	for _, f := range table() {
		out = append(out, f.Family)
	}
	return out
}
