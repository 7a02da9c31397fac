//! `KN11…`: the frontmatter of KNOWLEDGE.md (KN-4, KN-5).

contexture_diagnostic::codes! {
    GUIDE_UNREADABLE "KN1101" "guide-unreadable" Error
        "A KNOWLEDGE.md could not be read, so its pack is left out."
        "See whether its permissions let you read it."
    NO_FRONTMATTER "KN1102" "no-frontmatter" Error
        "A KNOWLEDGE.md does not begin with frontmatter, so its pack is left out."
        "The first line is `---`, then come YAML fields such as `name:` and `description:`, then a line `---`, then the guide."
    UNCLOSED_FRONTMATTER "KN1103" "unclosed-frontmatter" Error
        "The frontmatter of a KNOWLEDGE.md has no closing line, so its pack is left out."
        "Close it with a line of nothing but `---`."
    LARGE_FRONTMATTER "KN1104" "large-frontmatter" Error
        "The frontmatter of a KNOWLEDGE.md is larger than 64 KiB, so its pack is left out."
        "Frontmatter is a few lines about the pack; knowledge belongs into the files of the pack. Look for a missing closing `---`."
    BAD_YAML "KN1105" "bad-yaml" Error
        "The frontmatter of a KNOWLEDGE.md is not valid YAML, so its pack is in quarantine."
        "Fix the YAML at that place. A field may stand only once; text with `: ` or `#` in it needs quotes; aliases may not grow beyond a limit."
    GUIDE_NOT_TEXT "KN1106" "guide-not-text" Error
        "A KNOWLEDGE.md is not UTF-8 text, so its pack is left out."
        "Convert it to UTF-8."
    MISSING_DESCRIPTION "KN1107" "missing-description" Error
        "A pack has no description, so it is left out: a model could not know when to use it."
        "Say in `description:` what the pack knows and for which tasks it is meant."
    BAD_FIELD "KN1108" "bad-required-field" Error
        "A field that a pack needs has a value of the wrong kind, so the pack is left out."
        "`name`, `description` and `type` are texts."
    IGNORED_FIELD "KN1109" "ignored-field" Warning
        "A field of a pack has a value of the wrong kind and is ignored."
        "`runtime` and `metadata` are mappings, `maintainers` is a list of texts, all others are texts."
    BAD_NAME "KN1110" "bad-pack-name" Error
        "A pack's name cannot address it, so the pack is left out."
        "A name has no slash or backslash, no control or invisible characters, is not `.` or `..`, and is at most 128 characters long."
    NAME_DIFFERS "KN1111" "name-differs" Warning
        "A pack's name is not that of its folder."
        "The name in the frontmatter counts. Rename the folder so that people find the pack."
    MISSING_NAME "KN1112" "missing-name" Warning
        "A pack has no name; that of its folder is taken."
        "Write `name:` into the frontmatter."
    UNKNOWN_TYPE "KN1113" "unknown-type" Error
        "A pack is of a type that is neither known nor allowed, so it is left out."
        "Known are personal-profile, brand-product, organization-knowhow, domain-reference and research-wiki. Types with a namespace, such as `custom:recipes`, are free; others are allowed in `knowledge.types` of contexture.toml."
    MISSING_TYPE "KN1114" "missing-type" Error
        "A pack has no type, so it is left out."
        "Write `type:` into the frontmatter: personal-profile, brand-product, organization-knowhow, domain-reference, research-wiki, or one with a namespace, such as `custom:recipes`."
    NO_PROFILE "KN1115" "no-profile" Warning
        "A pack declares no profile and is read as wiki-first, as packs before 0.6 were."
        "Write `profile:` into the frontmatter: document-first, wiki-first or hybrid."
    UNKNOWN_PROFILE "KN1116" "unknown-profile" Warning
        "A pack's profile is not known; it is read as wiki-first."
        "Profiles are document-first, wiki-first and hybrid."
    NO_STATUS "KN1117" "no-status" Warning
        "A pack has no status that is known and counts as a draft."
        "Write `status:` into the frontmatter: draft, ready, needs-review, stale, disputed or archived."
    UNKNOWN_VALUE "KN1118" "unknown-value" Warning
        "A field of a pack has a value that is not known and is ignored."
        "trust is unreviewed, user-confirmed, official or external; runtime.mode is data or persona; grounding is none, recommended or required; metadata.producedBy.kind is skill, tool, manual or import."
    ARCHIVED "KN1119" "archived-pack" Hint
        "A pack is archived and only shown when asked for."
        "Set another status to use it again."
    BAD_PRIMARY "KN1120" "bad-primary-document" Warning
        "A pack's primary document lies outside the pack and is ignored."
        "`metadata.primaryDocument` is a path relative to the pack's folder."
    NOT_CURRENT "KN1121" "not-current" Warning
        "A pack says of itself that it is stale, in need of review, disputed or a draft."
        "What comes from it may be wrong. Disputed packs and drafts ask before they are used."
    DOCUMENT_GAP "KN1122" "document-gap" Warning
        "A document-first pack lacks its documents."
        "Put the main document into `documents/` and name it in `metadata.primaryDocument`, or choose another profile."
    NO_BOUNDARIES "KN1123" "no-boundaries" Warning
        "A pack that shapes a persona says nothing of its boundaries."
        "Add a section with a heading such as `Boundaries`, `Limits`, `边界` or `禁忌` to KNOWLEDGE.md."
    UNLISTED_RESOURCES "KN1124" "unlisted-resources" Warning
        "A pack has more files than its guide lists."
        "All files can still be selected by the resolver; only the listing is short."
    UNREADABLE_PART "KN1125" "unreadable-part" Warning
        "A folder of a pack can't be read and is left out."
        "The rest of the pack is used. Change the permissions of the folder, or remove it."
    SUSPICIOUS_TEXT "KN1126" "suspicious-text" Warning
        "The guide or the metadata of a pack holds what should make one look twice: a phrase that instructs the reader, a sign that poses as layout, hidden characters, or a secret."
        "It is shown as data, so nothing obeys it. Read it; if it is meant, word it otherwise, and take secrets out of the pack."
    LARGE_GUIDE "KN1127" "large-guide" Error
        "A KNOWLEDGE.md is larger than 1 MiB, so its guide can't be shown."
        "The guide is a page about the pack. Move what is knowledge into files of the pack."
}
