package nova

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// cpuSet is a set of CPUs as sorted ranges that do not touch. CPUs are never listed one
// by one, as a range may have billions.
type cpuSet []cpuRange

// cpuRange is a range of CPUs, including both ends.
type cpuRange struct{ from, to int64 }

// parseCPUs reads a list of CPUs such as "0-3,^2,7", in which ^ excludes, and returns the
// first word that is wrong, "" if all are right.
//
// Source: nova/virt/hardware.py, parse_cpu_spec.
func parseCPUs(list string) (set cpuSet, bad string) {
	var in, out []cpuRange
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		text, excluded := strings.CutPrefix(word, "^")
		first, last, isRange := strings.Cut(text, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.ParseInt(strings.TrimSpace(first), 10, 32)
		to, err2 := strconv.ParseInt(strings.TrimSpace(last), 10, 32)
		if err != nil || err2 != nil || from < 0 || from > to {
			return nil, word
		}
		if excluded {
			out = append(out, cpuRange{from, to})
		} else {
			in = append(in, cpuRange{from, to})
		}
	}
	return join(in).without(join(out)), ""
}

// parseMask is parseCPUs for a mask over the given number of CPUs: one that begins with ^
// excludes from all of them.
func parseMask(mask string, of int64) (set cpuSet, bad string) {
	if strings.HasPrefix(strings.TrimSpace(mask), "^") {
		mask = fmt.Sprintf("0-%d,%s", of-1, mask)
	}
	return parseCPUs(mask)
}

// join makes a set of ranges in any order.
func join(ranges []cpuRange) cpuSet {
	slices.SortStableFunc(ranges, func(a, b cpuRange) int { return cmp.Compare(a.from, b.from) })
	var out cpuSet
	for _, r := range ranges {
		if n := len(out); n > 0 && r.from <= out[n-1].to+1 {
			out[n-1].to = max(out[n-1].to, r.to)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// without returns the CPUs of s that are not in other.
func (s cpuSet) without(other cpuSet) cpuSet {
	var out cpuSet
	for _, r := range s {
		for _, o := range other {
			if o.to < r.from || o.from > r.to {
				continue
			}
			if o.from > r.from {
				out = append(out, cpuRange{r.from, o.from - 1})
			}
			r.from = o.to + 1
		}
		if r.from <= r.to {
			out = append(out, r)
		}
	}
	return out
}

// count returns how many CPUs are in s.
func (s cpuSet) count() int64 {
	var n int64
	for _, r := range s {
		n += r.to - r.from + 1
	}
	return n
}

// last returns the highest CPU of s, or -1 if there is none.
func (s cpuSet) last() int64 {
	if len(s) == 0 {
		return -1
	}
	return s[len(s)-1].to
}
