//! What can be wrong with what a reference names: each is a typed error with the reference and the
//! cause, and nothing waits or reads without end.
use crate::support::Fixture;
use contexture_reference::LoadLimits;
use proptest::prelude::*;

#[test]
fn ref_21_what_is_not_readable_file_is_typed_error() {
    let fixture = Fixture::with(&[("docs/a.md", "x"), ("empty.md", "")]);
    fixture.write("binary.dat", b"ab\0cd");
    fixture.write("latin.txt", b"caf\xe9");
    fixture.write("torn.txt", &[0xff, 0xfe, 0x2d]);
    let table = [
        ("@file://no.md", "REF3030", "there is no `no.md`"),
        ("@file://docs/a.md/b.md", "REF3032", "not a folder"),
        ("@file://docs", "REF3032", "is a folder"),
        ("@file://binary.dat", "REF3010", "NUL byte at offset 2"),
        ("@file://latin.txt", "REF3010", "not UTF-8: byte 3"),
        ("@file://torn.txt", "REF3010", "UTF-16LE"),
        ("@file://latin.txt?encoding=gbk", "REF3010", "not GBK"),
        ("@file://../up.md", "REF3031", "outside"),
        ("@file://docs/../../up.md", "REF3031", "outside"),
        ("@file://*/../../*.md", "REF3033", "behind a wildcard"),
        ("@file:///etc/passwd", "REF3031", "outside"),
        ("@file:////etc/passwd", "REF3031", "outside"),
        ("@file://a%00b", "REF3030", "there is no"),
        ("@file://docs/%2e%2e/%2e%2e/etc", "REF3030", "there is no"),
    ];
    for (reference, code, cause) in table {
        let error = fixture.load(reference).unwrap_err();
        assert_eq!(error.code, code, "{reference}: {error}");
        assert!(error.to_string().contains(cause), "{reference}: {error}");
        assert!(error.reference.starts_with("@file://"), "{error}");
        assert!(error.help.is_some(), "{reference}");
    }
    assert_eq!(fixture.text("@file://empty.md"), "");
    assert_eq!(fixture.text("@file://latin.txt?encoding=latin1"), "café");
}

#[cfg(unix)]
#[test]
fn ref_21_sparse_file_of_2_gb_is_refused_by_size() {
    let fixture = Fixture::with(&[("a.md", "x")]);
    let file = std::fs::File::create(fixture.folder.path().join("huge.bin")).unwrap();
    file.set_len(2 << 30).unwrap();
    let error = fixture.load("@file://huge.bin").unwrap_err();
    assert_eq!(error.code, "REF3013");
    assert!(error.message.contains("2147483648 bytes, the limit is 67108864"), "{error}");
    assert_eq!(fixture.refused("@file://huge.bin?line=1").0, "REF3013");
    assert_eq!(fixture.refused("@base64:file://huge.bin").0, "REF3013");
    assert_eq!(fixture.refused("@file://*").0, "REF3013");
}

#[cfg(unix)]
#[test]
fn ref_21_pipes_and_devices_are_not_waited_for() {
    use std::os::unix::fs::symlink;
    let fixture = Fixture::with(&[("a.md", "x")]);
    let pipe = fixture.folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if made.is_ok_and(|status| status.success()) {
        let error = fixture.load("@file://pipe").unwrap_err();
        assert!(error.code == "REF3032" && error.message.contains("a pipe"), "{error}");
        let loaded = fixture.load("@file://*").unwrap();
        assert_eq!(loaded.resources.len(), 1);
        assert_eq!(loaded.notes[0].code, "REF3038");
    }
    symlink("/dev/zero", fixture.folder.path().join("zero")).unwrap();
    assert_eq!(fixture.refused("@file://zero").0, "REF3031");
    symlink("loop", fixture.folder.path().join("loop")).unwrap();
    assert_eq!(fixture.refused("@file://loop").0, "REF3032");
    symlink("docs", fixture.folder.path().join("docs")).unwrap();
    assert_eq!(fixture.refused("@file://docs/a.md").0, "REF3032");
}

#[cfg(unix)]
#[test]
fn ref_21_links_that_stay_inside_are_followed() {
    let fixture = Fixture::with(&[("docs/a.md", "x")]);
    std::os::unix::fs::symlink("docs/a.md", fixture.folder.path().join("link.md")).unwrap();
    assert_eq!(fixture.text("@file://link.md"), "x");
    assert_eq!(fixture.names("@file://*.md"), ["@file://link.md"]);
}

