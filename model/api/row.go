// Package api says what each verb of a ledger looks like from outside: the calls of the
// services' APIs, with paths, bodies, microversions and status codes, the commands of the
// openstack client, and our own command. It decides nothing; the server, the client and
// previews share it.
//
// A verb is one case: of Placement's in placement.go, of Nova's in compute.go, of Cyborg's in
// accelerator.go. What Nova does with a server is in server.go.
//
// Source: placement/handler.py, placement/schemas; osc-placement, osc_placement/resources/.
package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Service is the type of a service, as the catalogue of a cloud and the header
// OpenStack-API-Version name it.
type Service string

// The services that a change may be sent to.
const (
	Placement   Service = "placement"
	Compute     Service = "compute"
	Accelerator Service = "accelerator"
)

// Microversion returns a microversion of the service by its second number: "1.28".
func (s Service) Microversion(minor int) string {
	if s == Placement {
		return microversion.Placement(minor).String()
	}
	return fmt.Sprintf("2.%d", minor)
}

// Call is a call of the API of a service.
type Call struct {
	Service Service
	Method  string
	Path    string // below the service's endpoint
	Body    string // JSON on one line; empty for none
	Minor   int    // the second number of the lowest microversion at which the call means what it should
	Answer  Answer // the answer to expect, as the ledger is now
}

// Microversion returns the call's microversion: "1.28".
func (c Call) Microversion() string { return c.Service.Microversion(c.Minor) }

// Version returns the value of the header OpenStack-API-Version: "placement 1.28".
func (c Call) Version() string { return string(c.Service) + " " + c.Microversion() }

// row is how one verb looks from outside.
type row struct {
	service Service   // that carries it out; "" for what no API has
	calls   []Call    // none for what the API names by an id that is not known
	client  []command // of the openstack client, at the microversion of the calls
	since   int       // another microversion for client; 0 for none
	own     command   // of placetop; "" for none
	// itself finds what the service writes to Placement by itself as it carries out the verb;
	// nil if it writes nothing.
	itself func(op placement.Op) bool
}

// view is the cloud that verbs are about.
type view struct {
	*cloud.Snapshot
	ledger  *placement.Snapshot           // Placement's, after the verbs before
	renamed map[placement.ProviderID]bool // providers that are not called by their name, as it changes
}

func viewOf(s *cloud.Snapshot) view { return view{Snapshot: s, ledger: s.Placement()} }

// row returns how an operation looks from outside.
func (v view) row(op cloud.Op) row {
	switch {
	case placement.Owns(op):
		return v.placement(op)
	case nova.Owns(op):
		return v.compute(op)
	case cyborg.Owns(op):
		return v.accelerator(op)
	}
	return row{}
}

// minor returns the second number of the lowest microversion that can carry out the verb.
func (r row) minor() int {
	minor := 0
	for _, c := range r.calls {
		minor = max(minor, c.Minor)
	}
	return minor
}

// commands returns the commands of the openstack client, with a microversion if that is not
// the default of the client.
func (r row) commands() []string {
	var out []string
	minor := r.minor()
	if r.since > 0 {
		minor = r.since
	}
	for _, c := range r.client {
		line := "openstack"
		if r.service == Placement || minor > int(microversion.ComputeFirst) {
			line += " --os-" + string(r.service) + "-api-version " + r.service.Microversion(minor)
		}
		out = append(out, line+" "+string(c))
	}
	return out
}

// Needs returns the service that an operation is asked of, "" if no API has it, and the second
// number of the oldest microversion that can carry it out, whatever it is about.
func Needs(op cloud.Op) (Service, int) {
	r := viewOf(cloud.Empty()).row(op)
	return r.service, r.minor()
}

// mostRequests is the largest number of operations of a Change that are shown as
// requests.
const mostRequests = 200

// Of returns the API calls for operations on a cloud, and the same as openstack
// commands: none if the list is too long to read, or has no such form. Generations
// that the operations leave open are those that each would find.
func Of(s *cloud.Snapshot, ops []cloud.Op) (requests []Call, commands []string) {
	if len(ops) > mostRequests {
		return nil, nil
	}
	v := viewOf(s)
	for _, op := range Sent(s, ops) {
		r := v.row(op)
		requests, commands = append(requests, r.calls...), append(commands, r.commands()...)
		if r.service != Placement {
			continue
		}
		next, _, err := v.ledger.Apply(placement.Change{Ops: []placement.Op{op}})
		if err != nil {
			break // cannot happen, as the whole change has been applied
		}
		v.ledger = next
	}
	return requests, commands
}

// Own returns operations on a cloud as commands of placetop, nil if one of them has no
// command, or there are too many to read. Things are called by their names, or by their
// uuids if the operations rename them.
func Own(s *cloud.Snapshot, ops []cloud.Op) []string {
	if len(ops) > mostRequests {
		return nil
	}
	v := viewOf(s)
	v.renamed = map[placement.ProviderID]bool{}
	for _, op := range ops {
		if u, ok := op.(placement.UpdateProvider); ok {
			v.renamed[u.ID] = true
		}
	}
	var out []string
	for _, op := range ops {
		own := v.row(op).own
		if own == "" {
			return nil
		}
		out = append(out, "placetop "+string(own))
	}
	return out
}

// Sent returns the operations that a service must be asked for, of a list that changes
// a cloud: without what Nova and Cyborg write to Placement by themselves as they carry
// out the others.
func Sent(s *cloud.Snapshot, ops []cloud.Op) []cloud.Op {
	v := viewOf(s)
	var itself []func(placement.Op) bool
	for _, op := range ops {
		if r := v.row(op); r.itself != nil {
			itself = append(itself, r.itself)
		}
	}
	return slices.DeleteFunc(slices.Clone(ops), func(op cloud.Op) bool {
		return slices.ContainsFunc(itself, func(is func(placement.Op) bool) bool { return is(op) })
	})
}

// is reports whether an operation is of the type T.
func is[T placement.Op](op placement.Op) bool {
	_, ok := op.(T)
	return ok
}

// call returns a single call with a body of JSON, nil for none. The characters
// <, > and & stay as they are.
func call[Minor ~int](of Service, method, path string, at Minor, status int, body any) []Call {
	c := Call{Service: of, Method: method, Path: path, Minor: int(at), Answer: Answer{Status: status}}
	if body != nil {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(body); err != nil {
			return nil // an infinite ratio, which no inventory may have
		}
		c.Body = strings.TrimSuffix(buf.String(), "\n")
	}
	return []Call{c}
}

// command is words for a shell.
type command string

// say returns the words that begin a command.
func say(verb string, words ...string) command { return command(verb).and(words...) }

// and returns c with more words.
func (c command) and(words ...string) command {
	for _, w := range words {
		c += command(" " + Quote(w))
	}
	return c
}

// each returns c with a flag before each of some words.
func (c command) each(flag string, words []string) command {
	for _, w := range words {
		c = c.and(flag, w)
	}
	return c
}

// Quote returns a word quoted for a shell.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.,:=/@+%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// texts returns the names or ids of things.
func texts[T fmt.Stringer](of []T) []string {
	out := make([]string, len(of))
	for i, t := range of {
		out[i] = t.String()
	}
	return out
}

// pairs returns KEY=VALUE for each entry, by key.
func pairs(set map[string]string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(set)) {
		out = append(out, key+"="+set[key])
	}
	return out
}
