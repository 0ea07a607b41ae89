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

// handles returns how many attach handles a deployable will have, and which to add and
// remove so that there is one for each unit of u. Those in use stay; those of a type that
// the function had before are counted in addition.
func (r *report) handles(deployable, path uuid.UUID, u unit) (all int64, come []*AttachHandle, gone []uuid.UUID) {
	sample := describe(u.attachInfo(0))
	var have int64
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
			gone = append(gone, h.UUID)
		}
	}
	slices.SortStableFunc(free, func(a, b *AttachHandle) int { return cmp.Compare(describe(a.Info).mark, describe(b.Info).mark) })
	for _, h := range free {
		if have >= u.part.Units {
			gone = append(gone, h.UUID)
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
		come = append(come, h)
		have++
		all++
	}
	return all, come, gone
}

// parsedInfo is the parsed info of an attach handle.
type parsedInfo struct {
	fields map[string]string // without the mark
	mark   int               // the number of the unit; -1 if it has none
}

// describe reads the info of an attach handle.
func describe(info string) parsedInfo {
	d := parsedInfo{mark: -1}
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
