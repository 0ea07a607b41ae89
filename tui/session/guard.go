package session

import (
	"fmt"
	"reflect"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"
)

// PanicError is a panic that was caught, with the stack where it happened.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the value that was panicked with, in one line.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the error that was panicked with, or nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Recovered makes an error of what recover returned, with the stack of the
// caller. It returns nil for nil.
func Recovered(value any) *PanicError {
	if value == nil {
		return nil
	}
	return &PanicError{Value: value, Stack: debug.Stack()}
}

// Guard returns a command that turns a panic in cmd, or in a command that it
// batches or puts in sequence, into the message that caught returns for it.
func Guard(cmd tea.Cmd, caught func(*PanicError) tea.Msg) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if crash := Recovered(recover()); crash != nil {
				msg = caught(crash)
			}
		}()
		return MapCmds(cmd(), func(c tea.Cmd) tea.Cmd { return Guard(c, caught) })
	}
}

// MapCmds applies f to each command of a batch or a sequence. It returns any
// other message as it is. The type of a sequence is not exported by Bubble Tea,
// but it is a slice of commands like that of a batch.
func MapCmds(msg tea.Msg, f func(tea.Cmd) tea.Cmd) tea.Msg {
	v := reflect.ValueOf(msg)
	if !v.IsValid() || v.Kind() != reflect.Slice || v.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return msg
	}
	out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		out.Index(i).Set(reflect.ValueOf(f(v.Index(i).Interface().(tea.Cmd))))
	}
	return out.Interface()
}
