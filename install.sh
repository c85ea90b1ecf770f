#!/bin/sh
# Installs flowkeep for one user: builds it from this folder, or takes a released archive or a binary that is built already.
#
#   ./install.sh [--prefix FOLDER] [--archive FILE [--sums FILE] | --binary FILE]
#
# The program goes to FOLDER/bin; FOLDER is ~/.local unless given. From an archive, manual pages and completions go to
# FOLDER/share. Nothing else is changed. An archive is unpacked when it is what SHA256SUMS beside it, or --sums, says: take that
# file from whom you trust, because who can change an archive can change the sums beside it.
set -eu

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

prefix=
archive=
sums=
binary=
while [ $# -gt 0 ]; do
  case "$1" in
    --prefix=* | --archive=* | --sums=* | --binary=*)
      name=${1%%=*}
      value=${1#*=}
      shift
      set -- "$name" "$value" "$@"
      ;;
    --prefix | --archive | --sums | --binary)
      [ $# -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value" 2
      case "$1" in
        --prefix) prefix=$2 ;;
        --archive) archive=$2 ;;
        --sums) sums=$2 ;;
        --binary) binary=$2 ;;
      esac
      shift 2
      ;;
    -h | --help)
      sed -n '2,8s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) fail "unknown argument $1; see ./install.sh --help" 2 ;;
  esac
done
[ -z "$archive" ] || [ -z "$binary" ] || fail "--archive and --binary cannot both be taken" 2
[ -z "$sums" ] || [ -n "$archive" ] || fail "--sums is what an archive is held against; name it with --archive" 2
if [ -z "$prefix" ]; then
  [ -n "${HOME:-}" ] || fail "there is no home folder; name a folder with --prefix" 2
  prefix=$HOME/.local
fi

unpacked=
fresh=
trap 'rm -rf ${unpacked:+"$unpacked"} ${fresh:+"$fresh"}' EXIT
trap 'exit 1' HUP INT TERM

# Reads the archive once, into a folder that nobody else can write: what is held against the sums is what is unpacked.
unpack() {
  [ -f "$archive" ] || fail "$archive is not a file"
  name=$(basename "$archive")
  sums=${sums:-$(dirname "$archive")/SHA256SUMS}
  [ -f "$sums" ] || fail "$sums is missing; it says what the archive must be (another place: --sums FILE)"
  wanted=$(awk -v name="$name" '{ sum = $1; sub(/^[^ ]+ [ *]/, ""); if ($0 == name) print tolower(sum) }' "$sums")
  [ -n "$wanted" ] || fail "$sums does not name $name; nothing was installed"
  unpacked=$(mktemp -d) || fail "no temporary folder can be made"
  cp "$archive" "$unpacked/archive" || fail "$archive cannot be read"
  if command -v sha256sum >/dev/null 2>&1; then
    found=$(sha256sum <"$unpacked/archive")
  elif command -v shasum >/dev/null 2>&1; then
    found=$(shasum -a 256 <"$unpacked/archive")
  else
    fail "sha256sum is missing; without it nobody knows what the archive is"
  fi
  [ "${found%% *}" = "$wanted" ] || fail "$name is damaged or not the released one: its SHA-256 is not that of $sums; nothing was installed"
  tar -xzf "$unpacked/archive" -C "$unpacked" || fail "$name cannot be unpacked"
  binary=$(find "$unpacked" -path "$unpacked/*/bin/flowkeep" -type f)
  [ -n "$binary" ] || fail "$name holds no flowkeep"
}

[ -z "$archive" ] || unpack
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
cp "$binary" "$fresh" && chmod 755 "$fresh" && mv -f "$fresh" "$prefix/bin/flowkeep" ||
  fail "$prefix/bin cannot be written; choose another folder with --prefix"
if [ -n "$archive" ]; then
  mkdir -p "$prefix/share" && cp -R "${binary%/bin/flowkeep}/share/." "$prefix/share/" ||
    fail "$prefix/share cannot be written; the program is installed, manual pages and completions are not"
fi

printf 'Installed %s as %s\n\n' "$version" "$prefix/bin/flowkeep"
case ":${PATH:-}:" in
  *":$prefix/bin:"*) printf 'Next: flowkeep serve --demo\n' ;;
  *) printf 'Next: %s/bin/flowkeep serve --demo\n(add %s/bin to PATH to leave the folder out)\n' "$prefix" "$prefix" ;;
esac
