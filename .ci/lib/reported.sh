#!/usr/bin/env bash
# reported.sh CHECK FOLDER: runs a check and prints what it said once it has ended, since others run beside it. What
# one said that failed is kept in the folder, too.
set -euo pipefail
said=$2/$(basename "$1" .sh)
status=0
bash "$1" >"$said" 2>&1 </dev/null || status=$?
# One at a time prints.
{
  flock 9
  printf "\n== check against real parts: %s (%d min %d s)\n" "$1" $((SECONDS / 60)) $((SECONDS % 60))
  cat "$said"
} 9<"$0"
[ "$status" -ne 0 ] || rm "$said"
exit "$status"
