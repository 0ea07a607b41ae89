package main

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// machineReport is the printed result of a probe.
type machineReport struct {
	Host        string            `json:"host"`
	ComputeNode []machineColumn   `json:"compute_node"`
	Providers   []machineProvider `json:"resource_providers"`
	PCIDevices  []machinePCI      `json:"pci_devices"`
	NotReported []machineDevice   `json:"not_reported"`
	Unknown     []tracker.Unknown `json:"unknown"`
	Problems    []machineProblem  `json:"problems"`
	Notes       []string          `json:"notes"`
}

// machineProvider is one provider of the machine's tree.
type machineProvider struct {
	UUID        placement.ProviderID `json:"uuid"`
	UUIDSource  string               `json:"uuid_source"`
	Name        string               `json:"name"`
	Kind        string               `json:"kind"`
	Parent      *string              `json:"parent"` // name
	Owner       string               `json:"owner"`
	Inventories []tracker.Inventory  `json:"inventories"`
	Traits      []tracker.Trait      `json:"traits"`
}

// machineColumn is a field of the compute node's record that no provider has.
type machineColumn struct {
	Column string `json:"column"`
	Value  any    `json:"value"` // nil where the machine does not tell it
	Source string `json:"source"`
}

// machineDevice is a device without a provider.
type machineDevice struct {
	Address string `json:"address"`
	Kind    string `json:"kind"`
	Why     string `json:"why"`
}

// machinePCI is a device that can be given to instances.
type machinePCI struct {
	Address   string            `json:"address"`
	VendorID  string            `json:"vendor_id"`
	ProductID string            `json:"product_id"`
	DevType   string            `json:"dev_type"`
	NUMANode  *int64            `json:"numa_node"`
	Parent    string            `json:"parent_addr,omitempty"`
	Tags      map[string]string `json:"tags,omitempty"`
}

// machineProblem is something that could not be read.
type machineProblem struct {
	Path string `json:"path"`
	What string `json:"what"`
	Why  string `json:"why"`
}

// probeOptions are the flags of "placetop probe". A flag that is given wins over the
// option of nova.conf that it is named after.
type probeOptions struct {
	Root          string   `flag:"root" help:"read the machine whose root directory is <DIR>, such as one that is mounted or captured"`
	Name          string   `flag:"name" help:"the <NAME> of the compute node, if not the machine's host name"`
	MdevTypes     []string `flag:"mdev-type" help:"the <TYPE> of vGPUs to report, such as nvidia-35; as [devices]enabled_mdev_types in nova.conf"`
	Devices       []string `flag:"device-spec" each:"yes" help:"the PCI devices that may be passed through, as <JSON>; may be repeated; as [pci]device_spec in nova.conf; none by default"`
	ReportPCI     bool     `flag:"report-pci" help:"report these PCI devices in Placement, for good; as [pci]report_in_placement in nova.conf"`
	SharedStorage bool     `flag:"shared-storage" help:"the disks of instances are on a shared pool, which has their DISK_GB once an aggregate links it"`
	Cyborg        []string `flag:"cyborg" help:"a <DEVICE> of Cyborg's instead of Nova's: a PCI address such as 0000:84:00.0, or ids such as 10de:1eb8"`

	cards []cyborg.Card // Cyborg's cards of the machine, found by the probe
	conf  tracker.Conf  // of the machine, found by the probe
	// writes is set where what is found is written into a cloud, so that it must be what
	// nova-compute would report.
	writes bool
}

