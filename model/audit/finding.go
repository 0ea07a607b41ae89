package audit

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// Finding is one thing that is wrong: a Rule and its subject, which is a provider,
// a consumer or a service. Fixes returns what can be done about it.
type Finding struct {
	Rule      RuleID
	Severity  Severity
	Provider  placement.ProviderID    // the subject, or where the consumer holds what is wrong; zero if there is no one provider
	Consumer  placement.ConsumerID    // the subject of rules about consumers; zero otherwise
	Service   string                  // the subject of rules about services: the host that it runs on; empty otherwise
	Class     placement.ResourceClass // of rules about one class; empty otherwise
	Aggregate placement.AggregateID   // of rules about membership in one; zero otherwise
	Others    []placement.ProviderID  // further providers that are part of it
	Subject   string                  // name of the subject: of the provider, of the instance, of the host, or the uuid of the consumer
	Text      string                  // what is wrong, with its numbers, in one line
	Brief     string                  // what Text says beyond the title of the rule and the subject, in a few words; empty if Text is no longer
	Size      int64                   // how far it goes, in units that only its rule knows: more is worse; 0 for rules that do not measure
	Worse     bool                    // among the Consequences of a change: it is there already
	Seen      *Observations           // for rules about ages and about what is not in the Snapshot; nil for all others
}

// findingKey is equal for findings that are the same on two Snapshots.
type findingKey struct {
	rule      RuleID
	provider  placement.ProviderID
	consumer  placement.ConsumerID
	service   string
	class     placement.ResourceClass
	aggregate placement.AggregateID
	subject   string
}

// key returns the part of f that stays while its numbers change. For a consumer, its name
// and the provider may change too.
func (f Finding) key() findingKey {
	k := findingKey{f.Rule, f.Provider, f.Consumer, f.Service, f.Class, f.Aggregate, f.Subject}
	if !f.Consumer.IsZero() {
		k.provider, k.subject = placement.ProviderID{}, ""
	}
	return k
}

// Same reports whether f and g are about the same thing by the same rule, on two
// Snapshots of one cloud.
func (f Finding) Same(g Finding) bool { return f.key() == g.key() }

// ID identifies f among all findings of a cloud, on any of its Snapshots.
func (f Finding) ID() string { return string(f.Rule) + " " + f.Key() }

// Key identifies the subject of f, and does not change with its numbers: two findings
// of one rule are the Same if, and only if, their keys are equal.
func (f Finding) Key() string {
	k := f.key()
	var parts []string
	add := func(name, value string, there bool) {
		if there {
			parts = append(parts, name+"="+value)
		}
	}
	add("provider", k.provider.String(), !k.provider.IsZero())
	add("consumer", k.consumer.String(), !k.consumer.IsZero())
	add("class", string(k.class), k.class != "")
	add("aggregate", k.aggregate.String(), !k.aggregate.IsZero())
	add("service", strconv.Quote(k.service), k.service != "")
	add("name", strconv.Quote(k.subject), k.subject != "")
	return strings.Join(parts, " ")
}

// Short returns what is wrong, to be shown next to the title of the rule and the subject.
func (f Finding) Short() string { return cmp.Or(f.Brief, f.Text) }

// ParseSeverity is the inverse of Severity.String.
//
// Errors: placement.ErrInvalid.
func ParseSeverity(text string) (Severity, error) {
	for s := Info; s <= Critical; s++ {
		if s.String() == text {
			return s, nil
		}
	}
	return 0, placement.Invalid("severity", text, fmt.Sprintf("must be %s, %s or %s", Info, Warning, Critical))
}

// Problem is all findings of one rule.
type Problem struct {
	Rule     Rule
	Findings []Finding // at least one
}

// Problems groups what Find returned by rule, keeping its order.
func Problems(findings []Finding) []Problem {
	var out []Problem
	for i, f := range findings {
		if i == 0 || f.Rule != findings[i-1].Rule {
			out = append(out, Problem{Rule: RuleOf(f)})
		}
		last := &out[len(out)-1]
		last.Findings = append(last.Findings, f)
	}
	return out
}

// Count returns how many findings there are of each severity.
func Count(findings []Finding) map[Severity]int {
	n := make(map[Severity]int, 3)
	for _, f := range findings {
		n[f.Severity]++
	}
	return n
}
