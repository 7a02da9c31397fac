//! `KN30…`: archives of packs; `KN31…`: the registry of an organization (KN-16).

contexture_diagnostic::codes! {
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
}
