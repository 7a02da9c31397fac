use super::*;
use crate::codes;

mod properties;
mod queries;
mod secrets;

/// Returns a reference that must be right.
pub(super) fn parsed(text: &str) -> Reference<'_> {
    Reference::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns code, offset, and the expected and the found text.
fn fault(text: &str) -> (&'static str, usize, String, String) {
    let error = Reference::parse(text).expect_err(text);
    (error.code, error.offset, error.expected.to_string(), error.found)
}

pub(super) fn code_and_offset(text: &str) -> (&'static str, usize) {
    let (code, offset, ..) = fault(text);
    (code, offset)
}

#[test]
fn ref_1_prefix_and_protocol() {
    let cases = [
        ("@file://a.md", Semantics::Default, "file"),
        ("@!file://a.md", Semantics::Hot, "file"),
        ("@?file://a.md", Semantics::Lazy, "file"),
        ("@F://a", Semantics::Default, "F"),
        ("@x2://a", Semantics::Default, "x2"),
        ("@my-own_Protocol-2://a", Semantics::Default, "my-own_Protocol-2"),
        ("@a---://a", Semantics::Default, "a---"),
    ];
    for (text, semantics, protocol) in cases {
        let reference = parsed(text);
        assert_eq!((reference.semantics(), reference.protocol()), (semantics, protocol), "{text}");
        assert_eq!((reference.depth(), reference.inner()), (1, None), "{text}");
    }
}

#[test]
fn ref_1_missing_or_bracketed_sign_is_error() {
    for text in ["", "file://a.md", "[@]file://a.md", " @file://a.md", "＠file://a.md", "!file://a"]
    {
        assert_eq!(code_and_offset(text), ("REF1001", 0), "{text:?}");
    }
    let help = Reference::parse("[@]file://a").expect_err("no sign").help;
    assert!(help.contains("plain `@`"), "{help}");
}

#[test]
fn ref_1_what_is_not_protocol_name() {
    let cases = [
        ("@", "REF1002", 1),
        ("@!", "REF1002", 2),
        ("@://a", "REF1002", 1),
        ("@1x://a", "REF1002", 1),
        ("@_x://a", "REF1002", 1),
        ("@-x://a", "REF1002", 1),
        ("@ file://a", "REF1002", 1),
        ("@!?file://a", "REF1002", 2),
        ("@@file://a", "REF1002", 1),
        ("@文件://a", "REF1002", 1),
        ("@file", "REF1003", 5),
        ("@fi le://a", "REF1003", 3),
        ("@fichié://a", "REF1003", 6),
        ("@a.b://a", "REF1003", 2),
        ("@file：//a", "REF1003", 5),
    ];
    for (text, code, offset) in cases {
        assert_eq!(code_and_offset(text), (code, offset), "{text:?}");
    }
}

#[test]
fn ref_2_path_is_kept_as_written() {
    let cases = [
        ("@file://a", "a"),
        ("@file:///etc/hosts", "/etc/hosts"),
        ("@file://../a", "../a"),
        ("@file://文档/说明 (1).md", "文档/说明 (1).md"),
        ("@file://src/*.{js,ts}", "src/*.{js,ts}"),
        ("@file://a%20b", "a%20b"),
        ("@file://100%", "100%"),
        ("@ftp://u:p@h:21/a", "u:p@h:21/a"),
        ("@http://h:80", "h:80"),
        ("@memory://@x:y", "@x:y"),
        ("@file:////", "//"),
        ("@file://é\u{a0}£", "é\u{a0}£"),
    ];
    for (text, path) in cases {
        assert_eq!(parsed(text).path(), path, "{text}");
        assert_eq!(parsed(text).raw_query(), None, "{text}");
    }
}

