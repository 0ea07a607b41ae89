// Package operator is what operators write about a cloud: the findings they have
// acknowledged, the rules they have muted, and how much of the journal is to be kept.
//
// It is a ledger in addition to those of the services: its records are part of the cloud,
// so every operator sees them and the journal says who wrote them. Nothing here changes
// what is found: an Acknowledgement or a Mute only says that a finding is known, until
// when, and by whom. Readers such as audit.Inspect decide what that means at a given
// time.
package operator
