package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/sorted"
)

// ruleKey is the key of the user's rules in the configuration file.
const ruleKey = "rule"

// tomlRules are the tables [[rule]] of the configuration file.
type tomlRules []map[string]any

func (t *tomlRules) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case []map[string]any:
		*t = v
		return nil
	case []any:
		for _, one := range v {
			table, ok := one.(map[string]any)
			if !ok {
				return errors.New("must be written as [[rule]]")
			}
			*t = append(*t, table)
		}
		return nil
	default:
		return errors.New("must be written as [[rule]]")
	}
}

// readRules reads the user's rules in the configuration file. Those that cannot be read
// are left out: the errors name file, line, rule and word.
func readRules(path, data string, tables []map[string]any) (rules []*audit.UserRule, faults []error) {
	at := ruleLines(data)
	known := map[audit.RuleID]bool{}
	for i, table := range tables {
		rule, key, err := readRule(table)
		if err == nil && known[rule.ID] {
			key, err = "id", fmt.Errorf("rule %q: another rule has this id", rule.ID)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", path, at.of(i, key), err))
			continue
		}
		known[rule.ID] = true
		rules = append(rules, rule)
	}
	return rules, faults
}

// readRule reads one rule. If it cannot be read, key is the bad key.
func readRule(table map[string]any) (rule *audit.UserRule, key string, err error) {
	var t audit.UserRuleText
	texts := map[string]*string{
		"id": &t.ID, "title": &t.Title, "severity": &t.Severity, "on": &t.On, "where": &t.Where, "for": &t.For, "fix": &t.Fix, "command": &t.Command,
	}
	if id, ok := table["id"].(string); ok {
		t.ID = id // errors about other keys name it
	}
	for _, key := range sorted.Keys(table) {
		into, isText := texts[key]
		text, given := table[key].(string)
		switch {
		case isText && given:
			*into = text
		case isText:
			return nil, key, fmt.Errorf("rule %q: %s must be a string in quotes", t.ID, key)
		case key == "count":
			n, whole := table[key].(int64)
			if !whole || n < 1 {
				return nil, key, fmt.Errorf("rule %q: count must be a whole number from 1, without quotes", t.ID)
			}
			t.Count = int(min(n, 1<<31))
		default:
			return nil, key, fmt.Errorf("rule %q: unknown key %s; the keys are %s, count", t.ID, key, strings.Join(sorted.Keys(texts), ", "))
		}
	}
	rule, err = audit.NewUserRule(t)
	if fault, ok := errors.AsType[*audit.RuleError](err); ok {
		key = fault.Key
	}
	return rule, key, err
}

// rulePlace is where a rule and its keys are in a file, in lines from 1.
type rulePlace struct {
	line int
	keys map[string]int
}

// rulePlaces are those of all rules of a file.
type rulePlaces []rulePlace

// Patterns of the beginnings of lines.
var (
	ruleHead = regexp.MustCompile(`^\s*\[\[\s*"?rule"?\s*\]\]`)
	anyHead  = regexp.MustCompile(`^\s*\[`)
	ruleWord = regexp.MustCompile(`^\s*"?([A-Za-z_]+)"?\s*=`)
)

// ruleLines finds the rules in a decoded file: the decoder reports lines only in errors.
func ruleLines(data string) rulePlaces {
	var out rulePlaces
	inside := false
	for n, line := range strings.Split(data, "\n") {
		switch {
		case ruleHead.MatchString(line):
			out, inside = append(out, rulePlace{n + 1, map[string]int{}}), true
		case anyHead.MatchString(line):
			inside = false
		case inside:
			if m := ruleWord.FindStringSubmatch(line); m != nil {
				out[len(out)-1].keys[m[1]] = n + 1
			}
		}
	}
	return out
}

// of returns the line of a key of a rule, that of the rule if the rule does not have the
// key, and 1 if the rule is written in some other way.
func (l rulePlaces) of(rule int, key string) int {
	if rule >= len(l) {
		return 1
	}
	if n := l[rule].keys[key]; n > 0 {
		return n
	}
	return l[rule].line
}
