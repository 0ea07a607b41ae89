package form_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/devices"
	"github.com/placetop/placetop/tui/screen/flavors"
	"github.com/placetop/placetop/tui/screen/instances"

	"github.com/placetop/placetop/tui/screen/providers"
	"github.com/placetop/placetop/tui/screen/services"
	"github.com/placetop/placetop/tui/tuitest"
)

// opened opens the form of a place over a fleet with cards of both owners.
func opened[P place.Place](t *testing.T, s *tuitest.Cloud, w, h int, at P, f func(screen.Env, P) (screen.Screen, error)) *rig {
	t.Helper()
	return &rig{tuitest.LiveAt(t, s, w, h, at, f)}
}

func fleet(t *testing.T) *tuitest.Cloud {
	t.Helper()
	return tuitest.NewCloud(tuitest.Fleet(t).Snapshot())
}

func TestBoot(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := fleet(t)
		time.Sleep(time.Until(tuitest.Now()))
		r := opened(t, s, 100, 30, place.Boot{}, instances.OpenBoot)
		r.Wants("NEW INSTANCE", "4 boot")
		r.Type("web-9")
		r.Press("enter")
		r.Type("gpu.t4")
		r.Wants("gpu.t4.1")
		r.Press("tab", "enter", "enter", "enter", "enter")
		r.Wants("ml-train")
		r.Press("enter")
		r.Replace("maybe")
		r.Press("enter")
		r.Wants("✗ yes or no")
		r.Replace("yes")
		r.Press("enter")
		r.Wants("2 where", "cmp-", "VGPU 1 of")
		r.Press("enter")
		r.Wants("3 preview", "BEFORE  not there", "STEPS", "oldest compute 61, needs 73")
		r.Wrote(0)
		r.Press("esc")
		r.Wants("VGPU 1 of")
		r.Press("/")
		r.Type("cmp-zzz")
		r.Press("enter")
		r.Lacks("VGPU 1 of")
		r.Press("esc") // drops the filter
		r.Wants("VGPU 1 of")
		r.Press("enter", "enter")
		made := modeltest.InstanceNamed(t, s.Snapshot(), "web-9")
		if made.VMState != nova.Active || made.Project != "ml-train" || !made.BootFromVolume {
			t.Fatalf("the instance is %+v\n%s", made, r.Text())
		}
		if want := (screen.Goto{To: place.Instance{ID: made.UUID}, Replace: true}); r.Last() != want {
			t.Errorf("then %+v", r.Last())
		}
	})
}

func TestFlavorSaysWhatIsWrongAtTheWord(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := fleet(t)
		r := opened(t, s, 100, 30, place.SetFlavor{}, flavors.OpenFlavor)
		r.Type("gpu.a100.1")
		r.Press("enter")
		r.Wants("is taken")
		r.Replace("gpu.new")
		r.Press("enter", "enter", "enter", "enter")
		r.Replace("5")
		r.Press("enter")
		r.Replace("2048")
		r.Press("enter")
		r.Replace("yes")
		r.Press("enter", "enter")
		r.Type("for tests")
		r.Press("enter")
		r.Type("resources:VGPUS=1")
		r.Wants("spec 1")
		r.Press("enter")
		r.Wants("✗")
		r.Wrote(0)
		r.Press("end", "left", "left", "backspace")
		r.Press("enter")
		r.Type("accel:device_profile=t4-9")
		r.Wants("no such device profile", "spec 2")
		r.Press("enter", "enter")
		r.Wants("RECORDS", "gpu.new", "new")
		r.Press("enter")
		f, ok := s.Snapshot().Nova().FlavorNamed("gpu.new")
		usual := nova.NewFlavor() // as in the command
		if !ok || f.ExtraSpecs["resources:VGPU"] != "1" || f.DeviceProfile() != "t4-9" || f.VCPUs != usual.VCPUs || f.MemoryMB != usual.MemoryMB || f.RootGB != usual.RootGB ||
			f.EphemeralGB != 5 || f.SwapMB != 2048 || !f.Private || f.Disabled || f.Description != "for tests" {
			t.Errorf("the flavor is %+v\n%s", f, r.Text())
		}
	})
}

