package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// teller tells us of a cloud, and not always the truth.
type teller struct {
	down    int    // the cell that does not answer; 0 for none
	nova    int    // the newest microversion of Nova
	project string // the user may only see the servers of this project; "" for all
	tenants bool   // but may list those of all
	hides   bool   // extra specs
	most    int    // rows of a page
	lies    []*lie
	events  []*event
	watch   func(line string) // gets what is asked and answered; may be nil

	total   int                 // requests so far
	counts  map[api.Service]int // of each service
	began   int                 // the request after which we began to act
	did     int                 // what services did that was asked of them
	asked   map[any]int         // the last request that told the truth about a server, or a migration
	seen    []any               // by this request
	lying   *lie                // in this answer
	first   map[string]reply    // the first answer to each question
	actions map[placement.ConsumerID][]object
}

type reply struct {
	code int
	kind string
	body []byte
}

// event is something that happens in a cloud before a request to a service.
type event struct {
	of   api.Service
	at   int // of its requests
	name string
	do   func()
}

// lie is what is told wrongly, or not at all.
type lie struct {
	of       api.Service
	kind     string
	path     string // a part of it; "" for any
	from, to int    // requests of the service
	mask     uint64 // of the rows
	field    string
}

func (l *lie) String() string {
	return fmt.Sprintf("%s says %s of %q in requests %d to %d (%b %s)", l.of, l.kind, l.path, l.from, l.to, l.mask, l.field)
}

func (l *lie) about(row int) bool { return l.mask>>(row%64)&1 == 1 }

var errCut = errors.New("read: connection reset by peer")

// answer answers a request with what serve writes, unless it lies.
func (t *teller) answer(of api.Service, r *http.Request, serve func(w http.ResponseWriter)) (*http.Response, error) {
	t.total++
	t.counts[of]++
	n := t.counts[of]
	if r.Method == http.MethodGet {
		for i := 0; i < len(t.events); {
			if e := t.events[i]; e.of == of && n >= e.at {
				t.events = slices.Delete(t.events, i, i+1)
				t.say("  -- %s", e.name)
				e.do()
				continue
			}
			i++
		}
	}
	t.lying, t.seen = nil, t.seen[:0]
	for _, l := range t.lies {
		if l.of == of && n >= l.from && n <= l.to && strings.Contains(r.URL.Path, l.path) {
			t.lying = l
		}
	}
	write := r.Method != http.MethodGet
	made := func(code int, kind, body string) (*http.Response, error) {
		t.say("%d %s %s %s: %d, a lie", t.total, of, r.Method, r.URL.RequestURI(), code)
		return (reply{code, kind, []byte(body)}).to(r), nil
	}
	lost := false
	if l := t.lying; l != nil {
		switch l.kind {
		case "500":
			return made(500, "application/json", `{"computeFault":{"message":"broken"},"errors":[{"status":500,"detail":"broken"}]}`)
		case "503":
			return made(503, "text/html", "<html>away")
		case "403":
			return made(403, "application/json", `{"forbidden":{"message":"not by you"},"errors":[{"status":403,"detail":"not by you"}]}`)
		case "404":
			return made(404, "text/html", "<html>what?")
		case "401":
			return made(401, "application/json", `{"error":{"message":"who?"}}`)
		case "429":
			return made(429, "application/json", `{"overLimit":{"code":429,"message":"slower"}}`)
		case "HTML":
			return made(200, "text/html", "<html>log in")
		case "cut":
			return nil, errCut
		case "lost":
			lost = true
		case "stale":
			if was, ok := t.first[r.URL.RequestURI()]; ok && !write {
				return made(was.code, was.kind, string(was.body))
			}
		}
	}
	out := httptest.NewRecorder()
	serve(out)
	body := out.Body.Bytes()
	if of == api.Placement && t.lying != nil && !write && out.Code == http.StatusOK {
		body = t.lying.mangle(r.URL.Path, body)
	}
	if id, ok := strings.CutPrefix(r.URL.Path, "/allocations/"); ok && !write {
		t.seen = append(t.seen, id)
	}
	if t.lying == nil {
		for _, one := range t.seen {
			t.asked[one] = t.total
		}
	}
	if t.lying != nil && t.lying.kind == "torn" {
		body = body[:len(body)/2]
	}
	is := reply{out.Code, out.Header().Get("Content-Type"), body}
	if _, ok := t.first[r.URL.RequestURI()]; !ok && !write {
		t.first[r.URL.RequestURI()] = is
	}
	if t.lying != nil || t.began > 0 && !(of == api.Placement && !write && strings.HasPrefix(r.URL.Path, "/resource") || r.URL.Path == "/traits") {
		t.say("%d %s %s %s: %d %.200s", t.total, of, r.Method, r.URL.RequestURI(), is.code, is.body)
	}
	if lost {
		return nil, errCut
	}
	return is.to(r), nil
}

