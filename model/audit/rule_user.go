package audit

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/wire"
)

// UserRule is a rule that a user wrote: a filter that picks what is wrong. It is
// made by NewUserRule.
type UserRule struct {
	Rule
	On    string // what the filter picks from: one of RowKinds
	Where string // the filter
	Count int    // the least number of matches that is wrong; with fewer, none is
	// For is how long something has to match before it counts. It is read from the
	// journal, so that all who look at a cloud see the same: see InspectOptions.
	For     time.Duration
	Command string // what to type about a finding, {name}, {uuid} and {class} being those of its subject; "" for nothing
}

// UserRuleText is a UserRule as it was written, "" for what was left out.
type UserRuleText struct {
	ID, Title, Severity string
	On, Where           string
	Count               int
	For                 string // "10m", "2h30m"
	Fix                 string // what to do about it, in words
	Command             string
}

// RuleError reports what is wrong with a user's rule. It matches placement.ErrInvalid,
// and its cause.
type RuleError struct {
	Rule  string // its id
	Key   string // of UserRuleText, as the configuration file has it
	Value string
	Cause error
}

func (e *RuleError) Error() string {
	return fmt.Sprintf("rule %q: %s = %q: %v", e.Rule, e.Key, e.Value, e.Cause)
}

// Unwrap returns placement.ErrInvalid and the cause.
func (e *RuleError) Unwrap() []error { return []error{placement.ErrInvalid, e.Cause} }

// NewUserRule reads a rule of a user. Title, severity, count and hold time have
// defaults: the id, "warning", 1 and none.
//
// Errors: *RuleError, of the first key that is wrong.
func NewUserRule(t UserRuleText) (*UserRule, error) {
	r := &UserRule{Rule: Rule{ID: RuleID(t.ID), Title: t.Title, Advice: t.Fix, Severity: Warning}, On: t.On, Where: t.Where, Count: max(t.Count, 1), Command: t.Command}
	if r.Title == "" {
		r.Title = t.ID
	}
	r.Why = fmt.Sprintf("A rule of your own: %s where %s.", t.On, t.Where)
	for _, step := range []struct {
		key, value string
		read       func() error
	}{
		{"id", t.ID, func() error { return checkRuleID(t.ID) }},
		{"severity", t.Severity, func() (err error) {
			if t.Severity != "" {
				r.Severity, err = severityWord(t.Severity)
			}
			return err
		}},
		{"on", t.On, func() error {
			if _, ok := rowsNamed(t.On); !ok {
				return fmt.Errorf("is one of %s", strings.Join(RowKinds(), ", "))
			}
			return nil
		}},
		{"where", t.Where, r.checkWhere},
		{"count", fmt.Sprint(t.Count), func() error {
			if t.Count < 0 {
				return fmt.Errorf("must be at least 1")
			}
			return nil
		}},
		{"for", t.For, func() (err error) {
			if t.For != "" {
				r.For, err = time.ParseDuration(t.For)
			}
			if err != nil || r.For < 0 {
				return fmt.Errorf(`must be a time such as "10m" or "2h30m"`)
			}
			return nil
		}},
		{"command", t.Command, r.checkCommand},
	} {
		if err := step.read(); err != nil {
			return nil, &RuleError{Rule: t.ID, Key: step.key, Value: step.value, Cause: err}
		}
	}
	return r, nil
}

// ruleName matches the id of a rule.
var ruleName = regexp.MustCompile(`^[a-z][a-z0-9._-]*$`)

func checkRuleID(id string) error {
	if _, ours := RuleByID(RuleID(id)); ours {
		return fmt.Errorf("is a rule of placetop: choose another id")
	}
	if !ruleName.MatchString(id) {
		return fmt.Errorf("must begin with a lower-case letter, and have only lower-case letters, digits, dots, dashes and underscores")
	}
	return nil
}

// severityWord reads a severity, which may be abbreviated.
func severityWord(text string) (Severity, error) {
	switch text {
	case "warn":
		return Warning, nil
	case "crit":
		return Critical, nil
	}
	if s, err := ParseSeverity(text); err == nil {
		return s, nil
	}
	return 0, fmt.Errorf("must be one of info, warning, critical")
}

func (r *UserRule) checkWhere() error {
	if strings.TrimSpace(r.Where) == "" {
		return fmt.Errorf("must be a filter, and not empty")
	}
	rows, _ := rowsNamed(r.On)
	return rows.sound(r.Where)
}

// placeholder matches a part of a command in braces.
var placeholder = regexp.MustCompile(`\{[^}]*\}`)

func (r *UserRule) checkCommand() error {
	for _, word := range placeholder.FindAllString(r.Command, -1) {
		if !slices.Contains([]string{"{name}", "{uuid}", "{class}"}, word) {
			return fmt.Errorf("%s is unknown: there are {name}, {uuid} and {class}", word)
		}
	}
	return nil
}

// Match says how a user's rule found something.
type Match struct {
	Rule *UserRule
	At   time.Time // when it was looked at: filters may ask for ages
}

// RuleOf returns the rule of a finding, one of Rules or a user's.
func RuleOf(f Finding) Rule {
	if f.User != nil {
		return f.User.Rule.Rule
	}
	r, _ := RuleByID(f.Rule)
	return r
}

// matches returns what r picks of a cloud; only for what f is about, unless that is nil.
func (r *UserRule) matches(at kinds.At, f *Finding) []Finding {
	rows, ok := rowsNamed(r.On)
	if !ok {
		return nil
	}
	out := rows.matches(at, r.Where, f)
	for i := range out {
		out[i].Rule, out[i].Severity, out[i].User = r.ID, r.Severity, &Match{Rule: r, At: at.Now}
	}
	return out
}

// standsOn is Finding.StandsOn for a finding of a user's rule.
func (m *Match) standsOn(s *cloud.Snapshot, f Finding) (Finding, bool) {
	for _, g := range m.Rule.matches(kinds.At{Snap: s, Now: m.At}, &f) {
		if g.Same(f) {
			return g, true
		}
	}
	return Finding{}, false
}

// fixes returns what the rule says to do about f, nil if it has no command.
func (m *Match) fixes(f Finding) []Fix {
	if m.Rule.Command == "" {
		return nil
	}
	line := m.command(f)
	return []Fix{{Name: "command", Title: cmp.Or(m.Rule.Advice, line), Choice: true, Command: line, finding: f}}
}

// command returns the command of the rule for f.
func (m *Match) command(f Finding) string {
	id := f.Provider.String()
	if !f.Consumer.IsZero() {
		id = f.Consumer.String()
	}
	if f.Provider.IsZero() && f.Consumer.IsZero() {
		id = ""
	}
	return strings.NewReplacer("{name}", wire.Quote(f.Subject), "{uuid}", id, "{class}", string(f.Class)).Replace(m.Rule.Command)
}
