package cyborg_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// at is the time of all operations.
var at = time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC)

// id returns a uuid made from a name.
func id(name string) uuid.UUID { return uuid.NewMD5(uuid.NameSpaceDNS, []byte(name)) }

func provider(name string) placement.ProviderID { return placement.ProviderID(id(name)) }

func consumer(name string) placement.ConsumerID { return placement.ConsumerID(id(name)) }

// apply returns the ledger after a change that must be accepted.
func apply(t rapid.TB, s *cyborg.Snapshot, ops ...cyborg.Op) *cyborg.Snapshot {
	t.Helper()
	next, _, err := s.Apply(cyborg.Change{At: at, Ops: ops})
	must.Succeed(t, err)
	return next
}

// refused checks that a step was refused with an error of the given kind whose message
// contains words.
func refused(t rapid.TB, err error, kind error, words string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(fmt.Sprint(err), words) {
		t.Errorf("error is %v, want one that is %v and says %q", err, kind, words)
	}
}

// withCard returns s with a card on a host with the given number of attach handles.
func withCard(t rapid.TB, s *cyborg.Snapshot, host, address string, handles int) *cyborg.Snapshot {
	t.Helper()
	name := host + "_" + address
	var c cyborg.PutRecords
	modeltest.Put(&c, s, &cyborg.Device{UUID: id("device " + name), Type: cyborg.GPU, Hostname: host, Status: cyborg.Enabled})
	modeltest.Put(&c, s, &cyborg.Deployable{UUID: id("deployable " + name), Device: id("device " + name), Name: name, Provider: provider(name)})
	for n := range handles {
		modeltest.Put(&c, s, &cyborg.AttachHandle{UUID: id(fmt.Sprint("handle ", n, name)), Deployable: id("deployable " + name), Type: cyborg.AttachMdev})
	}
	return apply(t, s, c)
}

// withProfile returns s with a device profile as a body of POST has it.
func withProfile(t rapid.TB, s *cyborg.Snapshot, body string) *cyborg.Snapshot {
	t.Helper()
	p := must.Get(cyborg.ParseDeviceProfile([]byte(body)))(t)
	return apply(t, s, cyborg.CreateDeviceProfile{Profile: p})
}

// clean checks that handles and requests agree.
func clean(t rapid.TB, s *cyborg.Snapshot) {
	t.Helper()
	for _, err := range s.Check() {
		t.Error(err)
	}
}
