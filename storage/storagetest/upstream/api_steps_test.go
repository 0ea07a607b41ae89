//go:build placement

package upstream_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
)

// generator draws requests from a small vocabulary, so that they affect each other.
type generator struct {
	*dice
	providers, consumers, aggregates []string
	classes, traits                  []string
}

func newGenerator(seed uint64) *generator {
	g := &generator{dice: &dice{rand.New(rand.NewPCG(seed, 13))}}
	id := func() string {
		return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", g.Uint32(), g.IntN(1<<16), g.IntN(1<<12), g.IntN(1<<12), g.Int64N(1<<48))
	}
	for range 7 {
		g.providers = append(g.providers, id())
	}
	for range 6 {
		g.consumers = append(g.consumers, id())
	}
	for range 3 {
		g.aggregates = append(g.aggregates, id())
	}
	g.classes = []string{"VCPU", "VCPU", "VCPU", "MEMORY_MB", "MEMORY_MB", "VGPU", "DISK_GB", "CUSTOM_A", "CUSTOM_B"}
	g.traits = []string{"CUSTOM_T", "CUSTOM_U", "OWNER_NOVA", "OWNER_CYBORG", "MISC_SHARES_VIA_AGGREGATE", "HW_CPU_X86_AVX"}
	return g
}

func (g *generator) provider() string  { return pick(g.Rand, g.providers) }
func (g *generator) consumer() string  { return pick(g.Rand, g.consumers) }
func (g *generator) aggregate() string { return pick(g.Rand, g.aggregates) }

func (g *generator) class() string {
	if g.one(25) {
		return pick(g.Rand, []string{"CUSTOM_NONE", "vcpu", "PCPU", "A B"})
	}
	return pick(g.Rand, g.classes)
}

func (g *generator) trait() string {
	if g.one(25) {
		return pick(g.Rand, []string{"CUSTOM_NONE", "custom_t", "HW_NONE"})
	}
	return pick(g.Rand, g.traits)
}

// version draws the version of a request: mostly a new one.
func (g *generator) version() string {
	switch g.IntN(20) {
	case 0:
		return ""
	case 1:
		return "placement latest"
	case 2:
		return pick(g.Rand, []string{"placement 1.40", "placement x", "compute 2.1", "placement 1.39, compute 2.1", "placement 2.0", "PLACEMENT 1.30", "placement  1.5", "placement 1.", "placement 1", "placement -1.3", "placement 1.2.3"})
	case 3, 4, 5, 6, 7, 8:
		return fmt.Sprintf("placement 1.%d", g.IntN(40))
	}
	return fmt.Sprintf("placement 1.%d", 34+g.IntN(6))
}

// minor returns the minor version, as far as it matters for what is sent.
func minor(version string) int {
	n := 39
	_, _ = fmt.Sscanf(version, "placement 1.%d", &n)
	if version == "" || strings.HasPrefix(version, "compute") {
		n = 0
	}
	return n
}

func generation(id string, off int) string { return fmt.Sprintf("{gen:%s+%d}", id, off) }

// gen draws a generation: mostly the current one.
func (g *generator) gen(id string) any {
	if g.one(10) {
		return generation(id, g.IntN(5)-2)
	}
	return generation(id, 0)
}

