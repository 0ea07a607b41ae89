package component

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

// SplitTag splits a name such as HW_GPU_API_VULKAN at its first _ into
// namespace and rest. A name without one has no namespace.
func SplitTag(name string) (namespace, rest string) {
	ns, rest, ok := strings.Cut(name, "_")
	if !ok || ns == "" || rest == "" {
		return "", name
	}
	return ns, rest
}

// TagToken returns the colour of a name in a namespace: that of the namespace, of an owner
// that of the owner.
func TagToken(namespace, name string) themes.Token {
	switch namespace {
	case "OWNER":
		switch name {
		case "NOVA":
			return themes.OwnerNova
		case "CYBORG":
			return themes.OwnerCyborg
		}
		return themes.TraitOwner
	case "HW":
		return themes.TraitHW
	case "COMPUTE":
		return themes.TraitCompute
	case "STORAGE":
		return themes.TraitStorage
	case "CUSTOM":
		return themes.TraitCustom
	default:
		return themes.TraitOther
	}
}

// tagOrder returns the position of a namespace: the ones most asked about come first.
func tagOrder(namespace string) int {
	if i := slices.Index([]string{"OWNER", "HW", "COMPUTE", "STORAGE", "CUSTOM"}, namespace); i >= 0 {
		return i
	}
	return 5
}

// Tags returns names grouped by namespace and wrapped to lines of w cells:
//
//	OWNER  NOVA
//	HW     GPU_API_CUDA  GPU_API_VULKAN
//	CUSTOM NVIDIA_20B0_A100  RACK_12
//
// The reader joins namespace and name with a _. Names are sorted. Without names
// the result is empty.
func Tags(st *style.Styles, w int, names []string) string {
	type tag struct{ ns, name string }
	tags := make([]tag, 0, len(names))
	wide := 6
	for _, n := range names {
		ns, rest := SplitTag(n)
		tags = append(tags, tag{ns, rest})
		wide = max(wide, Width(st, ns))
	}
	slices.SortStableFunc(tags, func(a, b tag) int {
		if oa, ob := tagOrder(a.ns), tagOrder(b.ns); oa != ob {
			return oa - ob
		}
		if a.ns != b.ns {
			return strings.Compare(a.ns, b.ns)
		}
		return strings.Compare(a.name, b.name)
	})
	wide = min(wide, max(w/3, 1))
	var lines []string
	l := NewLine(st, w)
	flush := func() {
		if l.Pos() > 0 {
			lines = append(lines, l.String())
		}
		l.Reset(w)
	}
	for i, t := range tags {
		fresh := i == 0 || tags[i-1].ns != t.ns
		if fresh {
			flush()
			l.Column(wide, themes.Dim, t.ns).Space(1)
		} else if l.Left() < Width(st, t.name)+2 {
			flush()
			l.Space(wide + 1)
		} else {
			l.Space(2)
		}
		l.Add(TagToken(t.ns, t.name), t.name)
	}
	flush()
	return strings.Join(lines, "\n")
}
