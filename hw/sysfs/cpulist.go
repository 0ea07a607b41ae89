package sysfs

import (
	"math/bits"
	"strconv"
	"strings"
)

// CPUSet is a set of CPU numbers in ascending order, each once.
type CPUSet []int

// maxCPU is the highest CPU number accepted; Linux supports at most 8192 CPUs.
const maxCPU = 1<<16 - 1

// ParseCPUList reads the kernel's list format: numbers and ranges separated by commas,
// such as "0-3,8,10-11". The empty text is the empty set, as for a NUMA node with only
// memory. The error matches ErrSyntax.
//
// Source: Linux, Documentation/admin-guide/kernel-parameters.rst, "cpu lists".
func ParseCPUList(text string) (CPUSet, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	// One bit for each number: repeated ranges must not cost memory.
	var members [(maxCPU + 1) / 64]uint64
	for _, part := range strings.Split(text, ",") {
		low, high, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			high = low
		}
		first, ok := parseCPU(low)
		last, okLast := parseCPU(high)
		if !ok || !okLast || last < first {
			return nil, syntaxError(text, "a list of CPUs such as 0-3,8")
		}
		for cpu := first; cpu <= last; cpu++ {
			members[cpu/64] |= 1 << (cpu % 64)
		}
	}
	var set CPUSet
	for i, word := range members {
		for ; word != 0; word &= word - 1 {
			set = append(set, i*64+bits.TrailingZeros64(word))
		}
	}
	return set, nil
}

func parseCPU(digits string) (int, bool) {
	n, err := strconv.ParseUint(digits, 10, 32)
	return int(n), err == nil && n <= maxCPU && digits[0] != '+'
}

// String returns the shortest list: "0-3,8".
func (c CPUSet) String() string {
	var b strings.Builder
	for i := 0; i < len(c); {
		end := i
		for end+1 < len(c) && c[end+1] == c[end]+1 {
			end++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(c[i]))
		if end > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(c[end]))
		}
		i = end + 1
	}
	return b.String()
}
