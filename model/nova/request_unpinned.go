package nova

import (
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// FallsBack reports whether an instance with pinned CPUs holds VCPU in the tree of a root:
// the tree reports no PCPU, as its nova.conf has no cpu_dedicated_set, and the scheduler
// asks for VCPU as well. Hosts that do report PCPU are weeded out of that answer.
//
// Source: nova/scheduler/manager.py, select_destinations.
func (s *Snapshot) FallsBack(p *placement.Snapshot, root *placement.ResourceProvider) bool {
	return !s.Config().NoVCPUFallback && !reportsPCPU(p, root)
}

// reportsPCPU reports whether any provider in the tree of a root has PCPU; with a nil root,
// whether any provider has.
func reportsPCPU(p *placement.Snapshot, root *placement.ResourceProvider) bool {
	id, ok := p.ClassID(placement.PCPU)
	if !ok {
		return false
	}
	for n := range p.WithClass(id).All() {
		if root == nil || p.Root(p.ProviderAt(n)) == root {
			return true
		}
	}
	return false
}

// unpin drops what the CPU policy asks for, so that the flavor's CPUs are asked for as
// VCPU.
//
// Source: nova/scheduler/utils.py, ResourceRequest.from_request_spec with
// enable_pinning_translate=False.
func (s *Snapshot) unpin(d *draft, o AskOptions) (*draft, error) {
	if !d.pinned || o.Placement == nil || d.spec.Unpinned || s.Config().NoVCPUFallback || reportsPCPU(o.Placement, nil) {
		return d, nil
	}
	spec := d.spec
	spec.Unpinned = true
	again, err := newRequest(spec)
	if err != nil {
		return nil, err
	}
	text := "No provider has PCPU: pinned CPUs are asked for as VCPU, as " + optionFallback() + " is not set."
	if basis := s.Config().Basis(OptionFallback); basis != "" {
		text = "No provider has PCPU: pinned CPUs are asked for as VCPU; " + basis + "."
	}
	again.warnings = append(slices.Clone(again.warnings), Warning{Text: text, Accepted: true, Open: true})
	return again, nil
}

// optionFallback names the option as nova.conf has it.
func optionFallback() string { return "[workarounds]" + OptionFallback }
