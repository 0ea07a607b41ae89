package help

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
)

// Task is a question that operators are called for, and the keys that answer it: at
// most two, from any screen. The README lists them, and a test presses them.
type Task struct {
	For   string
	Keys  []string // as the terminal names them; the cursor is put on a row between them
	Reads string   // what they show
}

// Labels returns the keys as help writes them.
func (t Task) Labels() string {
	var out []string
	for _, k := range t.Keys {
		out = append(out, action.KeyLabel(k))
	}
	return strings.Join(out, " ")
}

// Tasks returns the tasks, in the order of the README.
func Tasks() []Task {
	fix := []string{"!", "F"}
	return []Task{
		{"no valid host was found", []string{"9", "W"}, "which condition of the flavor rules out which hosts, in words, and the ways out"},
		{"is it Placement, or a filter of the scheduler?", []string{"9", "w"}, "the candidates: if there are any, Placement is not the cause"},
		{"a wide tree hides the other hosts", []string{"9", "w"}, "how many trees fit within the limit of Nova's request; the others are never considered"},
		{"allocations of an instance that is gone", fix, "`a01`: what it holds, and the release"},
		{"a migration that is over still holds", fix, "`a06`: what it holds, and the release"},
		{"an evacuated server holds two hosts", fix, "`a07`: what it holds on its old host, and its release: `vacate` once the host is up, `gone` if it never comes back"},
		{"an instance without allocations", fix, "`a04`: what its flavor asks for, as an allocation"},
		{"all allocations are lost", fix, "`a04` again: its row heals every instance at once, and says which cannot be healed"},
		{"a provider cannot be deleted", []string{"2", "D"}, "who holds what on it and below it; `x` releases that too"},
		{"a compute does not start: its name is taken", fix, "`v05`: the provider that has its name, what is held on it, and ways to rename or delete it"},
		{"more is used than there is", fix, "`a02`: how it came about, what it blocks, who could move where"},
		{"ratio or reserved of one host is wrong", fix, "`u02`: its values, those of the others, and the change that aligns them"},
		{"a drained host or a stuck device gets nothing", fix, "`a11`, `d04`, `v03`: what keeps it closed; `unreserve`, `freed` or `trait` opens it"},
		{"who uses this GPU, and which is free?", []string{"2", "enter"}, "the card: units used and free, consumers, projects"},
		{"a VGPU of the wrong owner, or a card in both services", []string{"5"}, "cards by owner, and what needs a human: `o01`, `o03`, `o06`"},
		{"the owner filter is not active", []string{"5", "u"}, "who holds the gate closed, and what opening it would change"},
		{"VGPUs are on the host and on its card", fix, "`o07`: the reshape that moves inventory and claims to the card in one write"},
		{"a trait or an aggregate is missing", []string{"2", "e"}, "all that it has, each to be switched on or off; mark several with `space` first"},
		{"shared storage is counted twice", fix, "`s02`: which host counts the pool as its own; `'`, then `:pools` has each host's share"},
		{"an aggregate is not mirrored", fix, "`s03`: which host lacks it in Placement, and the change that gives it"},
		{"which project uses how much", []string{"'", "enter"}, "`:projects`: instances, each class, accelerators by owner, old claims of moves"},
		{"writes are refused with 409", []string{"!"}, "`g01`: who writes at the same time as whom, since when, how often"},
	}
}

// tasks draws the tasks that match the search, keys first.
func (s *Screen) tasks(w int) []string {
	var rows []string
	words := strings.Fields(strings.ToLower(s.search.Value()))
	for _, t := range Tasks() {
		if !holdsAll(strings.ToLower(t.For+" "+t.Reads), words) {
			continue
		}
		l := component.NewLine(s.st, w).Space(1).Add(themes.Key, t.Labels()).To(9)
		l.Add(themes.KeyHint, t.For)
		if w >= 120 {
			l.To(60).Add(themes.Dim, strings.ReplaceAll(t.Reads, "`", ""))
		}
		rows = append(rows, l.String())
	}
	if len(rows) == 0 {
		return nil
	}
	return append([]string{component.Titled(s.st, w, "ON CALL", "first key: the screen; pick the row; second key: the action")}, rows...)
}

// holdsAll reports whether a text contains all words.
func holdsAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}
