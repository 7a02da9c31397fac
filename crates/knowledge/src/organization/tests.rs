use super::*;
use crate::{DiscoveryOptions, Roots, discover};
use contexture_context::Digest;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::task::{Context, Poll, Waker};
use tar::{EntryType, Header};
use zip::write::SimpleFileOptions;

fn guide(name: &str, version: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Facts.\ntype: brand-product\nstatus: ready\n\
         profile: wiki-first\nversion: {version}\n---\n# {name}\n"
    )
}

/// Files of a tar archive, whose paths are written as they are.
fn tar_of(files: &[(&str, &str)]) -> Vec<u8> {
    let mut out = tar::Builder::new(Vec::new());
    for (path, text) in files {
        entry(&mut out, path, EntryType::Regular, text);
    }
    out.into_inner().unwrap()
}

fn entry(out: &mut tar::Builder<Vec<u8>>, path: &str, kind: EntryType, text: &str) {
    let mut header = Header::new_ustar();
    header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_size(if kind == EntryType::Regular { text.len() as u64 } else { 0 });
    header.set_mode(0o777);
    header.set_cksum();
    if kind == EntryType::Symlink || kind == EntryType::Link {
        header.set_link_name(text).unwrap();
        header.set_cksum();
    }
    out.append(&header, if kind == EntryType::Regular { text.as_bytes() } else { b"" }).unwrap();
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn zip_of(files: &[(&str, &str)]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, text) in files {
        out.start_file(*path, SimpleFileOptions::default()).unwrap();
        out.write_all(text.as_bytes()).unwrap();
    }
    out.finish().unwrap().into_inner()
}

/// Returns what adding that archive gives, and what lies in the folder then.
fn added(bytes: &[u8], limits: &ArchiveLimits) -> (Result<Added, OrganizationError>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("upload.bin");
    fs::write(&archive, bytes).unwrap();
    let into = folder.path().join(".agents/knowledge");
    let result = add(&archive, &into, false, &[], limits);
    (result, listing(&into))
}

fn listing(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                waiting.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    let shown = |path: &PathBuf| path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
    let mut found: Vec<_> = found.iter().map(shown).collect();
    found.sort();
    found
}

fn refused(bytes: &[u8]) -> (String, String) {
    let (result, left) = added(bytes, &ArchiveLimits::default());
    let error = result.unwrap_err();
    assert_eq!(left, Vec::<String>::new(), "{error}");
    (error.code().code.to_owned(), error.problem.to_string())
}

#[test]
fn kn_16_every_format_gives_same_pack() {
    let text = guide("acme", "1.0.0");
    let files = [
        ("acme/KNOWLEDGE.md", text.as_str()),
        ("acme/compiled/a.md", "# A\n"),
        ("acme/.git/hooks/post-checkout", "rm -rf"),
        ("__MACOSX/acme/x", "x"),
        ("README.md", "beside"),
    ];
    let tar = tar_of(&files);
    for bytes in [gz(&tar), tar, zip_of(&files)] {
        let (result, left) = added(&bytes, &ArchiveLimits::default());
        let added = result.unwrap();
        assert_eq!(added.digest, Digest::of_bytes(&bytes));
        assert!(added.packs[0].ends_with(".agents/knowledge/acme") && added.replaced.is_empty());
        assert_eq!(left, ["acme", "acme/KNOWLEDGE.md", "acme/compiled", "acme/compiled/a.md"]);
    }
}

