package cloud_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Messages name every record as people do: by its kind in words, and by its name or its
// uuid.
func TestTitlesAreForPeople(t *testing.T) {
	t.Parallel()
	const id = `[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}`
	want := map[versioned.Kind]string{
		"resource_class": "CUSTOM_FPGA_X1", "trait": "CUSTOM_RACK_1", "resource_provider": "compute1.example.org", "resource_provider_traits": id, "consumer": id,
		"instance": "web 1", "migration": id, "compute_node": `[a-z0-9.]+`, "pci_device": `[0-9a-f:.]+ of compute node ` + id, "config": "of Nova",
		"cell_mapping": "[a-z0-9]+", "service": `nova-compute on [a-z0-9.]+`, "flavor": `[a-z0-9.]+(#[0-9]+)?`, "aggregate": `[a-z0-9 -]+`,
		"device": id, "controlpath_id": id, "deployable": `\S+`, "attribute": id, "attach_handle": id, "device_profile": `\S+`, "arq": id,
		"acknowledgement": `[a-z][0-9]+ \S+`, "mute": `[a-z][0-9]+`, "journal_limits": "of the cloud",
	}
	for _, schema := range cloud.Schemas() {
		r := samples()[schema.Kind][""]
		title := versioned.Title(r)
		if !regexp.MustCompile("^" + strings.ReplaceAll(string(schema.Kind), "_", " ") + " " + want[schema.Kind] + "$").MatchString(title) {
			t.Errorf("%s is called %q", schema.Kind, title)
		}
		if both := (versioned.Change{Before: r}); both.Title() != title || title != both.Kind().Words()+" "+both.Name() {
			t.Errorf("%s: a change is called %q", schema.Kind, both.Title())
		}
	}
	if got, want := versioned.Title(&placement.ProviderRecord{Name: "a\x1b[2J\u202e"}), `resource provider "a\x1b[2J\u202e"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
