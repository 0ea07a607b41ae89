package cyborg

import "github.com/placetop/placetop/model/pci"

// PCIAddress returns the PCI address that the name of a provider stands for,
// whichever service made it, as "dddd:bb:dd.f" in lower case, and false where it
// stands for none.
//
// Source: cyborg/accelerator/drivers/gpu/utils.py.
func PCIAddress(root, name string) (string, bool) {
	a, _, ok := pci.OfProvider(root, name)
	if !ok {
		return "", false
	}
	return a.String(), true
}
