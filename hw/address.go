package hw

import (
	"context"
	"net"
	"net/netip"
)

// loopback is the address of a machine without a route to others.
//
// Source: oslo.utils, netutils.py, LOCALHOST.
const loopback = "127.0.0.1"

// outside is an address that is unlikely to be in a local network: the kernel is asked
// for the route to it, and sends nothing.
const outside = "8.8.8.8:80"

// address returns the address by which other machines reach this one: the source address
// that the kernel would use to reach them. That of a mounted machine is not known.
//
// Source: oslo.utils, netutils.py, get_my_ipv4.
func (p *prober) address(context.Context) (part, gaps) {
	if !p.here() {
		return func(*Host) {}, nil
	}
	at := reading(netip.MustParseAddr(loopback), "no route to "+outside)
	if ip, err := outboundIP(); err == nil {
		at = reading(ip, "the route to "+outside)
	}
	return func(h *Host) { h.Address = at }, nil
}

// outboundIP asks the kernel for the source address of a datagram to the outside.
func outboundIP() (netip.Addr, error) {
	conn, err := net.Dial("udp4", outside) //nolint:noctx // a datagram's socket opens at once
	if err != nil {
		return netip.Addr{}, err
	}
	defer conn.Close() //nolint:errcheck // nothing was written to it
	at, err := netip.ParseAddrPort(conn.LocalAddr().String())
	return at.Addr(), err
}
