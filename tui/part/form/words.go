package form

import (
	"errors"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// mostCompletions is the most completions that are offered: who looks for one of more types
// some of its name.
const mostCompletions = 1000

// checkResources returns what is wrong with amounts by class, at the first word
// that ops.ParseResources or the cloud does not accept.
func checkResources(s *placement.Snapshot, text string) error {
	seen := map[placement.ResourceClass]bool{}
	for at, word := range Words(text) {
		wrong := func(why string) error { return &Fault{At: utf8.RuneCountInString(text[:at]), Text: why} }
		one, err := ops.ParseResources(word)
		if err != nil {
			return wrong(word + ": " + Reason(err))
		}
		for class := range one {
			switch _, known := s.ClassID(class); {
			case !known:
				return wrong("no such resource class: " + string(class) + s.ClassHint(class))
			case seen[class]:
				return wrong(string(class) + " is given twice")
			}
			seen[class] = true
		}
	}
	if _, err := ops.ParseResources(text); err != nil {
		return &Fault{Text: Reason(err)}
	}
	return nil
}

// Reason returns why a value is invalid, without naming the value again.
func Reason(err error) string {
	if invalid, ok := errors.AsType[*placement.InvalidError](err); ok {
		return invalid.Why
	}
	if one, ok := errors.AsType[*ops.PropertyError](err); ok && one.Key == "" {
		return one.Error() + ": write KEY=VALUE"
	}
	return err.Error()
}

// Words yields the words of a text and where each begins, in bytes.
func Words(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at := 0; at < len(text); {
			n := strings.IndexAny(text[at:], ", \t")
			if n < 0 {
				n = len(text) - at
			}
			if n > 0 && !yield(at, text[at:at+n]) {
				return
			}
			at += n + 1
		}
	}
}

// CompleteResources completes the class that a text ends with: first those that
// some provider has, then the others that the cloud knows.
func CompleteResources(s *placement.Snapshot, text string) []string {
	at := LastWord(text)
	word := strings.ToUpper(text[at:])
	if word == "" || strings.ContainsAny(word, "=:") {
		return nil
	}
	given := strings.ToUpper(text[:at])
	var inUse, others []string
	for id, class := range s.Classes() {
		if !strings.HasPrefix(string(class), word) || strings.Contains(given, string(class)+"=") {
			continue
		}
		whole := text[:at] + string(class) + "="
		if s.WithClass(id).Len() > 0 {
			inUse = append(inUse, whole)
		} else {
			others = append(others, whole)
		}
	}
	return First(append(inUse, others...))
}

// CompleteFrom completes a whole text that was begun from names.
func CompleteFrom(names []string, text string) []string {
	if text == "" {
		return nil
	}
	return StartingWith(text, names)
}

// First returns the first of a list of completions, as many as are ever needed.
func First(list []string) []string { return list[:min(len(list), mostCompletions)] }

// checkType returns what is wrong with a type of consumer, which is made of the
// same characters as a resource class.
//
// Source: placement/schemas/allocation.py, CONSUMER_TYPE_PATTERN.
func checkType(text string) error {
	if text == "" {
		return &Fault{Text: "name a type: INSTANCE, MIGRATION or your own"}
	}
	if err := placement.ResourceClass(strings.ToUpper(text)).Validate(); err != nil {
		return &Fault{Text: Reason(err)}
	}
	return nil
}

// CheckOwner returns what is wrong with the id of a project or a user.
//
// Source: placement/schemas/allocation.py, project_id and user_id.
func CheckOwner(text string) error {
	if strings.TrimSpace(text) == "" {
		return &Fault{Text: "is required: every allocation has a project and a user"}
	}
	return nil
}
