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

// CardAccounts returns the accounts of all cards of Cyborg's that Placement has.
func CardAccounts(s *cloud.Snapshot) []cloud.CardAccount {
	var out []cloud.CardAccount
	for d := range s.Cyborg().Deployables() {
		if a, ok := s.CardAccount(d); ok {
			out = append(out, a)
		}
	}
	return out
}
