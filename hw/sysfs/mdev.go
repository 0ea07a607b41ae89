package sysfs

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"
)

const (
	mdevParents = "sys/class/mdev_bus"
	mdevDevices = "sys/bus/mdev/devices"
)

// Mediated is the mediated devices of a machine, such as vGPUs, and what they can be
// created on.
type Mediated struct {
	Parents []MdevParent // in the order of their names
	Devices []Mdev       // in the order of their uuids
}

// MdevParent is a device that mediated devices can be created on: a physical GPU, or
// one of its virtual functions.
type MdevParent struct {
	Name    string   // its entry in /sys/class/mdev_bus: a PCI address, but also such as "mtty"
	Address *Address // nil where Name is not a PCI address
	Path    string   // /sys/class/mdev_bus/0000:84:00.0
	Types   []MdevType
}

// MdevType is one type that mediated devices of a parent can have.
//
// Creating a device of one type usually sets Available of the parent's other types to
// 0, so sums over types mean nothing.
//
// Source: Linux, Documentation/ABI/testing/sysfs-bus-vfio-mdev.
type MdevType struct {
	ID          string      // the folder: driver and name, such as nvidia-222 or i915-GVTg_V5_4
	Path        string      // /sys/class/mdev_bus/0000:84:00.0/mdev_supported_types/nvidia-222
	Name        string      // name, such as "GRID T4-1B"; "" where the driver gives none
	Description string      // description; "" where the driver gives none
	Available   int         // available_instances: how many more can be created now; -1 where it could not be read
	Devices     []uuid.UUID // devices/: those that exist, in ascending order
}

// Capacity returns how many devices of the type the parent could have in all, existing
// ones included, if no device of another type were created; ok is false where
// available_instances could not be read.
func (m MdevType) Capacity() (n int, ok bool) {
	if m.Available < 0 {
		return 0, false
	}
	return m.Available + len(m.Devices), true
}

// MaxInstance returns how many devices of the type the whole card can have, according to
// the description of NVIDIA's driver; 0 where it does not say.
func (m MdevType) MaxInstance() int {
	for _, part := range strings.Split(m.Description, ",") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(part), "max_instance="); ok {
			if n, err := parseInt(text); err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}

// Mdev is one mediated device.
type Mdev struct {
	UUID   uuid.UUID
	Path   string // /sys/bus/mdev/devices/<uuid>
	Parent string // name of its parent, such as 0000:84:00.0; "" where no link names it
	Type   string // ID of its type; "" where no link mdev_type names it
}

// InUse returns the types of the parent that have devices.
func (p MdevParent) InUse() []MdevType {
	var out []MdevType
	for _, t := range p.Types {
		if len(t.Devices) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// Type returns the type with this id, if the parent supports it.
func (p MdevParent) Type(id string) (MdevType, bool) {
	i := slices.IndexFunc(p.Types, func(t MdevType) bool { return t.ID == id })
	if i < 0 {
		return MdevType{}, false
	}
	return p.Types[i], true
}

// Mediated returns the parents and devices of the machine. Most machines have none:
// both are empty then, and there is no Gap. A device that only the mdev bus lists, and
// not the folder of its type, is added to its type.
func (t Tree) Mediated(ctx context.Context) (Mediated, []Gap) {
	s := &scan{fsys: t.fsys}
	var m Mediated
	if root, ok := s.list(mdevParents, "mdev parents"); ok {
		for _, name := range root.names() {
			if s.stopped(ctx, mdevParents, "mdev parents from "+name+" on") {
				break
			}
			if p, ok := s.mdevParent(root.path(name)); ok {
				m.Parents = append(m.Parents, p)
			}
		}
	}
	if root, ok := s.list(mdevDevices, "mediated devices"); ok {
		for _, name := range root.names() {
			if s.stopped(ctx, mdevDevices, "mediated devices from "+name+" on") {
				break
			}
			if d, ok := s.mdev(root.path(name)); ok {
				m.Devices = append(m.Devices, d)
			}
		}
	}
	for _, d := range m.Devices {
		m.place(d)
	}
	return m, s.gaps
}

// place adds d to its type if the type does not list it yet.
func (m *Mediated) place(d Mdev) {
	for i, p := range m.Parents {
		if p.Name != d.Parent {
			continue
		}
		for j, t := range p.Types {
			if t.ID != d.Type {
				continue
			}
			if at, found := slices.BinarySearchFunc(t.Devices, d.UUID, compareUUID); !found {
				m.Parents[i].Types[j].Devices = slices.Insert(t.Devices, at, d.UUID)
			}
		}
	}
}

func compareUUID(a, b uuid.UUID) int { return strings.Compare(string(a[:]), string(b[:])) }

// mdevParent reads one parent with its types.
func (s *scan) mdevParent(name string) (MdevParent, bool) {
	p := MdevParent{Name: path.Base(name), Path: "/" + name}
	if a, err := ParseAddress(p.Name); err == nil {
		p.Address = &a
	}
	root, ok := s.list(name+"/mdev_supported_types", "mdev types")
	if !ok {
		return p, !s.vanished(name, "mdev parent")
	}
	for _, id := range root.names() {
		dir, ok := s.list(root.path(id), "mdev type")
		if !ok {
			continue
		}
		t := MdevType{ID: id, Path: "/" + dir.name}
		t.Available = s.number(dir, "available_instances", "available instances", -1)
		if !dir.has("available_instances") {
			s.gap(dir.path("available_instances"), "available instances", ErrNoFile)
		} else if t.Available < -1 {
			t.Available = -1
		}
		t.Name, _ = s.text(dir, "name", "name of the mdev type")
		t.Description, _ = s.text(dir, "description", "description of the mdev type")
		t.Devices = s.uuids(dir, "devices")
		p.Types = append(p.Types, t)
	}
	return p, true
}

// uuids returns the uuids among the names of a folder's entries, in ascending order.
func (s *scan) uuids(dir folder, entry string) []uuid.UUID {
	if !dir.has(entry) {
		return nil
	}
	list, ok := s.list(dir.path(entry), "devices of the mdev type")
	if !ok {
		return nil
	}
	var out []uuid.UUID
	for _, name := range list.names() {
		u, err := parseUUID(name)
		if err != nil {
			s.gap(list.path(name), "mediated device", err)
			continue
		}
		out = append(out, u)
	}
	slices.SortStableFunc(out, compareUUID)
	return out
}

// mdev reads one mediated device: an entry of the bus is a link to a folder below its
// parent's.
func (s *scan) mdev(name string) (Mdev, bool) {
	u, err := parseUUID(path.Base(name))
	if err != nil {
		s.gap(name, "mediated device", err)
		return Mdev{}, false
	}
	d := Mdev{UUID: u, Path: "/" + name}
	before := len(s.gaps)
	if target, err := fs.ReadLink(s.fsys, name); err == nil {
		d.Parent = path.Base(path.Dir(target))
	} else {
		s.gap(name, "parent of the mediated device", err)
	}
	dir, ok := s.list(name, "mediated device")
	if !ok {
		if len(s.gaps) == before {
			s.gap(name, "mediated device", ErrVanished)
		}
		return Mdev{}, false
	}
	d.Type = s.link(dir, "mdev_type", "type of the mediated device")
	return d, true
}

// parseUUID parses a uuid with dashes, as the kernel writes it.
func parseUUID(text string) (uuid.UUID, error) {
	u, err := uuid.Parse(text)
	if err != nil || len(text) != 36 {
		return uuid.Nil, syntaxError(text, "a uuid")
	}
	return u, nil
}
