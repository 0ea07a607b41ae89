package hw

import (
	"cmp"
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/sorted"
)

// loopback is the address of a machine without a route to others.
//
// Source: oslo.utils, netutils.py, LOCALHOST.
const loopback = "127.0.0.1"

// outside is an address that is unlikely to be in a local network: the kernel is asked
// for the route to it, and sends nothing.
var outside = netip.AddrPortFrom(netip.AddrFrom4([4]byte{8, 8, 8, 8}), 80) //nolint:gochecknoglobals // an immutable value

// address returns the address by which other machines reach this one: the source address
// it would use to reach them. The kernel tells it for the machine that this process runs
// on, files tell it for another.
//
// Source: oslo.utils, netutils.py, get_my_ipv4.
func (p *prober) address(context.Context) part {
	var at Host
	if p.here() {
		if ip, ok := way(); ok {
			at.Address = reading(ip, "the route to "+outside.String())
		}
	}
	if !at.Address.Known() {
		p.routed(&at)
	}
	return func(h *Host) {
		h.Address = at.Address
		h.Gaps = append(h.Gaps, at.Gaps...)
	}
}

// routed reads the address from the kernel's files: the machine's own in a network of the
// interface of its default route. These files are those of a network namespace: of a
// mounted machine, that of its first process.
func (p *prober) routed(h *Host) {
	folders := []string{"/proc/net"}
	if !p.here() {
		folders = []string{"/proc/1/net", "/proc/net"}
	}
	for _, folder := range folders {
		text, err := p.tree.Text(strings.TrimPrefix(folder, "/") + "/route")
		if err != nil {
			continue
		}
		routes, ok := parseRoutes(text)
		if !ok {
			h.gap(folder+"/route", "routes", sysfs.ErrSyntax)
			return
		}
		out, ok := defaultRoute(routes)
		if !ok {
			h.Address = reading(netip.MustParseAddr(loopback), folder+"/route: no default route")
			return
		}
		tree := folder + "/fib_trie"
		text, err = p.tree.Text(strings.TrimPrefix(tree, "/"))
		if err != nil {
			h.gap(tree, "addresses", err)
			return
		}
		if ip, ok := facing(out, routes, localAddresses(text)); ok {
			h.Address = reading(ip, folder+"/route: "+out.device)
		}
		return
	}
}

// route is a line of /proc/net/route.
type route struct {
	device string
	to     netip.Prefix
	direct bool // it has no gateway
	metric int
}

// parseRoutes parses /proc/net/route, whose addresses are bytes in little-endian order.
// It reports whether text has that format.
//
// Source: linux, net/ipv4/fib_trie.c, fib_route_seq_show.
func parseRoutes(text string) ([]route, bool) {
	const device, destination, gateway, flags, metric, mask, up = 0, 1, 2, 3, 6, 7, 1
	header, lines, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(header, "Iface") {
		return nil, false
	}
	var routes []route
	for line := range strings.Lines(lines) {
		f := strings.Fields(line)
		if len(f) <= mask {
			continue
		}
		ip, ok1 := parseHexIP(f[destination])
		m, ok2 := parseHexIP(f[mask])
		flag, err1 := strconv.ParseUint(f[flags], 16, 32)
		prio, err2 := strconv.Atoi(f[metric])
		if !ok1 || !ok2 || err1 != nil || err2 != nil {
			return nil, false
		}
		mask4 := m.As4()
		bits, _ := net.IPMask(mask4[:]).Size()
		if flag&up != 0 {
			routes = append(routes, route{f[device], netip.PrefixFrom(ip, bits), f[gateway] == "00000000", prio})
		}
	}
	return routes, true
}

// parseHexIP parses an address such as 010200C0, which is 192.0.2.1.
func parseHexIP(text string) (netip.Addr, bool) {
	n, err := strconv.ParseUint(text, 16, 32)
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], uint32(n))
	return netip.AddrFrom4(b), err == nil
}

// defaultRoute returns the default route that the kernel prefers.
func defaultRoute(routes []route) (route, bool) {
	all := slices.DeleteFunc(slices.Clone(routes), func(r route) bool { return r.to.Bits() != 0 })
	if len(all) == 0 {
		return route{}, false
	}
	return slices.MinFunc(all, func(a, b route) int { return cmp.Compare(a.metric, b.metric) }), true
}

// localAddresses returns the machine's own addresses in fib_trie, except those of its
// loopback, in order.
//
// Source: linux, net/ipv4/fib_trie.c, fib_trie_seq_show.
func localAddresses(text string) []netip.Addr {
	var out []netip.Addr
	var leaf netip.Addr
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if ip, ok := strings.CutPrefix(line, "|-- "); ok {
			leaf, _ = netip.ParseAddr(ip)
			continue
		}
		if line == "/32 host LOCAL" && leaf.IsValid() && !leaf.IsLoopback() && !slices.Contains(out, leaf) {
			out = append(out, leaf)
		}
	}
	return out
}

// facing returns the address in a network of the interface of out. An address without a
// known network, as some hosting providers assign, is used if there is no better one.
func facing(out route, routes []route, own []netip.Addr) (netip.Addr, bool) {
	rank := func(ip netip.Addr) int {
		for _, r := range routes {
			if r.direct && r.to.Bits() > 0 && r.to.Contains(ip) {
				if r.device == out.device {
					return 0
				}
				return 2
			}
		}
		return 1
	}
	sorted.By(own, func(a, b netip.Addr) int { return cmp.Compare(rank(a), rank(b)) })
	if len(own) == 0 || rank(own[0]) > 1 {
		return netip.Addr{}, false
	}
	return own[0], true
}
