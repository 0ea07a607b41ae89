package place

import (
	"reflect"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/placement"
)

// Parse reads what a person typed after the name of a place, as a place of the same
// type as sort.
//
// Errors: placement.ErrInvalid, also for a sort that cannot be typed.
func Parse(sort Place, text string) (Place, error) {
	switch sort := sort.(type) {
	case Pulses, NewProvider, Hardware:
		return sort, nil
	case Files:
		return Files{File: text}, nil
	case Owners:
		return parseOwners(text)
	case Problems:
		rule, subject, _ := strings.Cut(strings.TrimSpace(text), " ")
		return Problems{Rule: audit.RuleID(rule), Subject: subject}, nil
	case Pool:
		if id, err := uuid.Parse(text); err == nil {
			return Pool{ID: placement.ProviderID(id)}, nil
		}
		return Pool{Name: text}, nil
	case WhatIf:
		return parseWhatIf(text)
	}
	if list := reflect.New(reflect.TypeOf(sort)).Elem(); list.FieldByName(filter).IsValid() {
		list.FieldByName(filter).SetString(strings.TrimPrefix(text, "/"))
		return list.Interface().(Place), nil // it is of the sort
	}
	return nil, &placement.InvalidError{Field: Kind(sort), Value: text, Why: "cannot be typed"}
}

// Text returns what to type after the name of a place to go there; "" for one that
// cannot be typed.
func Text(p Place) string {
	switch p := p.(type) {
	case Files:
		return p.File
	case Owners:
		return string(p.Simulate)
	case Problems:
		return strings.TrimSuffix(string(p.Rule)+" "+p.Subject, " ")
	case Pool:
		if p.ID.IsZero() {
			return p.Name
		}
		return p.ID.String()
	case WhatIf:
		return p.text()
	}
	text := Filter(p)
	if strings.HasPrefix(text, "/") {
		text = "/" + text // Parse removes one of them
	}
	return text
}

// Filter returns the filter of a list, "" for any other place.
func Filter(p Place) string {
	if list := reflect.ValueOf(p).FieldByName(filter); list.IsValid() {
		return list.String()
	}
	return ""
}

// filter is the field of the lists that is typed: as in the filter line, a / may precede
// it.
const filter = "Filter"

func parseOwners(text string) (Place, error) {
	switch s := Simulation(text); s {
	case NoSimulation, SimulateOpen, SimulateUpgrade:
		return Owners{Simulate: s}, nil
	}
	return nil, &placement.InvalidError{Field: "simulation", Value: text, Why: "must be open or upgrade"}
}

// The words before the origin of a query, and before a query whose answer is given in
// words.
const (
	ofProvider = "provider:"
	ofConsumer = "consumer:"
	ofInstance = "instance:"
	ofFlavor   = "flavor:"
	inWords    = "why:"
)

// text returns a query as URL text, or its origin: provider:UUID, consumer:UUID,
// instance:UUID or flavor:REF; for Words it is preceded by why:.
func (w WhatIf) text() string {
	out := w.Query
	switch {
	case !w.Provider.IsZero():
		out = ofProvider + w.Provider.String()
	case !w.Consumer.IsZero():
		out = ofConsumer + w.Consumer.String()
	case !w.Instance.IsZero():
		out = ofInstance + w.Instance.String()
	case w.Flavor != "":
		out = ofFlavor + w.Flavor
	}
	if w.Words {
		out = inWords + out
	}
	return out
}

func parseWhatIf(text string) (Place, error) {
	var w WhatIf
	var err error
	text, w.Words = strings.CutPrefix(text, inWords)
	of, which, _ := strings.Cut(text, ":")
	switch of + ":" {
	case ofProvider:
		w.Provider, err = placement.ParseProviderID(which)
	case ofConsumer:
		w.Consumer, err = placement.ParseConsumerID(which)
	case ofInstance:
		w.Instance, err = placement.ParseConsumerID(which)
	case ofFlavor:
		if w.Flavor = which; which == "" {
			err = &placement.InvalidError{Field: "flavor", Value: text, Why: "needs a name"}
		}
	default:
		w.Query = text
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}
