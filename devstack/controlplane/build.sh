#!/bin/sh
# Builds the control plane of tests and demo (etcd, kube-apiserver, kube-controller-manager, kubectl; see main.go) once
# into a cache outside of the tree, and prints the directory that holds them. Done in milliseconds when it is there.
#
#   KUBEBUILDER_ASSETS  a directory that has the four binaries: taken as it is, nothing is built
#   SHARDWRIGHT_CACHE   the cache (default: $XDG_CACHE_HOME/shardwright or ~/.cache/shardwright)
set -eu

kubernetes=1.36.3
components="etcd kube-apiserver kube-controller-manager kubectl"

say() { printf '%s\n' "$*" >&2; }

complete() {
  for component in $components; do
    [ -x "$1/$component" ] || return 1
  done
}

if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
  complete "$KUBEBUILDER_ASSETS" || {
    say "KUBEBUILDER_ASSETS=$KUBEBUILDER_ASSETS lacks one of: $components"
    exit 1
  }
  printf '%s\n' "$KUBEBUILDER_ASSETS"
  exit 0
fi

digest() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }

source=$(cd "$(dirname "$0")" && pwd)
cache=${SHARDWRIGHT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/shardwright}
key=$(cat "$source/go.sum" "$source/main.go" | digest | cut -c1-12)
target=$cache/control-plane-$key

if complete "$target"; then
  printf '%s\n' "$target"
  exit 0
fi

command -v go >/dev/null || {
  say "The control plane of tests and demo is built with Go 1.26 or newer, and there is no 'go' on the PATH."
  say "Install Go (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a directory that has: $components"
  exit 1
}

mkdir -p "$cache"
if command -v flock >/dev/null; then # two builds at once would be twice the minutes, never a broken result
  exec 9>"$cache/control-plane-$key.lock"
  flock -n 9 || {
    say "Another process is building the control plane; waiting for it."
    flock 9
  }
  if complete "$target"; then
    printf '%s\n' "$target"
    exit 0
  fi
fi

say "First use builds the control plane (Kubernetes $kubernetes, about 1,800 Go packages): minutes, once."
building=$(mktemp -d "$cache/.building-XXXXXX")
trap 'rm -rf "$building"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

version=k8s.io/component-base/version
major=${kubernetes%%.*}
minor=${kubernetes#*.}
minor=${minor%%.*}
# Without cgo no C compiler is needed. -v names each package when it is compiled: the progress. The exit code travels by file, a pipe would lose it.
{
  code=0
  (cd "$source" && CGO_ENABLED=0 go build -v -trimpath \
    -ldflags "-s -w -X $version.gitVersion=v$kubernetes -X $version.gitMajor=$major -X $version.gitMinor=$minor" \
    -o "$building/controlplane" .) 2>&1 || code=$?
  echo "$code" >"$building/exit"
} | awk -v log_file="$building/log" '
  { print > log_file }
  /^go: downloading/ { if (++downloads % 50 == 0) { print "  " downloads " modules downloaded"; fflush() } next }
  /^[a-z0-9.\/_A-Z-]+$/ { if (++packages % 100 == 0) { print "  " packages " packages compiled"; fflush() } }
' >&2

if [ "$(cat "$building/exit")" != 0 ]; then
  tail -n 20 "$building/log" >&2
  say "The control plane did not build."
  exit 1
fi
rm -f "$building/log" "$building/exit"
for component in $components; do
  ln -s controlplane "$building/$component"
done
chmod 755 "$building"
rm -rf "$target" # only ever an incomplete one: a complete one was taken above
mv "$building" "$target"
trap - EXIT
say "The control plane is ready in $target"
printf '%s\n' "$target"
