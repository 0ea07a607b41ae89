package object

// FieldsOf returns the types of the fields of a class, by name.
func FieldsOf(name string) map[string]string {
	out := map[string]string{}
	for name, f := range classes()[name].fields {
		out[name] = f.kind
	}
	return out
}

// Newest returns the newest version of a class.
func Newest(name string) (major, minor uint16) {
	v := classes()[name].version
	return v.Major, v.Minor
}

// Workload returns the stats and the current_workload of a host.
var Workload = workloadOf
