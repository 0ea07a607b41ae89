package session

import "github.com/placetop/placetop/tui/session/noquery"

// Bubble Tea is initialized before this package, which imports it.
func init() { noquery.Restore() }