// tree returns the options of nova-compute: those of the machine's nova.conf, and those
// that flags give.
func (o probeOptions) tree(c hw.Configuration) (providertree.Options, error) {
	if c.Err != nil && o.writes {
		return providertree.Options{}, failed(fmt.Errorf("probe: the configuration of nova-compute cannot be read: %w", c.Err),
			"run it as a user who may, such as nova: without its options nobody knows what nova-compute reports")
	}
	t, err := providertree.Configure(c)
	if err != nil { // not the user's words are wrong, but a file
		return t, failed(fmt.Errorf("probe: %w", err), "nova-compute could not report that either")
	}
	if c.Err != nil {
		t.Notes = append(t.Notes, "Nova's defaults are shown for what its configuration may set")
	}
	t.Hostname = o.Name
	if len(o.MdevTypes) > 0 {
		configured := t.MdevTypes
		t.MdevTypes = nil
		for _, id := range o.MdevTypes {
			one := providertree.MdevType{ID: id}
			if i := slices.IndexFunc(configured, func(m providertree.MdevType) bool { return m.ID == id }); i >= 0 {
				one = configured[i]
			}
			t.MdevTypes = append(t.MdevTypes, one)
		}
	}
	t.ReportPCI = t.ReportPCI || o.ReportPCI
	if len(o.Devices) > 0 {
		if t.PCIDevices, err = pci.ParseDeviceSpecs(o.Devices, t.ReportPCI); err != nil {
			return t, err
		}
	}
	for _, text := range o.Cyborg {
		spec, err := deviceSpec(text)
		if err != nil {
			return t, err
		}
		t.Cyborg = append(t.Cyborg, spec)
	}
	if !o.writes && len(c.Files) == 0 && len(t.MdevTypes) == 0 {
		t.OnlyEnabled = false
		t.Notes = append(t.Notes, "there is no nova.conf: vGPUs are shown by the type that a card has in use, but Nova reports none before a type is enabled with enabled_mdev_types, or --mdev-type")
	}
	return t, nil
}

// deviceSpec parses the devices in a flag: those at an address, or of a vendor and
// product.
func deviceSpec(text string) (pci.DeviceSpec, error) {
	if a, err := sysfs.ParseAddress(text); err == nil {
		return pci.DeviceSpec{Address: pci.At(a)}, nil
	}
	vendor, product, ok := strings.Cut(text, ":")
	v, errV := sysfs.ParseHex(vendor, 16)
	d, errD := sysfs.ParseHex(product, 16)
	if !ok || errV != nil || errD != nil {
		return pci.DeviceSpec{}, usageErrorf("give a PCI address such as 0000:84:00.0, or ids such as 10de:1eb8", "--cyborg %s is neither", text)
	}
	return pci.DeviceSpec{Vendor: sysfs.ID(v).String(), Product: sysfs.ID(d).String()}, nil
}

// probeCommand returns "placetop probe".
func (p *program) probeCommand() *cobra.Command {
	var o probeOptions
	var write struct {
		Register bool `flag:"register" help:"write the machine into the cloud, as nova-compute would"`
		DryRun   bool `flag:"dry-run" needs:"register" help:"with --register: print what would be written, and write nothing"`
	}
	cmd := command(`probe
Look at this machine, and register it as a compute node

Look at this machine as nova-compute would, and print the resource providers that it
would report: inventories and traits, and where each number comes from; and what the
record of its compute node says about the hypervisor. What cannot be read is named
with the reason, and the rest is shown. The machine's nova.conf and the files of
/etc/nova/provider_config are honoured; a flag wins over its option. Nothing is written without --register, which
writes what nova-compute does when it starts: the service, the compute node with its
columns, inventories and traits, and the claims that its instances lack. It only
writes what differs from the cloud; the service reports that it is up again after
five minutes.

Examples:
  placetop probe
  placetop probe --register --dry-run
  placetop probe --root /mnt/other-machine -o json
  placetop probe --device-spec '{"vendor_id": "8086", "product_id": "37c8"}' --report-pci`)
	bindFlags(cmd, &o, &write)
	p.outputFlag(cmd, print.Lists())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o.writes = write.Register
		return p.probe(cmd.Context(), o, write.DryRun)
	}
	return cmd
}