#[test]
fn kn_16_pack_stands_at_top_in_folders_or_behind_one_folder() {
    let (one, two) = (guide("one", "1"), guide("two", "1"));
    let place = |left: Vec<String>| {
        left.into_iter().filter(|path| path.ends_with(".md")).collect::<Vec<_>>()
    };
    for (files, expected) in [
        (vec![("./KNOWLEDGE.md", one.as_str())], vec!["one/KNOWLEDGE.md"]),
        (vec![("other-name/KNOWLEDGE.md", one.as_str())], vec!["one/KNOWLEDGE.md"]),
        (
            vec![("a/KNOWLEDGE.md", one.as_str()), ("b/KNOWLEDGE.md", two.as_str())],
            vec!["one/KNOWLEDGE.md", "two/KNOWLEDGE.md"],
        ),
        (
            vec![
                ("packs-1.2/a/KNOWLEDGE.md", one.as_str()),
                ("packs-1.2/b/KNOWLEDGE.md", two.as_str()),
            ],
            vec!["one/KNOWLEDGE.md", "two/KNOWLEDGE.md"],
        ),
    ] {
        let (result, left) = added(&tar_of(&files), &ArchiveLimits::default());
        assert!(result.is_ok(), "{result:?}");
        assert_eq!(place(left), expected);
    }
    for (files, reason) in [
        (vec![("notes.md", "x")], "there is no folder with a `KNOWLEDGE.md` in it"),
        (
            vec![("a/KNOWLEDGE.md", one.as_str()), ("b/x.md", "x")],
            "`b` in it has no `KNOWLEDGE.md`",
        ),
        (
            vec![("a/KNOWLEDGE.md", one.as_str()), ("b/KNOWLEDGE.md", one.as_str())],
            "two packs in it are named `one`: `a` and `b`",
        ),
    ] {
        assert_eq!(refused(&tar_of(&files)), ("KN3004".to_owned(), reason.to_owned()));
    }
    let (code, message) = refused(&tar_of(&[("a/KNOWLEDGE.md", "---\nname: a\n---\n")]));
    assert_eq!(code, "KN3004");
    assert!(message.contains("description"), "{message}");
}

#[test]
fn kn_16_paths_that_lead_elsewhere_are_refused() {
    let long = "x".repeat(90);
    for (path, reason) in [
        ("/etc/passwd", "its path is absolute"),
        ("../evil.md", "its path leads out of the archive with `..`"),
        ("acme/../../evil.md", "its path leads out of the archive with `..`"),
        ("acme/..", "its path leads out of the archive with `..`"),
        ("acme\\..\\evil.md", "its path holds a backslash"),
        ("C:/evil.md", "its path holds a character that no file name should have"),
        ("acme/a:b", "its path holds a character that no file name should have"),
        ("acme/a\nb", "its path holds a character that no file name should have"),
        ("acme/a\u{202e}b", "its path holds a character that no file name should have"),
        ("acme/con", "a name in its path is that of a device"),
        ("acme/NUL.txt", "a name in its path is that of a device"),
        ("acme/lpt1.md", "a name in its path is that of a device"),
        ("acme/a.", "a name in its path begins with a space, or ends with a space or full stop"),
        ("acme/a /b", "a name in its path begins with a space, or ends with a space or full stop"),
        ("acme/Knowledge.MD", "another entry differs from it only in case or spelling"),
        ("ACME/other.md", "another entry differs from it only in case or spelling"),
        ("acme/KNOWLEDGE.md", "there are two files of that path"),
        ("acme/./KNOWLEDGE.md", "there are two files of that path"),
        ("acme/KNOWLEDGE.md/x", "it is a file in one place and a folder in another"),
        ("a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/x", "its folders are nested too deep"),
    ] {
        let text = guide("acme", "1");
        let tar = tar_of(&[("acme/KNOWLEDGE.md", &text), (path, "evil")]);
        let (code, message) = refused(&gz(&tar));
        assert_eq!(code, "KN3002", "{path:?} {message}");
        assert!(message.ends_with(reason), "{path:?} {message}");
    }
    let text = guide("acme", "1");
    for path in ["../evil.md", "/evil.md", "a\\b", "acme/KNOWLEDGE.md/x", "acme/nul"] {
        let (code, message) = refused(&zip_of(&[("acme/KNOWLEDGE.md", &text), (path, "evil")]));
        assert_eq!(code, "KN3002", "{path:?} {message}");
    }
    let (code, _) = refused(&zip_of(&[(&format!("{long}{long}{long}"), "x")]));
    assert_eq!(code, "KN3002");
}

