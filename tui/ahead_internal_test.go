package tui

// Held returns how many keys that were typed ahead wait.
func (a *App) Held() int { return len(a.ahead.held) }
