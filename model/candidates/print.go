package candidates

import (
	"fmt"
	"strconv"
	"strings"
)

// URL returns q as the query string of GET /allocation_candidates: the part after the
// "?". Read back by ParseURL at the same microversion it gives q without its Origins,
// its Anchors and its Giver.
func (q Query) URL() string {
	var u urlWriter
	for _, g := range q.Groups {
		u.group(g)
	}
	if q.GroupPolicy != "" {
		u.add("group_policy", string(q.GroupPolicy))
	}
	for _, t := range q.SameSubtree {
		u.add("same_subtree", strings.Join(t.Suffixes, ","))
	}
	if !q.Root.Empty() {
		var terms []string
		for _, t := range q.Root.Required {
			terms = append(terms, string(t.Name))
		}
		for _, t := range q.Root.Forbidden {
			terms = append(terms, "!"+string(t.Name))
		}
		u.add("root_required", strings.Join(terms, ","))
	}
	if q.Limit > 0 {
		u.add("limit", strconv.Itoa(q.Limit))
	}
	return u.String()
}

// urlWriter builds a query string.
type urlWriter struct{ strings.Builder }

// add writes a parameter.
func (u *urlWriter) add(key, value string) {
	if u.Len() > 0 {
		u.WriteByte('&')
	}
	u.WriteString(key)
	u.WriteByte('=')
	for _, c := range []byte(value) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_.~,:!", c) >= 0:
			u.WriteByte(c)
		default:
			fmt.Fprintf(&u.Builder, "%%%02X", c)
		}
	}
}

func (u *urlWriter) group(g Group) {
	if len(g.Resources) > 0 {
		amounts := make([]string, len(g.Resources))
		for i, r := range g.Resources {
			amounts[i] = fmt.Sprintf("%s:%d", r.Class, r.Amount)
		}
		u.add("resources"+g.Suffix, strings.Join(amounts, ","))
	}
	for _, value := range requiredValues(g) {
		u.add("required"+g.Suffix, value)
	}
	for _, t := range g.MemberOf {
		u.add("member_of"+g.Suffix, memberValue(t))
	}
	switch ids := g.ForbiddenAggregates; len(ids) {
	case 0:
	case 1:
		u.add("member_of"+g.Suffix, "!"+string(ids[0].ID))
	default:
		list := make([]string, len(ids))
		for i, a := range ids {
			list[i] = string(a.ID)
		}
		u.add("member_of"+g.Suffix, "!in:"+strings.Join(list, ","))
	}
	if g.InTree != "" {
		u.add("in_tree"+g.Suffix, string(g.InTree))
	}
}

// requiredValues returns the values of the required parameters of g: consecutive single
// traits are in one list.
func requiredValues(g Group) []string {
	var values []string
	open := false // whether the last value may be extended
	grow := func(term string) {
		if open {
			values[len(values)-1] += "," + term
			return
		}
		values = append(values, term)
		open = true
	}
	for _, t := range g.Required {
		if len(t.Names) == 1 {
			grow(string(t.Names[0]))
			continue
		}
		values = append(values, "in:"+joinTraits(t.Names, ","))
		open = false
	}
	for _, t := range g.Forbidden {
		grow("!" + string(t.Name))
	}
	return values
}

func memberValue(t AnyAggregate) string {
	if len(t.IDs) == 1 {
		return string(t.IDs[0])
	}
	list := make([]string, len(t.IDs))
	for i, id := range t.IDs {
		list[i] = string(id)
	}
	return "in:" + strings.Join(list, ",")
}

