package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
)

func TestS03(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"s03 a host of an aggregate", func(w *world) {
				w.Node("h").Record(&nova.HostAggregate{UUID: modeltest.AggregateID("a"), Name: "az1", Hosts: []string{"h", "unknown"}})
			},
			[]string{"s03 h"},
			[]string{"mirror"},
		},
	})
}