#[test]
fn kn_16_links_and_devices_are_refused() {
    for (kind, reason) in [
        (EntryType::Symlink, "it is a link"),
        (EntryType::Link, "it is a link"),
        (EntryType::Char, "it is a device"),
        (EntryType::Block, "it is a device"),
        (EntryType::Fifo, "it is a pipe"),
    ] {
        let mut out = tar::Builder::new(Vec::new());
        entry(&mut out, "acme/KNOWLEDGE.md", EntryType::Regular, &guide("acme", "1"));
        entry(&mut out, "acme/x", kind, "/etc/passwd");
        let (code, message) = refused(&out.into_inner().unwrap());
        assert_eq!((code.as_str(), message.ends_with(reason)), ("KN3002", true), "{message}");
    }
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    out.add_symlink("acme/x", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    let (code, message) = refused(&out.finish().unwrap().into_inner());
    assert_eq!((code.as_str(), message.ends_with("it is a link")), ("KN3002", true), "{message}");
}

#[test]
fn kn_16_bombs_and_floods_break_limit() {
    let text = guide("acme", "1");
    let zeros = "0".repeat(3 << 20);
    let limits = ArchiveLimits::default();
    for bytes in [
        gz(&tar_of(&[("acme/KNOWLEDGE.md", &text), ("acme/x", &zeros)])),
        zip_of(&[("acme/KNOWLEDGE.md", &text), ("acme/x", &zeros)]),
    ] {
        let (result, left) = added(&bytes, &limits);
        let error = result.unwrap_err();
        assert_eq!(error.code().code, "KN3003");
        assert!(error.problem.to_string().starts_with("has more than 100 times"), "{error}");
        assert_eq!(left, Vec::<String>::new());
    }
    let small = tar_of(&[("acme/KNOWLEDGE.md", &text), ("acme/x", "12345"), ("acme/y", "67890")]);
    let size = small.len() as u64;
    for (limits, message) in [
        (ArchiveLimits { entries: 2, ..limits }, "has more than 2 entries"),
        (ArchiveLimits { file_bytes: 4, ..limits }, "has more than 4 bytes in one file"),
        (ArchiveLimits { total_bytes: text.len() as u64 + 9, ..limits }, "unpacked bytes"),
        (ArchiveLimits { archive_bytes: size - 1, ..limits }, "bytes"),
    ] {
        let (result, left) = added(&small, &limits);
        let error = result.unwrap_err();
        assert_eq!((error.code().code, left.len()), ("KN3003", 0));
        assert!(error.problem.to_string().contains(message), "{error}");
    }
    let exact = ArchiveLimits {
        entries: 3,
        archive_bytes: size,
        total_bytes: text.len() as u64 + 10,
        ..limits
    };
    assert!(added(&small, &exact).0.is_ok());
}

#[test]
fn kn_16_damaged_archives_are_reported_and_leave_nothing() {
    let text = guide("acme", "1");
    let good = gz(&tar_of(&[("acme/KNOWLEDGE.md", &text), ("acme/x", "12345")]));
    let zip = zip_of(&[("acme/KNOWLEDGE.md", &text), ("acme/x", "12345")]);
    for bytes in
        [&b""[..], b"hello", b"\x1f\x8b", b"PK\x03\x04", &good[..60], &zip[..80], &[0; 2_000]]
    {
        let (code, message) = refused(bytes);
        assert!(matches!(code.as_str(), "KN3001" | "KN3004"), "{code} {message}");
    }
    for at in (0..good.len()).step_by(7) {
        let mut bytes = good.clone();
        bytes[at] ^= 0x55;
        let (_, left) = added(&bytes, &ArchiveLimits::default());
        assert!(left.iter().all(|path| path.starts_with("acme")), "{left:?}");
    }
    for at in (0..zip.len()).step_by(7) {
        let mut bytes = zip.clone();
        bytes[at] ^= 0x55;
        let (_, left) = added(&bytes, &ArchiveLimits::default());
        assert!(left.iter().all(|path| !path.starts_with('.')), "{left:?}");
    }
    let error =
        add(Path::new("/no/such"), Path::new("/tmp"), false, &[], &ArchiveLimits::default());
    assert_eq!(error.unwrap_err().code().code, "KN3006");
}

#[test]
fn kn_16_pack_is_replaced_only_when_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("knowledge");
    let archive = folder.path().join("a.zip");
    let (one, two) = (guide("one", "1"), guide("two", "1"));
    fs::write(&archive, zip_of(&[("KNOWLEDGE.md", &two), ("old.md", "old")])).unwrap();
    let limits = ArchiveLimits::default();
    add(&archive, &into, false, &[], &limits).unwrap();
    let newer = guide("two", "2");
    fs::write(&archive, zip_of(&[("a/KNOWLEDGE.md", &one), ("b/KNOWLEDGE.md", &newer)])).unwrap();
    let error = add(&archive, &into, false, &[], &limits).unwrap_err();
    assert_eq!(error.code().code, "KN3005");
    assert_eq!(listing(&into), ["two", "two/KNOWLEDGE.md", "two/old.md"]);
    let done = add(&archive, &into, true, &[], &limits).unwrap();
    assert_eq!(done.replaced, [into.join("two")]);
    assert_eq!(done.packs, [into.join("one"), into.join("two")]);
    assert_eq!(listing(&into), ["one", "one/KNOWLEDGE.md", "two", "two/KNOWLEDGE.md"]);
    assert!(fs::read_to_string(into.join("two/KNOWLEDGE.md")).unwrap().contains("version: 2"));
}

