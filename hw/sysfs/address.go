package sysfs

import "github.com/placetop/placetop/model/pci"

// Address names a PCI function: domain, bus, device and function.
type Address = pci.Address

// ParseAddress reads an address such as 0000:84:00.0, in either case. The error
// matches ErrSyntax.
func ParseAddress(text string) (Address, error) {
	a, err := pci.ParseAddress(text)
	if err != nil {
		return Address{}, syntaxError(text, "a PCI address such as 0000:84:00.0")
	}
	return a, nil
}
