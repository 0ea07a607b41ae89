// Package pci knows the addresses of PCI functions, the names that OpenStack's services
// derive from them, and what nova.conf says about them: what flavors call them
// ([pci]alias) and which of them a host passes through ([pci]device_spec).
package pci

import (
	"cmp"
	"encoding"
	"fmt"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// Address names a PCI function: domain, bus, device and function.
type Address struct {
	Domain   uint32 // 4 hex digits in most machines, more behind Intel VMD
	Bus      uint8
	Device   uint8 // 0 to 31
	Function uint8 // 0 to 7
}

var (
	_ encoding.TextMarshaler   = Address{}
	_ encoding.TextUnmarshaler = (*Address)(nil)
)

// nodeDevicePrefix starts libvirt's names of PCI devices.
const nodeDevicePrefix = "pci_"

// ParseAddress reads an address such as 0000:84:00.0, in either case. The error
// matches placement.ErrInvalid.
func ParseAddress(text string) (Address, error) {
	fail := func() (Address, error) {
		return Address{}, placement.Invalid("PCI address", text, "must be like 0000:84:00.0")
	}
	domain, rest, ok := strings.Cut(text, ":")
	if !ok || len(domain) < 4 || len(domain) > 8 {
		return fail()
	}
	bus, rest, ok := strings.Cut(rest, ":")
	if !ok || len(bus) != 2 {
		return fail()
	}
	device, function, ok := strings.Cut(rest, ".")
	if !ok || len(device) != 2 || len(function) != 1 {
		return fail()
	}
	var a Address
	for _, part := range []struct {
		digits string
		most   uint64
		set    func(uint64)
	}{
		{domain, 1<<32 - 1, func(n uint64) { a.Domain = uint32(n) }},
		{bus, 0xff, func(n uint64) { a.Bus = uint8(n) }},
		{device, 0x1f, func(n uint64) { a.Device = uint8(n) }},
		{function, 7, func(n uint64) { a.Function = uint8(n) }},
	} {
		n, err := strconv.ParseUint(part.digits, 16, 32)
		if err != nil || n > part.most {
			return fail()
		}
		part.set(n)
	}
	return a, nil
}

// ParseNodeDevice reads libvirt's name of a PCI device, pci_0000_84_00_0, which
// Nova uses to name the providers of its vGPUs. The error matches
// placement.ErrInvalid.
//
// Source: nova/virt/libvirt/driver.py, _get_gpu_inventories.
func ParseNodeDevice(text string) (Address, error) {
	parts := strings.Split(strings.TrimPrefix(text, nodeDevicePrefix), "_")
	if strings.HasPrefix(text, nodeDevicePrefix) && len(parts) == 4 {
		if a, err := ParseAddress(parts[0] + ":" + parts[1] + ":" + parts[2] + "." + parts[3]); err == nil {
			return a, nil
		}
	}
	return Address{}, placement.Invalid("libvirt node device", text, "must be like pci_0000_84_00_0")
}

// String returns the canonical form, in lower case: 0000:84:00.0.
func (a Address) String() string {
	return fmt.Sprintf("%04x:%02x:%02x.%x", a.Domain, a.Bus, a.Device, a.Function)
}

// Upper returns the address in upper case, as Nova's PCI tracker names the
// provider of a device: 0000:AF:00.0.
//
// Source: nova/compute/pci_placement_translator.py.
func (a Address) Upper() string { return strings.ToUpper(a.String()) }

// NodeDevice returns libvirt's name of the device: pci_0000_84_00_0.
func (a Address) NodeDevice() string {
	return fmt.Sprintf("%s%04x_%02x_%02x_%x", nodeDevicePrefix, a.Domain, a.Bus, a.Device, a.Function)
}

// Compare orders addresses as their canonical forms are ordered.
func (a Address) Compare(b Address) int {
	return cmp.Or(
		cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Bus, b.Bus),
		cmp.Compare(a.Device, b.Device), cmp.Compare(a.Function, b.Function),
	)
}

// MarshalText implements encoding.TextMarshaler.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Address) UnmarshalText(b []byte) (err error) {
	*a, err = ParseAddress(string(b))
	return err
}