// encode returns a body, which sometimes violates the schema.
func (g *generator) encode(v any) string {
	if g.one(12) {
		v = g.spoil(v)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	s := strings.TrimSuffix(b.String(), "\n")
	if g.one(100) {
		s = s[:g.IntN(len(s)+1)]
	}
	return s
}

// spoil changes a random part of a body.
func (g *generator) spoil(v any) any {
	odd := []any{nil, "x", "", -1, 0, 1.5, 3.0, 1 << 40, []any{}, []any{"x", "x"}, map[string]any{}, map[string]any{"x": 1}, strings.Repeat("A", 300), "é'\"<b>", "CUSTOM_X"}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 || g.one(4) {
			out := maps.Clone(v)
			out[pick(g.Rand, []string{"x", "name", "generation", "resource_provider_generation", "uuid"})] = pick(g.Rand, odd)
			return out
		}
		keys := slices.Sorted(maps.Keys(v))
		key := pick(g.Rand, keys)
		out := maps.Clone(v)
		switch g.IntN(4) {
		case 0:
			delete(out, key)
		default:
			out[key] = g.spoil(v[key])
		}
		return out
	case []any:
		if len(v) > 0 && g.one(2) {
			out := slices.Clone(v)
			i := g.IntN(len(v))
			out[i] = g.spoil(v[i])
			return out
		}
		return append(slices.Clone(v), pick(g.Rand, odd))
	}
	return pick(g.Rand, odd)
}

// accepts are Accept headers, some of them malformed.
var accepts = []string{
	"text/html", "text/html, application/json", "text/html;q=0.5, application/json;q=0.4", "text/html;level=1", "text/*", "application/*, text/html", "*/*, text/html",
	"text/plain", "text/html;q=0", "application/json;q=0", "*/*;q=0", "*/*;q=0.1", "a/b, */*", "application/json;x=1", `""`, `text/html;charset="a,b"`, "TEXT/HTML", "garbage",
	"application/json ; q=1.000, text/html", "application/json;q=1.001", "text/html;q=0.9;x;y=z, application/json;q=0.90", "text/html;a=b;q=x", "application/json,, ,text/html;Q=0.1",
	",text/html", `text/html;x="\\"";q=1`, "text/html;x", "application/json;q=0.5, application/json;q=0, text/html;q=0.4", "text/html;q=.5", "text/html;q=", "*/html", "application/xml",
}

// headers draws rarely sent headers.
func (g *generator) headers() map[string]string {
	if !g.one(15) {
		return nil
	}
	return pick(g.Rand, []map[string]string{
		{"Accept": "application/json"},
		{"Accept": "*/*"},
		{"Accept": "application/json, text/plain;q=0.5"},
		{"Accept": pick(g.Rand, accepts)},
		{"Accept": pick(g.Rand, accepts)},
		{"Accept": pick(g.Rand, accepts)},
		{"Content-Type": "application/json; charset=utf-8"},
		{"X-Auth-Token": ""},
		{"X-Auth-Token": "joe"},
		{"X-Auth-Token": "joe:p1", "X-Roles": "member,reader"},
		{"X-Auth-Token": "admin:p1"},
		{"X-Auth-Token": "joe:p1", "X-Roles": "admin"},
	})
}

// furnish makes the initial cloud of a sequence.
func (b *both) furnish() {
	send := func(method, path string, body any) {
		text, _ := json.Marshal(body)
		if body == nil {
			text = nil
		}
		b.exchange(asked{method: method, path: path, version: "placement 1.39", body: string(text)})
	}
	for _, name := range []string{"/resource_classes/CUSTOM_A", "/resource_classes/CUSTOM_B", "/traits/CUSTOM_T", "/traits/CUSTOM_U"} {
		send("PUT", name, nil)
	}
	for i, id := range b.providers[:5] {
		body := map[string]any{"name": "n-" + id[:3], "uuid": id}
		if i%2 == 1 {
			body["parent_provider_uuid"] = b.providers[i-1]
		}
		send("POST", "/resource_providers", body)
		send("PUT", "/resource_providers/"+id+"/inventories", map[string]any{"resource_provider_generation": generation(id, 0), "inventories": map[string]any{
			"VCPU": map[string]any{"total": 16}, b.class(): map[string]any{"total": 8}, "MEMORY_MB": map[string]any{"total": 64, "max_unit": 8}, "CUSTOM_A": map[string]any{"total": 4},
		}})
		send("PUT", "/resource_providers/"+id+"/traits", map[string]any{"resource_provider_generation": generation(id, 0), "traits": b.list(b.trait, 3)})
		send("PUT", "/resource_providers/"+id+"/aggregates", map[string]any{"resource_provider_generation": generation(id, 0), "aggregates": b.list(b.aggregate, 2)})
	}
}

