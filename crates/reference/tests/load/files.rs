use crate::support::Fixture;
use contexture_context::Trust;
use contexture_reference::{FOLDER, LoadLimits, Place};

#[test]
fn ref_21_paths_start_in_document_s_folder_then_at_root() {
    let fixture = Fixture::with(&[("docs/a.md", "near"), ("a.md", "root"), ("b.md", "far")]);
    let docs = Place::folder("docs");
    let text = |reference: &str| {
        let loaded = fixture.load_at(reference, &docs).unwrap();
        loaded.resources[0].text().unwrap().to_owned()
    };
    assert_eq!(text("@file://a.md"), "near");
    assert_eq!(text("@file://b.md"), "far");
    assert_eq!(text("@file://../a.md"), "root");
    assert_eq!(fixture.text("@file://a.md"), "root");
}

#[test]
fn ref_21_nothing_outside_workspace_is_read() {
    let fixture = Fixture::with(&[("docs/a.md", "x")]);
    for path in ["../secret", "docs/../../secret", "/etc/passwd"] {
        assert_eq!(fixture.refused(&format!("@file://{path}")).0, "REF3031", "{path}");
    }
    // Paths are taken as they are written: this is a name, not a way up.
    for path in ["%2e%2e/secret", "..%2fsecret", "．．/secret"] {
        assert_eq!(fixture.refused(&format!("@file://{path}")).0, "REF3030", "{path}");
    }
}

#[cfg(unix)]
#[test]
fn ref_21_symlinks_and_special_files_are_refused() {
    use std::os::unix::fs::symlink;
    let fixture = Fixture::with(&[("docs/a.md", "x")]);
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "s").unwrap();
    symlink(outside.path().join("secret"), fixture.folder.path().join("out")).unwrap();
    symlink(outside.path(), fixture.folder.path().join("docs/away")).unwrap();
    symlink("nowhere", fixture.folder.path().join("dangling")).unwrap();
    assert_eq!(fixture.refused("@file://out").0, "REF3031");
    assert_eq!(fixture.refused("@file://docs/away/secret").0, "REF3031");
    assert_eq!(fixture.refused("@file://dangling").0, "REF3032");
    assert_eq!(fixture.names("@file://docs/**/*"), ["@file://docs/a.md"]);
    let _socket =
        std::os::unix::net::UnixListener::bind(fixture.folder.path().join("pipe")).unwrap();
    assert_eq!(fixture.refused("@file://pipe").0, "REF3032");
}

#[cfg(unix)]
#[test]
fn ref_13_link_that_is_written_before_wildcard_is_followed_within_root() {
    use std::os::unix::fs::symlink;
    let fixture =
        Fixture::with(&[("docs/a.md", "a"), ("docs/.gitignore", "b.md"), ("docs/b.md", "b")]);
    let outside = tempfile::tempdir().unwrap();
    symlink("docs", fixture.folder.path().join("link")).unwrap();
    symlink(".", fixture.folder.path().join("here")).unwrap();
    symlink(outside.path(), fixture.folder.path().join("away")).unwrap();
    assert_eq!(fixture.names("@file://link/*.md"), ["@file://link/a.md"]);
    assert_eq!(fixture.names("@file://here/docs/*.md"), ["@file://here/docs/a.md"]);
    assert_eq!(fixture.text("@file://link/*.md"), "a");
    assert_eq!(fixture.refused("@file://away/*.md").0, "REF3031");
    assert_eq!(fixture.refused("@?file://away/**").0, "REF3031");
}

#[test]
fn ref_13_matches_come_in_path_order_each_with_own_reference() {
    let fixture = Fixture::with(&[
        ("docs/b.md", "b"),
        ("docs/a/z.md", "z"),
        ("docs/a.md", "a"),
        ("docs/c.txt", "c"),
        ("docs/.hidden.md", "h"),
    ]);
    assert_eq!(fixture.names("@file://docs/*.md"), ["@file://docs/a.md", "@file://docs/b.md"]);
    assert_eq!(
        fixture.names("@file://docs/**/*.md"),
        ["@file://docs/a/z.md", "@file://docs/a.md", "@file://docs/b.md"]
    );
    assert_eq!(fixture.names("@file://docs/*.{txt,rst}"), ["@file://docs/c.txt"]);
    assert_eq!(fixture.names("@file://docs/.*"), ["@file://docs/.hidden.md"]);
}

#[test]
fn ref_13_match_can_be_loaded_by_reference_from_same_place() {
    let fixture = Fixture::with(&[("docs/a.md", "a"), ("src/b.md", "b")]);
    let place = Place::folder("docs");
    for (pattern, expected) in [("@file://*.md", "a"), ("@file://../src/*.md", "b")] {
        let loaded = fixture.load_at(pattern, &place).unwrap();
        assert_eq!(loaded.resources.len(), 1, "{loaded:?}");
        let again = fixture.load_at(&loaded.resources[0].reference, &place).unwrap();
        assert_eq!(again.resources[0].text(), Some(expected));
    }
}

