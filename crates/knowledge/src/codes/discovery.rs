//! `KN10…`: looking for packs (KN-2, KN-3).

contexture_diagnostic::codes! {
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
}
