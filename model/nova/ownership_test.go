package nova_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// The code does what the page about owners states.
func TestOwnershipPage(t *testing.T) {
	t.Parallel()
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "cmd", "placetop", "help", "ownership.md")))(t)
	text := strings.Join(strings.Fields(string(page)), " ")
	for what, want := range map[string]string{
		"who tags":       fmt.Sprintf("`%s`: nova-compute of service version %d or later", placement.OwnerNova, nova.VersionOwnerNova),
		"Cyborg's trait": fmt.Sprintf("`%s`: Cyborg's GPU driver", placement.OwnerCyborg),
		"the filter":     fmt.Sprintf("`%s` is the last of Nova's pre-filters", nova.FilterOwner),
		"the form root":  fmt.Sprintf("`--owner-filter %s`), as merged upstream: the root and", nova.OwnerOnRoot),
		"the form off":   fmt.Sprintf("`--owner-filter %s` never asks", nova.OwnerOff),
		"the default":    "the default here (`placetop set config --owner-filter groups`)",
		"the gate":       fmt.Sprintf("service version of nova-compute is %d", nova.VersionOwnerNova),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: the page does not say %q", what, want)
		}
	}
	names := nova.PrefilterNames()
	if names[len(names)-1] != nova.FilterOwner {
		t.Errorf("the last pre-filter is %s", names[len(names)-1])
	}
}
