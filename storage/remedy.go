package storage

import "errors"

// Remedy is what can be done about an error with a command. The text of the error does
// not say it, as only the running program knows the command's name.
type Remedy int

// The remedies.
const (
	NoRemedy      Remedy = iota
	WaitForIt            // until it is closed elsewhere
	GoBack               // to a backup
	NameOrGoBack         // name another file, or go back to a backup
	DropJournal          // and copy all records to another place
	Rewrite              // the file, without what is wrong with it
	LookAtIt             // whether the file is sound
	SaveElsewhere        // what can still be read
	ReadOnly             // open it for reading
)

// remedied is an error that knows its remedy.
type remedied interface {
	error
	remedy() (what Remedy, path string)
}

// RemedyOf returns the remedy for err, and the file it applies to.
func RemedyOf(err error) (what Remedy, path string) {
	var r remedied
	if !errors.As(err, &r) {
		return NoRemedy, ""
	}
	return r.remedy()
}

func (e *LockedError) remedy() (Remedy, string)   { return e.Remedy, e.Path }
func (e *DamagedError) remedy() (Remedy, string)  { return e.Remedy, e.Path }
func (e *OpenError) remedy() (Remedy, string)     { return e.Remedy, e.Path }
func (e *TargetError) remedy() (Remedy, string)   { return e.Remedy, e.Path }
func (e *NotKeptError) remedy() (Remedy, string)  { return e.Remedy, e.Path }
func (e *ReadOnlyError) remedy() (Remedy, string) { return e.Remedy, e.Path }
