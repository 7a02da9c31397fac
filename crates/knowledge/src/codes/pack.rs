//! `KN12…`: opening a pack and the consent to use it (KN-7, KN-8).

contexture_diagnostic::codes! {
    UNKNOWN_PACK "KN1201" "unknown-pack" Error
        "No pack of that name was found."
        "`contexture knowledge list` shows the packs, the places that were searched, and why a pack was left out."
    PACK_UNREADABLE "KN1202" "pack-unreadable" Error
        "The folder of a pack, or a file in it, cannot be read."
        "Paths are relative to the pack's folder, hidden files and inner packs are not part of it, and symlinks that lead out are refused."
    PACK_TOO_LARGE "KN1203" "pack-too-large" Error
        "A pack has more files, or deeper folders, than can be handled."
        "Split it into several packs, or move what is not knowledge out of it."
    PACK_CHANGED "KN1204" "pack-changed" Error
        "A pack was found, and what it says now can no longer be used."
        "Its KNOWLEDGE.md changed after the search. `contexture knowledge list` shows what is wrong with it."
    BAD_APPROVALS "KN1205" "bad-approvals" Error
        "The record of approved packs cannot be read, so nothing counts as approved."
        "Fix the file, or remove it and approve the packs again."
    APPROVALS_NOT_WRITTEN "KN1206" "approvals-not-written" Error
        "An approval could not be written down."
        "See whether the folder `.contexture` in your home can be written."
    BAD_ALLOWANCE "KN1207" "bad-allowance" Error
        "The text does not say which pack, in which state, is allowed."
        "Write `name@sha256:DIGITS` with at least the first 12 hex digits of the pack's digest, as the refusal shows them."
}
