package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	textfmt "github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

// The exit codes: a contract with scripts. exitMeanings explains them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitProblems    = 3
	exitConflict    = 4
	exitNothingFits = 5
)

// exitMeanings says what each exit code means, by code.
func exitMeanings() []string {
	return []string{
		exitDone:        "done",
		exitFailed:      "failed; nothing was changed unless the message says so",
		exitUsage:       "wrong usage: a flag, an argument or a setting",
		exitProblems:    "problems were found",
		exitConflict:    "somebody else wrote in between, or has the file open: look again, then try again",
		exitNothingFits: "no provider can take what was asked for",
	}
}

// exitCode returns the exit code for an error: that of an exitError in the chain, else
// that of the kind of the error.
func exitCode(err error) int {
	var said *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &said):
		return said.code
	case errors.Is(err, placement.ErrConflict), errors.Is(err, cloud.ErrOvertaken), errors.Is(err, storage.ErrLocked):
		return exitConflict
	case errors.Is(err, placement.ErrCapacity):
		return exitNothingFits
	case errors.Is(err, placement.ErrInvalid):
		return exitUsage
	default:
		return exitFailed
	}
}

// exitError is an error that knows its exit code, and what to do about it.
type exitError struct {
	code   int
	err    error
	hint   string // what to do, in the imperative; may be empty
	goesOn bool   // the hint also holds after an interrupt
}

// Error returns what is wrong and what to do, in one line.
func (e *exitError) Error() string {
	if e.hint == "" {
		return e.err.Error()
	}
	return e.err.Error() + "; " + e.hint
}

// Unwrap returns what is wrong.
func (e *exitError) Unwrap() error { return e.err }

// exitErrorf returns an error with an exit code; hint says what to do.
func exitErrorf(code int, hint, format string, args ...any) error {
	return &exitError{code: code, err: fmt.Errorf(format, args...), hint: hint}
}

// usageErrorf returns an error about wrong usage; hint says what is right.
func usageErrorf(hint, format string, args ...any) error {
	return exitErrorf(exitUsage, hint, format, args...)
}

// failed gives err the exit code of a failure whatever its kind, with a hint. It is for
// bad content of files, which is not a usage error.
func failed(err error, hint string) error {
	return &exitError{code: exitFailed, err: err, hint: hint}
}

// errReads is part of the error of a command that only read.
var errReads = errors.New("only read")

// report prints an error to w, in one line, and returns the exit code.
func report(w io.Writer, err error) int {
	if err == nil {
		return exitDone
	}
	text := errorText(err)
	var conflict *placement.ConflictError
	var partial *partialError
	switch {
	case errors.As(err, &partial):
		text = partial.Error()
	case errors.Is(err, context.Canceled):
		text = "interrupted"
		switch {
		case errors.Is(err, ops.ErrCarriesOn):
			text += `; Nova carries on: "placetop get instances" shows how far it is`
		case errors.Is(err, cloud.ErrInDoubt):
			text += "; it is not known whether what was under way was done: check it"
		case !errors.Is(err, errReads):
			text += "; nothing more was written"
		}
		for said, in := (*exitError)(nil), err; errors.As(in, &said); in = said.err {
			if said.goesOn {
				text += ". " + said.hint
			}
		}
	case errors.As(err, &conflict) && conflict.What == "consumer":
		text += "; look at it again, then repeat"
	}
	// If the message cannot be printed, there is nowhere else to say so.
	_, _ = fmt.Fprintf(w, "placetop: %s\n", abridged(oneLine(text)))
	return exitCode(err)
}

// errorText returns the text of an error, with the command that helps.
func errorText(err error) string {
	remedy, path := storage.RemedyOf(err)
	do := strings.ReplaceAll(map[storage.Remedy]string{
		storage.WaitForIt:     ", or wait for it with --wait TIME",
		storage.GoBack:        ". To restore a backup: placetop restore BACKUP --db PATH",
		storage.NameOrGoBack:  ". Name another file with --db, or restore a backup: placetop restore BACKUP --db PATH",
		storage.DropJournal:   ". To copy them to another file, without the journal: placetop copy PATH FILE",
		storage.Rewrite:       ". To write it anew: placetop compact --db PATH",
		storage.LookAtIt:      ". To look at the file: placetop verify --db PATH",
		storage.SaveElsewhere: ". To save what it has: placetop backup FILE --db PATH",
		storage.ReadOnly:      ". To only read it: --read-only",
	}[remedy], "PATH", path)
	if _, ok := errors.AsType[*cloud.OwnerError](err); ok {
		do = `. What a server holds is corrected by "placetop heal" with its name and --force or, if it is on no host, released when Nova deletes it. If you know that nothing of it is left there, "placetop release" takes --force`
	}
	return err.Error() + do
}

// mostTold is how many characters of an error are printed: many repeat what was typed.
const mostTold = 4000

// abridged leaves out the middle of a text that is too long to be read.
func abridged(text string) string {
	all := []rune(text)
	if len(all) <= mostTold {
		return text
	}
	const half = mostTold / 2
	return fmt.Sprintf("%s (%d characters left out) %s", string(all[:half]), len(all)-2*half, string(all[len(all)-half:]))
}

// oneLine returns text without line breaks and control characters: names come from other
// people's clouds.
func oneLine(text string) string {
	return textfmt.Harmless(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
}
