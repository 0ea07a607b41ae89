package cyborg

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// handles gives a deployable as many attach handles as u has units, and returns how
// many it has then. Those in use stay, also those of a type that the function had
// before, which count beside the units of the new one.
func (r *report) handles(deployable, path uuid.UUID, u unit) int64 {
	sample := describe(u.attachInfo(0))
	var have, all int64
	var free []*AttachHandle
	marks := map[int]bool{}
	for h := range r.s.AttachHandlesOf(deployable) {
		info := describe(h.Info)
		same := h.Type == u.attachType() && maps.Equal(info.fields, sample.fields)
		switch {
		case h.InUse:
			all++
			if same {
				have++
				marks[info.mark] = true
			}
		case same:
			free = append(free, h)
		default:
			r.c.Delete(r.s, h)
		}
	}
	slices.SortStableFunc(free, func(a, b *AttachHandle) int { return cmp.Compare(describe(a.Info).mark, describe(b.Info).mark) })
	for _, h := range free {
		if have >= u.part.Units {
			r.c.Delete(r.s, h)
			continue
		}
		have++
		all++
		marks[describe(h.Info).mark] = true
	}
	for n := 0; have < u.part.Units; n++ {
		h := &AttachHandle{UUID: named("attach_handle", deployable.String(), u.part.MdevType, strconv.Itoa(n)), Deployable: deployable, ControlPath: path, Type: u.attachType(), Info: u.attachInfo(n)}
		if marks[n] || r.s.Held(h) != nil {
			continue
		}
		r.c.Put(r.s, h)
		have++
		all++
	}
	return all
}

// described is the info of an attach handle.
type described struct {
	fields map[string]string // without the mark
	mark   int               // the number of the unit; -1 where it has none
}

// describe reads the info of an attach handle.
func describe(info string) described {
	d := described{mark: -1}
	if json.Unmarshal([]byte(info), &d.fields) != nil {
		return d
	}
	if _, n, ok := strings.Cut(d.fields[vgpuMark], d.fields[askedType]+"_"); ok {
		if mark, err := strconv.Atoi(n); err == nil {
			d.mark = mark
		}
	}
	delete(d.fields, vgpuMark)
	return d
}
