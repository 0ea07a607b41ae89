package list

import (
	"reflect"
	"testing"
)

// TestEraseKeepsEveryField erases a Spec whose fields are all set: a field that erase forgets
// would be ignored without a word.
func TestEraseKeepsEveryField(t *testing.T) {
	t.Parallel()
	var all Spec[int]
	set(reflect.ValueOf(&all).Elem())
	erased := erase(all)
	lacks(t, "Spec", reflect.ValueOf(&erased).Elem())
}

// set gives all exported fields of v a value that is not zero, where there is one.
func set(v reflect.Value) {
	switch v.Kind() {
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) (out []reflect.Value) {
			for i := range v.Type().NumOut() {
				out = append(out, reflect.Zero(v.Type().Out(i)))
			}
			return out
		}))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if in := v.Type().Elem(); in.PkgPath() == reflect.TypeFor[Spec[int]]().PkgPath() {
			set(v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		set(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				set(v.Field(i))
			}
		}
	default:
	}
}

// lacks tells the fields of v that are zero and could be set.
func lacks(t *testing.T, name string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Slice:
		if v.Len() == 1 {
			lacks(t, name, v.Index(0))
			return
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().PkgPath() == reflect.TypeFor[Spec[int]]().PkgPath() {
			lacks(t, name, v.Elem())
			return
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				lacks(t, name+"."+f.Name, v.Field(i))
			}
		}
		return
	case reflect.Interface, reflect.Map:
		return // nothing was set
	default:
	}
	if v.IsZero() {
		t.Errorf("%s is lost", name)
	}
}
