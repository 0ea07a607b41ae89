//go:build !unix

package metrics

import "time"

// usage is unknown on this system.
func usage() (cpu time.Duration, files float64, ok bool) { return 0, 0, false }
