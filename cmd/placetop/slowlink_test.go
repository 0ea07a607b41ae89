//go:build openssh

package main

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/tuitest"
)

// link is a connection to a server with a limited rate and a delay in each direction. It
// buffers whatever is sent, as real links do.
type link struct {
	rate  float64 // bytes a second
	delay time.Duration
}

// headers are the bytes that TCP and IP add to each packet.
const headers = 52

func (l link) serve(from net.Listener, to string) {
	for {
		near, err := from.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", to)
		if err != nil {
			_ = near.Close()
			continue
		}
		go l.carry(far, near)
		go l.carry(near, far)
	}
}

// carry passes on what one end sends to the other.
func (l link) carry(to, from net.Conn) {
	type parcel struct {
		b   []byte
		due time.Time
	}
	under := make(chan parcel, 1<<16)
	go func() {
		defer to.Close()
		for p := range under {
			time.Sleep(time.Until(p.due))
			if _, err := to.Write(p.b); err != nil {
				return
			}
		}
	}()
	defer close(under)
	var free time.Time
	for {
		b := make([]byte, 1400)
		n, err := from.Read(b)
		if err != nil {
			return
		}
		if now := time.Now(); free.Before(now) {
			free = now
		}
		free = free.Add(time.Duration(float64(n+headers) / l.rate * float64(time.Second)))
		under <- parcel{b[:n], free.Add(l.delay)}
	}
}

// BenchmarkSlowLink prints how long a key waits for its answer through the OpenSSH
// client, over a link of 64 kbit/s with a round trip of 300 ms: from the key to the first
// part of the frame, to the last byte of what it changes, and how many bytes that is.
// Then how long 50 keys at once take, and in how many frames; and the delay of the last
// key when one is held down for 1.5 seconds.
func BenchmarkSlowLink(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {160, 48}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) { slowLink(b, size[0], size[1]) })
	}
}

func slowLink(b *testing.B, w, h int) {
	dir := b.TempDir()
	key := filepath.Join(dir, "ann")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ann", "-f", key).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	near := must.Get(net.Listen("tcp", "127.0.0.1:0"))(b)
	defer near.Close()
	probe := must.Get(net.Listen("tcp", "127.0.0.1:0"))(b)
	at := probe.Addr().String()
	_ = probe.Close()
	i := openInn(b, func(o *sshOptions) { o.listen, o.AuthorizedKeys = at, []string{key + ".pub"} })
	i.network, i.at = "tcp", at
	_ = i.dial("rob").Close() // it is up
	go link{rate: 8000, delay: 150 * time.Millisecond}.serve(near, at)

	_, port, _ := net.SplitHostPort(near.Addr().String())
	screen := tuitest.OpenPTY(b, w, h)
	client := exec.Command("ssh", "-tt", "-F", "none", "-i", key, "-p", port, "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-o", "BatchMode=yes",
		"-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "SendEnv=COLORTERM LANG", "x@127.0.0.1")
	client.Env = []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "HOME=" + dir, "PATH=/usr/bin:/bin"}
	client.Stdin, client.Stdout, client.Stderr = screen.TTY, screen.TTY, screen.TTY
	client.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must.Succeed(b, client.Start())
	defer client.Wait()
	defer client.Process.Kill()
	screen.WaitForText("CAPACITY")
	o := onLine{screen, 700 * time.Millisecond}
	o.rest()
	o.press("2")
	for b.Loop() {
		b.ReportMetric(float64(o.answer("jjjjkkjjj").Milliseconds()), "ms-answer/cursor")
		b.ReportMetric(float64(o.answer("\x06\x06\x02\x06\x02").Milliseconds()), "ms-answer/page")
		o.report(b, "cursor", "jjjjjjjjkkkkjjjjjjjj")
		o.report(b, "page", "\x06\x06\x06\x02\x02\x06")
		o.press("g")
		screen.TakeRaw()
		_, drawn := o.press(strings.Repeat("j", 50))
		b.ReportMetric(float64(drawn.Milliseconds()), "ms/50-at-once")
		b.ReportMetric(float64(strings.Count(string(screen.TakeRaw()), "\x1b[?2026h")), "frames/50-at-once")
		for range 45 {
			screen.Type("k")
			time.Sleep(time.Second / 30)
		}
		_, drawn = o.rest()
		b.ReportMetric(float64(drawn.Milliseconds()), "ms-after/held")
		b.ReportMetric(float64(strings.Count(string(screen.TakeRaw()), "\x1b[?2026h")), "frames/held")
	}
}

// answer types keys one by one and returns the median time until the first part of a
// frame has come, of the keys that cause one.
func (o onLine) answer(keys string) time.Duration {
	var took []time.Duration
	for _, k := range keys {
		o.TakeRaw()
		began := time.Now()
		o.Type(string(k))
		for !strings.Contains(o.Raw(), "\x1b[?2026l") && time.Since(began) < 2*o.silence {
			time.Sleep(time.Millisecond)
		}
		if d := time.Since(began); d < 2*o.silence {
			took = append(took, d)
		}
		o.rest()
	}
	slices.Sort(took)
	return took[len(took)/2]
}
