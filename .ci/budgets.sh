# The benchmarks of what has a budget, for the steps bench and keep.
# shellcheck shell=bash

# budgets are the benchmarks of what has a budget: package, then benchmarks.
budgets() {
	cat <<-'END'
		./model/candidates ^Benchmark(Search|Explain|Fit)$
		./model/placement ^BenchmarkApplyClaim$
		./model/cloud ^BenchmarkOpen$
		./model/ops ^Benchmark(Audit|SimulateGate)$
		./storage/bolt ^Benchmark(Commit|Claim)$
		./tui ^BenchmarkKey$
		./tui/session ^BenchmarkEncode$
		./tui/screen/providers ^BenchmarkScreen$
	END
}

# measure runs the benchmarks of budgets six times each.
measure() {
	local pkg names
	budgets | while read -r pkg names; do
		go test -run '^$' -bench "$names" -benchtime 200ms -count 6 -timeout 20m "$pkg" </dev/null
	done
}
