package main

import "github.com/placetop/placetop/model/cyborg"

// profile returns the device profile that text names.
func (f finder) profile(text string) (*cyborg.DeviceProfile, error) {
	return named("device profile", text, f.Cyborg().DeviceProfiles(),
		func(p *cyborg.DeviceProfile) string { return p.UUID.String() },
		func(p *cyborg.DeviceProfile) string { return p.Name })
}

// device returns the device that text names: HOST:ADDRESS, or its uuid.
func (f finder) device(text string) (*cyborg.Device, error) {
	return named("device", text, f.Cyborg().Devices(),
		func(d *cyborg.Device) string { return d.UUID.String() }, f.deviceName)
}

// deviceName returns what people call a device: the host that it is in, and where
// there, as in "compute1:0000:af:00.0".
func (f finder) deviceName(d *cyborg.Device) string {
	return d.Hostname + ":" + f.Cyborg().AddressOf(d.UUID)
}

// arq returns the accelerator request that text names.
func (f finder) arq(text string) (*cyborg.ARQ, error) {
	return unique("accelerator request", text, f.Cyborg().ARQs(),
		func(a *cyborg.ARQ) string { return a.UUID.String() },
		func(*cyborg.ARQ) string { return "" })
}

func profileNames(f finder) []string {
	var out []string
	for p := range f.Cyborg().DeviceProfiles() {
		out = append(out, p.Name)
	}
	return out
}

func deviceNames(f finder) []string {
	var out []string
	for d := range f.Cyborg().Devices() {
		out = append(out, f.deviceName(d))
	}
	return out
}

func arqIDs(f finder) []string {
	var out []string
	for a := range f.Cyborg().ARQs() {
		out = append(out, a.UUID.String())
	}
	return out
}
