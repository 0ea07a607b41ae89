package object

import "reflect"

// FieldsOf returns the types of the fields of a class, by name.
func FieldsOf(name string) map[string]reflect.Type {
	class, _ := classOf(name)
	out := map[string]reflect.Type{}
	for field, v := range fieldsOf(class.make()) {
		out[field] = v.Field(0).Type()
	}
	return out
}

// Newest returns the newest version of a class.
func Newest(name string) (major, minor uint16) {
	class, _ := classOf(name)
	return class.version.Major, class.version.Minor
}

// Workload returns the stats and the current_workload of a host.
var Workload = workloadOf

// Stats returns the stats as a compute node has them.
func (w workload) Stats() map[string]*string { return *w.stats().V }

// Tasks returns the current_workload.
func (w workload) Tasks() int64 { return w.tasks }