#[test]
fn kn_16_mounted_archive_is_found_as_organization() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("packs.tar.gz");
    let text = guide("acme", "1");
    fs::write(&archive, gz(&tar_of(&[("KNOWLEDGE.md", &text), ("compiled/a.md", "# A\n")])))
        .unwrap();
    let cache = folder.path().join("cache");
    let limits = ArchiveLimits::default();
    let broken = folder.path().join("broken.zip");
    fs::write(&broken, "PK\x03\x04 broken").unwrap();
    let named = [archive.clone(), broken.clone(), folder.path().join("missing")];
    let (folders, findings) = folders(&named, &cache, &limits);
    assert_eq!(folders.len(), 2);
    assert_eq!((findings.len(), findings[0].code, findings[0].path.clone()), (1, "KN3001", broken));
    let mounted = mount(&archive, &cache, &limits).unwrap();
    assert_eq!(mounted.folder, cache.join(mounted.digest.hex()));
    assert_eq!(mounted.packs, [mounted.folder.join("acme")]);
    assert_eq!(mount(&archive, &cache, &limits).unwrap(), mounted);
    let roots = Roots { organization: folders, ..Roots::default() };
    let found = discover(&roots, &DiscoveryOptions::default());
    assert_eq!(found.packs.len(), 1);
    assert_eq!(found.packs[0].scope, crate::Scope::Organization);
    assert_eq!(found.open("acme").unwrap().read("compiled/a.md", 100).unwrap(), "# A\n");
    // Nothing half done is left.
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 1);
}

const INDEX: &str = "https://packs.example.com/team/index.json";

fn hex(bytes: &[u8]) -> String {
    Digest::of_bytes(bytes).hex()
}

/// Runs a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = Box::pin(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

fn read(web: &MemoryFetch, cache: &Path) -> Registry {
    let options =
        RegistryOptions { hosts: vec!["cdn.example.com".to_owned()], ..RegistryOptions::default() };
    now(registry(Some(web), INDEX, cache, &options))
}

