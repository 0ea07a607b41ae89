// Package part holds no code: below it are what screens share, none of
// which is a screen.
//
//	component  lines, gauges, grids, prompts, toasts: know nothing of a cloud
//	list       a list of rows with columns, sorting, filters and marks
//	page       lines, tables and lists on one screen, of which one has the keys
//	form       fields to fill in, and what comes after them
//	confirm    the page that shows a change before it is written, and writes it
//	sheet      what such a page says: before and after, requests, checks
//	places     where an instance may go
//	panel      words, signs and facts of the model, as screens show them
package part
