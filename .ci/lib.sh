# What the steps of .ci/run have in common. They run in the top folder of the repository.
# shellcheck shell=bash
set -euo pipefail

# packages installs packages of Debian's.
packages() {
	apt-get update -q
	DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@"
}

# tool prints the path of a tool that is a Go module, which it builds where this
# version of it is not there: tool VERSION PACKAGE.
tool() {
	local dir=${PLACETOP_CI_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/placetop-ci}/$1 name=${2##*/}
	[[ $name != v[0-9] ]] || name=$(basename "${2%/*}")
	if [ ! -x "$dir/$name" ]; then
		mkdir -p "$dir"
		GOBIN="$dir" go install "$2@$1" >&2
	fi
	echo "$dir/$name"
}

compiler() { command -v "$(go env CC)" >/dev/null || packages gcc libc6-dev; }

# packages_with prints the folders of the packages whose tests have a line like a pattern.
packages_with() { git grep -lE "$1" -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's,^,./,'; }

# together runs the commands of its input, one a line, two at a time: most leave a
# processor idle. It fails if one of them does.
together() { xargs -d '\n' -P 2 -n 1 bash -c; }

# fuzz_all fuzzes every target for a time or a number of inputs.
fuzz_all() { packages_with '^func Fuzz' | sed "s/^/.ci\/fuzz $1 /" | together; }
