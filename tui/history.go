package tui

import "slices"

// history holds the stacks of screens before and after the one that is shown.
type history struct {
	past   [][]*entry // to go back to, newest last
	future [][]*entry // to go forward to, the next one last
}

// mostHistory is how many earlier stacks are kept.
const mostHistory = 20

// add notes the stack that is left for a new one, and returns those that are forgotten for it.
func (h *history) add(left []*entry) (gone [][]*entry) {
	if len(left) > 0 {
		h.past = append(h.past, left)
	}
	gone, h.future = h.future, nil
	if len(h.past) > mostHistory {
		gone = append(gone, h.past[0])
		h.past = h.past[1:]
	}
	return gone
}

// back returns the stack before the shown one, nil if there is none.
func (h *history) back(shown []*entry) []*entry { return move(&h.past, &h.future, shown) }

// forward returns the stack after the shown one, nil if there is none.
func (h *history) forward(shown []*entry) []*entry { return move(&h.future, &h.past, shown) }

// move takes the last stack of one list, and adds the shown one to the other.
func move(from, to *[][]*entry, shown []*entry) []*entry {
	n := len(*from) - 1
	if n < 0 {
		return nil
	}
	next := (*from)[n]
	*from, *to = (*from)[:n], append(*to, shown)
	return next
}

// last returns the previous stack, in whose place the shown one comes.
func (h *history) last(shown []*entry) []*entry {
	n := len(h.past) - 1
	if n < 0 {
		return h.forward(shown)
	}
	next := h.past[n]
	h.past[n] = shown
	return next
}

// all returns the screens of all stacks.
func (h *history) all() []*entry { return slices.Concat(slices.Concat(h.past, h.future)...) }

// remove takes a screen out of all stacks.
func (h *history) remove(e *entry) {
	for _, stacks := range [][][]*entry{h.past, h.future} {
		for i := range stacks {
			stacks[i] = without(stacks[i], e)
		}
	}
}

// without returns a stack without one of its screens.
func without(stack []*entry, e *entry) []*entry {
	return slices.DeleteFunc(slices.Clone(stack), func(o *entry) bool { return o == e })
}
