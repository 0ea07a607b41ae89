package component_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/tui/part/component"
)

func TestFuzzyFindPutsTheBestFirst(t *testing.T) {
	t.Parallel()
	keys := []string{
		"provider cmp-041/pci_0000_81_00_0", "provider cmp-014/pci_0000_41_00_0",
		"trait custom_nvidia_20b0_a100", "flavor gpu.a100.2", "gpu-a100", "provider grapu",
	}
	for _, c := range []struct {
		pattern string
		want    string
	}{
		{"a100", "gpu-a100"},
		{"cmp 41 81", "provider cmp-041/pci_0000_81_00_0"},
		{"gpu", "gpu-a100"},
		{"GPU.2", "flavor gpu.a100.2"},
		{"pcmp14", "provider cmp-014/pci_0000_41_00_0"},
	} {
		got := component.FuzzyFind(c.pattern, keys, 3)
		if len(got) == 0 || keys[got[0].Index] != c.want {
			t.Errorf("%s: %v", c.pattern, got)
		}
	}
	if got := component.FuzzyFind("zzz", keys, 3); len(got) != 0 {
		t.Errorf("zzz found %v", got)
	}
	if got := component.FuzzyFind("", keys, 2); len(got) != 2 || got[0].Index != 0 {
		t.Errorf("nothing found %v", got)
	}
}

func TestFuzzyPositionsAreOfThePattern(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		key := rapid.StringOfN(rapid.SampledFrom([]rune("abc-1")), 0, 20, -1).Draw(rt, "key")
		pattern := rapid.StringOfN(rapid.SampledFrom([]rune("abc1")), 1, 5, -1).Draw(rt, "pattern")
		_, ok := component.FuzzyScore(pattern, key)
		pos := component.FuzzyPositions(pattern, key)
		if ok != (pos != nil) {
			rt.Fatalf("%q in %q: %v %v", pattern, key, ok, pos)
		}
		if !ok {
			return
		}
		var got []byte
		for _, p := range pos {
			got = append(got, key[p])
		}
		if string(got) != pattern {
			rt.Fatalf("%q in %q: %v is %q", pattern, key, pos, got)
		}
	})
}

func BenchmarkFuzzyFind(b *testing.B) {
	keys := make([]string, 100000)
	for i := range keys {
		keys[i] = fmt.Sprintf("cmp-%05d/pci_0000_%02x_00_0 rack-%02d gpu-a100", i/4, i%256, i%40)
	}
	for b.Loop() {
		component.FuzzyFind("cmp 41 a1", keys, 20)
	}
}
