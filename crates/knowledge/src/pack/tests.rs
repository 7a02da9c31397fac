use super::*;
use crate::codes;
use crate::support::Place;
use contexture_tools::FileError;

const ROOT: &str = "project/.agents/knowledge/acme";

fn full(place: &Place) -> Pack {
    place.pack_with(ROOT, "metadata: {primaryDocument: ./documents/brief.md}");
    for path in [
        "LICENSE",
        "compiled/briefing.md",
        "compiled/splits/a.md",
        "documents/brief.md",
        "documents/more.md",
        "wiki/page.md",
        "sources/raw.txt",
        "indexes/source-map.json",
        "runs/1.json",
        "assets/logo.svg",
        ".hidden",
        ".git/config",
        "wiki/.drafts/x.md",
        "node_modules/x/index.js",
        "wiki/inner/KNOWLEDGE.md",
        "wiki/inner/page.md",
    ] {
        place.write(&format!("{ROOT}/{path}"), path);
    }
    place.discover().open("acme").unwrap()
}

#[test]
fn kn_7_files_are_listed_by_path_with_their_kinds() {
    let place = Place::new();
    let files = full(&place).files().unwrap();
    let listed: Vec<(&str, &str)> =
        files.iter().map(|file| (file.path.as_str(), file.kind.as_str())).collect();
    assert_eq!(
        listed,
        [
            ("KNOWLEDGE.md", "guide"),
            ("LICENSE", "asset"),
            ("assets/logo.svg", "asset"),
            ("compiled/briefing.md", "runtime"),
            ("compiled/splits/a.md", "runtime"),
            ("documents/brief.md", "primary"),
            ("documents/more.md", "document"),
            ("indexes/source-map.json", "evidence"),
            ("runs/1.json", "evidence"),
            ("sources/raw.txt", "evidence"),
            ("wiki/page.md", "wiki"),
        ]
    );
    assert_eq!(files[1].bytes, 7);
    assert!(files.iter().all(|file| file.modified_ns > 1_600_000_000_000_000_000));
}

