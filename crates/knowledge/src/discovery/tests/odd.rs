//! Links, files that are none, what can't be read, and what goes away.

use super::*;
use crate::discovery::guide_file::unreadable;

const PACKS: &str = "project/.agents/knowledge";

#[cfg(unix)]
fn link(place: &Place, to: &str, at: &str) {
    std::fs::create_dir_all(place.path(at).parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(place.path(to), place.path(at)).unwrap();
}

#[cfg(unix)]
#[test]
fn kn_3_symlinked_folders_are_not_followed_and_circles_are_harmless() {
    let place = Place::new();
    place.pack(&format!("{PACKS}/acme"));
    place.pack("elsewhere/secret");
    link(&place, PACKS, &format!("{PACKS}/circle"));
    link(&place, "elsewhere", &format!("{PACKS}/out"));
    link(&place, &format!("{PACKS}/self"), &format!("{PACKS}/self"));
    link(&place, "nowhere", &format!("{PACKS}/dangling"));
    let found = place.discover();
    assert_eq!(names(&found), ["acme"]);
    let expected = ["circle", "out", "self"].map(|name| format!("{PACKS}/{name}"));
    let expected: Vec<_> =
        expected.iter().map(|path| (codes::LINK_NOT_FOLLOWED.code, path.as_str())).collect();
    assert_eq!(told(&found, &root(&place)), expected);
}

#[cfg(unix)]
#[test]
fn kn_3_location_that_leads_out_of_project_is_not_searched() {
    let place = Place::new();
    place.pack("elsewhere/secret");
    link(&place, "elsewhere", PACKS);
    let found = place.discover();
    assert_eq!(names(&found), Vec::<&str>::new());
    assert_eq!(told(&found, &root(&place)), [(codes::LINK_NOT_FOLLOWED.code, PACKS)]);
    // A home belongs to who runs the program.
    link(&place, "elsewhere", "home/.agents/knowledge");
    assert_eq!(names(&place.discover()), ["secret"]);
}

#[cfg(unix)]
#[test]
fn kn_3_guide_that_leads_out_or_is_not_file_is_not_read() {
    let place = Place::new();
    let outside = place.write("outside.md", manifest("linked", ""));
    std::fs::create_dir_all(place.path(&format!("{PACKS}/linked"))).unwrap();
    std::os::unix::fs::symlink(outside, place.path(&format!("{PACKS}/linked/KNOWLEDGE.md")))
        .unwrap();
    std::fs::create_dir_all(place.path(&format!("{PACKS}/folder/KNOWLEDGE.md"))).unwrap();
    std::fs::create_dir_all(place.path(&format!("{PACKS}/pipe"))).unwrap();
    let pipe = place.path(&format!("{PACKS}/pipe/KNOWLEDGE.md"));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    let pipes = usize::from(made.is_ok_and(|made| made.success()));
    // A link to another file of the same pack is fine.
    place.write(&format!("{PACKS}/inside/guide.md"), manifest("inside", ""));
    std::os::unix::fs::symlink("guide.md", place.path(&format!("{PACKS}/inside/KNOWLEDGE.md")))
        .unwrap();
    let found = place.discover();
    assert_eq!(names(&found), ["inside"]);
    let codes: Vec<&str> = found.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, vec![codes::GUIDE_NOT_A_FILE.code; 2 + pipes]);
    assert_eq!(found.open("inside").unwrap().guide_body().unwrap(), "# inside\n");
}

#[cfg(unix)]
#[test]
fn kn_3_folder_that_cannot_be_read_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.pack(&format!("{PACKS}/acme"));
    let closed = place.pack(&format!("{PACKS}/closed/inner"));
    let closed = closed.parent().unwrap();
    std::fs::set_permissions(closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let may_read_all = std::fs::read_dir(closed).is_ok();
    let found = place.discover();
    std::fs::set_permissions(closed, std::fs::Permissions::from_mode(0o755)).unwrap();
    if may_read_all {
        assert_eq!(names(&found), ["acme", "inner"]);
    } else {
        assert_eq!(names(&found), ["acme"]);
        let path = format!("{PACKS}/closed");
        assert_eq!(told(&found, &root(&place)), [(codes::FOLDER_UNREADABLE.code, path.as_str())]);
    }
}

