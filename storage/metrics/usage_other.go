//go:build !unix

package metrics

import "time"

// usage is not known here.
func usage() (cpu time.Duration, files float64, ok bool) { return 0, 0, false }
