//! `KN40…`: a pack's layout, links and anchors; `KN41…`: its records; `KN42…`: evals and new packs
//! (KN-17).

contexture_diagnostic::codes! {
    UNKNOWN_FOLDER "KN4001" "unknown-folder" Warning
        "A pack has a folder whose meaning is not known."
        "Folders of a pack are compiled, documents, wiki, sources, indexes, runs, schemas, evals, ontology and assets. Other files can be read, and are never selected."
    SCRIPTS_IN_PACK "KN4002" "scripts-in-pack" Warning
        "A pack holds a skill or scripts."
        "A pack is data: nothing in it is run. Keep skills and scripts that build the pack beside it."
    SPLIT_WITHOUT_DOCUMENT "KN4003" "split-without-document" Warning
        "Splits lie in a folder that no document of the pack is named after."
        "The sections of `documents/NAME.md` are kept in `compiled/splits/NAME/`. Rename the folder, or restore the document."
    UNLISTED_SPLIT "KN4004" "unlisted-split" Warning
        "The source map says nothing of a split, though it lists others of the same document."
        "Add the split to `compiled_into` of its section in `document_sections`, or remove the file if its section is gone."
    BROKEN_LINK "KN4005" "broken-link" Error
        "A link leads to a file or heading that the pack does not have."
        "Links are relative to the file they stand in. A fragment is a heading's words in lower case, joined with hyphens."
    LINK_OUT_OF_PACK "KN4006" "link-out-of-pack" Error
        "A link leads out of the pack."
        "A pack is one unit that is copied as a whole. Copy what is meant into the pack, or link to its address on the web."
    BROKEN_ANCHOR "KN4007" "broken-anchor" Error
        "A source anchor leads to a file or place that the pack does not have."
        "An anchor is `[source: FILE#FRAGMENT]` with a path from the pack's folder; the fragment is `L42`, `page=4`, `t=00:12:33` or a heading."
    NO_SOURCE "KN4008" "claim-without-source" Warning
        "A claim in the compiled view has no source, though the pack requires grounding."
        "Put `[source: FILE#FRAGMENT]` behind the claim, list it in the source map, or set `grounding:` to recommended."
    UNREADABLE_FILE "KN4009" "unreadable-file" Error
        "A file or folder of a pack could not be read."
        "Texts of a pack are UTF-8 and at most 16 MiB large. See whether its permissions let you read it."
    MANY_FINDINGS "KN4010" "many-findings" Warning
        "A file has more findings than are shown."
        "Fix those that are shown and validate again."
    ORPHAN_PAGE "KN4011" "orphan-page" Hint
        "No page of the wiki links to a page."
        "Link it from `wiki/index.md`, so that a reader who follows links can find it."
    FIELD_FORM "KN4012" "field-form" Warning
        "A field of the frontmatter has a form that other clients do not take."
        "Names have 1 to 64 lower-case letters, digits and hyphens, descriptions at most 1024 characters, compatibility at most 500; `updated` is a date such as 2026-05-01, `language` a tag such as `en` or `zh-CN`."
    NAMED_FILE_MISSING "KN4013" "named-file-missing" Warning
        "The guide names a file or folder that the pack does not have."
        "Readers follow the guide. Fix the path, or restore the file."
    SYMLINK_LEFT_OUT "KN4014" "symlink-left-out" Warning
        "A symlink in a pack leads to no file of the pack and is left out."
        "A pack is one unit that is copied as a whole. Copy what is meant into the pack, or remove the symlink."

    NOT_JSON "KN4101" "record-not-json" Error
        "A record is not valid JSON."
        "Fix the JSON at that place."
    BAD_RECORD "KN4102" "bad-record" Error
        "A record does not fit its schema."
        "The schemas are compile-run, source-map, selection-eval, eval-run, context-resolution and usage; each message names the place in the record as a JSON pointer."
    UNKNOWN_RECORD "KN4103" "unknown-record" Warning
        "It can't be told what kind of record a file is."
        "Records are named after their kind, such as `source-map.json` or `compile-2026-05-01.json`, or have its required fields."
    RECORD_PATH "KN4104" "record-path" Error
        "A record names a file or place that the pack does not have."
        "Paths in records are relative to the pack's folder. Compile the pack again, or fix the record."
    OUTDATED_SOURCE "KN4105" "outdated-run" Warning
        "The pack is not what its newest compile run read and wrote."
        "What was compiled from a source that changed may no longer be true. Compile the pack again, or set its status to stale."
    DUPLICATE_ID "KN4106" "duplicate-id" Error
        "Two entries of a record have the same id."
        "Ids address one entry. Rename one of them."
    OTHER_PACK "KN4107" "record-of-other-pack" Error
        "A record names another pack than the one it lies in."
        "Fix the name in the record, or move it to its pack."

    BAD_PACK_NAME "KN4201" "bad-new-name" Error
        "A new pack can't have that name."
        "A name has 1 to 64 lower-case letters, digits and single hyphens between them, such as `acme-product-brief`."
    PLACE_TAKEN "KN4202" "place-taken" Error
        "There is already something where the new pack should be."
        "Nothing is overwritten. Choose another name, or remove the folder."
    NOT_WRITTEN "KN4203" "pack-not-written" Error
        "A new pack could not be written."
        "See whether the folder can be written."
    NO_PACK "KN4204" "no-pack-here" Error
        "There is no pack at that place."
        "Name the folder of a pack, its KNOWLEDGE.md, or a project with packs in `.contexture/knowledge` or `.agents/knowledge`."
    NO_SUITE "KN4205" "no-suite" Error
        "There are no eval cases."
        "Put selection evals into `evals/` of a pack, or name a file."
    UNREADABLE_RECORD "KN4206" "unreadable-record" Error
        "A record could not be read."
        "Records are UTF-8 text of at most 16 MiB."
    BAD_NEW_PACK "KN4207" "bad-new-pack" Error
        "A new pack would not be found: its manifest lacks what a pack needs."
        "A pack has a description and a type: personal-profile, brand-product, organization-knowhow, domain-reference, research-wiki, one with a namespace such as `custom:recipes`, or one that `knowledge.types` in contexture.toml allows."
}