func (t *teller) say(format string, args ...any) {
	if t.watch != nil {
		t.watch(fmt.Sprintf(format, args...))
	}
}

func (a reply) to(r *http.Request) *http.Response {
	return &http.Response{
		StatusCode: a.code, Status: strconv.Itoa(a.code), Header: http.Header{"Content-Type": {a.kind}}, ContentLength: int64(len(a.body)),
		Body: io.NopCloser(strings.NewReader(string(a.body))), Request: r, ProtoMajor: 1, ProtoMinor: 1,
	}
}

// tellsSpecs reports whether flavors have their extra specs.
func (t *teller) tellsSpecs() bool { return !t.hides && t.nova >= int(microversion.FlavorSpecs) }

func (t *teller) saw(s *trueServer)   { t.seen = append(t.seen, s) }
func (t *teller) sawMove(m *trueMove) { t.seen = append(t.seen, m) }

// list answers with a page of rows.
func (t *teller) list(w http.ResponseWriter, r *http.Request, key string, rows []object) {
	q, lying := r.URL.Query(), t.lying
	if t.project != "" && q.Has("all_tenants") && !t.tenants {
		respond(w, http.StatusForbidden, object{"forbidden": object{"message": "not by you"}})
		return
	}
	if lying == nil {
		lying = &lie{}
	}
	told := []object{}
	for i, row := range rows {
		switch {
		case !lying.about(i):
			told = append(told, row)
		case lying.kind == "omit":
		case lying.kind == "field":
			row = maps.Clone(row)
			delete(row, lying.field)
			told = append(told, row)
		case lying.kind == "twice":
			again := maps.Clone(row)
			for key, value := range map[string]any{"OS-EXT-SRV-ATTR:host": "h1", "OS-EXT-STS:vm_state": "stopped", "OS-EXT-STS:task_state": nil, "state": "down"} {
				if _, has := again[key]; has {
					again[key] = value
				}
			}
			if again["status"] == "finished" || again["status"] == "running" {
				again["status"] = "error"
			}
			told = append(told, again, row)
		default:
			told = append(told, row)
		}
	}
	answer := object{key: told}
	if q.Has("limit") {
		if marker := q.Get("marker"); marker != "" && lying.kind != "again" {
			i := slices.IndexFunc(told, func(row object) bool { return fmt.Sprint(row["id"]) == marker || fmt.Sprint(row["uuid"]) == marker })
			if i < 0 {
				respond(w, http.StatusBadRequest, object{"badRequest": object{"code": 400, "message": "marker [" + marker + "] not found"}})
				return
			}
			told = told[i+1:]
		}
		if len(told) > t.most {
			told = told[:t.most]
			if lying.kind != "short" {
				answer[key+"_links"] = []object{{"rel": "next", "href": "x"}}
			}
		}
		answer[key] = told
	}
	respond(w, http.StatusOK, answer)
}

// mangle returns what Placement is said to answer at a path.
func (l *lie) mangle(path string, body []byte) []byte {
	for _, part := range []string{"/traits", "/inventories", "/aggregates"} {
		if strings.HasSuffix(path, part) {
			return body // they come with their generation, so that they are whole
		}
	}
	var of map[string]json.RawMessage
	if json.Unmarshal(body, &of) != nil {
		return body
	}
	for key, text := range of {
		var rows []json.RawMessage
		var fields map[string]json.RawMessage
		switch {
		case l.kind != "omit" || key == "resource_classes" || strings.HasPrefix(path, "/allocation_candidates") || path == "/usages":
		case json.Unmarshal(text, &rows) == nil:
			kept := rows[:0]
			for i, row := range rows {
				if !l.about(i) {
					kept = append(kept, row)
				}
			}
			of[key], _ = json.Marshal(kept)
		case json.Unmarshal(text, &fields) == nil:
			for i, name := range slices.Sorted(maps.Keys(fields)) {
				if l.about(i) {
					delete(fields, name)
				}
			}
			of[key], _ = json.Marshal(fields)
		}
	}
	out, _ := json.Marshal(of)
	return out
}
