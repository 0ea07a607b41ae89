// Package part holds no code: below it are what screens and forms share, none of
// which is a screen.
//
//	component  lines, gauges, grids, prompts, toasts: know nothing of a cloud
//	list       a list of rows with columns, sorting, filters and marks
//	sections   a page of parts, one below the other
//	panel      words, signs and facts of the model, as screens show them
//	board      several boxes on one screen, of which one has the keys
//	onset      since when something is so, by the journal
package part
