// Package handover is the list of what is left to do until a card is another
// owner's, and the list of the cards of a host to choose one from.
//
//	host ──► card ──► drain ──► each holder leaves ──► give
//	                 preview    resize, migrate,      preview
//	                            release
//
// How far it is stands in the cloud alone, see ops.Handover: the screen can be left
// and opened again at any time.
package handover
