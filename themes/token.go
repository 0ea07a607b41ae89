package themes

// Token names what a piece of the screen means. It is the only way to ask for a
// colour.
type Token uint8

// The tokens. Blank is plain space: never any colour or attribute.
const (
	Blank Token = iota

	Text   // body text
	Strong // what matters most in a line: names, totals
	Dim    // secondary text
	Faint  // tertiary text: units, ages, things switched off
	Accent // the one colour of the product: current things, links
	Title  // the title of a panel
	Logo   // the product's name in the header

	Header     // a table's column heads
	HeaderSort // the head of the sorted column
	Crumb      // parents in the crumb line
	CrumbHere  // the current place in the crumb line

	Border      // box lines and rules
	BorderFocus // the box lines of the focused pane
	Tree        // tree lines
	Gutter      // the cursor and mark signs left of a row

	Selected // the row under the cursor
	Marked   // a marked row
	Match    // the part of a text that a filter matched

	Key        // a key in a hint
	KeyHint    // what the key does
	KeyOff     // a key that is disabled here
	PromptSign // the sign that starts a prompt
	Input      // text being typed
	Ghost      // a suggestion not typed yet, or a placeholder
	Cursor     // the cell of the text cursor
	Button     // a button without focus
	ButtonOn   // the button with focus

	OK       // nothing wrong
	Warn     // look at this
	Critical // act on this
	Info     // worth knowing

	OwnerNova   // owned by nova
	OwnerCyborg // owned by cyborg
	OwnerBoth   // claimed by both: always a problem
	OwnerNone   // no owner

	BarUsed     // the part of a bar that is used
	BarHigh     // the used part of a bar that is nearly full
	BarOver     // a bar over its capacity
	BarCommit   // use beyond the physical amount, where the ratio allows it
	BarPhysical // the sign at the physical end of a bar
	BarFree     // the free part of a bar
	BarReserved // the reserved or withheld part of a bar
	Spark       // a line of history

	TraitOwner   // trait namespace OWNER_
	TraitHW      // trait namespace HW_
	TraitCompute // trait namespace COMPUTE_
	TraitStorage // trait namespace STORAGE_
	TraitCustom  // trait namespace CUSTOM_
	TraitOther   // any other trait namespace

	Added   // a value that a change brings
	Removed // a value that a change takes away
	Changed // a value that a change alters

	Live     // the data is current
	Stale    // the data is old
	Replay   // the data is of a past revision
	ReadOnly // writes are off
	Writable // writes are on

	tokenCount
)

// TokenCount is how many tokens there are; tokens run from 0 to TokenCount-1.
const TokenCount = int(tokenCount)

// Role says how much a token must stand out from its background.
type Role uint8

// The roles, by the contrast they need (WCAG 2.2, 1.4.3 and 1.4.11).
const (
	RoleText  Role = iota // text to read: at least 4.5:1
	RoleSign              // a shape with a meaning: at least 3:1
	RoleDecor             // only divides or fills: no minimum
)

// Role returns how much t must stand out.
func (t Token) Role() Role {
	switch t {
	case BarUsed, BarHigh, BarOver, BarCommit, BarPhysical, Spark, BorderFocus, Gutter:
		return RoleSign
	case Blank, Border, Tree, BarFree, BarReserved:
		return RoleDecor
	default:
		return RoleText
	}
}

// Signal reports whether t keeps its colour on the selected row, where the palette
// tints that row. All other tokens take the row's own colour there.
func (t Token) Signal() bool {
	switch t {
	case Gutter, OK, Warn, Critical, Info,
		OwnerNova, OwnerCyborg, OwnerBoth, OwnerNone,
		BarUsed, BarHigh, BarOver, BarCommit, BarPhysical, BarFree, BarReserved, Spark,
		TraitOwner, TraitHW, TraitCompute, TraitStorage, TraitCustom, TraitOther,
		Match, Added, Removed, Changed, Live, Stale, Replay:
		return true
	default:
		return false
	}
}

// String returns the token's name in palette files.
func (t Token) String() string {
	names := tokenNames()
	if int(t) >= len(names) {
		return "unknown"
	}
	return names[t]
}

// tokenByName finds a token by its name in palette files.
func tokenByName(name string) (Token, bool) {
	for t, n := range tokenNames() {
		if n == name {
			return Token(t), true
		}
	}
	return Blank, false
}

func tokenNames() [tokenCount]string {
	return [tokenCount]string{
		Blank: "blank", Text: "text", Strong: "strong", Dim: "dim", Faint: "faint",
		Accent: "accent", Title: "title", Logo: "logo",
		Header: "header", HeaderSort: "header_sort",
		Crumb: "crumb", CrumbHere: "crumb_here",
		Border: "border", BorderFocus: "border_focus", Tree: "tree", Gutter: "gutter",
		Selected: "selected", Marked: "marked", Match: "match",
		Key: "key", KeyHint: "key_hint", KeyOff: "key_off",
		PromptSign: "prompt_sign", Input: "input", Ghost: "ghost", Cursor: "cursor",
		Button: "button", ButtonOn: "button_on",
		OK: "ok", Warn: "warn", Critical: "critical", Info: "info",
		OwnerNova: "owner_nova", OwnerCyborg: "owner_cyborg",
		OwnerBoth: "owner_both", OwnerNone: "owner_none",
		BarUsed: "bar_used", BarHigh: "bar_high", BarOver: "bar_over",
		BarCommit: "bar_commit", BarPhysical: "bar_physical",
		BarFree: "bar_free", BarReserved: "bar_reserved", Spark: "spark",
		TraitOwner: "trait_owner", TraitHW: "trait_hw", TraitCompute: "trait_compute",
		TraitStorage: "trait_storage", TraitCustom: "trait_custom", TraitOther: "trait_other",
		Added: "added", Removed: "removed", Changed: "changed",
		Live: "live", Stale: "stale", Replay: "replay",
		ReadOnly: "read_only", Writable: "writable",
	}
}
