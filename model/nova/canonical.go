package nova

import "github.com/placetop/placetop/model/versioned"

var _ versioned.Canonical = (*Instance)(nil)

// UnmarshalCanonical implements versioned.Canonical.
func (i *Instance) UnmarshalCanonical(from *versioned.CanonicalReader) bool {
	from.Fields(func(key int64) bool {
		switch key {
		case 1:
			from.Bytes(i.UUID[:])
		case 2:
			i.Name = string(from.Text())
		case 3:
			i.Project = string(from.Text())
		case 4:
			i.User = string(from.Text())
		case 5:
			i.Host = string(from.Text())
		case 6:
			i.Flavor = string(from.Text())
		case 7:
			i.VMState = vmState(from.Text())
		case 8:
			i.Created = from.Int()
		case 9:
			i.TaskState = TaskState(from.Text())
		case 10:
			i.OldFlavor = string(from.Text())
		case 11:
			i.NewFlavor = string(from.Text())
		case 19:
			i.Updated = from.Int()
		default:
			return false
		}
		return true
	})
	return from.OK()
}

func vmState(b []byte) VMState {
	for _, known := range [...]VMState{Active, Resized, Deleted, Stopped, Building} {
		if string(b) == string(known) {
			return known
		}
	}
	return VMState(b)
}
