package remote

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// This file looks for signs that a list of Nova's is not whole, although its answer does not
// say so.

// checkLists looks for what one list speaks of and another lacks: of a server that is being
// moved there is a migration, and on a hypervisor with guests there are as many servers.
// Nova counts guests once a minute, so they are only compared where the list of servers may
// have been cut, and not where nova-compute is down.
func (n *novaMirror) checkLists(reads *readings) {
	if reads.failed(cloud.Instances) {
		return
	}
	moves, on, up := map[placement.ConsumerID]bool{}, map[string]int64{}, map[string]bool{}
	for _, m := range n.migrations {
		moves[m.Instance] = true
	}
	for _, s := range n.services {
		up[s.Host] = up[s.Host] || s.Binary == nova.Compute && nova.ServiceState(s.State) == nova.ServiceUp
	}
	var lone, hosts, hidden []string
	for _, s := range n.servers {
		if s.Host == "" && s.Task == "" && s.VMState.Placed() {
			hidden = append(hidden, orElse(s.Name, s.ID.String()))
		}
		on[s.Host]++
		if isMoved(s.VMState, s.Task) && !moves[s.ID] {
			lone = append(lone, orElse(s.Name, s.ID.String()))
		}
	}
	for _, h := range n.hypervisors {
		if n.early && up[h.Service.Host] && h.RunningVMs > on[h.Service.Host] {
			hosts = append(hosts, h.Service.Host)
		}
	}
	if len(hidden) > 0 {
		reads.cut("the host is not told of "+someOf(hidden), cloud.Instances)
	}
	if len(lone) > 0 && reads.whole(cloud.Migrations) {
		reads.cut("there is none of "+someOf(lone)+", which is being moved", cloud.Migrations)
	}
	if len(hosts) > 0 {
		reads.cut("there are fewer than the guests that are reported of "+someOf(hosts), cloud.Instances)
	}
}

// checkFlavors notes the flavors that are not shown, as a name that ends in # and a number is
// that of a revision here, and those of which this user may not know all.
func (n *novaMirror) checkFlavors(reads *readings) {
	var out, half []string
	for _, f := range n.flavors {
		if f.record().Validate() != nil {
			out = append(out, strconv.Quote(f.Name))
		} else if f.ExtraSpecs == nil {
			half = append(half, f.Name)
		}
	}
	if len(half) > 0 {
		reads.cut("the extra specs of "+someOf(half)+" are not told to this user", cloud.Flavors)
	}
	if len(out) > 0 {
		reads.cut(someOf(out)+" cannot be shown here", cloud.Flavors)
	}
}

// isMoved reports whether a server is being resized or migrated, or waits for that to be
// confirmed: Nova keeps a migration of it.
func isMoved(vm nova.VMState, task nova.TaskState) bool { return vm == nova.Resized || task.Moves() }

// oneOfEach keeps one record of each migration and hypervisor, of each server on a host, and of each
// service of one: of an up one, or else the newest. A host that went to another cell leaves a record in its former one.
func (n *novaMirror) oneOfEach(reads *readings) {
	better := func(a, b novaService) int {
		up := func(s novaService) int {
			if nova.ServiceState(s.State) == nova.ServiceUp {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Binary, b.Binary), cmp.Compare(up(b), up(a)), cmp.Compare(b.Updated, a.Updated), cmp.Compare(a.ID.String(), b.ID.String()))
	}
	sorted := slices.SortedFunc(slices.Values(n.services), better)
	var twins []string
	n.migrations = oneMigration(n.migrations)
	n.servers = oneServer(n.servers)
	nodes := make(map[placement.ProviderID]string, len(n.hypervisors))
	var moved []string
	n.hypervisors = slices.DeleteFunc(n.hypervisors, func(h novaHypervisor) bool {
		host, same := nodes[h.ID]
		if same && host != h.Service.Host {
			moved = append(moved, h.Name)
		}
		nodes[h.ID] = h.Service.Host
		return same
	})
	if len(moved) > 0 {
		reads.cut("there are several records of "+someOf(moved), cloud.Hypervisors)
	}
	n.services = slices.CompactFunc(sorted, func(a, b novaService) bool {
		same := a.Host == b.Host && a.Binary == b.Binary
		if same && a.Binary == nova.Compute { // each cell has a conductor, often on the same host
			twins = append(twins, a.Host)
		}
		return same
	})
	if len(twins) > 0 {
		reads.cut("there are several records of one service of "+someOf(twins), cloud.Services)
	}
}

