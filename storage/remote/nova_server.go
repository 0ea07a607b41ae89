package remote

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// isAs reports whether a server is where it was, and asks for what it did.
func (s *novaServer) isAs(was novaServer) bool {
	return s.ID == was.ID && s.Host == was.Host && s.Node == was.Node && s.VMState == was.VMState && s.Task == was.Task && reflect.DeepEqual(s.Flavor, was.Flavor)
}

// offloaded reports whether a server is shelved and on no host, and is not being unshelved.
func (s *novaServer) offloaded() bool {
	return s.VMState == nova.ShelvedOffloaded && s.Task == "" && s.Host == ""
}

// asks reports whether a server must hold some of a class: its flavor asks for it, or that
// is not known.
func (s *novaServer) asks(class placement.ResourceClass) bool {
	switch class {
	case placement.VCPU, placement.PCPU:
		return false // either
	case placement.MemoryMB:
		return true
	case placement.DiskGB:
		if n, says := s.says(class); says {
			return n > 0
		}
		disk := s.Flavor.Ephemeral + int64(s.Flavor.Swap)
		if string(s.Image) != volume {
			disk += s.Flavor.Disk
		}
		return s.Flavor.Name == "" || disk > 0
	default:
	}
	if s.Flavor.ExtraSpecs == nil || class.MayBeOfPort() {
		return true
	}
	return s.amountOf(class) > 0 || class.MayBeDevice() && s.indirect()
}

// amountOf returns how much the flavor of a server asks for of a class, by its name.
func (s *novaServer) amountOf(class placement.ResourceClass) int64 {
	sum, _ := s.says(class)
	return sum
}

// says returns how much the extra specs of a server's flavor ask for of a class, by its name,
// and whether they name it: a flavor for bare metal says resources:DISK_GB=0, which stands
// above the size of its disk.
//
// Source: nova/scheduler/utils.py, ResourceRequest.from_request_spec.
func (s *novaServer) says(class placement.ResourceClass) (sum int64, names bool) {
	if s.Flavor.ExtraSpecs == nil {
		return 0, false
	}
	for key, amount := range *s.Flavor.ExtraSpecs {
		if strings.HasSuffix(key, ":"+string(class)) {
			names = true
			n, err := strconv.ParseInt(amount, 10, 64)
			if err != nil {
				n = 1
			}
			sum += n
		}
	}
	return sum, names
}

// devices returns the classes of devices that the flavor of a server names.
func (s *novaServer) devices() (out []placement.ResourceClass) {
	if s.Flavor.ExtraSpecs == nil {
		return nil
	}
	for key := range *s.Flavor.ExtraSpecs {
		_, class, _ := strings.Cut(key, ":")
		if is := placement.ResourceClass(class); is.MayBeDevice() {
			out = append(out, is)
		}
	}
	return out
}

// indirect reports whether the flavor of a server asks for devices without naming their class.
func (s *novaServer) indirect() bool {
	if s.Flavor.ExtraSpecs == nil {
		return false
	}
	specs := *s.Flavor.ExtraSpecs
	return specs["accel:device_profile"] != "" || specs["pci_passthrough:alias"] != ""
}