fn codes(read: &Registry) -> Vec<&str> {
    read.findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn kn_16_registry_is_fetched_checked_and_kept() {
    let cache = tempfile::tempdir().unwrap();
    let (one, newer, two) = (
        gz(&tar_of(&[("KNOWLEDGE.md", &guide("one", "1.9.0"))])),
        gz(&tar_of(&[("KNOWLEDGE.md", &guide("one", "1.10.0"))])),
        zip_of(&[("KNOWLEDGE.md", &guide("two", "3"))]),
    );
    let index = serde_json::json!({ "packs": [
        { "name": "one", "version": "1.10.0", "url": "one-1.10.0.tar.gz", "sha256": hex(&newer),
          "size": newer.len() },
        { "name": "one", "version": "1.9.0", "url": "one-1.9.0.tar.gz", "sha256": hex(&one) },
        { "name": "two", "version": "2", "url": "https://cdn.example.com/two.zip",
          "sha256": format!("sha256:{}", hex(&two)) },
    ]});
    let web = MemoryFetch::new([
        (INDEX.to_owned(), index.to_string().into_bytes()),
        ("https://packs.example.com/team/one-1.10.0.tar.gz".to_owned(), newer.clone()),
        ("https://cdn.example.com/two.zip".to_owned(), two.clone()),
    ]);
    let first = read(&web, cache.path());
    assert_eq!(
        first.packs,
        [cache.path().join(hex(&newer)).join("one"), cache.path().join(hex(&two)).join("two")]
    );
    assert_eq!(codes(&first), ["KN3107"]);
    assert_eq!(first.findings[0].message, "pack `two` is version 3, and the index says 2");
    assert_eq!(web.asked().len(), 3);
    // Archives are fetched once; without a network the kept one is used, and reported.
    assert_eq!(read(&web, cache.path()), first);
    assert_eq!(web.asked().len(), 4);
    let offline = read(&MemoryFetch::default(), cache.path());
    assert_eq!(
        (offline.packs.clone(), codes(&offline)),
        (first.packs.clone(), vec!["KN3102", "KN3107"])
    );
    assert!(offline.findings[0].message.contains("can't be reached: there is no network"));
    let unasked = now(registry(
        None,
        INDEX,
        cache.path(),
        &RegistryOptions {
            hosts: vec!["cdn.example.com".to_owned()],
            ..RegistryOptions::default()
        },
    ));
    assert_eq!(unasked.packs, first.packs);
    let other = tempfile::tempdir().unwrap();
    let nothing = read(&MemoryFetch::default(), other.path());
    assert_eq!((nothing.packs.len(), codes(&nothing)), (0, vec!["KN3101"]));
}

#[test]
fn kn_16_registry_that_is_not_right_is_reported_entry_by_entry() {
    let cache = tempfile::tempdir().unwrap();
    let good = gz(&tar_of(&[("KNOWLEDGE.md", &guide("good", "1"))]));
    let evil = gz(&tar_of(&[("KNOWLEDGE.md", &guide("evil", "1")), ("../x", "x")]));
    let entry = |name: &str, url: &str, sha256: &str| serde_json::json!({ "name": name, "version": "1", "url": url, "sha256": sha256 });
    let index = serde_json::json!({ "packs": [
        { "name": "no-digest", "version": "1", "url": "good.tar.gz" },
        entry("short", "good.tar.gz", "abcd"),
        entry("changed", "good.tar.gz", &"0".repeat(64)),
        entry("elsewhere", "https://evil.example/good.tar.gz", &hex(b"1")),
        entry("plain", "http://cdn.example.com/good.tar.gz", &hex(b"2")),
        entry("file", "file:///etc/passwd", &hex(b"3")),
        entry("absent", "absent.tar.gz", &hex(b"4")),
        entry("evil", "evil.tar.gz", &hex(&evil)),
        entry("other", "good.tar.gz", &hex(&good)),
        { "name": "small", "version": "1", "url": "good.tar.gz?1", "sha256": hex(b"5"), "size": 3 },
        "text",
    ]});
    let web = MemoryFetch::new([
        (INDEX.to_owned(), index.to_string().into_bytes()),
        ("https://packs.example.com/team/good.tar.gz".to_owned(), good.clone()),
        ("https://packs.example.com/team/good.tar.gz?1".to_owned(), good),
        ("https://packs.example.com/team/evil.tar.gz".to_owned(), evil),
    ]);
    let read_it = read(&web, cache.path());
    assert_eq!(read_it.packs, Vec::<PathBuf>::new());
    let said: Vec<_> =
        read_it.findings.iter().map(|one| format!("{} {}", one.code, one.message)).collect();
    let expected = [
        "KN3104 entry 1 of the index (`no-digest`) has no text `sha256`",
        "KN3104 entry 2 of the index (`short`) has a `sha256` that is not 64 hex digits",
        "KN3104 entry 11 of the index has no text `name`",
        "KN3105 pack `changed` came as sha256:",
        "KN3106 pack `elsewhere`: its archive lies at another place",
        "KN3106 pack `plain`: its archive lies at another place",
        "KN3106 pack `file`: its archive lies at another place",
        "KN3101 pack `absent` answered 404",
        "KN3002 pack `evil` refused because of its entry `../x`",
        "KN3104 the archive holds no pack `other`",
        "KN3105 pack `small` is larger than the 3 bytes that the index names",
    ];
    assert_eq!(said.len(), expected.len(), "{said:#?}");
    for (said, expected) in said.iter().zip(expected) {
        assert!(said.starts_with(expected), "{said} / {expected}");
    }
    let cache = tempfile::tempdir().unwrap();
    for bad in ["", "[]", "{\"packs\": 3}", "{\"packs\": [1", "\u{feff}{}"] {
        let web = MemoryFetch::new([(INDEX.to_owned(), bad.as_bytes().to_vec())]);
        assert_eq!(codes(&read(&web, cache.path())), ["KN3103"], "{bad:?}");
    }
    assert_eq!(
        codes(&now(registry(Some(&web), "no url", cache.path(), &RegistryOptions::default()))),
        ["KN3103"]
    );
}

#[test]
fn kn_16_archives_are_read_to_their_end_and_damage_is_refused() {
    let text = guide("acme", "1") + &"Facts about the widget. ".repeat(40);
    let files = [("acme/KNOWLEDGE.md", text.as_str()), ("acme/x.md", "12345")];
    let tar = tar_of(&files);
    let good = gz(&tar);
    assert!(added(&good, &ArchiveLimits::default()).0.is_ok());
    // The sum and the size behind the last block, and every way to cut the end off.
    for at in good.len() - 8..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 0x01;
        assert_eq!(refused(&bytes).0, "KN3001", "byte {at}");
        assert_eq!(refused(&good[..at]).0, "KN3001", "cut at {at}");
    }
    // But for the last byte of what is compressed: bits of it mean nothing.
    for at in (12..good.len() - 9).step_by(3) {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        let (result, left) = added(&bytes, &ArchiveLimits::default());
        assert!(result.is_err() && left.is_empty(), "byte {at}: {left:?}");
    }
    // A tar file that ends between two entries.
    assert_eq!(refused(&gz(&tar[..2_048])).0, "KN3001");
    assert_eq!(refused(&tar[..2_048]).0, "KN3001");
    let zip = zip_of(&files);
    let start = zip.windows(4).position(|bytes| bytes == b"x.md").unwrap() + 5;
    let mut bytes = zip.clone();
    bytes[start] ^= 0x01;
    assert_eq!(refused(&bytes).0, "KN3001");
}