// step sends one request, or a few that belong together.
func (b *both) step() {
	a := b.draw()
	if a.header == nil {
		a.header = b.headers()
	}
	for _, consumer := range slices.Sorted(maps.Keys(b.claims(a))) {
		if b.haunted[consumer] { // it always answers with a conflict
			b.consumers = slices.DeleteFunc(b.consumers, func(c string) bool { return c == consumer })
			b.consumers = append(b.consumers, newGenerator(b.Uint64()).consumers[0])
			return
		}
	}
	b.exchange(a)
}

func (b *both) draw() asked {
	v := b.version()
	g := b.generator
	id := g.provider()
	rp := "/resource_providers/" + id
	is := func(method, path string) asked { return asked{method: method, path: path, version: v} }
	with := func(method, path string, body any) asked {
		a := is(method, path)
		a.body = g.encode(body)
		return a
	}
	switch n := g.IntN(100); {
	case n < 8:
		return with("POST", "/resource_providers", g.newProvider(minor(v)))
	case n < 11:
		return with("PUT", rp, g.changedProvider(minor(v), id))
	case n < 13:
		return is("DELETE", rp)
	case n < 16:
		return is("GET", rp)
	case n < 22:
		return is("GET", "/resource_providers?"+g.providersQuery(minor(v)))
	case n < 29:
		return with("PUT", rp+"/inventories", map[string]any{"resource_provider_generation": g.gen(id), "inventories": g.inventories()})
	case n < 31:
		return with("POST", rp+"/inventories", g.inventory(map[string]any{"resource_class": g.class()}))
	case n < 33:
		return is("GET", rp+"/inventories")
	case n < 34:
		return is("DELETE", rp+"/inventories")
	case n < 36:
		return with("PUT", rp+"/inventories/"+url.PathEscape(g.class()), g.inventory(map[string]any{"resource_provider_generation": g.gen(id)}))
	case n < 37:
		return is("GET", rp+"/inventories/"+url.PathEscape(g.class()))
	case n < 38:
		return is("DELETE", rp+"/inventories/"+url.PathEscape(g.class()))
	case n < 42:
		return with("PUT", rp+"/traits", map[string]any{"resource_provider_generation": g.gen(id), "traits": g.list(g.trait, 4)})
	case n < 44:
		return is(pick(g.Rand, []string{"GET", "GET", "DELETE"}), rp+"/traits")
	case n < 47:
		return with("PUT", rp+"/aggregates", g.aggregateBody(minor(v), id))
	case n < 49:
		return is("GET", rp+"/aggregates")
	case n < 51:
		return is("GET", rp+"/usages")
	case n < 53:
		return is("GET", rp+"/allocations")
	case n < 65:
		c := g.consumer()
		return with("PUT", "/allocations/"+c, b.claimAt(minor(v), c))
	case n < 70:
		return with("POST", "/allocations", b.claimsAt(minor(v)))
	case n < 73:
		return is("GET", "/allocations/"+g.consumer())
	case n < 75:
		return is("DELETE", "/allocations/"+g.consumer())
	case n < 77:
		return with("POST", "/reshaper", b.reshaping(minor(v)))
	case n < 86:
		return is("GET", "/allocation_candidates?"+g.candidatesQuery(minor(v)))
	}
	return b.drawNames(v, is, with)
}

