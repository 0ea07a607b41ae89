package pci

import "strings"

// OfProvider returns the PCI function of a provider, from the end of its name, and whether
// it is written as libvirt does; ok is false if the name ends in no address. The services
// write it in three ways:
//
//	host_pci_0000_84_00_0   Nova, a card with mediated devices: libvirt's name
//	host_0000:AF:00.0       Nova, a passed-through device
//	host_0000:af:00.0       Cyborg
//
// The last two are the same if the address has no letters. What comes before says nothing:
// Nova begins with the name of the root provider, and Cyborg with its own [DEFAULT]host,
// which may be the short name of a root that is named in full, and older releases of it
// with the model of the card.
//
// Source: nova/virt/libvirt/driver.py, _update_provider_tree_for_vgpu;
// nova/compute/pci_placement_translator.py, _get_rp_name_for_address;
// cyborg/accelerator/drivers/gpu/utils.py; https://bugs.launchpad.net/bugs/2139369.
func OfProvider(name string) (a Address, libvirt, ok bool) {
	const tail = len(":84:00.0")
	at := len(name) - tail
	if at < 0 || name[at] != ':' && name[at] != '_' {
		return Address{}, false, false
	}
	libvirt = name[at] == '_'
	for at > 0 && isHex(name[at-1]) {
		at--
	}
	var err error
	if libvirt {
		if !strings.HasSuffix(name[:at], nodeDevicePrefix) {
			return Address{}, false, false
		}
		at -= len(nodeDevicePrefix)
		a, err = ParseNodeDevice(name[at:])
	} else {
		a, err = ParseAddress(name[at:])
	}
	if err != nil || at > 0 && isAlphanumeric(name[at-1]) {
		return Address{}, false, false
	}
	return a, libvirt, true
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

func isAlphanumeric(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
