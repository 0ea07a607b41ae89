// Package upstream runs the real OpenStack Placement as a second opinion: the
// same cloud and the same requests go to it and to us, and the answers must
// agree.
//
// The package is built with the tag "placement" only, and needs Debian's
// python3-placement, which .ci/run installs. The service runs in a Python process
// of its own on SQLite and on a loopback port; nothing outside a temporary
// folder is written.
package upstream
