package nova

// Specs returns every extra spec and image property that is known.
func Specs() []Spec { return specs }
