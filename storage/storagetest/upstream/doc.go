// Package upstream runs the real OpenStack Placement as a second opinion: the
// same cloud and the same requests go to it and to us, and the answers must
// agree. So it does with Nova's code, which is asked what it requests for flavors and
// images.
//
// Besides, Debian's clients work against ours: every command of python3-osc-placement,
// which prints with ours what it prints with Placement, and what README.md tells those who
// come with them.
//
// The package is built with the tag "placement" only, and needs Debian's
// python3-placement, which .ci/run installs, python3-nova for what is asked of Nova, and
// python3-openstackclient, python3-osc-placement and prometheus for the clients. The
// service runs in a Python process of its own on SQLite and on a loopback port; nothing
// outside a temporary folder is written.
package upstream
