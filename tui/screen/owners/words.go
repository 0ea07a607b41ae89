package owners

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/part/panel"
)

// about returns the function that gives a page the words about the row under the cursor.
func about[R any](p *Screen, s *list.Screen, words func(row R, at list.At) (string, []page.Words)) func(w int, _ bool) (string, []string) {
	return func(w int, _ bool) (string, []string) {
		at, row, ok := list.Current[R](s)
		if !ok {
			return "", nil
		}
		title, text := words(row, at)
		return "ABOUT  " + title, page.Wrap(p.env.Styles, text, w)
	}
}

// say returns a paragraph of plain text.
func say(format string, args ...any) page.Words {
	return page.Words{Token: themes.Text, Text: fmt.Sprintf(format, args...)}
}

// blank separates paragraphs.
func blank() page.Words { return page.Words{} }

// aboutFinding says what a finding means, and what can be done.
func aboutFinding(f *finding, at list.At) (string, []page.Words) {
	return f.subject(at), findingWords(at.Snap, f.Finding)
}

func findingWords(s *cloud.Snapshot, f audit.Finding) []page.Words {
	r, _ := audit.RuleByID(f.Rule)
	out := []page.Words{
		{Token: panel.Severity(f.Severity).Token(), Text: string(f.Rule) + " " + r.Title + ", " + f.Severity.String()},
		say("%s", f.Text), blank(),
		say("%s", r.Why), say("%s", r.Advice), blank(),
	}
	fixes := audit.Fixes(s, f)
	if len(fixes) == 0 {
		return append(out, page.Words{Token: themes.Dim, Text: "no fix can be planned for it"})
	}
	out = append(out, page.Words{Token: themes.Dim, Text: "one of these can be planned, with a preview:"})
	for _, x := range fixes {
		out = append(out, say("  %s: %s", x.Name, x.Title))
	}
	return out
}

// aboutCheck says what is checked, and the result.
func (s *Screen) aboutCheck(c *insight.Check, at list.At) (string, []page.Words) {
	out := []page.Words{
		{Token: stateToken(c.State), Text: stateWord(c.State)}, say("%s", c.Text), blank(), say("%s", checkMeans(c.ID)),
	}
	if c.ID == insight.CheckComputes {
		for _, of := range s.data.Load().ready.Cells {
			out = append(out, cellWords(of, s.data.Load().ready.Gate.Need)...)
		}
	}
	if off := s.data.Load().ready.OffBy; off != "" {
		out = append(out, page.Words{Token: themes.Warn, Text: "The owner filter is off, so no request asks for an owner: " + off + "."})
	}
	for _, f := range s.data.Load().found {
		if f.Rule == c.Rule && f.Subject == c.Subject {
			return c.Title, append(append(out, blank()), findingWords(at.Snap, f)...)
		}
	}
	return c.Title, out
}

// cellWords lists the versions of a cell, and which of them are below the one that is needed.
func cellWords(c insight.CellVersions, need int) []page.Words {
	name, state := cmp.Or(c.Name, "no cell"), ""
	switch {
	case c.Down:
		state = ", which does not answer, and does not count"
	case c.Asked > 0 && c.Old == 0:
		state = ", all upgraded"
	}
	out := []page.Words{say("%s: %s, %d count, %d below %d%s", name, component.Plural(c.Services, "nova-compute service"), c.Asked, c.Old, need, state)}
	for _, v := range c.Versions {
		out = append(out, say("  version %s on %s: %s", v.Words(), component.Plural(len(v.Hosts), "host"), join(v.Hosts, 20)))
	}
	return out
}

// checkMeans says why a check is made.
func checkMeans(id insight.CheckID) string {
	switch id {
	case insight.CheckTraits:
		return "Placement refuses a request with a trait that it does not know, and so every boot."
	case insight.CheckComputes:
		return fmt.Sprintf("The scheduler checks the lowest version over all cells at each request. With the owner filter on, it requires an owner once that is %d; no restart is needed. Records of dead and disabled services count until they are deleted or forced down.", nova.VersionOwnerNova)
	case insight.CheckRoots:
		return "The filter requires OWNER_NOVA on the root. An upgraded nova-compute sets it at its next report."
	case insight.CheckOverlap:
		return "A card that both services hand out is given out twice, and the second consumer fails on the host."
	case insight.CheckUnowned:
		return "A provider without an owner is never chosen once requests ask for one."
	default:
		return "The form root of the filter, as merged upstream, requires OWNER_NOVA on the root and in PCI groups. A flavor's plain resources:VGPU can then still be met by a card of Cyborg's below a root of Nova's. The form groups, the default here, requires it in every group."
	}
}