#[test]
fn kn_3_what_is_gone_when_it_is_read_is_reported() {
    let place = Place::new();
    let root = place.pack(&format!("{PACKS}/acme"));
    std::fs::remove_file(root.join("KNOWLEDGE.md")).unwrap();
    let finding = guide_file::read(&root, &[]).unwrap_err();
    assert_eq!(finding.code, codes::VANISHED.code);
    let denied = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
    let finding = unreadable(&root, &denied, codes::FOLDER_UNREADABLE);
    assert_eq!(finding.code, codes::FOLDER_UNREADABLE.code);
    assert_eq!(finding.message, "it could not be read: permission denied");
}

#[test]
fn kn_3_files_that_come_and_go_do_no_harm() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let place = Place::new();
    for number in 0..100 {
        place.pack(&format!("{PACKS}/p{number}"));
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let _ = std::fs::remove_dir_all(place.path(&format!("{PACKS}/p50")));
                let _ = std::fs::create_dir_all(place.path(&format!("{PACKS}/p50")));
                let guide = place.path(&format!("{PACKS}/p50/KNOWLEDGE.md"));
                let _ = std::fs::write(guide, manifest("p50", ""));
            }
        });
        for _ in 0..50 {
            let found = place.discover();
            assert!((99..=100).contains(&found.packs.len()), "{:?}", found.findings);
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn kn_3_guide_in_folder_of_packs_hides_none_of_them() {
    let place = Place::new();
    place.pack(PACKS);
    place.pack(&format!("{PACKS}/acme"));
    let found = place.discover();
    assert_eq!(names(&found), ["acme"]);
    let path = format!("{PACKS}/KNOWLEDGE.md");
    assert_eq!(told(&found, &root(&place)), [(codes::GUIDE_IN_LOCATION.code, path.as_str())]);
}

#[test]
fn kn_5_large_guide_costs_no_more_than_head() {
    let place = Place::new();
    let body = "x".repeat(4 << 20);
    place.write(&format!("{PACKS}/large/KNOWLEDGE.md"), manifest("large", "") + &body);
    let long = format!("notes: {}", "x".repeat(20_000));
    place.write(&format!("{PACKS}/long/KNOWLEDGE.md"), manifest("long", &long));
    let endless = format!("---\nname: x\n{}", "a: b\n".repeat(2 << 20));
    place.write(&format!("{PACKS}/endless/KNOWLEDGE.md"), endless);
    place.write(&format!("{PACKS}/empty/KNOWLEDGE.md"), "");
    place.write(&format!("{PACKS}/open/KNOWLEDGE.md"), "---\nname: open\n");
    place.write(&format!("{PACKS}/latin/KNOWLEDGE.md"), b"---\nname: caf\xe9\n---\n");
    let tight = manifest("tight", "");
    place.write(&format!("{PACKS}/tight/KNOWLEDGE.md"), tight.replace("---\n# tight\n", "---"));
    let found = place.discover();
    assert_eq!(names(&found), ["large", "long", "tight"]);
    let codes: Vec<&str> = found.findings.iter().map(|finding| finding.code).collect();
    let expected = [
        codes::NO_FRONTMATTER.code,
        codes::LARGE_FRONTMATTER.code,
        codes::LARGE_GUIDE.code,
        codes::GUIDE_NOT_TEXT.code,
        codes::UNCLOSED_FRONTMATTER.code,
    ];
    assert_eq!(codes, expected);
    assert!(found.open("large").unwrap().guide_body().is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn kn_3_path_that_is_not_text_is_left_out_and_told() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::new();
    place.pack(&format!("{PACKS}/acme"));
    let odd = place.path(PACKS).join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("KNOWLEDGE.md"), manifest("cafe", "")).unwrap();
    let found = place.discover();
    assert_eq!(names(&found), ["acme"]);
    assert_eq!(found.findings[0].code, codes::PATH_NOT_TEXT.code);
    assert!(serde_json::to_string(&found.findings).is_ok());
}

#[test]
fn kn_5_pack_that_changed_since_is_read_again() {
    let place = Place::new();
    let root = place.pack(&format!("{PACKS}/acme"));
    let found = place.discover();
    place.pack_with(&format!("{PACKS}/acme"), "status: disputed");
    assert_eq!(found.open("acme").unwrap().item().status.as_str(), "disputed");
    place.pack_with(&format!("{PACKS}/acme"), "name: other");
    let error = found.open("acme").unwrap_err();
    assert_eq!(error.code(), codes::PACK_CHANGED.code);
    assert!(error.to_string().contains("its name is `other` now"), "{error}");
    std::fs::remove_dir_all(root).unwrap();
    assert_eq!(found.open("acme").unwrap_err().code(), codes::PACK_CHANGED.code);
    assert_eq!(found.open("nothing").unwrap_err().code(), codes::UNKNOWN_PACK.code);
}
