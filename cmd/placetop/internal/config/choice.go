package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// waitTime is the value of a flag for a time to wait.
type waitTime time.Duration

func (w *waitTime) String() string { return time.Duration(*w).String() }
func (w *waitTime) Type() string   { return "duration" }

func (w *waitTime) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return errors.New("must be a time of 0 or more, such as 500ms, 30s or 5m")
	}
	*w = waitTime(d)
	return nil
}

// Choice is the value of a flag that takes one of a few words.
type Choice struct {
	get     func() string
	set     func(word string)
	Among   []string
	Aliases map[string]string // other words for some of them, which help does not list
}

// Choose returns a Choice that is kept in value.
func Choose[T ~string](value *T, among ...T) *Choice {
	c := &Choice{get: func() string { return string(*value) }, set: func(word string) { *value = T(word) }}
	for _, word := range among {
		c.Among = append(c.Among, string(word))
	}
	return c
}

// String implements pflag.Value.
func (c *Choice) String() string { return c.get() }

// Type implements pflag.Value.
func (c *Choice) Type() string { return "WORD" }

// Set implements pflag.Value.
func (c *Choice) Set(s string) error {
	word := cmp.Or(c.Aliases[s], s)
	if !slices.Contains(c.Among, word) {
		return fmt.Errorf("must be one of %s", strings.Join(c.Among, ", "))
	}
	c.set(word)
	return nil
}

// List returns the words for a sentence.
func (c *Choice) List() string {
	last := len(c.Among) - 1
	if last == 0 {
		return c.Among[0]
	}
	return strings.Join(c.Among[:last], ", ") + " or " + c.Among[last]
}