// Command returns q as the command of the openstack client that asks it, and the parts
// of q for which that command has no option: those parts change the answer, and only
// the URL can express them.
//
// Source: osc_placement/resources/allocation_candidate.py.
func (q Query) Command() (command string, lost []string) {
	words := []string{"openstack", "--os-placement-api-version", q.Version().String(), "allocation", "candidate", "list"}
	lose := func(format string, args ...any) { lost = append(lost, fmt.Sprintf(format, args...)) }
	for _, g := range q.Groups {
		if g.Suffix != "" {
			words = append(words, "--group", g.Suffix)
		}
		for _, r := range g.Resources {
			words = append(words, "--resource", fmt.Sprintf("%s=%d", r.Class, r.Amount))
		}
		for _, t := range g.Required {
			words = append(words, "--required", joinTraits(t.Names, ","))
		}
		for _, t := range g.Forbidden {
			words = append(words, "--forbidden", string(t.Name))
		}
		for _, t := range g.MemberOf {
			words = append(words, "--member-of", strings.TrimPrefix(memberValue(t), "in:"))
		}
		for _, a := range g.ForbiddenAggregates {
			lose("member_of%s=!%s", g.Suffix, a.ID)
		}
		if g.InTree != "" {
			lose("in_tree%s=%s", g.Suffix, g.InTree)
		}
	}
	if q.GroupPolicy != "" {
		words = append(words, "--group-policy", string(q.GroupPolicy))
	}
	for _, t := range q.SameSubtree {
		lose("same_subtree=%s", strings.Join(t.Suffixes, ","))
	}
	for _, t := range q.Root.Required {
		lose("root_required=%s", t.Name)
	}
	for _, t := range q.Root.Forbidden {
		lose("root_required=!%s", t.Name)
	}
	if !q.Anchors.Empty() {
		lose("only on %s", q.Anchors.Name)
	}
	if !q.Giver.Empty() {
		lose("from %s", q.Giver.Name)
	}
	if q.Limit > 0 {
		words = append(words, "--limit", strconv.Itoa(q.Limit))
	}
	for i, w := range words {
		words[i] = shellWord(w)
	}
	return strings.Join(words, " "), lost
}

// shellWord quotes w if a shell would change it.
func shellWord(w string) string {
	for _, c := range []byte(w) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.,:=/", c) >= 0) {
			return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return w
}

// Words describes q in a sentence for people.
func (q Query) Words() string {
	var parts []string
	for _, g := range q.Groups {
		parts = append(parts, g.Words())
	}
	if q.suffixed() > 1 {
		if q.GroupPolicy == PolicyIsolate {
			parts = append(parts, "no two groups from one provider")
		} else {
			parts = append(parts, "groups may use the same provider")
		}
	}
	for _, t := range q.SameSubtree {
		parts = append(parts, "of the providers of groups "+strings.Join(t.Suffixes, ", ")+", one above all the others")
	}
	if !q.Root.Empty() {
		var terms []string
		for _, t := range q.Root.Required {
			terms = append(terms, "with "+string(t.Name))
		}
		for _, t := range q.Root.Forbidden {
			terms = append(terms, "without "+string(t.Name))
		}
		parts = append(parts, "on a tree whose root is "+strings.Join(terms, " and "))
	}
	if !q.Anchors.Empty() {
		parts = append(parts, "on "+q.Anchors.Name+" and pools shared with it")
	}
	if !q.Giver.Empty() {
		parts = append(parts, "from "+q.Giver.Name+" where it has the inventory")
	}
	if q.Limit > 0 {
		parts = append(parts, fmt.Sprintf("at most %d answers", q.Limit))
	}
	return strings.Join(parts, "; ")
}

// Words describes g in a phrase for people.
func (g Group) Words() string {
	var b strings.Builder
	if g.Suffix != "" {
		b.WriteString("group " + g.Suffix + ": ")
	}
	for i, r := range g.Resources {
		switch {
		case i > 0 && i == len(g.Resources)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d %s", r.Amount, r.Class)
	}
	switch {
	case len(g.Resources) == 0:
		b.WriteString("a provider")
	case g.Suffix != "":
		b.WriteString(" from one provider")
	default:
		b.WriteString(" from one tree and pools shared with it")
	}
	for _, t := range g.Required {
		b.WriteString(" with " + joinTraits(t.Names, " or "))
	}
	for _, t := range g.Forbidden {
		b.WriteString(" without " + string(t.Name))
	}
	for _, t := range g.MemberOf {
		b.WriteString(" in aggregate " + strings.ReplaceAll(strings.TrimPrefix(memberValue(t), "in:"), ",", " or "))
	}
	for _, a := range g.ForbiddenAggregates {
		b.WriteString(" not in aggregate " + string(a.ID))
	}
	if g.InTree != "" {
		b.WriteString(" in the tree of " + string(g.InTree))
	}
	return b.String()
}
