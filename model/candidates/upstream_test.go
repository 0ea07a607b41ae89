package candidates_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/candidates"
)

// TestUpstreamWords checks the words of Placement that clients look for: those that its
// functional suite asks for.
//
// Source: placement/tests/functional/gabbits.
func TestUpstreamWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		v           microversion.Placement
		query, want string
	}{
		{10, "", "'resources' is a required property"},
		{10, "resources=", "Got: empty string."},
		{15, "resources=VCPU:1&limit=5", "'limit' was unexpected"},
		{16, "resources=VCPU:1&limit=cow", "Failed validating 'pattern'"},
		{17, "resources=VCPU:1&required=!CUSTOM_MAGIC", "value of the form: HW_CPU_X86_VMX,CUSTOM_MAGIC."},
		{22, "resources=VCPU:1&required=", "value of the form: HW_CPU_X86_VMX,!CUSTOM_MAGIC."},
		{23, "resources=VCPU:1&member_of=1cf1ac67-0d5a-4a2c-8f1e-7a7d3c0e0b6d&member_of=1cf1ac67-0d5a-4a2c-8f1e-7a7d3c0e0b6d", "Multiple member_of parameters are not supported"},
		{25, "required=FOO&required1=BAR", "orphaned traits keys: required, required1"},
		{25, "group_policy=isolate", "At least one request group (`resources` or `resources{$S}`) is required."},
		{25, "resources01=VCPU:1", "'resources01' does not match any of the regexes"},
		{31, "resources=VCPU:1&in_tree1=1cf1ac67-0d5a-4a2c-8f1e-7a7d3c0e0b6d", "All request groups must specify resources."},
		{33, "resources1@=VCPU:1", "^member_of([a-zA-Z0-9_-]{1,64})?$"},
		{36, "resources_A=VCPU:1&same_subtree=A,_A", "Real suffixes should be specified in `same_subtree`:"},
		{39, "resources=VCPU:fred", "Requested resource VCPU expected positive integer amount. Got: fred."},
		{39, "resources=VCPU:-2", "Requested resource VCPU requires amount >= 1. Got: -2."},
	} {
		_, err := candidates.ParseURL(tt.query, tt.v, nil)
		if e, ok := errors.AsType[*candidates.ParseError](err); !ok || !strings.Contains(e.Upstream, tt.want) {
			t.Errorf("%s at %s: %+v, want %s", tt.query, tt.v, err, tt.want)
		}
	}
}
