#!/usr/bin/env bash
# Contexts on a disk that is really full: an update is refused, what was there stays, and the store goes on
# when there is room again (CP-12). A backup that does not fit there is reported and leaves nothing (GU-12).
#
# Needs to mount a file system of 4 MB in memory: as root, or in a user namespace of its own.
set -euo pipefail
cd "$(dirname "$0")/../.."
. .ci/lib/check.sh

mkdir "$work/disk"
chosen=$(chosen contexture-store)
cargo test "$chosen" --lib --no-run >"$work/build.log" 2>&1 || fail "the tests do not build"
test=cp_12_full_file_system_is_reported_and_store_continues
script="mount -t tmpfs -o size=4m tmpfs '$work/disk' && CONTEXTURE_TINY_DISK='$work/disk' \
  cargo test $chosen --lib $test"
unshare --mount --map-root-user true 2>/dev/null || fail "this machine does not let a file system be mounted"
unshare --mount --map-root-user bash -c "$script" >"$work/full.log" 2>&1 || fail "a full disk is not survived"
grep -q "1 passed" "$work/full.log" || fail "the test did not run"
ok "a full disk is reported, and the store goes on when there is room"

chosen=$(chosen contexture-cli)
cargo test "$chosen" --test cli --no-run >"$work/build.log" 2>&1 || fail "the tests do not build"
test=gu_12_backup_to_full_disk_is_reported_and_leaves_nothing
script="mount -t tmpfs -o size=4m tmpfs '$work/disk' && CONTEXTURE_TINY_DISK='$work/disk' \
  cargo test $chosen --test cli $test"
unshare --mount --map-root-user bash -c "$script" >"$work/backup.log" 2>&1 || fail "a backup to a full disk is not reported"
grep -q "1 passed" "$work/backup.log" || fail "the test did not run"
ok "a backup to a full disk is reported, and leaves nothing"