#[test]
fn ref_2_path_needs_slashes_and_something_behind_them() {
    let cases = [
        ("@file:", "REF1004", 6),
        ("@file:a.md", "REF1004", 6),
        ("@file:/a.md", "REF1004", 6),
        ("@memory:user", "REF1004", 8),
        ("@a:b:c", "REF1004", 5),
        ("@a:b:1://x", "REF1004", 5),
        ("@a:[@]b://x", "REF1004", 3),
        ("@file://", "REF1005", 8),
        ("@file://?a=1", "REF1005", 8),
        ("@a:@b://", "REF1005", 8),
        ("@a:@://x", "REF1002", 4),
        ("@a:@b", "REF1003", 5),
        ("@a:@!@b://x", "REF1002", 5),
        ("@a?x=1:b://y", "REF1003", 2),
    ];
    for (text, code, offset) in cases {
        assert_eq!(code_and_offset(text), (code, offset), "{text:?}");
    }
}

#[test]
fn ref_2_nested_levels_with_and_without_their_sign() {
    let reference = parsed("@!a:b:@?c:@d://x/y?p=1");
    let levels: Vec<_> = reference
        .levels()
        .map(|level| (level.semantics(), level.protocol(), level.depth(), level.as_str()))
        .collect();
    assert_eq!(
        levels,
        [
            (Semantics::Hot, "a", 4, "@!a:b:@?c:@d://x/y?p=1"),
            (Semantics::Default, "b", 3, "b:@?c:@d://x/y?p=1"),
            (Semantics::Lazy, "c", 2, "@?c:@d://x/y?p=1"),
            (Semantics::Default, "d", 1, "@d://x/y?p=1"),
        ]
    );
    for level in reference.levels() {
        assert_eq!((level.path(), level.raw_query()), ("x/y", Some("p=1")));
        assert_eq!(level.innermost().protocol(), "d");
    }
}

#[test]
fn ref_2_depth_is_limited() {
    let nested = |levels: usize| format!("@{}file://a", "b:".repeat(levels - 1));
    assert_eq!(parsed(&nested(16)).depth(), 16);
    let (code, offset, expected, found) = fault(&nested(17));
    assert_eq!((code, offset, found.as_str()), ("REF1006", 33, "file://a"));
    assert!(expected.contains("16 levels"), "{expected}");
    assert_eq!(code_and_offset(&nested(1_000_000)), ("REF1006", 33));
    let bomb = "@a:".repeat(100_000);
    assert_eq!(code_and_offset(&bomb), ("REF1006", 48));

    assert!(Reference::parse_within("@a:b://c", 1).is_err());
    assert_eq!(Reference::parse_within(&nested(40), 40).map(|it| it.depth()), Ok(40));
}

#[test]
fn ref_2_length_is_limited() {
    let long = |bytes: usize| format!("@file://{}", "a".repeat(bytes - 8));
    assert_eq!(parsed(&long(MAX_LENGTH)).path().len(), MAX_LENGTH - 8);
    assert_eq!(code_and_offset(&long(MAX_LENGTH + 1)), ("REF1008", MAX_LENGTH));
    let wide = format!("@file://{}", "界".repeat(MAX_LENGTH));
    let (_, offset) = code_and_offset(&wide);
    assert!(wide.is_char_boundary(offset) && offset <= MAX_LENGTH);
}

#[test]
fn ref_4_errors_report_what_was_expected_where_and_what_came() {
    let error = Reference::parse("@outer:文件").expect_err("no path");
    assert_eq!(error.offset, 7);
    assert_eq!(error.expected, "`//` and a path, or an inner reference");
    assert_eq!(error.found, "文件");
    assert_eq!(
        error.to_string(),
        "expected `//` and a path, or an inner reference, found `文件` at byte 7"
    );
    let diagnostic = error.diagnostic(100);
    assert_eq!((diagnostic.span.start, diagnostic.span.end), (107, 113));
    assert_eq!(diagnostic.help.as_deref(), Some(error.help.as_ref()));

    let end = Reference::parse("@file://").expect_err("no path");
    assert_eq!(end.message(), "expected a path, found the end");
    let long = Reference::parse(&"字".repeat(100)).expect_err("no sign");
    assert_eq!(long.found, format!("{}…", "字".repeat(32)));
}

