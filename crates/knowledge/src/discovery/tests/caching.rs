//! The catalog of the last start.

use super::*;
use std::path::Path;
use std::time::{Duration, SystemTime};

const PACKS: &str = "project/.agents/knowledge";

/// Makes a file look as if it was written that many seconds ago.
fn age(path: &Path, seconds: u64) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
}

fn old_pack(place: &Place, name: &str, fields: &str) -> PathBuf {
    let guide = place.pack_with(&format!("{PACKS}/{name}"), fields).join("KNOWLEDGE.md");
    age(&guide, 100);
    guide
}

fn cached(place: &Place) -> Discovery {
    with(place, |options| options.cache = Some(place.path("cache")))
}

/// Makes all folders look as if nothing had come or gone for some time.
fn age_folders(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            age_folders(&path);
        }
    }
    let time = SystemTime::now() - Duration::from_secs(100);
    std::fs::File::open(folder).unwrap().set_modified(time).unwrap();
}

/// Puts other words of the same length into a file without touching its time.
fn forge(guide: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(guide).unwrap();
    let time = guide.metadata().unwrap().modified().unwrap();
    assert_eq!(from.len(), to.len());
    std::fs::write(guide, text.replace(from, to)).unwrap();
    std::fs::File::options().write(true).open(guide).unwrap().set_modified(time).unwrap();
}

#[test]
fn kn_3_second_start_reports_same_from_cache() {
    let place = Place::new();
    let acme = old_pack(&place, "acme", "");
    old_pack(&place, "broken", "description: ''");
    old_pack(&place, "plain", "profile: ''");
    let first = cached(&place);
    assert_eq!(names(&first), ["acme", "plain"]);
    assert_eq!(first.findings.len(), 2);
    let second = cached(&place);
    assert_eq!((&second.packs, &second.findings), (&first.packs, &first.findings));
    // The manifest was not read: only size and time are looked at. Opening reads it.
    forge(&acme, "ready", "stale");
    assert_eq!(cached(&place).packs[0].item.status.as_str(), "ready");
    assert_eq!(cached(&place).open("acme").unwrap().item().status.as_str(), "stale");
}

#[test]
fn kn_3_changed_new_or_removed_pack_is_seen() {
    let place = Place::new();
    let acme = old_pack(&place, "acme", "");
    let gone = old_pack(&place, "gone", "");
    assert_eq!(names(&cached(&place)), ["acme", "gone"]);
    old_pack(&place, "acme", "description: Other facts.");
    old_pack(&place, "new", "");
    std::fs::remove_file(gone).unwrap();
    let found = cached(&place);
    assert_eq!(names(&found), ["acme", "new"]);
    assert_eq!(found.packs[0].item.description, "Other facts.");
    forge(&acme, "Other", "Third");
    age(&acme, 50);
    assert_eq!(cached(&place).packs[0].item.description, "Third facts.");
    assert_eq!(cached(&place).findings, []);
}

#[test]
fn kn_3_time_of_file_written_just_now_is_not_trusted() {
    let place = Place::new();
    let guide = place.pack(&format!("{PACKS}/acme")).join("KNOWLEDGE.md");
    assert_eq!(names(&cached(&place)), ["acme"]);
    forge(&guide, "ready", "stale");
    assert_eq!(cached(&place).packs[0].item.status.as_str(), "stale");
}

#[test]
fn kn_3_damaged_cache_is_made_anew_and_said() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        old_pack(&place, name, "");
    }
    let good = cached(&place);
    let file = place.path("cache/catalog");
    let whole = std::fs::read(&file).unwrap();
    let text = String::from_utf8(whole.clone()).unwrap();
    let line = text.find("What a knows").unwrap();
    let mut damaged = vec![
        whole[..whole.len() / 2].to_vec(),
        whole[..whole.len() - 1].to_vec(),
        text.replace("What a knows", "What X knows").into_bytes(),
        text.replacen('{', "[", 1).into_bytes(),
        b"garbage".to_vec(),
        vec![0xff; 100],
        Vec::new(),
    ];
    let mut flipped = whole.clone();
    flipped[line] ^= 1;
    damaged.push(flipped);
    for bytes in damaged {
        std::fs::write(&file, &bytes).unwrap();
        let found = cached(&place);
        assert_eq!(found.packs, good.packs);
        let codes: Vec<&str> = found.findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [codes::CACHE_REBUILT.code], "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(cached(&place).findings, []);
        assert_eq!(std::fs::read(&file).unwrap().len(), whole.len());
    }
}

#[test]
fn kn_3_cache_knows_for_which_types_it_was_made() {
    let place = Place::new();
    old_pack(&place, "soup", "type: recipe");
    assert_eq!(names(&cached(&place)), Vec::<&str>::new());
    let found = with(&place, |options| {
        options.cache = Some(place.path("cache"));
        options.types = vec!["recipe".into()];
    });
    assert_eq!(names(&found), ["soup"]);
    assert_eq!(found.findings, []);
}

#[test]
fn kn_3_cache_that_cannot_be_written_is_hint() {
    let place = Place::new();
    old_pack(&place, "acme", "");
    place.write("cache", "a file where the folder is meant");
    let found = cached(&place);
    assert_eq!(names(&found), ["acme"]);
    assert_eq!(found.findings[0].code, codes::CACHE_NOT_WRITTEN.code);
}

#[test]
fn kn_3_what_comes_and_goes_in_cached_folders_is_seen() {
    let place = Place::new();
    for name in ["a", "b", "group/c", "target"] {
        old_pack(&place, name, "");
    }
    old_pack(&place, "a/wiki/inner", "");
    place.write(&format!("{PACKS}/plain/note.md"), "x");
    place.write(&format!("{PACKS}/near/knowledge.md"), "x");
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", place.path(&format!("{PACKS}/up"))).unwrap();
    age_folders(&place.path(PACKS));
    let first = cached(&place);
    assert_eq!(names(&first), ["a", "b", "c", "target"]);
    let lines = std::fs::read_to_string(place.path("cache/catalog")).unwrap().lines().count();
    // Four manifests (that of the inner pack is not read), ten folders, and the first line.
    assert_eq!(lines, 4 + 10 + 1);
    let second = cached(&place);
    assert_eq!((&second.packs, &second.findings), (&first.packs, &first.findings));

    std::fs::remove_dir_all(place.path(&format!("{PACKS}/a/wiki/inner"))).unwrap();
    std::fs::remove_dir_all(place.path(&format!("{PACKS}/b"))).unwrap();
    std::fs::remove_file(place.path(&format!("{PACKS}/target/KNOWLEDGE.md"))).unwrap();
    old_pack(&place, "group/d", "");
    old_pack(&place, "plain/deep/e", "");
    let third = cached(&place);
    assert_eq!(names(&third), ["a", "c", "d", "e"]);
    assert!(!third.findings.iter().any(|finding| finding.code == codes::NESTED_PACK.code));
    assert_eq!(third.findings.len(), first.findings.len() - 1);
    std::fs::remove_dir_all(place.path("project/.agents")).unwrap();
    assert_eq!(names(&cached(&place)), Vec::<&str>::new());
}
