// Package upstream compares us with the real OpenStack: the same cloud and the same
// requests go to Placement and to us, and the answers must agree. Nova's code is likewise
// asked what it requests for flavors and images. Placement's own functional suite runs
// against us where the newest release of it, which has that suite, can be had.
//
// Debian's clients are also run against ours: every command of python3-osc-placement must
// print the same as with Placement, and so must what the manual shows.
//
// The package is built with the tag "placement" only, and needs Debian's
// python3-placement, which .ci/run installs, python3-nova for what is asked of Nova, and
// python3-openstackclient, python3-osc-placement and prometheus for the clients. The
// service runs in a Python process of its own on SQLite and on a loopback port; nothing
// outside a temporary folder is written.
package upstream
