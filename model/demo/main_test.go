package demo_test

import (
	"runtime/debug"
	"testing"
)

// TestMain lets more garbage stand: a quarter of the time would go into collecting it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