func TestEditFlavor(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := fleet(t)
		r := opened(t, s, 100, 30, place.SetFlavor{Name: "gpu.a100.1"}, flavors.OpenFlavor)
		r.Wants("FLAVOR gpu.a100.1", "disable", "resources1:VGPU=1")
		r.Press("up", "up")
		r.Replace("resources1:VGPU=2")
		r.Press("enter", "enter", "enter")
		r.Wants("RECORDS")
		r.Press("enter")
		f, _ := s.Snapshot().Nova().FlavorNamed("gpu.a100.1")
		if f.Revision != 1 || f.ExtraSpecs["resources1:VGPU"] != "2" || len(f.ExtraSpecs) != 2 {
			t.Errorf("the flavor is %+v\n%s", f, r.Text())
		}
	})
}

// TestEditFlavorMeanwhile edits a flavor while another session does, too: keep theirs,
// yours or both.
func TestEditFlavorMeanwhile(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"b": "disabled, VGPU=2 their=own",
		"u": "VGPU=2 their=",
		"t": "disabled, VGPU=1 their=own",
	} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				s := fleet(t)
				r := opened(t, s, 100, 30, place.SetFlavor{Name: "gpu.a100.1"}, flavors.OpenFlavor)
				r.Press("up", "up")
				r.Replace("resources1:VGPU=2")
				theirs := []cloud.Op{
					nova.SetExtraSpecs{Flavor: "gpu.a100.1", ExtraSpecs: nova.KeyEdits{Set: map[string]string{"their": "own"}}},
					nova.DisableFlavor{Flavor: "gpu.a100.1", Disabled: true},
				}
				must.Get(s.Apply(t.Context(), cloud.Change{Actor: "else", Note: "else", Ops: theirs}).Result())(t)
				r.Follow()
				r.Press("enter", "enter", "enter")
				r.Wants("someone else has changed it since you started")
				r.Press(key)
				r.Press("enter")
				f, _ := s.Snapshot().Nova().FlavorNamed("gpu.a100.1")
				got := fmt.Sprint("VGPU=", f.ExtraSpecs["resources1:VGPU"], " their=", f.ExtraSpecs["their"])
				if f.Disabled {
					got = "disabled, " + got
				}
				if got != want {
					t.Errorf("it has %s, want %s\n%s", got, want, r.Text())
				}
			})
		})
	}
}

// TestDisableFlavor hides a flavor from new instances: its revision stays, as nothing
// else changes.
func TestDisableFlavor(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := fleet(t)
		for _, disabled := range []string{"yes", "no"} {
			r := opened(t, s, 100, 30, place.SetFlavor{Name: "gpu.a100.1"}, flavors.OpenFlavor)
			r.Press("up", "up", "up")
			r.Wants("not for new instances: yes or no")
			r.Replace(disabled)
			r.Press("enter", "enter", "enter", "enter")
			r.Wants("RECORDS", "disabled")
			r.Press("enter")
			f, _ := s.Snapshot().Nova().FlavorNamed("gpu.a100.1")
			if f.Revision != 0 || f.Disabled != (disabled == "yes") {
				t.Errorf("the flavor is %+v\n%s", f, r.Text())
			}
		}
	})
}

func TestProfile(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := fleet(t)
		r := opened(t, s, 100, 30, place.NewProfile{}, devices.OpenProfile)
		r.Type("t4 2")
		r.Press("enter")
		r.Wants("letters, digits, - and _")
		r.Replace("t4-2")
		r.Press("enter", "enter", "enter")
		r.Wants("needs at least one group")
		r.Type("resources:VGPU=2,trait:HW_GPU=required")
		r.Press("enter")
		r.Wants("CUSTOM_")
		r.Replace("resources:VGPU=2,trait:OWNER_CYBORG=required")
		r.Press("enter", "enter")
		r.Wants("RECORDS", "t4-2")
		r.Press("enter")
		p, ok := s.Snapshot().Cyborg().DeviceProfile("t4-2")
		if !ok || len(p.Groups) != 1 || p.Groups[0]["resources:VGPU"] != "2" {
			t.Errorf("the profile is %+v\n%s", p, r.Text())
		}
	})
}