// oneMigration keeps one record of each migration: one that is under way, if there is one. Two
// cells have the migration of a server that goes from one to the other.
//
// Source: nova/conductor/tasks/cross_cell_migrate.py.
func oneMigration(all []novaMigration) []novaMigration {
	at := make(map[placement.ConsumerID]int, len(all))
	out := all[:0:0]
	for _, m := range all {
		switch i, twice := at[m.UUID]; {
		case !twice, m.UUID.IsZero(): // before 2.59 Nova does not tell it
			at[m.UUID] = len(out)
			out = append(out, m)
		case m.Status.UnderWay() && !out[i].Status.UnderWay():
			out[i] = m
		}
	}
	return out
}

// oneServer keeps the newest record of each server on a host: a list of many pages has one twice
// that changes meanwhile. Those that are listed on two hosts are not settled: see mirror.moving.
func oneServer(all []novaServer) []novaServer {
	type place struct {
		id   placement.ConsumerID
		host string
	}
	at := make(map[place]int, len(all))
	out := all[:0:0]
	for _, s := range all {
		switch i, twice := at[place{s.ID, s.Host}]; {
		case !twice:
			at[place{s.ID, s.Host}] = len(out)
			out = append(out, s)
		case s.Updated > out[i].Updated:
			out[i] = s
		}
	}
	return out
}

// checkCells looks for signs that a cell does not answer. What Nova tells nothing about is
// forgotten.
func (n *novaMirror) checkCells(reads *readings, newest int) {
	var bare []string
	nodes := map[string]bool{}
	for _, h := range n.hypervisors {
		nodes[h.Service.Host] = true
	}
	why := cellsGap(newest, n.services, maps.Keys(nodes))
	n.services = slices.DeleteFunc(n.services, cellDown)
	for _, s := range n.services {
		if s.Binary == nova.Compute && !nodes[s.Host] {
			bare = append(bare, s.Host)
		}
	}
	stubs := len(n.servers)
	n.servers = slices.DeleteFunc(n.servers, func(s novaServer) bool { return strings.EqualFold(s.Status, "unknown") })
	stubs -= len(n.servers)
	all := []cloud.Part{cloud.Services, cloud.Hypervisors, cloud.Instances, cloud.Migrations}
	switch {
	case reads.failed(cloud.Services):
		reads.cut("services could not be read, so it is not known whether all cells have answered", all[1:]...)
	case why != "":
		reads.cut(why, all...)
	case stubs > 0:
		reads.cut(fmt.Sprintf("a cell does not answer: of %d servers no more is known than their uuid", stubs), all...)
	case len(bare) > 0 && !reads.failed(cloud.Hypervisors):
		reads.cut("there is none of "+someOf(bare)+", where nova-compute runs", cloud.Hypervisors)
	}
}

// cellsGap returns why a cell may not have answered, "" if all have: Nova leaves out its
// servers, migrations and hypervisors without a word, and of its services tells no more than
// their names. That is only known of a Nova that tells of every host with a hypervisor that
// it has a nova-compute.
//
// Source: nova/api-guide/source/down_cells.rst; microversion 2.69.
func cellsGap(newest int, services []novaService, hosts iter.Seq[string]) string {
	if newest < int(microversion.DownCells) {
		return fmt.Sprintf("whether all cells answer, this Nova does not say: it speaks 2.%d, and would from 2.%d on", newest, int(microversion.DownCells))
	}
	var down, lone []string
	computes := map[string]bool{"": true}
	for _, s := range services {
		if cellDown(s) {
			down = append(down, orElse(s.Host, "an unknown host"))
		}
		computes[s.Host] = computes[s.Host] || s.Binary == nova.Compute
	}
	for host := range hosts {
		if !computes[host] {
			lone = append(lone, host)
		}
	}
	switch {
	case len(down) > 0:
		return "a cell does not answer: nothing is known of " + someOf(down)
	case len(lone) > 0:
		return "whether all cells answer, Nova does not say: it lists no nova-compute of " + someOf(lone) + ", where a hypervisor is"
	}
	return ""
}

// cellDown reports whether the cell of a service does not answer.
func cellDown(s novaService) bool { return isUnknown(s.Status) || isUnknown(s.State) }

// isUnknown reports whether Nova does not know a status or a state.
func isUnknown(word string) bool { return word == "" || strings.EqualFold(word, "unknown") }

// someOf names the first of several.
func someOf(names []string) string {
	const most = 3
	slices.Sort(names)
	names = slices.Compact(names)
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}
