// Package form holds the screens that change the cloud: forms built from model
// types, and the page that shows a change before and after and asks for a yes.
//
//	what ──► where ──► preview ──► write ──► the consumer
//	 ▲         ▲          │          │
//	 │         │          ▼          ▼
//	 fields    list       planned again on each new Snapshot, and on a conflict
//
// What may be allocated where, what a change does and how it is written is the
// work of package ops; a form gathers a wish, shows what comes of it, and hands on
// what was accepted. Nothing is written that was not on the preview page before
// somebody pressed enter there.
//
// Fields are the text inputs of bubbles: their commands, which make a cursor blink,
// are dropped, so that an open form costs nothing while nobody types.
package form