func TestService(t *testing.T) {
	t.Parallel()
	service := func(s *tuitest.Cloud) *nova.Service {
		svc, _ := s.Snapshot().Nova().Service("cmp-3", nova.Compute)
		return svc
	}
	for _, test := range []struct {
		what  string
		keys  func(*rig)
		wrote int
		is    func(*nova.Service) bool
	}{
		{"disable", func(r *rig) {
			r.Press("enter")
			r.Wants("say why")
			r.Type("new fans")
			r.Press("enter")
			r.Wants("COMPUTE_STATUS_DISABLED")
			r.Press("enter")
		}, 1, func(s *nova.Service) bool { return s.Disabled && s.DisabledReason == "new fans" }},
		{"down", func(r *rig) { r.Press("enter") }, 1, func(s *nova.Service) bool { return s.ForcedDown }},
		{"upgrade", func(r *rig) {
			r.Wants("73 opens the gate")
			r.Replace("60")
			r.Press("enter")
			r.Wants("in cell2 have at least 61: upgrade it")
			r.Replace("73")
			r.Press("enter", "enter")
		}, 1, func(s *nova.Service) bool { return s.Version == 73 }},
		{"delete", func(r *rig) {
			r.Wants("REFUSED", "instance shop-web-1")
			r.Press("enter")
		}, 0, func(s *nova.Service) bool { return s != nil }},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				s := fleet(t)
				r := opened(t, s, 100, 30, place.SetService{Do: place.ServiceVerb(test.what), Binary: nova.Compute, Host: "cmp-3"}, services.OpenService)
				test.keys(r)
				r.Wrote(test.wrote)
				if svc := service(s); !test.is(svc) {
					t.Errorf("the service is %+v\n%s", svc, r.Text())
				}
			})
		})
	}
}

func TestNumbersNameTheirBounds(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := opened(t, fleet(t), 100, 30, place.SetFlavor{}, flavors.OpenFlavor)
		r.Press("down", "down", "down", "down", "down")
		r.Replace("99999999999")
		r.Press("enter")
		r.Wants("swap", "a number from 0 to 2147483647")
		r = opened(t, fleet(t), 100, 30, place.SetService{Do: place.Upgrade, Binary: nova.Compute, Host: "cmp-3"}, services.OpenService)
		for _, no := range []string{"9999999999", "-3", "x"} {
			r.Replace(no)
			r.Press("enter")
			r.Wants("UPGRADE A SERVICE", "a number from 1 to 2147483647")
		}
		r.Replace("74")
		r.Press("enter")
		r.Wants("CHECKS", "has version 74, but the newest version known here is Hibiscus (73)")
	})
}

func TestDevice(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := fleet(t)
		var d *cyborg.Device
		for one := range s.Snapshot().Cyborg().Devices() {
			if one.Type == cyborg.GPU {
				d = one
			}
		}
		r := opened(t, s, 100, 30, place.SetDevice{ID: d.UUID, Disable: true}, devices.OpenDevice)
		r.Wants("reserved 0 > 4")
		r.Press("enter")
		if now, _ := s.Snapshot().Cyborg().Device(d.UUID); now.Status != cyborg.Maintaining {
			t.Errorf("it is %s\n%s", now.Status, r.Text())
		}
	})
}

// TestServerFrames shows the forms at each size.
func TestServerFrames(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]struct {
		at   place.Place
		open screen.Opener
		keys string
	}{
		"boot":    {place.Boot{Flavor: "gpu.t4.1"}, screen.Declare(instances.OpenBoot).Open, "x"},
		"flavor":  {place.SetFlavor{Name: "gpu.a100.1"}, screen.Declare(flavors.OpenFlavor).Open, "resources:VGPUS=1 enter"},
		"profile": {place.NewProfile{}, screen.Declare(devices.OpenProfile).Open, "t4-2 down down resources:VGPU=x enter"},
		"service": {place.SetService{Do: place.Disable, Binary: nova.Compute, Host: "cmp-3"}, screen.Declare(services.OpenService).Open, "fans enter"},
		"pool":    {place.Pool{}, screen.Declare(providers.OpenPool).Open, "ceph down 0 enter"},
	} {
		for _, size := range [][2]int{{40, 6}, {80, 20}, {160, 44}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				tuitest.Run(t, func(t *testing.T) {
					r := opened(t, fleet(t), size[0], size[1], f.at, f.open)
					for _, word := range strings.Fields(f.keys) {
						if word == "enter" || word == "down" {
							r.Press(word)
							continue
						}
						r.Paste(word)
					}
					r.Text()
					if size[0] == 80 {
						golden.RequireEqual(t, r.Text()+"\n")
					}
				})
			})
		}
	}
}
