//! The registry of the codes of knowledge packs: one stable code per kind of fault.
//!
//! `KN1…` is discovery, manifests and opening a pack, `KN2…` the resolver, `KN3…` organizations and
//! archives, `KN4…` maintenance, `KN5…` sources of packs. A code is never given a new meaning.
//!
//! ```
//! use contexture_knowledge::codes;
//!
//! let code = codes::ALL.find("KN1107").ok_or("every code is known")?;
//! assert_eq!(code.name, "missing-description");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use contexture_diagnostic::{Code, Codes};

/// All kinds.
pub const ALL: Codes = Codes::new(&[TABLE]);

contexture_diagnostic::codes! {
    // `KN10…`: looking for packs (KN-2, KN-3).
    LOCATION_MISSING "KN1001" "location-missing" Error
        "A location that was named is not there."
        "Folders named on the command line or in `knowledge.organization` of contexture.toml must exist; the usual folders of a project and a user may be absent. See whether the path is spelt right."
    LOCATION_UNUSABLE "KN1002" "location-unusable" Error
        "A location is not a folder that can be searched."
        "Name a pack's folder, its KNOWLEDGE.md, or a folder with packs in it."
    FOLDER_UNREADABLE "KN1003" "folder-unreadable" Warning
        "A folder could not be read, so packs in it are not known."
        "Change its permissions, or move it out of the location."
    VANISHED "KN1004" "vanished" Warning
        "A file or folder was there and was gone when it was read."
        "Something changed the location while it was searched. Search again."
    DEPTH_LIMIT "KN1005" "depth-limit" Warning
        "A location is deeper than the maximum, and its deeper folders were not searched."
        "Move packs nearer to the location, or raise `knowledge.max_depth` in contexture.toml."
    FOLDER_LIMIT "KN1006" "folder-limit" Warning
        "A location has more folders than the maximum, and the rest was not searched."
        "Folders are searched level by level, by name. Move what is not a pack out of the location, or raise `knowledge.max_folders` in contexture.toml."
    NESTED_PACK "KN1007" "nested-pack" Warning
        "A pack lies inside another pack and is not used."
        "A pack is one unit: what is in its folder is its own. Move the inner pack beside the outer one."
    LINK_NOT_FOLLOWED "KN1008" "link-not-followed" Warning
        "A symlink to a folder is not followed."
        "Packs are found where they are, so that links can neither lead out of a location nor in circles. Put the pack into the location, or name its folder as a location of its own."
    NAME_COLLISION "KN1009" "name-collision" Warning
        "Two packs of one location have the same name; the outer one is used, and of equals the first by path."
        "A name addresses one pack. Rename one of them."
    SHADOWED "KN1010" "shadowed" Warning
        "A pack is hidden by a pack of the same name in a scope that goes before."
        "The order is: named explicitly, project, user, organization, built-in. Rename one of the two if both are needed."
    MISNAMED_GUIDE "KN1011" "misnamed-guide" Warning
        "A file is nearly, but not exactly, named KNOWLEDGE.md."
        "A pack is a folder with a file of exactly that name, in capitals. Rename the file if the folder is meant as a pack."
    GUIDE_NOT_A_FILE "KN1012" "guide-not-a-file" Error
        "Something named KNOWLEDGE.md is not a regular file inside its folder."
        "A folder, a device, or a symlink that leads out of the pack is not read. Put the text itself there."
    PATH_NOT_TEXT "KN1013" "path-not-text" Error
        "The path of a pack is not UTF-8 text."
        "Locations are shown to models and written to JSON. Rename the folder."
    CACHE_REBUILT "KN1014" "catalog-cache-rebuilt" Hint
        "The cache of the catalog could not be used and was made anew."
        "It was damaged or cut off. Nothing is lost: it only holds what the packs say."
    CACHE_NOT_WRITTEN "KN1015" "catalog-cache-not-written" Hint
        "The cache of the catalog could not be written."
        "Packs are read anew at the next start. See whether the folder of the cache can be written."
    GUIDE_IN_LOCATION "KN1016" "guide-in-location" Warning
        "A KNOWLEDGE.md lies in the folder that holds packs, not in a folder of its own."
        "The folders `.contexture/knowledge` and `.agents/knowledge` hold packs and are none themselves. Move the file and what belongs to it into a folder of its own."

    // `KN11…`: the frontmatter of KNOWLEDGE.md (KN-4, KN-5).
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
    UNQUOTED_TEXT "KN1128" "unquoted-text" Warning
        "A text of the frontmatter has `: ` in it and no quotes."
        "YAML reads `: ` as the end of a key. Put the text in quotes: `description: \"a: b\"`."

    // `KN12…`: opening a pack and the consent to use it (KN-7, KN-8).
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

    // `KN30…`: archives of packs; `KN31…`: the registry of an organization (KN-16).
    BAD_ARCHIVE "KN3001" "bad-archive" Error
        "A file is not an archive of packs that can be read."
        "An archive is a .tar.gz, .tgz, .tar or .zip file (stored or deflated, without a password), recognised by its content. Pack it again."
    UNSAFE_ARCHIVE "KN3002" "unsafe-archive" Error
        "An archive holds an entry that could be written where it does not belong, or is neither file nor folder."
        "Entries have relative paths without `..`, backslashes or reserved names, differ in more than case, and are plain files and folders. Pack the folder again without links."
    ARCHIVE_TOO_LARGE "KN3003" "archive-too-large" Error
        "An archive, or what it unpacks to, is larger than allowed."
        "Leave out what is not knowledge, or split the pack. Text that shrinks to less than a hundredth is taken for a bomb."
    NO_PACK_IN_ARCHIVE "KN3004" "no-pack-in-archive" Error
        "An archive holds no pack, or a folder that is none."
        "Put `KNOWLEDGE.md` at the top of the archive, or into each folder at its top."
    PACK_EXISTS "KN3005" "pack-exists" Error
        "A pack of that name is there already."
        "Nothing was changed. Say that it is to be replaced, or remove it first."
    ORGANIZATION_FILES "KN3006" "organization-files" Error
        "A file or folder of the organization's packs could not be read or written."
        "See whether it is there and who may read and write it."
    REGISTRY_UNREACHABLE "KN3101" "registry-unreachable" Error
        "The registry, or an archive of it, could not be fetched, and nothing of it is kept here."
        "See whether the address in contexture.toml is right and can be reached."
    REGISTRY_OFFLINE "KN3102" "registry-offline" Warning
        "The registry could not be reached; what was fetched before is used."
        "The packs may be older than those of the registry."
    BAD_REGISTRY_INDEX "KN3103" "bad-registry-index" Error
        "The index of the registry is not as it should be."
        "It is a JSON object `{\"packs\": [{\"name\", \"version\", \"url\", \"sha256\"}]}`, and `size` in each if you like; docs/knowledge.md describes it."
    BAD_REGISTRY_ENTRY "KN3104" "bad-registry-entry" Error
        "An entry of the registry's index cannot be used."
        "Each has a `name`, a `version`, a `url` and the `sha256` of the archive; the archive holds a pack of that name."
    WRONG_ARCHIVE_DIGEST "KN3105" "wrong-archive-digest" Error
        "An archive is not the one that the registry's index names."
        "It was not unpacked. Either the index is out of date or the archive was changed."
    REFUSED_ARCHIVE_ADDRESS "KN3106" "refused-archive-address" Error
        "An archive of the registry lies at an address that is not allowed."
        "Archives lie where the index lies: the same scheme, host and port. A server in a private network is asked when `[network] allow_private` in contexture.toml names it."
    OTHER_PACK_VERSION "KN3107" "other-pack-version" Warning
        "The version in a pack differs from that in the registry's index."
        "What the pack says counts. Correct the index."

    // `KN40…`: layout, links and anchors of a pack; `KN41…`: its records; `KN42…`: evals and new packs (KN-17).
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
    LINK_OUT_OF_PACK "KN4006" "link-out-of-pack" Warning
        "Links lead out of the pack."
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
    SITE_LINK "KN4015" "site-link" Warning
        "Links begin at the root of a site and lead to no page of the pack."
        "When the pages have such addresses on their site, `metadata: { siteRoot: /docs/ }` in KNOWLEDGE.md says what they begin with. Other links lead to pages that the pack does not have."
    NOT_INDEXED "KN4016" "not-indexed" Warning
        "A file of a pack is not searched."
        "Only texts in `compiled/`, `documents/`, `wiki/` and `sources/` are searched. `contexture knowledge add NAME --from FOLDER` makes pages of files in other formats."
    PLACE_IN_SOURCE "KN4017" "place-in-source" Warning
        "Pages that were made of a source name places or files that the pack does not have."
        "The tool that makes the site of the source may know these places. Nothing can be fixed in the pack: each sync makes its pages again."
    BAD_SYNONYMS "KN4018" "bad-synonyms" Warning
        "A line of `synonyms.txt` is not used."
        "Each line has 2 to 16 expressions with commas between them, such as `login, sign in`, of at most 8 words each. A line that begins with `#` is a remark."

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

    SOURCE_UNREADABLE "KN5001" "source-unreadable" Error
        "A source of a pack is not there or can't be read."
        "The pack stays as it was. Restore the source, or name another one: `contexture knowledge add NAME --from SOURCE`."
    SOURCE_EMPTY "KN5002" "source-empty" Error
        "Nothing in a source can be read, so there would be no page in the pack."
        "`--json` lists each entry with the reason. Name a folder or file with texts. A pack that is there stays as it was; to have it go, remove its folder."
    PACK_WITHOUT_SOURCE "KN5003" "pack-without-source" Error
        "A pack does not stand on a source."
        "Only packs that `contexture knowledge add NAME --from SOURCE` made are synced. Nothing is overwritten: choose another name, or remove the folder."
    SYNC_BUSY "KN5004" "sync-busy" Error
        "Another process syncs the same pack and does not end."
        "Wait for it, or end it; its lock ends with it."
    BAD_SOURCE_RECORD "KN5005" "bad-source-record" Error
        "The record of the sources of a pack can't be used."
        "It is `.source.jsonl` beside the pages. Remove it with the pages, and make the pack again."
    SOURCE_LIMIT "KN5006" "source-limit" Error
        "A source has more than a pack can hold."
        "The pack stays as it was. Name the parts of the source that matter, each as a source or a pack of its own."
    BAD_SOURCE "KN5007" "bad-source" Error
        "A place can't be the source of that pack."
        "Sources lie outside the pack, and several sources of one pack have different last names."
    SOURCE_NOT_NAMED "KN5008" "source-not-named" Error
        "A pack of a project names a source outside the project that you did not name."
        "What comes with a project must not decide which files of a computer are read. If you want it, name it: `contexture knowledge add NAME --from SOURCE`."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_3_codes_are_unique_ordered_and_explained() {
        assert_eq!(ALL.faults(), [""; 0]);
        assert!(ALL.find("KN9999").is_none());
    }
}
