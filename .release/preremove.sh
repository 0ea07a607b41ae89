#!/bin/sh
# Before the files go for good: the services stop. The cloud in /var/lib/placetop and the user
# that owns it stay.
set -e
[ -d /run/systemd/system ] || exit 0
case "$1" in
remove | 0) systemctl disable --now placetop-serve.service placetop-ssh.service placetop-agent.service || : ;;
esac
