//go:build !unix

package hw

import (
	"net"
	"net/netip"
)

// way asks the kernel for the source address of a datagram to the outside.
func way() (netip.Addr, bool) {
	conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(outside))
	if err != nil {
		return netip.Addr{}, false // there is no such way
	}
	defer conn.Close() //nolint:errcheck // nothing was written to it
	at, err := netip.ParseAddrPort(conn.LocalAddr().String())
	return at.Addr(), err == nil
}
