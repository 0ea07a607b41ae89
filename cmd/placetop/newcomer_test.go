package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFirstGuess checks that what newcomers look for is where they would look first,
// which the docs of model, tui and this package say.
func TestFirstGuess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, file, holds string }{
		{"the rule that a claim may not exceed capacity", "model/placement/capacity.go", "func (e *edit) checkFits("},
		{"the owner pre-filter", "model/nova/prefilter_owner.go", "owner_nova_filter"},
		{"the schema of the file", "storage/bolt/schema.go", "func Schema() "},
		{"the exit codes", "cmd/placetop/exit.go", "exitNothingFits = 5"},
		{"where the flag of a command is added", "cmd/placetop/check.go", "cmd.Flags()"},
		{"where a global flag is added", "cmd/placetop/internal/config/settings.go", "func (s *Settings) AddFlags("},
		{"resize", "model/ops/resize.go", "type Move struct"},
		{"who reverts an overdue move", "model/keeper/keeper.go", "moves that were not confirmed in time"},
		{"rule o06", "model/audit/o06_wrong_owner.go", `RuleID = "o06"`},
		{"the upgrade gate", "model/nova/gate.go", "type Gate struct"},
		{"how far the upgrade gate is", "model/insight/gate.go", "func ReadinessOf("},
		{"where a screen is added", "tui/app.go", "// To add a screen,"},
		{"where a column of devices is", "tui/screen/devices/devices.go", "kinds.Devices"},
		{"what a column of devices holds", "model/kinds/cyborg.go", "Name: Devices,"},
		{"where a store on etcd would go", "storage/engine/engine.go", "// To add an engine, write a package below storage"},
		{"where a REST server would go", "cmd/placetop/main.go", "storage/rest"},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(c.file)))
		if err != nil || !strings.Contains(string(text), c.holds) {
			t.Errorf("%s: not in %s: %q (%v)", c.what, c.file, c.holds, err)
		}
	}
}