// aboutShare says what one owner has of a class.
func (s *Screen) aboutShare(h *share, _ list.At) (string, []page.Words) {
	sum := panel.TotalLoad(h.total)
	out := []page.Words{
		say("%s of %s", component.Plural(h.total.Providers, "provider"), h.class),
		say("%s of %s used, %s free", component.Count(sum.Used), component.Count(sum.Capacity), component.Count(sum.Free())),
		say("%s", component.Plural(h.users, "consumer")),
	}
	if h.total.Held > 0 {
		out = append(out, say("%s of it held by unconfirmed moves", component.Count(h.total.Held)))
	}
	if h.total.OverProviders > 0 {
		out = append(out, page.Words{Token: themes.Critical, Text: component.Plural(h.total.OverProviders, "provider") + " over capacity"})
	}
	return h.owner.String() + " " + string(h.class), append(out, blank(), say("%s", ownerMeans(h.owner)))
}

// ownerMeans says what having an owner means.
func ownerMeans(o placement.Owner) string {
	switch o {
	case placement.OwnedByNova:
		return "Nova hands these out: flavors ask for them by resources and by PCI alias."
	case placement.OwnedByCyborg:
		return "Cyborg hands these out: flavors ask for them by a device profile."
	case placement.OwnedByBoth:
		return "Both services own these. Somebody must decide."
	default:
		return "Nobody owns these: no OWNER_ trait."
	}
}

// aboutHost says what is on a host, card by card, and its problems.
func (s *Screen) aboutHost(h *host, at list.At) (string, []page.Words) {
	var out []page.Words
	version := "no nova-compute is known"
	if h.Version > 0 {
		version = "nova-compute is " + (&nova.Service{Version: h.Version, Judged: h.Judged}).Release()
	}
	out = append(out, say("root of %s; %s", h.Owner, version))
	for _, c := range h.Cards {
		line := fmt.Sprintf("  %s: %s", cardName(c), c.Owner)
		for _, u := range c.Classes {
			line += fmt.Sprintf(", %s %d/%d", u.Class, u.Used, u.Capacity)
			if u.Held > 0 {
				line += fmt.Sprintf(" (%d held by moves)", u.Held)
			}
		}
		out = append(out, say("%s", line))
	}
	users := fmt.Sprintf("consumers with Nova's %d, with Cyborg's %d", h.Nova, h.Cyborg)
	if h.Moves > 0 {
		users += ", and held by " + component.Plural(h.Moves, "move")
	}
	out = append(out, say("%s", users))
	if h.Mixed {
		out = append(out, blank(), say("%s", mixedWords(s.data.Load().ready.Form)))
	}
	for _, f := range s.data.Load().byRoot[h.Root] {
		out = append(out, blank())
		out = append(out, findingWords(at.Snap, f)...)
	}
	return h.Name, out
}

// mixedWords says what a mixed host is, and what the configured form of the owner filter
// makes of it.
func mixedWords(form nova.OwnerFilter) string {
	const mixed = "Mixed: the root is Nova's and cards below it are Cyborg's. "
	switch form {
	case nova.OwnerOnRoot:
		return mixed + "The owner filter checks the root only, as merged upstream: a flavor that asks Nova for an accelerator can get one of Cyborg's."
	case nova.OwnerOff:
		return mixed + "The owner filter is off: a flavor that asks Nova for an accelerator can get one of Cyborg's."
	default:
		return mixed + "It blocks nothing: the owner filter checks every group once the gate is open. Set to the root only, as merged upstream, it would let a flavor that asks Nova for an accelerator get one of Cyborg's."
	}
}

// aboutTwo says what an instance holds of each owner.
func aboutTwo(t *nova.Instance, at list.At) (string, []page.Words) {
	out := []page.Words{say("flavor %s on %s, %s", nova.FlavorName(t.Flavor), t.Host, panel.InstanceState(t)), blank()}
	ledger := at.Snap.Placement()
	if c, ok := ledger.Consumer(t.UUID); ok {
		for a := range ledger.Allocations(c) {
			if ledger.ClassName(a.Class).IsAccelerator() {
				out = append(out, say("  %s %d of %s, which is %s", ledger.ClassName(a.Class), a.Used, a.Provider.Name(), ledger.Owner(a.Provider)))
			}
		}
	}
	return t.Name, append(out, blank(), say("A flavor may ask both services. Resize the instance to a flavor that asks one of them."))
}

// join joins the first words with commas.
func join(words []string, most int) string {
	text := strings.Join(words[:min(len(words), most)], ", ")
	if n := len(words) - most; n > 0 {
		text += fmt.Sprintf(" and %s more", component.Count(n))
	}
	return text
}