// drawNames draws requests about classes, traits and totals, and to invalid paths.
func (b *both) drawNames(v string, is func(method, path string) asked, with func(method, path string, body any) asked) asked {
	g := b.generator
	class := "/resource_classes/" + url.PathEscape(g.class())
	trait := "/traits/" + url.PathEscape(g.trait())
	switch g.IntN(18) {
	case 0:
		return is("GET", "/resource_classes")
	case 1, 2:
		return with("POST", "/resource_classes", map[string]any{"name": g.class()})
	case 3:
		return is("GET", class)
	case 4, 5:
		if minor(v) < 7 {
			return with("PUT", class, map[string]any{"name": g.class()})
		}
		return is("PUT", class)
	case 6:
		return is("DELETE", class)
	case 7:
		return is("GET", "/traits?"+pick(g.Rand, []string{"name=startswith:CUSTOM", "name=startswith:HW_GPU_A", "name=in:CUSTOM_T,OWNER_NOVA,X", "associated=true&name=startswith:O", "associated=TRUE", "name=x", "name=foo:CUSTOM&associated=true", "x=1", "associated=1", "name=startswith:custom", "name=startswith:%25_T&associated=true"}))
	case 8:
		return is("GET", trait)
	case 9, 10, 11:
		return is("PUT", trait)
	case 12:
		return is("DELETE", trait)
	case 13, 14:
		return is("GET", "/usages?"+pick(g.Rand, []string{"project_id=p1", "project_id=p2&user_id=u1", "user_id=u1", "project_id=p1&consumer_type=INSTANCE", "project_id=p1&consumer_type=all", "project_id=p1&consumer_type=unknown", "project_id=", "project_id=p1&x=1", "project_id=p1&consumer_type=lower", "project_id=00000000-0000-0000-0000-000000000000"}))
	case 15:
		return is("GET", "/")
	case 16:
		return is(pick(g.Rand, []string{"PATCH", "HEAD", "POST", "OPTIONS", "DELETE"}), pick(g.Rand, []string{"/", "/resource_providers", "/allocations", "/traits", "/usages", "/reshaper", "/resource_providers/" + g.provider() + "/inventories", "/allocations/" + g.consumer()}))
	}
	return is("GET", pick(g.Rand, []string{"/nope", "/resource_providers/", "/resource_providers/" + g.provider() + "/nope", "/resource_providers/" + g.provider() + "/inventories/", "/traits/", "/allocations", "/resource_providers/x/y/z/a", "/resource_providers/" + strings.ToUpper(g.provider()), "/resource_providers/x%2Fy", "/resource_providers/x%20y", "/allocations/not-a-uuid"}))
}

func (g *generator) list(draw func() string, most int) []any {
	out := []any{}
	for range g.IntN(most + 1) {
		if s := draw(); !slices.Contains(out, any(s)) {
			out = append(out, s)
		}
	}
	return out
}

func (g *generator) newProvider(v int) map[string]any {
	id := g.provider()
	body := map[string]any{"name": "n-" + id[:3], "uuid": id}
	switch {
	case g.one(20):
		body["name"] = pick(g.Rand, []string{"", strings.Repeat("n", 201), "a name", "ü", "n-" + g.provider()[:3]})
	case g.one(15):
		body["uuid"] = strings.ReplaceAll(id, "-", "")
	case g.one(20):
		body["uuid"] = "{" + strings.ToUpper(id) + "}"
	}
	if v >= 14 && g.one(2) || g.one(15) {
		body["parent_provider_uuid"] = g.provider()
		if g.one(8) {
			body["parent_provider_uuid"] = nil
		}
	}
	return body
}

func (g *generator) changedProvider(v int, id string) map[string]any {
	body := map[string]any{"name": pick(g.Rand, []string{"n-" + id[:3], "n-" + id[:3], "m-" + id[:3], "n-" + g.provider()[:3]})}
	if v >= 14 && g.one(2) || g.one(15) {
		body["parent_provider_uuid"] = g.provider()
		if g.one(3) {
			body["parent_provider_uuid"] = nil
		}
	}
	return body
}

