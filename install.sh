#!/bin/sh
# Installs flowkeep for one user: builds it from this folder, or takes a binary that is built already.
#
#   ./install.sh [--prefix FOLDER] [--binary FILE]
#
# The program goes to FOLDER/bin; FOLDER is ~/.local unless given. Nothing else is changed.
set -eu

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

prefix=
binary=
while [ $# -gt 0 ]; do
  case "$1" in
    --prefix | --binary)
      [ $# -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value" 2
      if [ "$1" = --prefix ]; then prefix=$2; else binary=$2; fi
      shift 2
      ;;
    --prefix=?* | --binary=?*)
      case "$1" in --prefix=*) prefix=${1#*=} ;; *) binary=${1#*=} ;; esac
      shift
      ;;
    --prefix= | --binary=) fail "${1%=} needs a value" 2 ;;
    -h | --help)
      sed -n '2,6s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) fail "unknown argument $1; see ./install.sh --help" 2 ;;
  esac
done
if [ -z "$prefix" ]; then
  [ -n "${HOME:-}" ] || fail "there is no home folder; name a folder with --prefix" 2
  prefix=$HOME/.local
fi

if [ -z "$binary" ]; then
  source=$(CDPATH='' cd "$(dirname "$0")" && pwd)
  [ -f "$source/Cargo.toml" ] || fail "run install.sh from the source folder, or give a built program with --binary FILE" 2
  command -v cargo >/dev/null 2>&1 || fail "cargo is missing; install Rust 1.95 or newer from https://rustup.rs, then run this again"
  command -v cc >/dev/null 2>&1 || fail "a C compiler is missing; install one (Debian: apt install gcc), then run this again"
  printf 'Building flowkeep; the first time takes some minutes.\n'
  (cd "$source" && cargo build --release --locked) || fail "the build failed; its last lines say why"
  binary=${CARGO_TARGET_DIR:-$source/target}/release/flowkeep
fi
[ -f "$binary" ] || fail "$binary is not a file"
version=$("$binary" --version 2>/dev/null) || fail "$binary does not run on this machine"
case "$version" in
  flowkeep\ *) ;;
  *) fail "$binary is not flowkeep" ;;
esac

mkdir -p "$prefix/bin" || fail "$prefix/bin cannot be made; choose another folder with --prefix"
# Beside its place first, then renamed: a running program is never half replaced.
fresh=$prefix/bin/.flowkeep.$$
trap 'rm -f "$fresh"' EXIT
cp "$binary" "$fresh" && chmod 755 "$fresh" && mv -f "$fresh" "$prefix/bin/flowkeep" ||
  fail "$prefix/bin cannot be written; choose another folder with --prefix"

printf 'Installed %s as %s\n\n' "$version" "$prefix/bin/flowkeep"
case ":${PATH:-}:" in
  *":$prefix/bin:"*) printf 'Next: flowkeep serve --demo\n' ;;
  *) printf 'Next: %s/bin/flowkeep serve --demo\n(add %s/bin to PATH to leave the folder out)\n' "$prefix" "$prefix" ;;
esac
