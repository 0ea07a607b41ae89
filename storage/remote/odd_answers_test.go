package remote

import (
	"net/http"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestOddAnswersReleaseNothing has Nova, or what is in between, answer oddly, either from the start
// or when it is asked about the owner of a claim: nothing is found that rests on it, nothing is
// released, and it is said why.
func TestOddAnswersReleaseNothing(t *testing.T) {
	t.Parallel()
	const asJSON = "application/json"
	gone := storagetest.Consumer(10)
	row := `{"id":"` + storagetest.Consumer(12).String() + `","name":"web-2","tenant_id":"p","OS-EXT-SRV-ATTR:host":"cmp-9","flavor":{"original_name":"small"}}`
	says := func(code int, kind, body string, header ...string) func(w http.ResponseWriter, r *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", kind)
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body))
			return true
		}
	}
	for name, odd := range map[string]struct {
		at   string // the beginning of a path
		with func(w http.ResponseWriter, r *http.Request) bool
		want string
	}{
		"a marker that vanishes": {"/servers/detail", func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Has("marker") {
				return says(400, asJSON, `{"badRequest":{"code":400,"message":"marker [x] not found"}}`)(w, r)
			}
			return says(200, asJSON, `{"servers":[`+row+`],"servers_links":[{"rel":"next","href":"x"}]}`)(w, r)
		}, "marker [x] not found; the list changed while it was read: try again"},
		"a marker of a migration that vanishes": {"/os-migrations", func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Has("marker") {
				return says(400, asJSON, `{"badRequest":{"code":400,"message":"Marker x not found"}}`)(w, r)
			}
			return says(200, asJSON, `{"migrations":[{"uuid":"`+storagetest.Consumer(12).String()+`","status":"confirmed"}],"migrations_links":[{"rel":"next","href":"x"}]}`)(w, r)
		}, "the list changed while it was read: try again"},
		"HTML of a proxy":           {"/servers", says(200, "text/html", "<html>log in</html>"), "the answer is not JSON: it may come from a proxy; check"},
		"HTML that is called JSON":  {"/servers", says(200, asJSON, "<html>log in</html>"), "the answer cannot be read"},
		"HTML for migrations":       {"/os-migrations", says(200, "text/html", "<html>log in</html>"), "the answer is not JSON: it may come from a proxy; check"},
		"a list that is torn":       {"/servers", says(200, asJSON, `{"servers":[`), "the answer is incomplete"},
		"a list torn at its end":    {"/servers", says(200, asJSON, `{"servers":[],"server":{}`), "the answer is incomplete"},
		"migrations torn at an end": {"/os-migrations", says(200, asJSON, `{"migrations":[]`), "the answer is incomplete"},
		"nothing":                   {"/servers", says(200, asJSON, ""), "the answer is incomplete"},
		"no content":                {"/servers", says(204, asJSON, ""), "the answer is incomplete"},
		"an object of another kind": {"/servers/detail", says(200, asJSON, `{"choices":[]}`), "is missing"},
		"many versions":             {"/servers", says(300, asJSON, `{"choices":[]}`), "300"},
		"too many requests":         {"/servers", says(429, asJSON, `{"overLimit":{"code":429,"message":"slower"}}`, "Retry-After", "5"), "429 Too Many Requests: slower ("},
		"too many, as of old":       {"/servers", says(413, asJSON, `{"overLimit":{"code":413,"message":"slower"}}`, "Retry-After", "5"), "it is to be asked again in 5s"},
		"maintenance":               {"/servers", says(503, "text/html", `<html>soon</html>`, "Retry-After", "5"), "it is to be asked again in 5s"},
		"services at 2.1": {
			"/os-services", says(200, asJSON, `{"services":[{"id":1,"binary":"nova-compute","host":"cmp-1","status":"enabled","state":"up"}]}`),
			"the answer cannot be read",
		},
	} {
		for _, when := range []string{"from the start", "when it is asked"} {
			t.Run(name+", "+when, func(t *testing.T) {
				t.Parallel()
				w, in := newWorld(t, 0), newStandIn(t)
				w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
				w.do(t, cloud.Change{Ops: []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{ // without a type, as Nova writes it
					Consumer: gone, Generation: placement.NewConsumer(), Project: "p", User: "u", Allocations: ops.Amounts{storagetest.Provider(1): {placement.VCPU: 1}},
				}}}}})
				in.hypervisor()
				with := func(w http.ResponseWriter, r *http.Request) bool {
					return strings.HasPrefix(r.URL.Path, odd.at) && odd.with(w, r)
				}
				if when == "from the start" {
					in.odd = with
				}
				s := w.openWith(t, api.Compute, in, computeNewest)
				in.mu.Lock()
				in.odd = with
				in.mu.Unlock()
				if when == "from the start" {
					report := audit.Inspect(s.Snapshot(), audit.InspectOptions{All: true, Now: storagetest.Start})
					for _, n := range report.Open {
						if n.Rule == "a01" {
							t.Errorf("it finds %v", n)
						}
					}
					if told := audit.UnjudgedText(report.Unjudged, len(report.Rules)); !strings.Contains(told, odd.want) {
						t.Errorf("not judged are %s", told)
					}
				}
				plan := must.Get(ops.PlanRelease(s.Snapshot(), gone, placement.ProviderID{}))(t)
				err := ops.Runner{}.Run(t.Context(), s, plan)
				if _, holds := w.kept.Snapshot().Placement().Consumer(gone); !holds || err == nil || !strings.Contains(err.Error(), odd.want) || !strings.Contains(err.Error(), "compute GET "+odd.at) {
					t.Errorf("it holds something: %t, and it is said: %v", holds, err)
				}
			})
		}
	}
}
