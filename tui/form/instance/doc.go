// Package instance holds the pages for what is done to an instance as a whole, and
// the list of what was interrupted.
package instance
