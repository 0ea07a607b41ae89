package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
)

// syncWords are the values of the setting sync.
func syncWords() []string { return []string{"auto", "on", "off"} }

// waitTime is the value of a flag for a time to wait.
type waitTime time.Duration

func (w *waitTime) String() string { return time.Duration(*w).String() }
func (w *waitTime) Type() string   { return "duration" }

func (w *waitTime) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return errors.New("must be a time from 0, such as 500ms, 30s or 5m")
	}
	*w = waitTime(d)
	return nil
}

// choice is the value of a flag that takes one of a few words.
type choice struct {
	get     func() string
	set     func(word string)
	among   []string
	aliases map[string]string // other words for some of them, which help does not list
}

// choose returns a choice that is kept in value.
func choose[T ~string](value *T, among ...T) *choice {
	c := &choice{get: func() string { return string(*value) }, set: func(word string) { *value = T(word) }}
	for _, word := range among {
		c.among = append(c.among, string(word))
	}
	return c
}

func (c *choice) String() string { return c.get() }

func (c *choice) Type() string { return "WORD" }

func (c *choice) Set(s string) error {
	word := cmp.Or(c.aliases[s], s)
	if !slices.Contains(c.among, word) {
		return fmt.Errorf("is one of %s", strings.Join(c.among, ", "))
	}
	c.set(word)
	return nil
}

func (c *choice) names() []string { return c.among }

func (c *choice) list() string {
	last := len(c.among) - 1
	if last == 0 {
		return c.among[0]
	}
	return strings.Join(c.among[:last], ", ") + " or " + c.among[last]
}

// outputFlag adds the flag -o with the given formats, the first of which is the default,
// to cmd.
func (p *program) outputFlag(cmd *cobra.Command, formats []print.Format) {
	v := choose(&p.format, formats...)
	cmd.Flags().VarP(v, "output", "o", "print as "+v.list())
}
