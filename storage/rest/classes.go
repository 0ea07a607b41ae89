package rest

import (
	"maps"
	"net/http"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// appendClass appends a resource class.
func (r *request) appendClass(b jsonText, name string) jsonText {
	return b.raw(`{"name": `).str(name).raw(`, "links": [{"rel": "self", "href": `).str(r.h.o.Prefix + "/resource_classes/" + name).raw(`}]}`)
}

// noClass is the answer for an unknown class in the path.
func noClass(name string) *fault { return notFound("No such resource class %s.", name) }

// listClasses answers GET /resource_classes.
func listClasses(r *request) *fault {
	b := r.text(`{"resource_classes": [`)
	first := true
	for _, name := range r.placement().Classes() {
		b = b.comma(!first)
		first = false
		b = r.appendClass(b, string(name))
	}
	r.answer(http.StatusOK, b.raw("]}"), time.Time{})
	return nil
}

// showClass answers GET /resource_classes/{name}.
func showClass(r *request) *fault {
	name := r.args[0]
	if _, ok := r.placement().ClassID(placement.ResourceClass(name)); !ok {
		return noClass(name)
	}
	r.answer(http.StatusOK, r.appendClass(nil, name), time.Time{})
	return nil
}

// createClass answers POST /resource_classes.
func createClass(r *request) *fault {
	name, f := read(r, readClass)
	if f != nil {
		return f
	}
	_, f = r.apply(write{
		decide: func(*placement.Snapshot) (placement.Op, *fault) {
			return placement.CreateClass{Name: name}, nil
		},
		words: when(placement.ErrExists, api.Undefined, "Conflicting resource class already exists: %s", name),
	})
	if f != nil {
		return f
	}
	r.location("/resource_classes/" + string(name))
	r.done(http.StatusCreated)
	return nil
}

// ensureClass answers PUT /resource_classes/{name} from 1.7 on. It ignores the body.
func ensureClass(r *request) *fault {
	name := r.args[0]
	v := body.Texts(maps.All(map[string]string{"name": name}))
	readClass(v)
	if err := v.Err(); err != nil {
		return badRequest("JSON does not validate: %s", err)
	}
	status := http.StatusNoContent
	_, f := r.apply(write{decide: func(s *placement.Snapshot) (placement.Op, *fault) {
		if _, ok := s.ClassID(placement.ResourceClass(name)); ok {
			status = http.StatusNoContent
			return nil, nil
		}
		status = http.StatusCreated
		return placement.CreateClass{Name: placement.ResourceClass(name)}, nil
	}})
	if f != nil {
		return f
	}
	r.location("/resource_classes/" + name)
	r.done(status)
	return nil
}

// renameClass answers PUT /resource_classes/{name} below 1.7.
func renameClass(r *request) *fault {
	to, f := read(r, readClass)
	if f != nil {
		return f
	}
	name := placement.ResourceClass(r.args[0])
	_, f = r.apply(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			switch id, ok := s.ClassID(name); {
			case !ok:
				return nil, noClass(string(name))
			case id < placement.CustomID:
				return nil, badRequest("Cannot update standard resource class %s", name)
			case name == to:
				return nil, nil
			}
			return placement.RenameClass{Name: name, To: to}, nil
		},
		words: when(placement.ErrExists, api.Undefined, "Resource class already exists: %s", to),
	})
	if f != nil {
		return f
	}
	r.answer(http.StatusOK, r.appendClass(nil, string(to)), time.Time{})
	return nil
}

// deleteClass answers DELETE /resource_classes/{name}.
func deleteClass(r *request) *fault {
	name := placement.ResourceClass(r.args[0])
	return r.applyAndDone(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			switch id, ok := s.ClassID(name); {
			case !ok:
				return nil, noClass(string(name))
			case id < placement.CustomID:
				return nil, badRequest("Error in delete resource class: Cannot delete standard resource class %s.", name)
			}
			return placement.DeleteClass{Name: name}, nil
		},
		words: when(placement.ErrInUse, api.Undefined, "Error in delete resource class: Cannot delete resource class %s. Class is in use in inventory.", name),
	})
}
