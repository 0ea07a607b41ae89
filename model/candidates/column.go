package candidates

import (
	"math"
	"math/bits"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// inventoryCell is what the search needs of one inventory, in units of its class. Each
// number is from 0 to placement.MaxInt.
type inventoryCell struct {
	free int32 // the most that may be allocated in addition to what is used
	max  int32 // max_unit
	min  int32 // min_unit
	step int32 // step_size
}

func newCell(iu placement.InventoryUsage) inventoryCell {
	within := func(n, least int64) int32 { return int32(min(max(n, least), math.MaxInt32)) }
	return inventoryCell{free: within(iu.Capacity()-iu.Used, 0), max: within(iu.MaxUnit, 0), min: within(iu.MinUnit, 1), step: within(iu.StepSize, 1)}
}

// takes reports whether an allocation of amount can be made.
func (c *inventoryCell) takes(amount int32) bool {
	return amount <= c.free && c.unit(amount)
}

// unit reports whether an allocation of amount is allowed, ignoring capacity.
func (c *inventoryCell) unit(amount int32) bool {
	return amount <= c.max && amount >= c.min && (c.step == 1 || amount%c.step == 0)
}

// pageCells is how many cells of a column are copied at once when one changes.
const pageCells = 512

// column holds the inventories of one class, by slot. It takes 20 bytes for each.
type column struct {
	class placement.ClassID
	slots []int32
	has   bitmap  // slots
	ranks []int32 // how many slots are before each word of has
	pages [][]inventoryCell
}

// newColumn reads the inventories of a class.
func newColumn(s *placement.Snapshot, l *layout, class placement.ClassID) *column {
	c := &column{class: class, has: l.of(s.WithClass(class))}
	c.slots = make([]int32, 0, s.WithClass(class).Len())
	cells := make([]inventoryCell, 0, cap(c.slots))
	for slot := range c.has.all() {
		iu, _ := s.ProviderAt(int(l.numbers[slot])).Inventory(class)
		c.slots = append(c.slots, slot)
		cells = append(cells, newCell(iu))
	}
	c.pages = slices.Collect(slices.Chunk(cells, pageCells))
	c.ranks = make([]int32, len(c.has))
	rank := 0
	for w, word := range c.has {
		c.ranks[w] = int32(rank)
		rank += bits.OnesCount64(word)
	}
	return c
}

// at returns the cell of a slot, nil if it has no inventory of the class.
func (c *column) at(slot int32) *inventoryCell {
	if !c.has.has(slot) {
		return nil
	}
	i := c.rank(slot)
	return &c.pages[i/pageCells][i%pageCells]
}

// rank returns how many slots with an inventory are before slot.
func (c *column) rank(slot int32) int {
	return int(c.ranks[slot>>6]) + bits.OnesCount64(c.has[slot>>6]&(1<<(slot&63)-1))
}

// takers adds to out the slots where amount can be allocated.
func (c *column) takers(out bitmap, amount int64) {
	if amount > math.MaxInt32 {
		return
	}
	n := int32(amount)
	for p, page := range c.pages {
		slots := c.slots[p*pageCells:]
		for i := range page {
			if page[i].takes(n) {
				out.set(slots[i])
			}
		}
	}
}

// clone returns a copy whose cells may be changed.
func (c *column) clone() *column {
	out := *c
	out.pages = make([][]inventoryCell, len(c.pages))
	for i, page := range c.pages {
		out.pages[i] = slices.Clone(page)
	}
	return &out
}

// update returns the column with the cells of changed providers rewritten. It shares
// unchanged pages with c. The providers must have the class, as before.
func (c *column) update(l *layout, changed []*placement.ResourceProvider) *column {
	next := *c
	var copied []bool // by page
	for _, p := range changed {
		iu, ok := p.Inventory(c.class)
		if !ok {
			continue
		}
		i := c.rank(l.slots[p.Number()])
		page := i / pageCells
		if copied == nil {
			copied = make([]bool, len(c.pages))
			next.pages = slices.Clone(c.pages)
		}
		if !copied[page] {
			copied[page] = true
			next.pages[page] = slices.Clone(c.pages[page])
		}
		next.pages[page][i%pageCells] = newCell(iu)
	}
	return &next
}