func (g *generator) inventory(body map[string]any) map[string]any {
	body["total"] = 1 + g.IntN(16)
	if g.one(3) {
		body["reserved"] = g.IntN(4)
	}
	if g.one(20) {
		body["reserved"] = body["total"]
	}
	if g.one(4) {
		body["max_unit"], body["min_unit"], body["step_size"] = 1+g.IntN(12), 1+g.IntN(2), 1+g.IntN(2)
	}
	if g.one(4) {
		body["allocation_ratio"] = pick(g.Rand, []any{1, 1.5, 0.3, 4, 16.0, 0})
	}
	return body
}

func (g *generator) inventories() map[string]any {
	set := map[string]any{}
	for range 1 + g.IntN(3) {
		set[g.class()] = g.inventory(map[string]any{})
	}
	if g.one(20) {
		clear(set)
	}
	return set
}

func (g *generator) aggregateBody(v int, id string) any {
	list := g.list(g.aggregate, 3)
	if v < 19 != g.one(20) {
		return list
	}
	return map[string]any{"aggregates": list, "resource_provider_generation": g.gen(id)}
}

// held returns the generation of a consumer, nil if it holds nothing.
func (b *both) held(consumer string) any {
	var c struct {
		Generation *int64 `json:"consumer_generation"`
	}
	b.ask("/allocations/"+consumer, &c)
	if c.Generation == nil {
		return nil
	}
	return *c.Generation
}

// claimAt draws a claim in the form of a version.
func (b *both) claimAt(v int, consumer string) map[string]any {
	g := b.generator
	resources := func() map[string]any {
		out := map[string]any{}
		for range 1 + g.IntN(2) {
			out[g.class()] = 1 + g.IntN(5)
		}
		return out
	}
	body := map[string]any{}
	if v < 12 {
		list := []any{}
		for range 1 + g.IntN(2) {
			list = append(list, map[string]any{"resource_provider": map[string]any{"uuid": g.provider()}, "resources": resources()})
		}
		body["allocations"] = list
	} else {
		of := map[string]any{}
		n := 1 + g.IntN(2)
		if g.one(8) {
			n = 0
		}
		for range n {
			of[g.provider()] = map[string]any{"resources": resources()}
		}
		body["allocations"] = of
	}
	if v >= 8 {
		body["project_id"], body["user_id"] = pick(g.Rand, []string{"p1", "p2"}), pick(g.Rand, []string{"u1", "u2"})
	}
	if v >= 28 {
		body["consumer_generation"] = b.held(consumer)
		if g.one(10) {
			body["consumer_generation"] = pick(g.Rand, []any{nil, 1, 7})
		}
	}
	if v >= 34 && g.one(6) {
		body["mappings"] = map[string]any{"": []any{g.provider()}, "_A": []any{g.provider()}}
	}
	if v >= 38 {
		body["consumer_type"] = pick(g.Rand, []string{"INSTANCE", "INSTANCE", "MIGRATION", "OTHER_2"})
	}
	return body
}

func (b *both) claimsAt(v int) map[string]any {
	body := map[string]any{}
	for range 1 + b.IntN(2) {
		c := b.consumer()
		body[c] = b.claimAt(max(v, 12), c)
	}
	return body
}

func (b *both) reshaping(v int) map[string]any {
	in := map[string]any{}
	for range 1 + b.IntN(2) {
		id := b.provider()
		in[id] = map[string]any{"resource_provider_generation": b.gen(id), "inventories": b.inventories()}
	}
	claims := map[string]any{}
	for range b.IntN(3) {
		c := b.consumer()
		claims[c] = b.claimAt(max(v, 28), c)
	}
	return map[string]any{"inventories": in, "allocations": claims}
}

// providersQuery draws the query for a list of providers.
func (g *generator) providersQuery(v int) string {
	var parts []string
	add := func(key, value string) { parts = append(parts, key+"="+url.QueryEscape(value)) }
	for range g.IntN(3) {
		switch g.IntN(8) {
		case 0:
			add("name", "n-"+g.provider()[:3])
		case 1:
			add("uuid", pick(g.Rand, []string{g.provider(), g.provider(), "x", strings.ReplaceAll(g.provider(), "-", "")}))
		case 2:
			add("member_of", g.memberOf(v))
		case 3:
			add("resources", g.amounts())
		case 4:
			add("in_tree", pick(g.Rand, []string{g.provider(), g.provider(), "x"}))
		case 5, 6:
			add("required", g.traitList(v))
		default:
			add(pick(g.Rand, []string{"x", "limit", "name", "required"}), pick(g.Rand, []string{"", "1", "é"}))
		}
	}
	return strings.Join(parts, "&")
}

