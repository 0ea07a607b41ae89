package storagetest

import "os"

// Stride returns how far apart the positions are that a test tries of many: n, or 1 where
// PLACETOP_DEEP asks for all of them.
func Stride(n int) int {
	if os.Getenv("PLACETOP_DEEP") != "" {
		return 1
	}
	return n
}