// look probes the machine, and returns what nova-compute would report of it. It fills in
// what the probe finds for the options.
func (p *program) look(ctx context.Context, o *probeOptions) (hw.Host, tracker.Tree, error) {
	fail := func(err error) (hw.Host, tracker.Tree, error) { return hw.Host{}, tracker.Tree{}, err }
	if _, err := o.tree(hw.Configuration{}); err != nil { // before the machine is read
		return fail(err)
	}
	host, err := hw.Probe(ctx, hw.Options{Root: o.Root, Clock: p.now})
	if err != nil {
		return fail(err)
	}
	options, err := o.tree(host.Configuration)
	if err != nil {
		return fail(err)
	}
	tree, err := providertree.Build(host, options)
	switch {
	case err == nil:
		o.cards, o.conf = providertree.Cards(host, options), options.Conf
		return host, tree, nil
	case o.Name == "" && !host.Hostname.Known():
		return fail(failed(fmt.Errorf("probe: %w", err), "add one of these files, or name the machine with --name"))
	}
	return fail(fmt.Errorf("probe: %w", err))
}

func (p *program) probe(ctx context.Context, o probeOptions, dryRun bool) error {
	host, tree, err := p.look(ctx, &o)
	if err != nil {
		return err
	}
	if o.writes {
		return p.register(ctx, host, tree, o, dryRun)
	}
	if tree, err = tree.Merged(); err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	report, out := newMachineReport(host, tree), p.printer()
	if out.Structured() {
		out.Value(report)
		return nil
	}
	out.List(nil, factList(report, out.Styles.Glyphs))
	p.sayProblems(report)
	return nil
}

// sayProblems says what the probe could not find out, and why.
func (p *program) sayProblems(r machineReport) {
	for _, d := range r.NotReported {
		p.say("not reported: %s %s: %s", d.Kind, d.Address, d.Why)
	}
	for _, u := range r.Unknown {
		p.say("unknown: %s: %s", u.Class, u.Why)
	}
	for _, pr := range r.Problems {
		p.say("could not read: %s", strings.Join(nonEmpty(pr.Path, pr.What, pr.Why), ": "))
	}
	for _, n := range r.Notes {
		p.say("note: %s", n)
	}
}

