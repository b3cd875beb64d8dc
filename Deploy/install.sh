#!/bin/sh
# Installs Ovation from this folder: install.sh [PREFIX], by default /usr/local. Run it again to upgrade; settings are kept.
set -eu
cd "$(dirname "$0")"
prefix=${1:-/usr/local}

missing=$(ldd bin/ovation | awk '/not found/ {print $1}')
if [ -n "$missing" ]; then
    echo "ovation: these libraries are missing: $(echo "$missing" | tr '\n' ' ')" >&2
    echo "On Debian 12: apt install libssl3 zlib1g libsqlite3-0 libqrencode4 libopus0 libavformat59 libavcodec59 libswresample4 libavutil57" >&2
    exit 1
fi
install -D -m 755 bin/ovation "$prefix/bin/ovation.new"
mv -f "$prefix/bin/ovation.new" "$prefix/bin/ovation"
mkdir -p "$prefix/share/ovation"
rm -rf "$prefix/share/ovation/web.new"
cp -r share/ovation/web "$prefix/share/ovation/web.new"
rm -rf "$prefix/share/ovation/web"
mv "$prefix/share/ovation/web.new" "$prefix/share/ovation/web"
if [ "$(id -u)" -eq 0 ]; then
    [ -e /etc/ovation/ovation.yml ] || install -D -m 644 etc/ovation/ovation.yml /etc/ovation/ovation.yml
    if [ -d /etc/systemd/system ]; then
        sed "s,^ExecStart=[^ ]*,ExecStart=$prefix/bin/ovation," lib/systemd/system/ovation.service \
            > /etc/systemd/system/ovation.service
        [ ! -d /run/systemd/system ] || systemctl daemon-reload
    fi
fi
cat <<TEXT

Ovation is installed. To try it on this machine, type:

    $prefix/bin/ovation serve --dev

TEXT