func (g *generator) memberOf(v int) string {
	s := pick(g.Rand, []string{"", "", "in:", "in:"})
	if v >= 32 && g.one(3) || g.one(20) {
		s = "!" + s
	}
	if strings.HasSuffix(s, "in:") {
		return s + g.aggregate() + "," + g.aggregate()
	}
	if g.one(20) {
		return pick(g.Rand, []string{"x", "", g.aggregate() + "," + g.aggregate(), "in:x", "!", strings.ToUpper(g.aggregate())})
	}
	return s + g.aggregate()
}

func (g *generator) amounts() string {
	if g.one(20) {
		return pick(g.Rand, []string{"", "VCPU", "VCPU:", "VCPU:x", "VCPU:0", "VCPU:-1", "VCPU:1:2", ":", " VCPU:1", "VCPU: 1", "VCPU:+1", "VCPU:1_0", "VCPU:1,", "VCPU:1.0", "VCPU=1"})
	}
	var parts []string
	for range 1 + g.IntN(2) {
		parts = append(parts, fmt.Sprintf("%s:%d", g.class(), 1+g.IntN(4)))
	}
	return strings.Join(parts, ",")
}

func (g *generator) traitList(v int) string {
	if g.one(20) {
		return pick(g.Rand, []string{"", ",", "!", "!!CUSTOM_T", "in:", "in:CUSTOM_T,", "in:!CUSTOM_T", "CUSTOM_T,!CUSTOM_T", " CUSTOM_T , OWNER_NOVA "})
	}
	if v >= 39 && g.one(3) {
		return "in:" + g.trait() + "," + g.trait()
	}
	s := g.trait()
	if v >= 22 && g.one(3) || g.one(20) {
		s = "!" + s
	}
	if g.one(3) {
		s += "," + g.trait()
	}
	return s
}

// candidatesQuery draws a candidates query of a version.
func (g *generator) candidatesQuery(v int) string {
	var parts []string
	add := func(key, value string) { parts = append(parts, key+"="+url.QueryEscape(value)) }
	suffixes := []string{""}
	if v >= 25 && g.one(2) {
		suffixes = pick(g.Rand, [][]string{{"1"}, {"", "1"}, {"1", "2"}, {"", "1", "2"}, {"", "_A"}, {"_A", "_B"}, {"", "0"}})
	}
	for _, suffix := range suffixes {
		if !g.one(12) {
			add("resources"+suffix, g.amounts())
		}
		if v >= 17 && g.one(3) || g.one(25) {
			add("required"+suffix, g.traitList(v))
		}
		if v >= 21 && g.one(5) || g.one(30) {
			add("member_of"+suffix, g.memberOf(v))
		}
		if v >= 31 && g.one(8) || g.one(40) {
			add("in_tree"+suffix, g.provider())
		}
	}
	if len(suffixes) > 1 && !g.one(10) || g.one(10) {
		add("group_policy", pick(g.Rand, []string{"none", "isolate", "none", "isolate", "x"}))
	}
	if v >= 35 && g.one(8) {
		add("root_required", g.traitList(v))
	}
	if v >= 36 && g.one(8) {
		add("same_subtree", pick(g.Rand, []string{"1,2", "_A,_B", "1", "_C", "", "1,"}))
	}
	if v >= 16 && g.one(15) {
		add("limit", pick(g.Rand, []string{"0", "x", "-1", "01", ""}))
	}
	return strings.Join(parts, "&")
}
