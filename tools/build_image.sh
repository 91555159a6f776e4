#!/bin/bash
# Builds the image without a registry and without a container engine, and plays a match on it: as user 10001, with a
# read-only root. `make image`; the first time it takes some minutes, since it makes a Debian to build upon.
#
#   tools/build_image.sh [NAME]     NAME of the image, localhost/croupier without it
#
# Needs root on Debian or Ubuntu, and: apt-get install buildah debootstrap
# What it leaves: the image, and localhost/croupier-base for the next time (buildah rmi removes them).
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:-localhost/croupier}
base=localhost/croupier-base
suite=bookworm
user=10001
bin=.venv/bin

for program in buildah debootstrap unshare nsenter pgrep; do
  command -v "$program" >/dev/null || { echo "There is no $program; run: apt-get install buildah debootstrap util-linux procps"; exit 2; }
done
[ "$(id -u)" -eq 0 ] || { echo "Making a root file system takes root; run it with sudo."; exit 2; }

work=$(mktemp -d)
container='' house=''
clean() {
  [ -z "$house" ] || { kill -TERM "$house" 2>/dev/null && wait "$house" 2>/dev/null; } || true
  [ -z "$container" ] || buildah rm "$container" >/dev/null || true
  rm -rf --one-file-system "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM

if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
  echo "A base of Debian $suite"
  timeout 900 debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates "$suite" "$work/debian" \
    >"$work/debootstrap.log" 2>&1 || { tail -n 20 "$work/debootstrap.log"; exit 1; }
  rm -rf "$work"/debian/var/cache/apt/archives/*.deb "$work"/debian/var/lib/apt/lists/*
  container=$(buildah from scratch)
  # Devices are not a part of an image.
  tar -C "$work/debian" --exclude='./dev/*' -cf "$work/debian.tar" .
  buildah add --quiet "$container" "$work/debian.tar" / >/dev/null
  buildah commit --quiet "$container" "$base" >/dev/null
  buildah rm "$container" >/dev/null
  container=''
  rm -rf --one-file-system "$work/debian" "$work/debian.tar"
fi

echo "Wheels, as the locks say"
for lock in requirements.build.lock requirements.server.lock; do
  # Without the conditions, which would be those of the Python here: that of the base may need more.
  sed 's/ ; .*\\$/ \\/' "$lock" >"$work/$lock"
  timeout 600 "$bin/python" -m pip download --quiet --disable-pip-version-check --require-hashes --no-deps \
    --only-binary=:all: --python-version 3.11 --dest "$work/wheels" --requirement "$work/$lock" 2>"$work/download.log" \
    || { tail -n 20 "$work/download.log"; exit 1; }
done

echo "The image"
version=$("$bin/python" -c 'import importlib.metadata; print(importlib.metadata.version("croupier"))')
revision=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
before=$(buildah images --quiet "$name:$version" 2>/dev/null || true)
timeout 900 buildah bud --quiet --isolation chroot --format docker --pull-never \
  --volume "$work/wheels:/wheelhouse:ro" \
  --build-arg BASE="$base" --build-arg PIP_NO_INDEX=1 --build-arg PIP_FIND_LINKS=/wheelhouse \
  --build-arg VERSION="$version" --build-arg REVISION="$revision" \
  --tag "$name:$version" . >"$work/build.log" 2>&1 || { tail -n 40 "$work/build.log"; exit 1; }
buildah tag "$name:$version" "$name:latest"
[ -z "$before" ] || [ "$before" = "$(buildah images --quiet "$name:$version")" ] || buildah rmi "$before" >/dev/null
size=$(buildah inspect --type image --format '{{.Manifest}}' "$name:$version" \
  | "$bin/python" -c 'import json, sys; print(sum(layer["size"] for layer in json.load(sys.stdin)["layers"]) // 10**6)')
echo "$name:$version, layers of $size MB"

echo "A match on it"
container=$(buildah from --pull-never "$name:$version")
root=$(buildah mount "$container")
mkdir "$work/run"
cat >"$work/start" <<'START'
set -eu
root=$1 run=$2 user=$3
mount --bind "$root" "$run"
mount -o remount,bind,ro "$run"
mount -t proc proc "$run/proc"
mount -t tmpfs -o mode=1777 tmp "$run/tmp"
mount -t tmpfs -o "mode=0700,uid=$user,gid=$user" data "$run/data"
mount -t tmpfs -o mode=0755 dev "$run/dev"
mknod -m 666 "$run/dev/null" c 1 3
mknod -m 666 "$run/dev/urandom" c 1 9
exec chroot --userspec="$user:$user" "$run" /usr/bin/env -i PATH=/opt/croupier/bin:/usr/bin:/bin HOME=/data \
  PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 CROUPIER_ALIVE_FILE=/tmp/croupier-alive \
  croupier up --port "$4" --grpc-port "$5" --data /data
START
read -r web grpc < <("$bin/python" -c '
import socket
taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(each.getsockname()[1] for each in taken))')
unshare --mount --propagation private --pid --fork --kill-child=TERM \
  sh "$work/start" "$root" "$work/run" "$user" "$web" "$grpc" >"$work/up.log" 2>&1 &
house=$!
for _ in $(seq 300); do
  grep -q '^grpc: ' "$work/up.log" && break
  kill -0 "$house" 2>/dev/null || break
  sleep 0.2
done
grep -q '^grpc: ' "$work/up.log" || { echo "It did not start:"; cat "$work/up.log"; exit 1; }
up=$(pgrep -P "$house" | head -n 1)
[ "$(stat -c %u "/proc/$up")" = "$user" ] || { echo "It runs as $(stat -c %U "/proc/$up")"; exit 1; }
inside() {
  nsenter --target "$up" --mount --pid chroot --userspec="$user:$user" "$work/run" \
    /usr/bin/env -i PATH=/opt/croupier/bin:/usr/bin:/bin CROUPIER_ALIVE_FILE=/tmp/croupier-alive \
    CROUPIER_GATEWAY_PORT="$web" CROUPIER_GRPC_PORT="$grpc" "$@"
}
# Not even root could write there.
for place in / /opt/croupier /var; do
  if nsenter --target "$up" --mount chroot "$work/run" touch "$place/written" 2>/dev/null; then
    echo "$place of its root can be written"
    exit 1
  fi
done
inside croupier health
PYTHONPATH=tests timeout 120 "$bin/python" - "http://127.0.0.1:$web" <<'PLAY'
import sys

from support.rest import RestPlayer

ann = RestPlayer(sys.argv[1])
match = ann.create(seats=4, bots=[{"level": "careful"}, {"level": "careful"}, {"level": "random"}])
over = ann.play(match["id"])
deals = sum("deal" in entry for entry in ann.call("GET", f"/v1/matches/{match['id']}/replay")["log"])
print(f"match {over['id']}: {over['state']}, {over['sequence']} events, {deals} deals")
PLAY
kill -TERM "$up"
for _ in $(seq 150); do kill -0 "$house" 2>/dev/null || break; sleep 0.2; done
wait "$house" && house='' || { echo "It did not stop by itself:"; cat "$work/up.log"; exit 1; }
echo "It ran as $user with a read-only root, and stopped when asked."
