package main

import (
	"errors"
	"maps"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// propertyEdits are the flags that set and take away keys: of the extra specs of
// a flavor, of the metadata of a host aggregate.
type propertyEdits struct {
	set    []string // KEY=VALUE
	remove []string // KEY
}

// propertyFlags gives cmd --property, and where there may be some already
// --no-property.
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

// on returns what the edits make of the properties of what is called name.
func (e *propertyEdits) on(name string, has map[string]string) (map[string]string, error) {
	set, err := ops.ParseProperties(e.set)
	if err != nil {
		return nil, misset(err, "write it as KEY=VALUE")
	}
	out, removed := maps.Clone(has), map[string]bool{}
	if out == nil {
		out = map[string]string{}
	}
	for _, key := range e.remove {
		if _, twice := set[key]; twice || removed[key] {
			return nil, misset(&ops.PropertyError{Key: key}, "")
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

// misset says how a property is set that ops.ParseProperties refused; form is how one
// is written.
func misset(err error, form string) error {
	var wrong *ops.PropertyError
	if errors.As(err, &wrong) && wrong.Key != "" {
		form = "give it once"
	}
	return usageErrorf(form, "%w", err)
}

// imageFlag gives cmd --image-property, and returns what reads it: nil where nothing is
// said of the image.
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
