package versioned

// Quick reports whether c reads a record quickly.
func (c *Codec) Quick(kind Kind, b []byte) bool {
	s := c.schemas[kind]
	_, ok := s.quick(b[headerSize:], new(CanonicalReader))
	return ok && b[2] == byte(s.Version.Major) && b[4] == byte(s.Version.Minor)
}
