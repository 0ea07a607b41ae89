package tui_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// several are clouds by name.
type several map[string]func(ctx context.Context) (tui.OpenMsg, error)

func (several) Names() []string { return []string{"here", "dead", "gone", "other"} }

func (s several) Open(ctx context.Context, name string) (tui.OpenMsg, error) { return s[name](ctx) }

// TestSwitchesClouds switches between clouds, and never waits for one that does not
// answer.
func TestSwitchesClouds(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		next := newCloud(time.Now)
		next.change(t, 1)
		left, long := false, "nobody is there"
		r := open(t, 80, 24, func(cfg *tui.Config) {
			cfg.Env.Common = &screen.Common{}
			cfg.Clouds = several{
				"dead": func(ctx context.Context) (tui.OpenMsg, error) {
					<-ctx.Done()
					left = true
					return tui.OpenMsg{}, ctx.Err()
				},
				"gone":  func(context.Context) (tui.OpenMsg, error) { return tui.OpenMsg{}, errors.New(long) },
				"other": func(context.Context) (tui.OpenMsg, error) { return tui.OpenMsg{Cloud: next, Name: "other"}, nil },
				"./c.db": func(context.Context) (tui.OpenMsg, error) {
					return tui.OpenMsg{Cloud: newCloud(time.Now), Name: "c.db"}, nil
				},
			}
		})
		r.Press(":", "c", "t", "x", "enter")
		r.wants(t, ">  1 here", "dead", "other", "enter switch")
		r.Press("j", "enter")
		r.Advance(time.Second)
		r.wants(t, "opening dead")
		r.Press("j", "enter")
		r.Advance(time.Second)
		r.wants(t, "gone: nobody is there")
		if !left {
			t.Error("the dead one is still waited for")
		}
		r.Press(":", "c", "t", "x", " ", "n", "o", "enter")
		r.wants(t, "there is no cloud no")
		long = strings.Repeat("a reason that goes on ", 6) + "and ends"
		r.Press(":", "c", "t", "x", " ", "g", "o", "n", "e", "enter")
		r.Advance(time.Second)
		r.wants(t, "gone cannot be opened   :ctx says why")
		r.Press(":", "c", "t", "x", "enter")
		r.wants(t, ">  3 gone", "not opened: a reason", "and ends")
		r.Press("/", "o", "t", "h", "enter", "enter")
		r.Advance(time.Second)
		r.wants(t, "placetop  other", "pulses rev=1")
		r.Press(":", "c", "t", "x", "enter")
		r.wants(t, ">  4 other", "this one")
		r.Press("esc")
		if r.screens["pulses"].env.Common != nil {
			t.Error("what is found out of the other cloud is shared with those who look at this one")
		}
		r.Press(":")
		r.Type("ctx ./c.db")
		r.Press("enter")
		r.Advance(time.Second)
		r.wants(t, "placetop  c.db", "pulses rev=0")
	})
}

// TestAnswersAboutTheCloudBefore come after another one was opened: they are not about that.
func TestAnswersAboutTheCloudBefore(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		var canceled error
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Refresh = func(ctx context.Context) error {
				select {
				case <-ctx.Done():
				case <-time.After(time.Minute):
				}
				canceled = ctx.Err()
				return errors.New("nobody is there")
			}
		})
		before := r.screens["pulses"].env.Cloud
		r.Press("R")
		r.Send(tui.OpenMsg{Cloud: newCloud(time.Now), Name: "other"})
		r.Send(tui.WalkBeganMsg{Cloud: before, Err: errors.New("no demonstration")})
		r.Advance(time.Hour)
		if canceled == nil {
			t.Error("the cloud that was left is still read")
		}
		r.Press(":")
		r.Type("messages")
		r.Press("enter")
		r.lacks(t, "nobody is there", "no demonstration")
	})
}
