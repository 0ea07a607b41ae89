// Package handover is the list of what is left to do until a card has another owner,
// and the list of a host's cards to choose one from.
//
//	host ──► card ──► drain ──► each holder leaves ──► give
//	                 preview    resize, migrate,      preview
//	                            release
//
// Its progress is kept only in the cloud, see ops.Handover: the screen can be left and
// opened again at any time.
package handover
