#!/usr/bin/env bash
# Builds a release of the present commit: .release/build.sh VERSION DIR [OS/ARCH]... makes an
# archive for each system and its packages, with a list of what is inside each program and
# the checksums of all. The same commit always gives the same files.
set -euo pipefail
cd "$(dirname "$0")/.."
. .ci/lib.sh

export VERSION=$1 ARCH OUT SOURCE_DATE_EPOCH
OUT=$(realpath -m "$2")
shift 2
[ $# -gt 0 ] || set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
rm -rf "$OUT"
mkdir -p "$OUT"
nfpm=$(tool v2.45.0 github.com/goreleaser/nfpm/v2/cmd/nfpm)
inside=$(tool v1.10.0 github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod)

# build compiles the program for a system: build OS ARCH.
build() {
	CGO_ENABLED=0 GOOS=$1 GOARCH=$2 go build -trimpath -ldflags '-s -w' -o "$OUT/$1_$2/placetop" ./cmd/placetop
}

# page writes the page of a command or a topic where man(1) looks for its section.
page() {
	local text name section
	text=$("$here" man "$@")
	read -r _ name section _ < <(tr -d '"' <<<"$text" | grep '^\.TH')
	gzip -9n <<<"$text" >"$pages/man$section/${name,,}.$section.gz"
}

build "$(go env GOHOSTOS)" "$(go env GOHOSTARCH)"
here=$OUT/$(go env GOHOSTOS)_$(go env GOHOSTARCH)/placetop pages=$OUT/pages
mkdir -p "$pages"/{completions,man1,man7}
"$here" completion bash >"$pages/completions/placetop.bash"
"$here" completion zsh >"$pages/completions/_placetop"
"$here" completion fish >"$pages/completions/placetop.fish"
page
"$here" __complete man '' 2>/dev/null | sed '/^:/d; s/\t.*//' | while read -r word; do
	page "$word"
done

for system in "$@"; do
	os=${system%/*} ARCH=${system#*/} name=placetop_${VERSION}_${os}_$ARCH
	build "$os" "$ARCH"
	"$inside" bin -json -noserial -notimestamp -output "$OUT/$name.sbom.json" "$OUT/${os}_$ARCH/placetop" 2>/dev/null
	tar -c --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$OUT" \
		--transform "s,^${os}_$ARCH/,," --transform "s,^,$name/," "${os}_$ARCH/placetop" pages -C "$PWD" LICENSE README.md |
		gzip -9n >"$OUT/$name.tar.gz"
	[ "$os" = linux ] || continue
	for kind in deb rpm; do
		"$nfpm" package -f .release/nfpm.yaml -p "$kind" -t "$OUT/$name.$kind"
	done
done
(cd "$OUT" && sha256sum placetop_* >checksums.txt)
