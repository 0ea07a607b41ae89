package help

import (
	"cmp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Task is a question that operators are called for, and the keys that answer it: at
// most two, from any screen. The README lists them, and a test presses them.
type Task struct {
	For   string
	Keys  []string    // as the terminal names them; the cursor is put on a row between them
	Reads string      // what they show
	Also  string      // other words by which people look for it, in lower case
	To    place.Place // where its first key leads
}

// OnCall is what a Named of a Task is.
const OnCall = "on call"

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
	fix := func(id audit.RuleID, what, reads string) Task {
		rule, _ := audit.RuleByID(id)
		return Task{For: what, Keys: []string{"!", "F"}, Also: rule.Also, Reads: reads, To: place.Problems{Rule: id}}
	}
	at := func(to place.Place, keys, what, also, reads string) Task {
		return Task{For: what, Keys: strings.Fields(keys), Also: also, Reads: reads, To: to}
	}
	return []Task{
		at(place.Flavors{}, "9 W", "no valid host was found", "novalidhost scheduler no valid host scheduling failed boot start launch spawn create vm server cannot", "which condition of the flavor rules out which hosts, in words, and the ways out"),
		at(place.Flavors{}, "9 w", "is it Placement, or a filter of the scheduler?", "nova-scheduler filters scheduler", "the candidates: if there are any, Placement is not the cause"),
		at(place.Flavors{}, "9 w", "a wide tree hides the other hosts", "limit max_placement_results nested", "how many trees fit within the limit of Nova's request; the others are never considered"),
		fix(audit.RuleOrphan, "allocations of an instance that is gone", "`a01`: what it holds; the fix releases it"),
		fix(audit.RuleLeakedMigration, "a migration that is over still holds allocations", "`a06`: what it holds; the fix releases it"),
		fix(audit.RuleSplitClaim, "an evacuated server holds allocations on two hosts", "`a07`: what it holds on its old host, and what releases it"),
		fix(audit.RuleUnheld, "an instance without allocations", "`a04`: what its flavor asks for, as an allocation"),
		fix(audit.RuleUnheld, "all allocations are lost", "`a04` again: its row heals every instance at once, and says which cannot be healed"),
		at(place.Providers{}, "2 D", "a provider cannot be deleted", "cannot delete in use children subtree remove decommission retire host hypervisor compute", "who holds what on it and below it; `x` releases that too"),
		fix(audit.RuleNameTaken, "a compute does not start: its name is taken", "`v05`: the provider that has its name, what is held on it, and ways to rename or delete it"),
		fix(audit.RuleOverCapacity, "more is used than there is", "`a02`: how it came about, what it blocks, who could move where"),
		fix(audit.RuleUnlikeOthers, "ratio or reserved of one host is wrong", "`u02`: its values, those of the others, and the change that aligns them"),
		fix(audit.RuleDraining, "a drained host or a stuck device gets no instances", "`a11`, `d04`, `v03`: what keeps it closed; `unreserve`, `freed` or `trait` opens it"),
		at(place.Providers{}, "2 enter", "who uses this GPU, and which is free?", "gpu vgpu mdev who holds took uses", "the card: units used and free, consumers, projects"),
		at(place.Owners{}, "5", "a VGPU of the wrong owner, or a card in both services", "nova cyborg owner both", "cards by owner, and what needs a human: `o01`, `o03`, `o06`"),
		at(place.Owners{}, "5 u", "the owner filter is not active", "gate transition pre-filter prefilter upgrade inactive", "who keeps the gate closed, and what opening it would change"),
		fix(audit.RuleVGPUTwice, "VGPUs are on the host and on its card", "`o07`: the reshape that moves inventory and allocations to the card at once"),
		at(place.Providers{}, "2 e", "a trait or an aggregate is missing", "set add edit remove unset trait aggregate", "all that it has, each to be switched on or off; mark several with `space` first"),
		fix(audit.RuleCountedTwice, "shared storage is counted twice", "`s02`: which host counts the pool as its own; `'`, then `:pools` has each host's share"),
		fix(audit.RuleNotMirrored, "an aggregate is not mirrored", "`s03`: which host lacks it in Placement, and the change that gives it"),
		at(place.Projects{}, "' enter", "which project uses how much", "quota quotas tenant tenants usage", "`:projects`: instances, each class, accelerators by owner, what migrations still hold"),
		at(place.Problems{Rule: audit.RuleConflicts}, "!", "writes are refused with 409", "conflict generation concurrent update race", "`g01`: who writes at the same time as whom, since when, how often"),
	}
}

// answer is a row that enter goes to: a task or, for who searches, a screen or a rule.
type answer struct {
	keys, title, reads string
	words              string // by which it is looked for
	to                 place.Place
}

// answers returns the tasks and, in a search, what else answers it.
func (s *Screen) answers() []answer {
	asked := filter.Asked(s.search.Value())
	if s.about.Closed || !s.about.Tasks && len(asked) == 0 {
		return nil
	}
	var out []answer
	for _, t := range Tasks() {
		reads := strings.ReplaceAll(t.Reads, "`", "")
		out = append(out, answer{t.Labels(), t.For, reads, strings.ToLower(t.For + " " + t.Also + "\n" + t.Reads), t.To})
	}
	if len(asked) == 0 {
		return out
	}
	for _, v := range s.about.Views {
		if v.Kind != OnCall {
			out = append(out, answer{keys: v.Name, title: cmp.Or(v.What, v.Title), words: v.Words(), to: v.To})
		}
	}
	return filter.Best(out, func(a answer) string { return a.words }, asked)
}

// onCall draws the answers, keys first, with the cursor.
func (s *Screen) onCall(w int) []string {
	var rows []string
	for i, t := range s.answers() {
		l := component.NewLine(s.st, w)
		if i == s.cursor {
			l.Select(true).Add(themes.Title, s.st.Glyphs.RowCursor)
		} else {
			l.Space(1)
		}
		l.Cell(answerKeys).Add(themes.Key, t.keys).EndCell(component.AlignLeft).Space(1)
		l.Add(themes.KeyHint, t.title)
		if w >= 120 && t.reads != "" {
			l.To(60).Add(themes.Dim, t.reads)
		}
		rows = append(rows, l.String())
	}
	if len(rows) == 0 {
		return nil
	}
	return append([]string{component.Titled(s.st, w, "ON CALL", "enter goes to the screen; pick the row; then the second key")}, rows...)
}

// answerKeys is the width of the keys of answers, in cells.
const answerKeys = 11

// line returns the line of the answer under the cursor, below their title.
func (s *Screen) line() int { return s.cursor + 1 }

// down moves the cursor among the answers, which come first, and scrolls beyond them.
func (s *Screen) down() {
	if s.cursor < len(s.answers())-1 {
		s.cursor++
		s.top = max(s.top, s.line()-s.room+2) // the last line may say that there are more
		return
	}
	s.top = min(s.top+1, s.most)
}

// up does the opposite.
func (s *Screen) up() {
	if s.cursor == 0 || s.line() < s.top {
		s.top = max(s.top-1, 0)
		return
	}
	s.cursor--
	s.top = min(s.top, s.line()-1)
}

// enter goes to the answer under the cursor, or closes the page where there is none in view.
func (s *Screen) enter() tea.Msg {
	if all := s.answers(); s.cursor < len(all) && s.line() >= s.top {
		return screen.Goto{To: all[s.cursor].to}
	}
	return screen.PopMsg{}
}