#[test]
fn ref_4_first_fault_from_left_counts() {
    assert_eq!(code_and_offset("x1:?%zz"), ("REF1001", 0));
    assert_eq!(code_and_offset("@1:?%zz"), ("REF1002", 1));
    assert_eq!(code_and_offset("@a:/?%zz"), ("REF1004", 3));
    assert_eq!(code_and_offset("@a://?%zz"), ("REF1005", 5));
    assert_eq!(code_and_offset("@a://b?%zz&&"), ("REF1012", 7));
}

#[test]
fn ref_4_control_characters_are_refused() {
    let cases = [
        ("@file://a\n", 9),
        ("@file://\0", 8),
        ("@file://a\u{1b}[2J", 9),
        ("@file://é\u{85}", 10),
        ("@file://a?b=\u{7f}", 12),
        ("@file://a?\tb=1", 10),
        ("@http://a?b\r", 11),
        ("@http://a?\u{9f}", 10),
    ];
    for (text, offset) in cases {
        assert_eq!(code_and_offset(text), ("REF1007", offset), "{text:?}");
    }
    let shown = Reference::parse("@file://a\u{1b}[2J").expect_err("control").to_string();
    assert!(!shown.contains('\u{1b}') && shown.contains("\\u{1b}"), "{shown}");
}

#[test]
fn ref_4_every_code_has_entry_and_help() {
    let texts = [
        "x",
        "@",
        "@x",
        "@x:",
        "@x://",
        "@x://\n",
        "@x://a?",
        "@x://a?b",
        "@x://a?b=1&b=1",
        "@x://a?b=%",
        "@x://a?b=%ff",
        "@x://a?b=1?",
        "@x://a?b=%00",
    ];
    for text in texts {
        let error = Reference::parse(text).expect_err(text);
        assert!(codes::ALL.find(error.code).is_some(), "{text}");
        assert!(!error.help.is_empty() && !error.expected.is_empty(), "{text}");
    }
}

#[test]
fn ref_5_prints_back_what_was_parsed() {
    for text in ["@file://a.md", "@!A:b:@?File://x/../y?b=2&a=%41", "@https://u:p@h/?q&q=1#x"] {
        assert_eq!(parsed(text).as_str(), text);
        let owned: ReferenceBuf = text.parse().expect(text);
        assert_eq!((owned.to_string().as_str(), owned.as_ref()), (text, parsed(text)));
    }
}

#[test]
fn ref_5_canonical_form() {
    let cases = [
        ("@file://a.md", "@file://a.md"),
        ("@FILE://A.md", "@file://A.md"),
        ("@outer:inner://p", "@outer:@inner://p"),
        ("@!outer:@?middle:Inner://p", "@!outer:@?middle:@inner://p"),
        ("@file://a?b=2&a=1", "@file://a?a=1&b=2"),
        ("@file://a?b=2&B=1&a=%41", "@file://a?B=1&a=%41&b=2"),
        ("@http://h/?b=2&a=2&b=1&a=1", "@http://h/?a=2&a=1&b=2&b=1"),
        ("@http://h/?z&y&", "@http://h/?&y&z"),
        ("@http://h/?", "@http://h/?"),
    ];
    for (text, canonical) in cases {
        assert_eq!(parsed(text).canonical(), canonical, "{text}");
        assert_eq!(parsed(canonical).canonical(), canonical, "{text}");
    }
}

#[test]
fn ref_5_inner_levels_stand_alone() {
    let reference = parsed("@!a:b:@?c://x?y=1&x=2");
    let owned: Vec<String> =
        reference.levels().map(|level| level.to_owned().as_str().to_owned()).collect();
    assert_eq!(owned, ["@!a:b:@?c://x?y=1&x=2", "@b:@?c://x?y=1&x=2", "@?c://x?y=1&x=2"]);
    for (level, text) in reference.levels().zip(&owned) {
        assert_eq!(level.to_owned(), ReferenceBuf::parse(text.clone()).expect(text));
        assert_eq!(level.canonical(), parsed(text).canonical());
        assert_eq!(level.to_owned().as_ref().path(), "x");
    }
}
