// Package form asks for what a change needs: fields of text, each checked, noted and
// completed as it is typed, and after them the page that shows the change before it is
// written. A screen gives an Ask, and gets a Wizard, or makes one of steps of its own.
//
// What may be allocated where, what a change does and how it is written is the work of
// package ops; a form gathers a wish and hands on what was accepted. Nothing is written
// that was not on the page of package confirm before the user pressed enter there.
//
// NewPlaces lists the hosts that an instance may go to, and those that it may not, each with
// the reason.
//
// Fields are the text inputs of bubbles: their commands, which make a cursor blink, are
// dropped, so that an open form costs nothing while idle.
package form