#[test]
fn kn_16_what_is_dropped_from_archive_is_said() {
    let text = guide("acme", "1");
    let files = [
        ("acme/KNOWLEDGE.md", text.as_str()),
        ("acme/.env", "KEY=1"),
        ("acme/.git/config", "x"),
        ("acme/.git/HEAD", "x"),
    ];
    for bytes in [gz(&tar_of(&files)), zip_of(&files)] {
        let (result, left) = added(&bytes, &ArchiveLimits::default());
        assert_eq!(result.unwrap().left_out, ["acme/.env", "acme/.git/"]);
        assert!(!left.iter().any(|path| path.contains(".env")), "{left:?}");
    }
}

#[test]
fn kn_16_archive_that_is_refused_leaves_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("bad.zip");
    fs::write(&archive, "hello").unwrap();
    let into = folder.path().join("project/.agents/knowledge");
    fs::create_dir(folder.path().join("project")).unwrap();
    let limits = ArchiveLimits::default();
    assert!(add(&archive, &into, false, &[], &limits).is_err());
    assert!(!folder.path().join("project/.agents").exists());
    fs::create_dir_all(&into).unwrap();
    assert!(add(&archive, &into, false, &[], &limits).is_err());
    assert!(into.is_dir());
}

#[test]
fn kn_16_archive_without_pack_is_reported_in_sentence() {
    let cache = tempfile::tempdir().unwrap();
    let empty = gz(&tar_of(&[("notes.txt", "x")]));
    let index = serde_json::json!({ "packs": [
        { "name": "none", "version": "1", "url": "none.tar.gz", "sha256": hex(&empty) },
    ]});
    let web = MemoryFetch::new([
        (INDEX.to_owned(), index.to_string().into_bytes()),
        ("https://packs.example.com/team/none.tar.gz".to_owned(), empty),
    ]);
    let read = read(&web, cache.path());
    let message = &read.findings[0].message;
    assert!(message.starts_with("pack `none` can't be had: there is no folder"), "{message}");
}

