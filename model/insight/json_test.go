package insight_test

import (
	"encoding/json"
	"testing"

	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// TestAnswersPrintThemselves checks the JSON of types that are printed directly.
func TestAnswersPrintThemselves(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		`{"check":"x","title":"t","state":"warning","done":1,"all":2,"what":"w","rule":"o01"}`: insight.Check{
			ID: "x", Title: "t", State: insight.CheckWarning, Done: 1, All: 2, Text: "w", Rule: "o01", Subject: "s",
		},
		`{"cell":"cell1","down":false,"services":3,"asked":2,"old":1,"versions":[{"version":61,"hosts":["a"]}]}`: insight.CellVersions{
			GateCell: nova.GateCell{Name: "cell1", Services: 3, Asked: 2, Old: 1, Min: 61, Max: 73}, Versions: []insight.VersionCount{{Version: 61, Hosts: []string{"a"}}},
		},
		`{"root_provider_uuid":"00000000-0000-0000-0000-000000000000","host":"h","why":"w"}`:                             insight.HostLoss{Name: "h", Why: "w"},
		`{"resource_provider_uuid":"00000000-0000-0000-0000-000000000000","resource_provider":"p","host":"h","why":"w"}`: insight.CardLoss{Provider: placement.ProviderID{}, Name: "p", Host: "h", Why: "w"},
		`{"flavor":"f","form":"root","hosts_now":2,"hosts_then":1,"hosts_lost":1,"candidates_now":4,"candidates_then":3,"more_candidates":true,"lost":[],"lost_cards":[]}`: insight.FlavorOutcome{
			Flavor: "f", Form: "root", Now: 2, Then: 1, Lost: 1, CandidateCount: insight.CandidateCount{Before: 4, After: 3, More: true}, Hosts: []insight.HostLoss{}, Cards: []insight.CardLoss{},
		},
		`{"uuid":"00000000-0000-0000-0000-000000000000","name":"vm","flavor":"f","form":"root","why":"w"}`: insight.InstanceOutcome{Name: "vm", Flavor: "f", Form: "root", Why: "w"},
	} {
		doc := must.Get(json.Marshal(v))(t)
		if string(doc) != want {
			t.Errorf("got  %s\nwant %s", doc, want)
		}
	}
}
