package insight

import (
	"slices"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// Ownership says who owns the accelerators of a cloud, and who uses them.
type Ownership struct {
	Owners    map[placement.Owner]OwnerTotal // each provider once; all four owners are there
	Consumers map[placement.Owner]int        // that hold accelerators of the owner
	Users     map[OwnerClass]int             // consumers that hold some of the class of the owner's; none are left out
	Hosts     []HostOwners                   // with accelerators, by name

	Both  []placement.ProviderID // accelerators of both owners, by name
	None  []placement.ProviderID // accelerators of no owner, by name
	Twice []audit.Finding        // cards that both services have reported
	// Instances are those that hold accelerators of Nova's and of Cyborg's, by
	// uuid.
	Instances []placement.ConsumerID
}

// OwnerClass is the accelerators of a class that one owner has.
type OwnerClass struct {
	Owner placement.Owner
	Class placement.ResourceClass
}

// HostOwners is a host with accelerators. Nova and Cyborg count the consumers here with
// accelerators of each; those with both count in both. On a card that is of both
// services, or of none, it is the ARQ that makes a consumer Cyborg's; without one it is
// Nova's. A migration is not counted separately: it is the instance's, which counts where
// it runs.
type HostOwners struct {
	Root    placement.ProviderID
	Name    string
	Owner   placement.Owner // of the root
	Version int             // of its nova-compute; 0 if unknown
	Judged  bool            // the version is not reported: see nova.Service
	Cards   []CardOwner     // by name
	Nova    int             // consumers with accelerators of Nova's here
	Cyborg  int             // consumers with accelerators of Cyborg's here
	Moves   int             // migrations that hold accelerators here for an instance
	// Mixed says that a flavor that asks Nova for an accelerator may get one of Cyborg's
	// here if the owner filter only checks the root.
	Mixed bool
}

// CardOwner is a provider with accelerators.
type CardOwner struct {
	Provider placement.ProviderID
	Name     string
	Address  string // of the card on the PCI bus, as 0000:41:00.0; "" if the name does not say it
	Owner    placement.Owner
	Classes  []CardUse // of its accelerator classes, by class number
}

// CardUse is how full a class of a card is, in units of the class.
type CardUse struct {
	Class    placement.ResourceClass
	Capacity int64
	Used     int64
	Held     int64 // the part of Used that migrations hold
	Over     bool  // more is used than there is
}

// Owners returns who owns the accelerators of s.
func Owners(s *cloud.Snapshot) Ownership {
	a := survey.New(s)
	o := ownershipPass{
		View: a,
		out: Ownership{
			Owners: make(map[placement.Owner]OwnerTotal, 4), Consumers: make(map[placement.Owner]int, 4),
			Users: map[OwnerClass]int{},
		},
		users: map[*placement.Consumer]ownerSet{},
	}
	for _, t := range a.CardTrees() {
		o.host(t)
	}
	for owner := range o.sums {
		o.out.Owners[placement.Owner(owner)] = OwnerTotal{Providers: o.owned[owner], Classes: o.sums[owner].list(a.Ledger)}
	}
	for c, of := range o.users {
		o.countUses(c)
		for owner := range placement.Owner(len(o.sums)) {
			if of.has(owner) {
				o.out.Consumers[owner]++
			}
		}
		if of.has(placement.OwnedByNova) && of.has(placement.OwnedByCyborg) && !o.IsMigration(c) {
			o.out.Instances = append(o.out.Instances, c.ID())
		}
	}
	slices.SortStableFunc(o.out.Instances, placement.ConsumerID.Compare)
	o.out.Twice = audit.FindBy(s, audit.RuleCardTwice)
	return o.out
}

// ownershipPass is one pass over the accelerators of a cloud.
type ownershipPass struct {
	*survey.View
	out   Ownership
	sums  [4]classSums // by owner
	owned [4]int       // providers, by owner
	users map[*placement.Consumer]ownerSet
}

// ownerSet is a set of owners.
type ownerSet uint8

func (s ownerSet) has(o placement.Owner) bool      { return s&(1<<o) != 0 }
func (s ownerSet) with(o placement.Owner) ownerSet { return s | 1<<o }
func (o *ownershipPass) ownerAt(number int) placement.Owner {
	return survey.OwnerOf(o.Nova.Has(number), o.Cyborg.Has(number))
}

// countUses counts a consumer once for each class and owner from which it holds
// something.
func (o *ownershipPass) countUses(c *placement.Consumer) {
	var room [8]OwnerClass
	seen := room[:0]
	for h := range c.Held() {
		if !o.Accelerators.Has(h.Class) {
			continue
		}
		of := OwnerClass{o.ownerAt(h.Number), o.Ledger.ClassName(h.Class)}
		if !slices.Contains(seen, of) {
			seen = append(seen, of)
			o.out.Users[of]++
		}
	}
}

// host counts one tree.
func (o *ownershipPass) host(t *survey.CardTree) {
	h := HostOwners{Root: t.Root.ID(), Name: t.Root.Name(), Owner: o.ownerAt(t.Root.Number()), Mixed: o.Mixed(t)}
	if svc, ok := o.Cloud.Nova().Service(ops.HostOf(o.Cloud, t.Root), nova.Compute); ok {
		h.Version, h.Judged = svc.Version, svc.Judged
	}
	here := map[*placement.Consumer]ownerSet{}
	for _, p := range t.Cards {
		h.Cards = append(h.Cards, o.card(p, here))
	}
	for user, of := range here {
		if o.IsMigration(user) {
			h.Moves++
			continue
		}
		if of.has(placement.OwnedByNova) {
			h.Nova++
		}
		if of.has(placement.OwnedByCyborg) {
			h.Cyborg++
		}
	}
	o.out.Hosts = append(o.out.Hosts, h)
}

// card counts one provider, and notes in here who uses it.
func (o *ownershipPass) card(p *placement.ResourceProvider, here map[*placement.Consumer]ownerSet) CardOwner {
	owner := o.ownerAt(p.Number())
	c := CardOwner{Provider: p.ID(), Name: p.Name(), Owner: owner}
	if addr, _, ok := pci.OfProvider(p.Name()); ok {
		c.Address = addr.String()
	}
	o.owned[owner]++
	switch owner {
	case placement.OwnedByBoth:
		o.out.Both = append(o.out.Both, p.ID())
	case placement.OwnedByNone:
		o.out.None = append(o.out.None, p.ID())
	default:
	}
	held := map[placement.ClassID]int64{}
	for user := range o.Ledger.ConsumersOf(p) {
		migration, mine := o.IsMigration(user), false
		for class, amount := range o.Ledger.UsedBy(user, p) {
			if !o.Accelerators.Has(class) {
				continue
			}
			mine = true
			if migration {
				held[class] += amount
			}
		}
		if mine {
			o.users[user] = o.users[user].with(owner)
			here[user] = here[user].with(o.servedBy(owner, user, p))
		}
	}
	for _, iu := range p.Inventories() {
		if !o.Accelerators.Has(iu.Class) {
			continue
		}
		o.sums[owner].add(iu, o.OneTime.Has(p.Number()))
		o.sums[owner].at(iu.Class).Held += held[iu.Class]
		c.Classes = append(c.Classes, CardUse{
			Class: o.Ledger.ClassName(iu.Class), Capacity: iu.Capacity(), Used: iu.Used, Held: held[iu.Class], Over: iu.OverCapacity(),
		})
	}
	return c
}

// servedBy returns which service a consumer of a card has its accelerator from. If the
// card does not have exactly one owner, the ARQ decides.
func (o *ownershipPass) servedBy(owner placement.Owner, user *placement.Consumer, card *placement.ResourceProvider) placement.Owner {
	if owner == placement.OwnedByNova || owner == placement.OwnedByCyborg {
		return owner
	}
	for arq := range o.Cloud.Cyborg().ARQsOf(user.ID()) {
		if arq.Provider == card.ID() {
			return placement.OwnedByCyborg
		}
	}
	return placement.OwnedByNova
}
