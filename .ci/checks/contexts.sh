#!/usr/bin/env bash
# Contexts on a disk that is really full: an update is refused, what was there stays, and the store goes on
# when there is room again (CP-12).
#
# Needs to mount a file system of 4 MB in memory: as root, or in a user namespace of its own.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

mkdir "$work/disk"
chosen=$(chosen contexture-store)
cargo test "$chosen" --lib --no-run >"$work/build.log" 2>&1 || fail "the tests do not build"
test=cp_12_a_full_file_system_is_told_and_the_store_goes_on
script="mount -t tmpfs -o size=4m tmpfs '$work/disk' && CONTEXTURE_TINY_DISK='$work/disk' \
  cargo test $chosen --lib $test"
unshare --mount --map-root-user true 2>/dev/null || fail "this machine does not let a file system be mounted"
unshare --mount --map-root-user bash -c "$script" >"$work/full.log" 2>&1 || fail "a full disk is not survived"
grep -q "1 passed" "$work/full.log" || fail "the test did not run"
ok "a full disk is told, and the store goes on when there is room"