#[test]
fn kn_16_registry_that_answers_something_else_takes_no_packs_away() {
    let cache = tempfile::tempdir().unwrap();
    let good = gz(&tar_of(&[("KNOWLEDGE.md", &guide("good", "1"))]));
    let index = serde_json::json!({ "packs": [
        { "name": "good", "version": "1", "url": "good.tar.gz", "sha256": hex(&good) },
    ]});
    let web = MemoryFetch::new([
        (INDEX.to_owned(), index.to_string().into_bytes()),
        ("https://packs.example.com/team/good.tar.gz".to_owned(), good),
    ]);
    let first = read(&web, cache.path());
    assert_eq!((first.packs.len(), codes(&first)), (1, vec![]));
    for page in ["<html>Please log in</html>", "{\"packs\": 3}", ""] {
        let web = MemoryFetch::new([(INDEX.to_owned(), page.as_bytes().to_vec())]);
        let again = read(&web, cache.path());
        assert_eq!(again.packs, first.packs, "{page}");
        assert_eq!(codes(&again), ["KN3103", "KN3102"], "{page}: {:?}", again.findings);
    }
    // What was kept is still the good one.
    let gone = read(&MemoryFetch::default(), cache.path());
    assert_eq!(gone.packs, first.packs);
}

#[test]
fn kn_16_guide_that_is_not_text_is_reported_as_what_is_wrong_with_archive() {
    let mut guide = guide("acme", "1").into_bytes();
    guide.extend(b"\xff\xfe");
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = Header::new_gnu();
    header.set_size(guide.len() as u64);
    header.set_mode(0o644);
    tar.append_data(&mut header, "acme/KNOWLEDGE.md", guide.as_slice()).unwrap();
    let (code, message) = refused(&tar.into_inner().unwrap());
    assert_eq!(code, "KN3004");
    assert!(message.contains("not UTF-8 at byte") && !message.contains(".unpacking"), "{message}");
}
