package providertree

import (
	"regexp"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/model/placement"
)

// namespace is what the uuids of this package are derived from. It must never change:
// every machine would get a new uuid.
func namespace() uuid.UUID { return uuid.MustParse("6f1f2a0e-6a3c-5b0d-9a6e-0d9d8f6b7c31") }

// rootID returns the uuid of the compute node, which must be the same at every probe of
// the machine, and different for every other machine. It is the first of these:
//
//   - the one in the options;
//   - the one that nova-compute on this machine has stored (compute_id);
//   - derived from the machine id of the installation, by hashing, since the id
//     itself is confidential;
//   - derived from the uuid of the mainboard;
//   - derived from the host name, which is unique in Placement anyway.
func rootID(h hw.Host, name string, given placement.ProviderID) (placement.ProviderID, string) {
	derive := func(kind, text string) placement.ProviderID {
		return placement.ProviderID(uuid.NewSHA1(namespace(), []byte(kind+":"+strings.ToLower(text))))
	}
	switch machine := h.MachineID; {
	case !given.IsZero():
		return given, "options"
	case h.ComputeID.Known():
		return placement.ProviderID(h.ComputeID.Value), h.ComputeID.Source
	case machine.Known() && machineID().MatchString(machine.Value):
		return derive("machine-id", machine.Value), "uuid5 of " + machine.Source
	case h.ProductUUID.Known():
		return derive("product_uuid", h.ProductUUID.Value.String()), "uuid5 of " + h.ProductUUID.Source
	}
	return derive("hostname", name), "uuid5 of the host name"
}

// machineID matches a valid machine id: images are shipped with an empty file, or with
// the word "uninitialized".
//
// Source: systemd, machine-id(5).
func machineID() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-fA-F]{32}$`) }