#[test]
fn kn_7_reading_stays_in_pack() {
    let place = Place::new();
    let pack = full(&place);
    place.write("secret.md", "secret");
    assert_eq!(pack.read("wiki/page.md", 100).unwrap(), "wiki/page.md");
    assert_eq!(pack.read("./wiki/../wiki/page.md", 100).unwrap(), "wiki/page.md");
    let secret = place.path("secret.md");
    for path in [
        "../../../../secret.md",
        secret.to_str().unwrap(),
        ".hidden",
        ".git/config",
        "wiki/.drafts/x.md",
        "node_modules/x/index.js",
        "wiki/inner/page.md",
        "nothing.md",
        "wiki",
        "",
    ] {
        let error = pack.read(path, 100).unwrap_err();
        assert_eq!(error.code(), codes::PACK_UNREADABLE.code, "{path}");
    }
    let error = pack.read("wiki/page.md", 5).unwrap_err();
    assert!(
        matches!(&error, PackError::Unreadable { error: FileError::TooLarge { limit: 5, .. }, .. }),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn kn_7_symlinks_count_only_inside_pack() {
    let place = Place::new();
    let pack = full(&place);
    let before = pack.files().unwrap().len();
    let link = |to: &str, at: &str| {
        std::os::unix::fs::symlink(to, place.path(ROOT).join(at)).unwrap();
    };
    place.write("secret.md", "secret");
    link(place.path("secret.md").to_str().unwrap(), "wiki/out.md");
    link("../.hidden", "wiki/hidden.md");
    link("inner/page.md", "wiki/foreign.md");
    link("..", "wiki/up");
    link("loop.md", "wiki/loop.md");
    link("page.md", "wiki/same.md");
    let files = pack.files().unwrap();
    assert_eq!(files.len(), before + 1);
    assert_eq!(pack.read("wiki/same.md", 100).unwrap(), "wiki/page.md");
    for path in
        ["wiki/out.md", "wiki/hidden.md", "wiki/foreign.md", "wiki/up/.hidden", "wiki/loop.md"]
    {
        assert!(pack.read(path, 100).is_err(), "{path}");
    }
    let listing = pack.listing().unwrap();
    let said: Vec<String> = listing.left_out.iter().map(LeftOut::message).collect();
    assert_eq!(
        said,
        [
            "the symlink `wiki/foreign.md` is left out: it leads to what is not part of the pack",
            "the symlink `wiki/hidden.md` is left out: it leads to what is not part of the pack",
            "the symlink `wiki/loop.md` is left out: it leads in a circle",
            "the symlink `wiki/out.md` is left out: it leads outside the pack, or by an \
             absolute path",
            "the symlink `wiki/up` is left out: it leads to a folder, and symlinks to folders are \
             not followed",
        ]
    );
}

#[test]
fn kn_7_what_is_refused_is_reported_of_pack_not_of_workspace() {
    let place = Place::new();
    let pack = full(&place);
    for (path, told) in [
        ("../other.md", "knowledge pack `acme`: `../other.md` lies outside the pack"),
        ("wiki/pag.md", "knowledge pack `acme`: there is no `wiki/pag.md` in the pack"),
    ] {
        assert_eq!(pack.read(path, 100).unwrap_err().to_string(), told);
    }
    assert_eq!(pack.read("wiki/pag.md", 100).unwrap_err().help(), "did you mean `wiki/page.md`?");
}

#[cfg(unix)]
#[test]
fn kn_8_folder_that_cannot_be_read_stops_nothing_and_changes_digest() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let pack = full(&place);
    let (files, before) = (pack.files().unwrap(), pack.digest().unwrap());
    let folder = pack.item().pack_root.join("sources");
    let allow = |mode| std::fs::set_permissions(&folder, PermissionsExt::from_mode(mode)).unwrap();
    allow(0o000);
    // Who may read everything reads this, too.
    let is_open = std::fs::read_dir(&folder).is_ok();
    let listing = pack.listing().unwrap();
    let guide = crate::activate(&pack).unwrap();
    let digest = pack.digest().unwrap();
    allow(0o755);
    assert_eq!(listing.files.len(), files.len() - usize::from(!is_open));
    assert_eq!(listing.left_out.len(), usize::from(!is_open));
    let said = guide.warnings.iter().filter(|warning| warning.code == "KN1125").count();
    assert_eq!(said, usize::from(!is_open));
    assert_eq!(digest == before, is_open);
    assert_eq!(pack.digest().unwrap(), before);
}

#[test]
fn kn_8_digest_changes_with_names_and_contents_and_not_with_log() {
    let place = Place::new();
    let pack = full(&place);
    let first = pack.digest().unwrap();
    assert_eq!(pack.digest().unwrap(), first);
    for path in ["runs/usage.jsonl", "indexes/other.json", ".hidden", "wiki/inner/page.md"] {
        place.write(&format!("{ROOT}/{path}"), "changed");
        assert_eq!(pack.digest().unwrap(), first, "{path}");
    }
    let mut seen = vec![first];
    let texts = [
        ("wiki/page.md", "other"),
        ("KNOWLEDGE.md", "x"),
        ("wiki/new.md", ""),
        // What runs found and where claims come from is shown to models, too.
        ("runs/2.json", "{}"),
        ("indexes/source-map.json", "{}"),
        ("wiki/usage.jsonl", ""),
    ];
    for (path, text) in texts {
        place.write(&format!("{ROOT}/{path}"), text);
        let digest = pack.digest().unwrap();
        assert!(!seen.contains(&digest), "{path}");
        seen.push(digest);
    }
    std::fs::rename(place.path(ROOT).join("wiki/new.md"), place.path(ROOT).join("wiki/old.md"))
        .unwrap();
    assert!(!seen.contains(&pack.digest().unwrap()));
}

#[cfg(unix)]
#[test]
fn kn_8_file_that_cannot_be_read_changes_digest_and_does_not_stop_it() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let pack = full(&place);
    let before = pack.digest().unwrap();
    let file = pack.item().pack_root.join("compiled/briefing.md");
    let allow = |mode| std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
    allow(0o000);
    // Opened again: what was digested while it could be read is kept.
    let closed = place.discover().open("acme").unwrap();
    let without = closed.digest().unwrap();
    // Who may read everything reads this, too.
    assert_eq!(without == before, std::fs::read(&file).is_ok());
    allow(0o644);
    assert_eq!(closed.digest().unwrap(), before);
}

#[test]
fn kn_2_pack_of_program_reads_as_one_of_folder() {
    let place = Place::new();
    let item = full(&place).item().clone();
    const FILES: &[(&str, &str)] = &[
        ("wiki/page.md", "a page"),
        ("KNOWLEDGE.md", "---\nname: acme\n---\nguide\n"),
        ("documents/brief.md", "brief"),
    ];
    let pack = Pack::from_static(item, FILES);
    let files = pack.files().unwrap();
    let listed: Vec<(&str, FileKind)> =
        files.iter().map(|file| (file.path.as_str(), file.kind)).collect();
    assert_eq!(
        listed,
        [
            ("KNOWLEDGE.md", FileKind::Guide),
            ("documents/brief.md", FileKind::Primary),
            ("wiki/page.md", FileKind::Wiki),
        ]
    );
    assert_eq!(pack.guide_body().unwrap(), "guide\n");
    assert_eq!(pack.read("./wiki/page.md", 10).unwrap(), "a page");
    assert!(pack.read("wiki/page.md", 1).is_err());
    let error = pack.read("wiki/pag.md", 10).unwrap_err();
    assert!(error.to_string().contains("no `wiki/pag.md`"), "{error}");
    assert_eq!(pack.digest().unwrap(), pack.clone().digest().unwrap());
}

#[test]
fn kn_7_folders_without_end_are_error() {
    let place = Place::new();
    let pack = full(&place);
    let deep = "d/".repeat(40);
    place.write(&format!("{ROOT}/wiki/{deep}x.md"), "x");
    let error = pack.files().unwrap_err();
    assert_eq!(error.code(), codes::PACK_TOO_LARGE.code);
    assert_eq!(error.to_string(), "knowledge pack `acme` has more than 32 levels of folders");
}
