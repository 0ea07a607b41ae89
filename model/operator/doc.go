// Package operator is what operators wrote down about a cloud: the findings that
// they know of, and the rules that they do not want to hear.
//
// It is a ledger beside those of the services: its records stand in the cloud, so
// that every operator sees them and the journal says who wrote them. Nothing here
// changes what is found. An Acknowledgement or a Mute only says that a finding is
// known: for how long, and by whom. What it is worth at a given time is decided
// by the readers, such as audit.Inspect.
package operator