func nonEmpty(parts ...string) []string {
	var out []string
	for _, s := range parts {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func newMachineReport(host hw.Host, tree tracker.Tree) machineReport {
	r := machineReport{
		Host: tree.Root.Name, PCIDevices: []machinePCI{}, NotReported: []machineDevice{}, Unknown: filled(tree.Unknown),
		Problems: []machineProblem{}, Notes: filled(tree.Notes),
	}
	address := machineColumn{"host_ip", nil, host.Address.Source}
	if ip, ok := tree.Hypervisor["host_ip"].(netip.Addr); ok {
		address.Value = ip
		if ip != host.Address.Value {
			address.Source = "option my_ip"
		}
	}
	r.ComputeNode = []machineColumn{{"hypervisor_type", tree.Hypervisor["hypervisor_type"], "the driver of libvirt"}, address}
	for i, tp := range tree.All() {
		mp := machineProvider{
			UUID: tp.ID, UUIDSource: tp.IDSource, Name: tp.Name, Kind: string(tp.Kind), Owner: placement.OwnedByNone.String(),
			Inventories: filled(tp.Inventories), Traits: filled(tp.Traits),
		}
		if i > 0 {
			mp.Parent = &tree.Root.Name
		}
		if slices.ContainsFunc(tp.Traits, func(t tracker.Trait) bool { return t.Name == placement.OwnerNova }) {
			mp.Owner = placement.OwnedByNova.String()
		}
		r.Providers = append(r.Providers, mp)
	}
	for _, d := range tree.Devices {
		r.PCIDevices = append(r.PCIDevices, machinePCI{d.Address, d.VendorID, d.ProductID, d.DevType, d.NUMANode, d.Parent, d.Tags})
	}
	for _, l := range tree.Left {
		r.NotReported = append(r.NotReported, machineDevice{Address: l.Device(), Kind: string(l.Kind), Why: l.Why})
	}
	if err := host.Configuration.Err; err != nil {
		r.Problems = append(r.Problems, machineProblem{What: "the configuration of nova-compute", Why: strings.ReplaceAll(err.Error(), "\n", "; ")})
	}
	for _, pr := range host.Gaps {
		mp := machineProblem{Path: pr.Path, What: pr.What}
		if pr.Err != nil {
			mp.Why = pr.Err.Error()
		}
		r.Problems = append(r.Problems, mp)
	}
	return r
}

// factList lists a report line by line, as a tree: each provider followed by what it has.
func factList(r machineReport, g style.Glyphs) *print.List {
	list := print.WideColumns("resource_provider").Columns("name", "what", "value", "source")
	for i, mp := range r.Providers {
		// The children of the root are the only level.
		head, below := "", g.TreePipe
		last := i == len(r.Providers)-1
		switch {
		case i > 0 && last:
			head, below = g.TreeLast, g.TreeBlank+g.TreeBlank
		case i > 0:
			head, below = g.TreeBranch, g.TreePipe+g.TreeBlank
		case last:
			below = g.TreeBlank
		}
		add := func(what, name, value, source string, token themes.Token) {
			list.Row(mp.Name, print.Cell{Text: name, Shown: below + name, Token: token}, what, value, print.Dim(source))
		}
		list.Row(mp.Name, print.Cell{Text: mp.Name, Shown: head + mp.Name, Token: themes.Strong}, mp.Kind, mp.UUID.String(), print.Dim(mp.UUIDSource))
		if i == 0 {
			for _, c := range r.ComputeNode {
				value := "unknown"
				if c.Value != nil {
					value = fmt.Sprint(c.Value)
				}
				add("column", c.Column, value, c.Source, themes.Text)
			}
		}
		for _, inv := range mp.Inventories {
			add("inventory", string(inv.Class), inventoryText(inv.Inventory), inv.Source, themes.Text)
		}
		for _, t := range mp.Traits {
			token := themes.Text
			if t.Name == placement.OwnerNova {
				token = themes.OwnerNova
			}
			add("trait", string(t.Name), "", t.Source, token)
		}
	}
	for _, d := range r.PCIDevices {
		list.Row(r.Host, d.Address, "device to pass through", d.VendorID+":"+d.ProductID+" "+d.DevType, print.Dim("option device_spec"))
	}
	return list
}

// inventoryText returns an inventory in one line, without fields that have their default.
func inventoryText(inv placement.Inventory) string {
	parts := []string{strconv.FormatInt(inv.Total, 10)}
	for _, f := range inv.Unusual() {
		parts = append(parts, f.Name+"="+f.Is)
	}
	return strings.Join(parts, " ")
}

// registration is what registering a machine did, or would do.
type registration struct {
	Host        string               `json:"host"`
	DryRun      bool                 `json:"dry_run"`
	Changed     bool                 `json:"changed"` // or would be, with DryRun
	Revision    cloud.Revision       `json:"revision"`
	Operations  []string             `json:"operations"`
	Differences []tracker.Difference `json:"differences"`
	Records     []string             `json:"records"` // what is written beside Placement, and why, in words
	Problems    []machineProblem     `json:"problems"`
	NotReported []machineDevice      `json:"not_reported"`

	warnings []string
	tree     tracker.Tree // as reported
}

// register writes what the machine reports and the cloud lacks, as nova-compute does in
// each of its reports.
func (p *program) register(ctx context.Context, host hw.Host, tree tracker.Tree, o probeOptions, dryRun bool) error {
	store, err := p.openForWrite(ctx, &writing{makes: true, DryRun: dryRun}, nil)
	if err != nil {
		return err
	}
	reg, err := p.reconcile(ctx, store, tree, o, dryRun)
	if err != nil {
		return fmt.Errorf("register %s: %w", tree.Root.Name, err)
	}
	p.warn(reg.warnings...)
	report := newMachineReport(host, reg.tree)
	reg.Problems, reg.NotReported = report.Problems, report.NotReported
	out := p.printer()
	if out.Structured() {
		out.Value(reg)
		return nil
	}
	if len(reg.Differences) > 0 || !out.People() {
		out.List(nil, differenceList(reg.Differences))
	}
	for _, line := range reg.Records {
		p.say("%s", line)
	}
	p.sayProblems(report)
	switch {
	case !reg.Changed:
		p.say("nothing to do: %s is already as the machine says", reg.Host)
	case dryRun:
		p.say("would write %s; nothing is written", counted(len(reg.Operations), "operation"))
	default:
		p.say("registered %s, at revision %d", reg.Host, reg.Revision)
	}
	return nil
}

// reconcile plans and writes. If another write came in between, it plans again from the
// new state, as the plan is a comparison.
func (p *program) reconcile(ctx context.Context, store storage.Store, tree tracker.Tree, o probeOptions, dryRun bool) (registration, error) {
	plan, found, done, err := p.writeTick(ctx, store, o.tick(tree, "register"), dryRun)
	if err != nil {
		return registration{}, err
	}
	if done.Snapshot == nil { // a dry run
		done.Snapshot = store.Snapshot()
	}
	reg := registration{
		Host: tree.Root.Name, DryRun: dryRun, Changed: !plan.Empty(), Revision: done.Snapshot.Revision(),
		Operations: []string{}, Differences: filled(found.Out.Differences), Records: []string{}, tree: found.Tree,
	}
	found.Out.Differences = nil // they have a table of their own
	rest := newTickReport(plan, found)
	reg.Records, reg.warnings = append(reg.Records, rest.changes...), rest.warnings
	for _, op := range plan.Change.Ops {
		reg.Operations = append(reg.Operations, op.String())
	}
	return reg, nil
}

func differenceList(all []tracker.Difference) *print.List {
	list := print.Columns("resource_provider", "what", "has", "want", "verdict", "why").WideColumns("source")
	for _, d := range all {
		token := themes.Dim
		switch d.Verdict {
		case tracker.Written:
			token = themes.Changed
		case tracker.Conflict:
			token = themes.Critical
		default:
		}
		list.Row(d.Provider, d.What, d.Has, d.Want, print.Colored(d.Verdict, token), d.Why, print.Dim(d.Source))
	}
	return list
}

// machine probes this machine for the dashboard, as "placetop probe" without flags does.
func (p *program) machine(ctx context.Context) (screen.Machine, error) {
	o := probeOptions{writes: true}
	host, tree, err := p.look(ctx, &o)
	if err != nil {
		return screen.Machine{}, err
	}
	m := screen.Machine{At: host.ProbedAt, Reports: o.tick(tree, "register"), Load: screen.MachineLoad(hw.Sample(ctx))}
	for _, f := range host.Facts() {
		m.Facts = append(m.Facts, screen.MachineFact(f))
	}
	m.Parts = machineParts(host)
	for _, pr := range newMachineReport(host, tree).Problems {
		m.Gaps = append(m.Gaps, strings.Join(nonEmpty(pr.Path, pr.What, pr.Why), ": "))
	}
	return m, nil
}

// machineParts returns what can fill up on a machine, besides its processors and memory.
func machineParts(h hw.Host) []screen.MachinePart {
	const gib, kib = 1 << 30, 1 << 20
	var out []screen.MachinePart
	if d := h.Instances; d.Source != "" {
		// As df: the blocks that are reserved for root are neither used nor free.
		out = append(out, screen.MachinePart{Name: "disk", Note: d.Path, Used: int64(d.Used / gib), Total: int64((d.Used + d.Free) / gib), Unit: "GiB"}) // sizes of disks
	}
	if of := h.Memory; of.HugePages.Known() && of.HugePages.Value > 0 {
		total, free := of.HugePages.Value, of.HugePagesFree.Value
		out = append(out, screen.MachinePart{Name: "huge", Note: "huge pages", Used: int64(total - min(free, total)), Total: int64(total), Unit: "pages"}) // pages are few
	}
	for _, n := range h.NUMA {
		if len(h.NUMA) > 1 && n.Memory != nil {
			out = append(out, screen.MachinePart{
				Name: fmt.Sprintf("numa%d", n.ID), Note: "memory, caches counted", Used: (n.Memory.TotalKiB - n.Memory.FreeKiB) / kib, Total: n.Memory.TotalKiB / kib, Unit: "GiB",
			})
		}
	}
	for _, g := range h.GPUs {
		out = append(out, screen.MachinePart{Name: g.Address.String(), Note: g.Title(), Used: int64(g.VGPUs()), Total: int64(g.MostVGPUs()), Unit: "vGPUs"})
	}
	return out
}
