package modeltest

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
)

// InstanceNamed returns the instance of s that has a name, and ends the test if none has.
func InstanceNamed(tb testing.TB, s *cloud.Snapshot, name string) *nova.Instance {
	tb.Helper()
	for i := range s.Nova().Instances() {
		if i.Name == name {
			return i
		}
	}
	tb.Fatalf("no instance %s", name)
	return nil
}
