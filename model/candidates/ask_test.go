package candidates_test

import "github.com/placetop/placetop/model/candidates"

// searched asks q of an Index and searches.
func searched(x *candidates.Index, q candidates.Query, o candidates.Options) (*candidates.Result, error) {
	k, err := x.Ask(q)
	if err != nil {
		return nil, err
	}
	return k.Search(o), nil
}

// explained asks q of an Index and explains the answer.
func explained(x *candidates.Index, q candidates.Query, o candidates.ExplainOptions) (*candidates.Explanation, error) {
	k, err := x.Ask(q)
	if err != nil {
		return nil, err
	}
	return k.Explain(o), nil
}

// fitted asks q of an Index and returns how many copies fit.
func fitted(x *candidates.Index, q candidates.Query) (*candidates.Fit, error) {
	k, err := x.Ask(q)
	if err != nil {
		return nil, err
	}
	return candidates.FitOf(k), nil
}
