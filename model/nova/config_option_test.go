package nova_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
)

// What nova.conf of a live cloud has is the operator's word, option by option, and what
// upstream has for the others.
func TestOptionsOfALiveCloud(t *testing.T) {
	t.Parallel()
	const alias = `{"name": "nic", "vendor_id": "8086", "product_id": "154d"}`
	for _, tt := range []struct {
		name, option string
		value        any
		is           func(c *nova.Config) bool
		err          string
	}{
		{"a form", "owner_filter", "groups", func(c *nova.Config) bool { return c.OwnerFilter == nova.OwnerOnGroups }, ""},
		{"no form", "owner_filter", "tree", nil, `owner_filter: must be "groups", "root" or "off"`},
		{"a pre-filter on", "limit_tenants_to_placement_aggregate", true, func(c *nova.Config) bool { return len(c.On) == 1 && c.On[0] == nova.FilterTenant }, ""},
		{"a pre-filter off", "enable_isolated_aggregate_filtering", false, func(c *nova.Config) bool { return len(c.On)+len(c.Off) == 0 }, ""},
		{"a pre-filter in words", "image_metadata_prefilter", "yes", nil, "image_metadata_prefilter: must be true or false"},
		{"a list of aliases", "pci_alias", []any{alias}, func(c *nova.Config) bool { return c.Aliases()[0].Name == "nic" }, ""},
		{"one alias", "pci_alias", alias, func(c *nova.Config) bool { return c.Aliases()[0].Name == "nic" }, ""},
		{"an alias that is none", "pci_alias", []any{"nic"}, nil, "must be a JSON object"},
		{"pinned CPUs", "disable_fallback_pcpu_query", true, func(c *nova.Config) bool { return c.NoVCPUFallback }, ""},
		{"unknown", "scheduler_driver", "x", nil, "scheduler_driver: is unknown; the options are allow_resize_to_same_host, disable_fallback_pcpu_query,"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := nova.Upstream("prod")
			err := c.Give(tt.option, tt.value)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %s", err, tt.err)
				}
				return
			}
			must.Succeed(t, err)
			if !tt.is(c) || !strings.Contains(c.Basis(tt.option), " is set ") || !strings.HasSuffix(c.Basis(tt.option), " for cloud prod") {
				t.Errorf("%+v; %s", c, c.Basis(tt.option))
			}
			if got := nova.Upstream("prod").Basis(tt.option); !strings.HasPrefix(got, "as if ") || !strings.HasSuffix(got, " (not set for cloud prod)") {
				t.Error(got)
			}
			if got := new(nova.Config).Basis(tt.option); got != "" {
				t.Error(got)
			}
		})
	}
}

// Each pre-filter of a live cloud says by which setting it is on or off; those that
// upstream has an option for are off until that is set.
//
// Source: nova/conf/scheduler.py: limit_tenants_to_placement_aggregate and
// enable_isolated_aggregate_filtering are False.
func TestPrefiltersOfALiveCloud(t *testing.T) {
	t.Parallel()
	spec := nova.RequestSpec{Flavor: flavor("m1"), Project: "p1"}
	aggregates := []*nova.HostAggregate{aggregate("a1", "filter_tenant_id=p1"), aggregate("a2", "trait:CUSTOM_WINDOWS=required")}
	for _, tt := range []struct {
		name    string
		config  *nova.Config
		options map[string]any
		filter  string
		state   nova.PrefilterState
		why     string
	}{
		{"kept here", &nova.Config{}, nil, nova.FilterTenant, nova.Off, "off by default"},
		{"isolated, kept here", &nova.Config{}, nil, nova.FilterIsolate, nova.Off, "off by default"},
		{"nothing set", nova.Upstream("prod"), nil, nova.FilterTenant, nova.Off, "as if [scheduler]limit_tenants_to_placement_aggregate had upstream's default (not set for cloud prod)"},
		{"isolated, nothing set", nova.Upstream("prod"), nil, nova.FilterIsolate, nova.Off, "as if [scheduler]enable_isolated_aggregate_filtering had upstream's default"},
		{"set", nova.Upstream("prod"), map[string]any{"limit_tenants_to_placement_aggregate": true}, nova.FilterTenant, nova.Applied, "1 host aggregate reserved for project p1; [scheduler]limit_tenants_to_placement_aggregate is set for cloud prod"},
		{"isolated, set", nova.Upstream("prod"), map[string]any{"enable_isolated_aggregate_filtering": true}, nova.FilterIsolate, nova.Applied, "is set for cloud prod"},
		{"the owner", nova.Upstream("prod"), nil, nova.FilterOwner, nova.Applied, "; as if the owner filter were root, as merged upstream (not set for cloud prod)"},
		{"the owner in groups", nova.Upstream("prod"), map[string]any{"owner_filter": "groups"}, nova.FilterOwner, nova.Applied, "; the owner filter is set to groups for cloud prod"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for option, value := range tt.options {
				must.Succeed(t, tt.config.Give(option, value))
			}
			p := prefilterOf(t, ask(t, upgraded(t, aggregates[0], aggregates[1], tt.config), spec, nova.AskOptions{}), tt.filter)
			if p.State != tt.state || !strings.Contains(p.Why, tt.why) {
				t.Errorf("%s because %q, want %s because %q", p.State, p.Why, tt.state, tt.why)
			}
		})
	}
}

// A project without an aggregate gets no host if nova.conf says that it needs one.
//
// Source: nova/scheduler/request_filter.py, require_tenant_aggregate.
func TestTenantNeedsAggregate(t *testing.T) {
	t.Parallel()
	for _, on := range [][]string{nil, {nova.FilterTenant}} {
		s := upgraded(t, &nova.Config{TenantNeedsAggregate: true, On: on})
		_, err := s.Ask(nova.RequestSpec{Flavor: flavor("m1"), Project: "p1"}, nova.AskOptions{})
		if (err != nil) != (on != nil) || err != nil && !strings.Contains(err.Error(), "no host aggregate has filter_tenant_id of project p1, and placement_aggregate_required_for_tenants is set") {
			t.Errorf("with %v on: %v", on, err)
		}
	}
}
