package rest

import (
	"errors"
	"net/http"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// createProvider answers POST /resource_providers.
func createProvider(r *request) *fault {
	in, f := read(r, r.readNewProvider)
	if f != nil {
		return f
	}
	op, f := r.newProvider(in)
	if f != nil {
		return f
	}
	s, f := r.apply(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			if in.parent != "" {
				up, ok := providerOf(s, in.parent)
				if !ok {
					return nil, cannotCreate(op, "parent provider UUID does not exist.")
				}
				op.Parent = up.ID()
			}
			return op, nil
		},
		words: func(err error) *fault {
			if e, ok := errors.AsType[*placement.ExistsError](err); ok {
				return conflict(api.DuplicateName, "Conflicting resource provider %s: %s already exists.", e.Field, e.Value)
			}
			return nil
		},
	})
	if f != nil {
		return f
	}
	r.location("/resource_providers/" + op.ID.String())
	if !r.at(microversion.PostAnswers) {
		r.done(http.StatusCreated)
		return nil
	}
	p, ok := s.Provider(op.ID)
	if !ok { // another client has removed it since
		return noProvider(op.ID.String())
	}
	r.answer(http.StatusOK, r.providerWriter(s).provider(nil, p), modifiedOf(p))
	return nil
}

// newProvider returns the operation for the body of a new provider, without its parent
// yet.
func (r *request) newProvider(in providerBody) (placement.CreateProvider, *fault) {
	op := placement.CreateProvider{ID: placement.ProviderID(r.h.o.NewID()), Name: in.name}
	if in.uuid != "" {
		id, _ := body.ParseUUID(in.uuid)
		op.ID = placement.ProviderID(id)
	}
	switch {
	case op.Name == "":
		return op, cannotCreate(op, "name is required")
	case in.parent == op.ID.String():
		return op, cannotCreate(op, "parent provider UUID cannot be same as UUID. Please set parent provider UUID to None if there is no parent.")
	}
	return op, nil
}

func cannotCreate(op placement.CreateProvider, why string) *fault {
	return badRequest("Unable to create resource provider \"%s\", %s: Object action create failed because: %s", op.Name, op.ID, why)
}

// updateProvider answers PUT /resource_providers/{uuid}.
func updateProvider(r *request) *fault {
	if _, ok := r.provider(r.placement()); !ok {
		return noProvider(r.args[0])
	}
	in, f := read(r, r.readProvider)
	if f != nil {
		return f
	}
	s, p, f := r.applyTo(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			p, ok := r.provider(s)
			if !ok {
				return nil, noProvider(r.args[0])
			}
			if in.name == "" {
				return nil, badRequest("Unable to save resource provider %s: Object action update failed because: name is required", r.args[0])
			}
			op := placement.UpdateProvider{ID: p.ID(), Name: in.name}
			if in.parented {
				if f := r.reparent(&op, s, p, in.parent); f != nil {
					return nil, f
				}
			}
			return op, nil
		},
		words: when(placement.ErrExists, api.DuplicateName, "Conflicting resource provider %s already exists.", in.name),
	})
	if f != nil {
		return f
	}
	r.answer(http.StatusOK, r.providerWriter(s).provider(nil, p), modifiedOf(p))
	return nil
}

// reparent makes op move p below the parent in a body, "" for none, if the version allows
// that.
//
// Source: placement/objects/resource_provider.py, _update_in_db.
func (r *request) reparent(op *placement.UpdateProvider, s *placement.Snapshot, p *placement.ResourceProvider, parent string) *fault {
	refused := func(action, why string) *fault {
		return badRequest("Unable to save resource provider %s: Object action %s failed because: %s", r.args[0], action, why)
	}
	has, below := s.Parent(p)
	if parent == "" {
		if below && !r.at(microversion.Reparent) {
			return refused("update", "un-parenting a provider is not currently allowed.")
		}
		op.Reparent = true
		return nil
	}
	up, ok := providerOf(s, parent)
	switch {
	case !ok:
		return refused("create", "parent provider UUID does not exist.")
	case below && has != up && !r.at(microversion.Reparent):
		return refused("update", "re-parenting a provider is not currently allowed.")
	}
	for at, ok := up, true; ok; at, ok = s.Parent(at) {
		if at == p {
			return refused("update", "creating loop in the provider tree is not allowed.")
		}
	}
	op.Reparent, op.Parent = true, up.ID()
	return nil
}

// deleteProvider answers DELETE /resource_providers/{uuid}.
func deleteProvider(r *request) *fault {
	missing := notFound("No resource provider with uuid %s found for delete", r.args[0])
	return r.applyAndDone(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			p, ok := r.provider(s)
			if !ok {
				return nil, missing
			}
			return placement.DeleteProvider{ID: p.ID()}, nil
		},
		words: func(err error) *fault {
			use, ok := errors.AsType[*placement.InUseError](err)
			switch {
			case !ok:
				return nil
			case len(use.Children) > 0:
				return conflict(api.ParentInUse, "Unable to delete parent resource provider %s: It has child resource providers.", r.args[0])
			}
			return conflict(api.ProviderInUse, "Unable to delete resource provider %s: Resource provider has allocations.", r.args[0])
		},
	})
}
