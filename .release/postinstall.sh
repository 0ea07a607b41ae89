#!/bin/sh
# After the files are there: the user of the services, and a new start of those that run.
# A deb says "configure", and the version before if there was one; an rpm counts versions.
set -e
getent group placetop >/dev/null || groupadd --system placetop
getent passwd placetop >/dev/null ||
	useradd --system --gid placetop --home-dir /var/lib/placetop --no-create-home --shell /usr/sbin/nologin placetop
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload || :
case "$1:$2" in
configure:?* | 2:*) systemctl try-restart placetop-serve.service placetop-ssh.service placetop-agent.service || : ;; # a service that does not start is no reason to leave the package half installed
esac
