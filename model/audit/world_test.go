package audit_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
)

// Short names for the test cases.
type (
	world       = modeltest.World
	resources   = modeltest.Resources
	allocations = placement.Amounts
)

func newWorld(tb testing.TB) *world {
	tb.Helper()
	return modeltest.NewWorld(tb)
}

func rp(name string) placement.ProviderID { return modeltest.ProviderID(name) }
func vm(name string) placement.ConsumerID { return modeltest.ConsumerID(name) }

const (
	instance  = placement.InstanceConsumer
	migration = placement.MigrationConsumer
)

// later writes something at a time after Noon.
func later(w *world, after time.Duration) {
	w.TB.Helper()
	w.Change(cloud.Change{At: modeltest.Noon().Add(after), Ops: []placement.Op{placement.CreateTrait{Name: "CUSTOM_LATER"}}})
}