#[test]
fn ref_13_ignored_files_are_passed_over_unless_asked_for() {
    let fixture = Fixture::with(&[("a.md", "a"), ("out/b.md", "b"), (".gitignore", "out/\n")]);
    assert_eq!(fixture.names("@file://**/*.md"), ["@file://a.md"]);
    assert_eq!(fixture.names("@file://**/*.md?ignore=false"), ["@file://a.md", "@file://out/b.md"]);
    assert_eq!(fixture.refused("@file://**/*.md?ignore=maybe").0, "REF3003");
}

#[test]
fn ref_13_folders_and_binaries_are_listed_and_not_loaded() {
    let fixture = Fixture::with(&[("docs/a.md", "a"), ("docs/sub/b.md", "b")]);
    fixture.write("docs/c.bin", b"\0\x01\x02");
    fixture.write("docs/d.md", b"\xff\xfe\xfa");
    let loaded = fixture.load("@file://docs/*").unwrap();
    let listed: Vec<_> = loaded
        .resources
        .iter()
        .map(|one| (one.reference.as_str(), one.text(), one.size(), one.media_type.as_str()))
        .collect();
    assert_eq!(
        listed,
        [
            ("@file://docs/a.md", Some("a"), 1, "text/markdown"),
            ("@file://docs/c.bin", None, 3, "text/plain"),
            ("@file://docs/d.md", None, 3, "text/markdown"),
            ("@file://docs/sub", None, 0, FOLDER),
        ]
    );
    let codes: Vec<_> = loaded.notes.iter().map(|note| note.code).collect();
    assert_eq!(codes, ["REF3011", "REF3011"]);
    assert_eq!(fixture.refused("@file://docs/c.bin").0, "REF3010");
    assert_eq!(fixture.text("@base64:file://docs/c.bin"), "AAEC");
}

#[test]
fn ref_13_no_match_is_said() {
    let fixture = Fixture::with(&[("a.md", "a")]);
    let loaded = fixture.load("@file://docs/*.md").unwrap();
    assert_eq!(loaded.resources.len(), 0);
    assert_eq!(loaded.notes[0].code, "REF3037");
}

#[test]
fn ref_13_too_many_matches_or_bytes_are_error() {
    let files = [("a.md", "aaaa"), ("b.md", "bbbb"), ("c.md", "cccc")];
    let few = LoadLimits { max_resources: 2, ..LoadLimits::default() };
    assert_eq!(Fixture::limited(&files, few).refused("@file://*.md").0, "REF3036");
    let small = LoadLimits { max_bytes: 9, ..LoadLimits::default() };
    assert_eq!(Fixture::limited(&files, small).refused("@file://*.md").0, "REF3013");
    let tiny = LoadLimits { max_bytes: 3, ..LoadLimits::default() };
    assert_eq!(Fixture::limited(&files, tiny).refused("@file://a.md").0, "REF3013");
}

#[test]
fn ref_21_missing_file_gets_nearest_name_and_folder_gets_files() {
    let fixture = Fixture::with(&[("docs/guide.md", "a")]);
    let near = ("REF3030", "did you mean `docs/guide.md`?".to_owned());
    assert_eq!(fixture.refused("@file://docs/giude.md"), near);
    let folder = ("REF3032", "name a file in it, or all of them: @file://docs/*".to_owned());
    assert_eq!(fixture.refused("@file://docs"), folder);
}

#[test]
fn ref_14_lines_encoding_and_budget() {
    let fixture = Fixture::with(&[("a.md", "one\ntwo\nthree\n")]);
    assert_eq!(fixture.text("@file://a.md?line=2-3"), "two\nthree\n");
    let loaded = fixture.load("@file://a.md?line=3-9").unwrap();
    assert_eq!(loaded.resources[0].text(), Some("three\n"));
    assert_eq!(loaded.notes[0].code, "REF3012");
    fixture.write("b.txt", &[0xd6, 0xd0]);
    assert_eq!(fixture.text("@file://b.txt?encoding=gbk"), "中");
    assert_eq!(fixture.refused("@file://b.txt").0, "REF3010");
    assert_eq!(fixture.refused("@file://a.md?encoding=klingon").0, "REF3010");
    assert_eq!(fixture.refused("@file://a.md?max=none").0, "REF3005");
    fixture.write("long.md", "word ".repeat(5_000).as_bytes());
    let cut = fixture.load("@file://long.md?max=100").unwrap();
    let text = cut.resources[0].text().unwrap();
    assert!(fixture.loader.counter().count(text) <= 100, "{text}");
    assert_eq!(cut.notes[0].code, "REF3014");
}

#[test]
fn ref_20_environment_and_memory() {
    let fixture = Fixture::with(&[]);
    let variable = fixture.load("@env://LANG").unwrap();
    assert_eq!(variable.resources[0].text(), Some("C"));
    assert!(variable.resources[0].trust.is_fenced());
    assert_eq!(fixture.refused("@env://UNSET").0, "REF3034");
    let near = ("REF3034", "did you mean `LANG`?".to_owned());
    assert_eq!(fixture.refused("@env://LAGN"), near);
    assert_eq!(fixture.text("@memory://tone?line=2"), "Be kind.\n");
    assert_eq!(fixture.refused("@memory://tune").1, "did you mean `tone`?");
    let loaded = fixture.load("@memory://goal").unwrap();
    assert_eq!(loaded.resources[0].trust, Trust::Memory);
}
