package main

import (
	"errors"
	"maps"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// propertyEdits are the flags that set and remove keys: of the extra specs of a flavor,
// or the metadata of a host aggregate.
type propertyEdits struct {
	set    []string // KEY=VALUE
	remove []string // KEY
}

// propertyFlags adds --property to cmd, and with edits --no-property.
func propertyFlags(cmd *cobra.Command, what string, edits bool) *propertyEdits {
	var e propertyEdits
	cmd.Flags().StringArrayVar(&e.set, "property", nil, "give it "+what+" `KEY=VALUE`; may be repeated")
	if edits {
		cmd.Flags().StringArrayVar(&e.remove, "no-property", nil, "take away "+what+" `KEY`; may be repeated")
	}
	return &e
}

// empty reports whether there is nothing to edit.
func (e *propertyEdits) empty() bool { return len(e.set)+len(e.remove) == 0 }

// on returns properties after the edits; name is what they belong to.
func (e *propertyEdits) on(name string, has map[string]string) (map[string]string, error) {
	set, err := ops.ParseProperties(e.set)
	if err != nil {
		return nil, withPropertyHint(err, "write it as KEY=VALUE")
	}
	out, removed := maps.Clone(has), map[string]bool{}
	if out == nil {
		out = map[string]string{}
	}
	for _, key := range e.remove {
		if _, twice := set[key]; twice || removed[key] {
			return nil, withPropertyHint(&ops.PropertyError{Key: key}, "")
		}
		if _, ok := has[key]; !ok {
			return nil, &placement.NotFoundError{What: "property of " + name, Name: key, Like: kinds.Alike(key, maps.Keys(has))}
		}
		removed[key] = true
		delete(out, key)
	}
	maps.Copy(out, set)
	return out, nil
}

// withPropertyHint adds how to set a property to an error of ops.ParseProperties; form is the
// syntax.
func withPropertyHint(err error, form string) error {
	var wrong *ops.PropertyError
	if errors.As(err, &wrong) && wrong.Key != "" {
		form = "give it once"
	}
	return usageErrorf(form, "%w", err)
}

// imageFlag adds --image-property to cmd, and returns a function that reads it: nil if it
// was not given.
func imageFlag(cmd *cobra.Command) func() (map[string]string, error) {
	var set []string
	cmd.Flags().StringArrayVar(&set, "image-property", nil, "from an image with the property `KEY=VALUE`, such as hw_disk_bus=scsi or disk_format=qcow2; may be repeated")
	return func() (map[string]string, error) {
		if len(set) == 0 {
			return nil, nil
		}
		e := propertyEdits{set: set}
		return e.on("the image", nil)
	}
}
