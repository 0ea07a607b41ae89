#!/usr/bin/env bash
# Writes what the program can tell of itself for a release: pages.sh DIR makes the completions
# of shells and the manual pages, one of each command and topic.
set -euo pipefail
dir=$1
rm -rf "$dir"
mkdir -p "$dir"/{completions,man1,man7}
program=$dir/../placetop
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) # the date of manual pages
export SOURCE_DATE_EPOCH
CGO_ENABLED=0 GOFLAGS=-buildvcs=true go build -trimpath -o "$program" ./cmd/placetop
"$program" completion bash >"$dir/completions/placetop.bash"
"$program" completion zsh >"$dir/completions/_placetop"
"$program" completion fish >"$dir/completions/placetop.fish"

# page writes the page of a command or a topic where man(1) looks for its section.
page() {
	local text name section
	text=$("$program" man "$@")
	read -r _ name section _ < <(tr -d '"' <<<"$text" | grep '^\.TH')
	gzip -9n <<<"$text" >"$dir/man$section/${name,,}.$section.gz"
}
page
"$program" __complete man '' 2>/dev/null | sed '/^:/d; s/\t.*//' | while read -r word; do
	page "$word"
done
find "$dir" -exec touch -d "@$SOURCE_DATE_EPOCH" {} + # packages keep the time of a file