#[cfg(unix)]
#[test]
fn ref_13_what_walk_can_t_read_is_said() {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::with(&[("a.md", "x"), ("locked/b.md", "y")]);
    let odd = std::ffi::OsStr::from_bytes(b"b\xff.md");
    if std::fs::write(fixture.folder.path().join(odd), "z").is_ok() {
        let loaded = fixture.load("@file://*.md").unwrap();
        assert_eq!(loaded.resources.len(), 1);
        assert!(loaded.notes[0].message.contains("not UTF-8"), "{:?}", loaded.notes);
        std::fs::remove_file(fixture.folder.path().join(odd)).unwrap();
    }
    let locked = fixture.folder.path().join("locked");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    // The administrator may read everything.
    if std::fs::read_dir(&locked).is_err() {
        let loaded = fixture.load("@file://**/*.md").unwrap();
        assert_eq!(loaded.resources.len(), 1);
        assert!(loaded.notes[0].message.starts_with("`locked` is passed over"), "{loaded:?}");
        assert_eq!(fixture.refused("@file://locked/b.md").0, "REF3032");
    }
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn ref_13_hot_pattern_must_match_something() {
    let fixture = Fixture::with(&[("a.md", "x")]);
    for reference in ["@!file://*.rst", "@!text:file://*.rst", "@text:@!file://*.rst"] {
        assert_eq!(fixture.refused(reference).0, "REF3037", "{reference}");
    }
    assert_eq!(fixture.load("@?file://*.rst").unwrap().notes[0].code, "REF3037");
}

#[test]
fn ref_13_explosions_of_wildcards_stay_bounded() {
    let deep = format!("{}leaf.md", "d/".repeat(200));
    let fixture = Fixture::with(&[(&deep, "x")]);
    assert_eq!(fixture.names(&format!("@file://{}*", "**/".repeat(60))).len(), 201);
    assert_eq!(fixture.names(&format!("@file://{}*.md", "*/**/".repeat(60))).len(), 1);
    assert_eq!(fixture.names(&format!("@file://{}b", "a*".repeat(5_000))).len(), 0);
    let many = format!("@file://*.{{{}}}", vec!["md"; 10_000].join(","));
    assert_eq!(fixture.refused(&many).0, "REF3041");
    let few = LoadLimits { max_resources: 1, ..LoadLimits::default() };
    let fixture = Fixture::limited(&[(&deep, "x")], few);
    assert!(fixture.load("@file://**/*.md").unwrap_err().message.contains("look at more than 100"));
}

#[test]
fn ref_12_bombs_of_nesting_are_errors() {
    let fixture = Fixture::with(&[]);
    fixture.write("deep.json", "[".repeat(200_000).as_bytes());
    fixture.write("deep.yaml", "[".repeat(200_000).as_bytes());
    let laugh = (1..12).fold("a0: &a0 [x, x]\n".to_owned(), |text, level| {
        let before = level - 1;
        format!("{text}a{level}: &a{level} [{}]\n", vec![format!("*a{before}"); 12].join(", "))
    });
    fixture.write("laugh.yaml", laugh.as_bytes());
    assert_eq!(fixture.refused("@json:file://deep.json").0, "REF3021");
    assert_eq!(fixture.refused("@yaml:file://deep.yaml").0, "REF3022");
    assert_eq!(fixture.refused("@yaml:file://laugh.yaml").0, "REF3022");
    fixture.write("deep.md", "> ".repeat(20_000).as_bytes());
    assert_eq!(fixture.refused("@markdown:file://deep.md?section=x").0, "REF3026");
}

#[test]
fn ref_14_lines_of_any_kind_of_text() {
    let fixture = Fixture::with(&[("crlf.md", "one\r\ntwo\r\n"), ("bom.md", "\u{feff}one\ntwo")]);
    fixture.write("wide.txt", &[0xff, 0xfe, b'a', 0, b'\n', 0, b'b', 0]);
    fixture.write("long.txt", format!("{}\nend", "x".repeat(5_000_000)).as_bytes());
    assert_eq!(fixture.text("@file://crlf.md?line=2"), "two\r\n");
    assert_eq!(fixture.text("@file://bom.md?line=1"), "one\n");
    assert_eq!(fixture.text("@file://wide.txt?line=2"), "b");
    assert_eq!(fixture.text("@file://long.txt?line=2"), "end");
    assert_eq!(fixture.refused("@file://crlf.md?line=2-1").0, "REF3003");
    assert_eq!(fixture.text("@lines:file://crlf.md?line=2"), "2: two\n");
    assert_eq!(fixture.text("@lines:file://crlf.md?line=2&from=10"), "10: two\n");
    assert_eq!(fixture.text("@lines:file://crlf.md"), "1: one\n2: two\n");
    assert_eq!(fixture.refused("@lines:file://crlf.md?from=-1").0, "REF3004");
}

#[test]
fn ref_3_what_definition_reports_of_lines_leaves_them_to_text() {
    let fixture = Fixture::with(&[("a.md", "one\ntwo\n")]).define(
        "<resource protocol=\"note\">\n<params>\n| name | type | description | required |\n\
         |--|--|--|--|\n| line | string | lines | yes |\n| tone | string | how | no |\n\
         </params>\n</resource>\n",
    );
    let text = fixture.text("@note:file://a.md?line=2&tone=calm");
    assert!(text.contains("\ntwo\n") && !text.contains("\none\n"), "{text}");
    assert!(text.contains("tone=\"calm\""), "{text}");
    assert!(fixture.text("@note:file://a.md").contains("one"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn ref_14_lines_of_any_text_are_lines_of_it(
        text in "[ab\\r\\n中]{0,40}", first in 1_u64..8, more in prop::option::of(0_u64..8),
    ) {
        let range = contexture_reference::text::LineRange { first, last: more.map(|more| first + more) };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let count = lines.len() as u64;
        let last = range.last.unwrap_or(count.max(first));
        let expected: String = (1_u64..).zip(&lines)
            .filter(|(number, _)| (first..=last).contains(number))
            .map(|(_, line)| *line)
            .collect();
        let (taken, past) = range.of(&text);
        prop_assert_eq!(taken, expected);
        prop_assert_eq!(past, (count < first || range.last.is_some_and(|last| count < last)).then_some(count));
    }
}
