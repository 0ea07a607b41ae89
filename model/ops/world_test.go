package ops_test

import (
	"flag"
	"os"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
)

// Short names for the test cases.
type (
	world       = modeltest.World
	inventories = modeltest.Inventories
	resources   = modeltest.Resources
	allocations = placement.Amounts
)

// Properties are tried fewer times than package rapid does, if the command line does not
// say how many.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "40"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	return modeltest.NewWorld(tb)
}

func rp(name string) placement.ProviderID   { return modeltest.ProviderID(name) }
func vm(name string) placement.ConsumerID   { return modeltest.ConsumerID(name) }
func agg(name string) placement.AggregateID { return modeltest.AggregateID(name) }
