use super::{Malformed, scan};

mod against_commonmark;
mod planted;

/// Returns the texts of the references found; nothing malformed may be there.
fn found(text: &str) -> Vec<&str> {
    scan(text)
        .map(|it| {
            let found = it.unwrap_or_else(|error| panic!("{text}: {error:?}"));
            assert_eq!(text.get(found.start..found.end), Some(found.text));
            assert_eq!(found.reference.as_str(), found.text);
            found.text
        })
        .collect()
}

fn malformed(text: &str) -> Vec<Malformed<'_>> {
    scan(text).filter_map(Result::err).collect()
}

#[track_caller]
fn check(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(&found(text), expected, "{text:?}");
    }
}

#[test]
fn ref_6_references_end_at_white_space_wide_punctuation_and_quotes() {
    let a: &[&str] = &["@file://a.md"];
    for end in [
        " ", "\n", "\r\n", "\t", "\u{3000}", "\u{a0}", "\u{2028}", "\u{feff}", "\u{200b}", "\0",
        "，", "。", "、", "；", "：", "？", "！", "（", "）", "《", "》", "「", "」", "【", "】",
        "〉", "～", "｜", "＂", "＠", "—", "……", "・", "︰", "﹐", "｡", "\"", "'", "“", "”", "‘",
        "’", "«", "»", "‹", "›", "„", "`", "<br>", ">",
    ] {
        for after in ["", "x", "x.", "后", " "] {
            let text = format!("@file://a.md{end}{after}");
            assert_eq!(found(&text), a, "{text:?}");
        }
    }
}

#[test]
fn ref_6_marks_end_reference_before_white_space_cjk_and_end() {
    let a: &[&str] = &["@file://a.md"];
    for mark in
        [".", ",", ";", ":", "!", "?", "(", "[", "{", ")", "]", "}", "...", "?!", ").", "),"]
    {
        for after in ["", " x", "\nx", "然后", "かな", "한글", "，", "\u{3000}", "”", "\""]
        {
            let text = format!("@file://a.md{mark}{after}");
            assert_eq!(found(&text), a, "{text:?}");
        }
    }
    check(&[
        ("@file://a.b.c", &["@file://a.b.c"]),
        ("@file://a,b;c:d!e", &["@file://a,b;c:d!e"]),
        ("@file://a?line=5-10.", &["@file://a?line=5-10"]),
        ("@file://a?line=5-", &["@file://a?line=5-"]),
        ("@http://h/?", &["@http://h/"]),
        ("@file://文档/说明.md。", &["@file://文档/说明.md"]),
        ("@file://说明文件然后", &["@file://说明文件然后"]),
        ("@file://第1.章", &["@file://第1"]),
        ("@file://佐々木.md", &["@file://佐々木.md"]),
        ("@file://a.mdＡ", &["@file://a.mdＡ"]),
        ("@file://a.md🙂 x", &["@file://a.md🙂"]),
    ]);
}

#[test]
fn ref_6_brackets_stay_while_they_are_balanced_inside() {
    check(&[
        ("(see @file://a(1).md)", &["@file://a(1).md"]),
        ("(see @file://a(1).md).", &["@file://a(1).md"]),
        ("@file://a(1) x", &["@file://a(1)"]),
        ("@file://a(1)。", &["@file://a(1)"]),
        ("@file://a[0]{1}(2)", &["@file://a[0]{1}(2)"]),
        ("@file://a(b(c)d)e)f", &["@file://a(b(c)d)e"]),
        ("[x](@file://a.md)", &["@file://a.md"]),
        ("[x](@file://a.md)[y](@file://b.md)", &["@file://a.md", "@file://b.md"]),
        ("[@file://a.md]: x", &["@file://a.md"]),
        ("{@file://a.md}", &["@file://a.md"]),
        ("<@file://a.md>", &["@file://a.md"]),
        ("<td>@file://a.md</td>", &["@file://a.md"]),
        ("（@file://a.md）", &["@file://a.md"]),
        ("@file://src/*.{js,ts}", &["@file://src/*.{js,ts}"]),
        ("看@file://src/**/*.{js,ts}，", &["@file://src/**/*.{js,ts}"]),
        ("@file://src/*.{js,ts}.", &["@file://src/*.{js,ts}"]),
        ("@file://a(1.) x", &["@file://a(1.)"]),
    ]);
}

#[test]
fn ref_6_where_reference_may_begin() {
    check(&[
        ("@file://a", &["@file://a"]),
        ("请读@file://a", &["@file://a"]),
        ("：@file://a", &["@file://a"]),
        ("é@file://a", &["@file://a"]),
        ("a@file://a", &[]),
        ("Z@file://a 9@file://a", &[]),
        ("_@file://a", &["@file://a"]),
        ("@@file://a", &["@file://a"]),
        ("\u{feff}@file://a", &["@file://a"]),
        (r"\@file://a", &[]),
        (r"\\@file://a", &["@file://a"]),
        (r"\\\@file://a", &[]),
        (r"请读\@file://a，\@!x://y", &[]),
        ("@file://a @!b:@?c://d\n@?e:f://g", &["@file://a", "@!b:@?c://d", "@?e:f://g"]),
        ("@outer:middle:inner://resource.", &["@outer:middle:inner://resource"]),
        ("[@]file://a", &[]),
        ("＠file://a", &[]),
    ]);
}

#[test]
fn ref_6_what_is_not_reference_and_no_error() {
    check(&[
        ("@name and @ann: hello, @bob:hi @张三：好 @ann,", &[]),
        ("user@host user@host:22 git@example.org:a/b.git", &[]),
        ("@media screen { a: b } @import url(x://y)", &[]),
        ("@app.route(\"/\") @Override @param x:y", &[]),
        ("@ file://a @\t@\n@", &[]),
        ("a @协议名://路径 b", &[]),
        ("@12:30 @file @file: a @file:，(@file:) @file:. @x:@y @file:", &[]),
        ("@!important @?what @! @?", &[]),
        ("@scope/pkg @scope/pkg:x://y", &[]),
        ("http://a@b:c@d/", &[]),
    ]);
}

#[test]
fn ref_6_text_that_looks_like_reference_is_reported_with_place() {
    let cases = [
        ("读@file:a.md。", "@file:a.md", "REF1004", 9),
        ("x @file:/a.md, y", "@file:/a.md", "REF1004", 8),
        ("x @memory:user y", "@memory:user", "REF1004", 10),
        ("用@file:说明.md。", "@file:说明.md", "REF1004", 9),
        ("@file::x", "@file::x", "REF1004", 6),
        ("@file://.", "@file://", "REF1005", 8),
        ("@file:// a", "@file://", "REF1005", 8),
        ("(@x:@y://)", "@x:@y://", "REF1005", 9),
        ("@1x://a", "@1x://a", "REF1002", 1),
        ("@a.b://c", "@a.b://c", "REF1003", 2),
        ("@file://a?b.", "@file://a?b", "REF1010", 11),
        ("文 @file://a?b=%zz 文", "@file://a?b=%zz", "REF1012", 16),
        ("@!file:a.md", "@!file:a.md", "REF1004", 7),
        ("@!x:y", "@!x:y", "REF1004", 4),
    ];
    for (text, expected, code, offset) in cases {
        let errors = malformed(text);
        assert_eq!(errors.len(), 1, "{text}");
        let error = &errors[0];
        assert_eq!(
            (error.text, error.error.code, error.offset()),
            (expected, code, offset),
            "{text}"
        );
        assert_eq!(text.get(error.start..error.end), Some(expected));
        assert!(text.is_char_boundary(error.offset()));
    }
    let deep = format!("see @{}file://a now", "b:".repeat(40));
    assert_eq!(malformed(&deep).first().map(|it| it.error.code), Some("REF1006"));
}

#[test]
fn ref_6_emphasis_and_tables_are_not_part_of_reference() {
    check(&[
        ("**@file://a.md**", &["@file://a.md"]),
        ("*@file://a.md*, _@file://b_ ~~@file://c.~~", &["@file://a.md", "@file://b", "@file://c"]),
        ("**@file://docs/***", &["@file://docs/*"]),
        ("@file://docs/**", &["@file://docs/**"]),
        ("* @file://docs/*", &["@file://docs/*"]),
        (
            "|@file://a|@file://b|\n|--|--|\n| @file://c | @file://d|",
            &["@file://a", "@file://b", "@file://c", "@file://d"],
        ),
        ("@file://a|b", &["@file://a|b"]),
    ]);
}

#[test]
fn ref_6_code_fences_are_skipped() {
    check(&[
        ("```\n@file://a\n```\n@file://b", &["@file://b"]),
        ("```\r\n@file://a\r\n```\r\n@file://b", &["@file://b"]),
        ("```\r@file://a\r```\r@file://b", &["@file://b"]),
        ("~~~ x @file://no\n@file://a\n```\n@file://c\n~~~\n@file://b", &["@file://b"]),
        ("````\n```\n@file://a\n```\n````\n@file://b", &["@file://b"]),
        ("   ```\n@file://a\n   ```  \n@file://b", &["@file://b"]),
        ("    ```\n@file://a\n    ```\n", &["@file://a"]),
        ("```\n@file://a", &[]),
        ("```\n@file://a\n``` x\n@file://b\n```", &[]),
        ("``` a`b\n@file://a", &["@file://a"]),
        ("``\n@file://a\n``", &[]),
        ("> ```\n> @file://a\n> ```\n> @file://b", &["@file://b"]),
        ("> ```\n> @file://a\n@file://b", &["@file://b"]),
        (">> ~~~\n>> @file://a\n> @file://b", &["@file://b"]),
        ("- ```\n  @file://a\n  ```\n- @file://b", &["@file://b"]),
        ("- ```\n  @file://a\n\n  @file://c\n- @file://b", &["@file://b"]),
        ("1. x\n\n   ```\n   @file://a\n   ```\n2. @file://b", &["@file://b"]),
        ("- x\n  - ```\n    @file://a\n@file://b", &["@file://b"]),
        ("-\t```\n\t@file://a\n\t```\n\t@file://b", &["@file://b"]),
        ("text\n```\n@file://a\n```\n@file://b", &["@file://b"]),
        ("\u{feff}```\n@file://a\n```\n@file://b", &["@file://b"]),
        ("<resource>\n```\n@file://a\n```\n</resource>@file://b", &["@file://b"]),
        ("中文\n\n```中文\n@file://a\n```\n中文@file://b。", &["@file://b"]),
        ("- a\n\n      ```\n  @file://b", &["@file://b"]),
    ]);
}

#[test]
fn ref_6_indented_code_is_skipped() {
    check(&[
        ("para\n\n    @file://a\n\n@file://b", &["@file://b"]),
        ("    | @file://a |\n", &[]),
        ("\t@file://a\n", &[]),
        ("# x\n    @file://a\n\n    @file://c\nend", &[]),
        ("-     @file://a\n- @file://b", &["@file://b"]),
        ("- x\n\n      @file://a\n\n  @file://b", &["@file://b"]),
        ("- x\n\n    @file://b", &["@file://b"]),
        ("> x\n>\n>     @file://a\n> \n> @file://b", &["@file://b"]),
        ("para\n    @file://b", &["@file://b"]),
        ("<role>\n  <personality>\n\n    @file://b\n  </personality>\n</role>", &["@file://b"]),
        ("<a>\n\n    @file://b\n</a>\n\n    @file://a", &["@file://b"]),
        ("<br>\n<img src=\"x\">\n\n    @file://a", &[]),
        ("<https://a>\n\n    @file://a", &[]),
        ("<a/>\n\n    @file://a", &[]),
    ]);
}

#[test]
fn ref_6_comments_are_skipped() {
    check(&[
        ("<!--\nold: @file://a\n\n@file://c\n-->\n@file://b", &["@file://b"]),
        ("x <!-- @file://a --> @file://b", &["@file://b"]),
        ("x <!-- @file://a\n@file://c --> @file://b", &["@file://b"]),
        ("x\n<!-- @file://a --> @file://b", &["@file://b"]),
        ("<!--> @file://b", &["@file://b"]),
        ("<!-- @file://a", &[]),
        ("x <!-- @file://b", &["@file://b"]),
        (r"x \<!-- @file://b -->", &["@file://b"]),
        ("`<!--` @file://b -->", &["@file://b"]),
        ("<!-- ` --> @file://b `@file://a`", &["@file://b"]),
        ("> <!-- @file://a\n@file://b", &["@file://b"]),
        ("```\n<!--\n```\n@file://b", &["@file://b"]),
        ("<!--\n```\n-->\n@file://b", &["@file://b"]),
    ]);
}

#[test]
fn ref_6_inline_code_is_skipped() {
    check(&[
        ("`@file://a` @file://b", &["@file://b"]),
        ("``@file://a ` @file://c`` @file://b", &["@file://b"]),
        ("`x\n@file://a\ny` @file://b", &["@file://b"]),
        ("> `x\n> @file://a` @file://b", &["@file://b"]),
        ("- `x\n  @file://a` @file://b", &["@file://b"]),
        ("- `x\n@file://a` @file://b", &["@file://b"]),
        ("`x\n\n@file://a` @file://b", &["@file://a", "@file://b"]),
        ("`x\n# @file://a`", &["@file://a"]),
        ("`x\n- @file://a`", &["@file://a"]),
        ("`x\n2. @file://a` @file://b", &["@file://b"]),
        ("`x\n---\n@file://a`", &["@file://a"]),
        ("`x\n***\n@file://a`", &["@file://a"]),
        ("`x @file://a", &["@file://a"]),
        ("``x @file://a`", &["@file://a"]),
        (r"\`@file://a` @file://b", &["@file://a", "@file://b"]),
        (r"\\`@file://a` @file://b", &["@file://b"]),
        (r"\``@file://a` @file://b", &["@file://b"]),
        (r"`x\` @file://a `y`", &["@file://a"]),
        ("请用`@file://a`和@file://b。", &["@file://b"]),
        ("| `a | b |\n|---|---|\n| @file://a | ` |", &["@file://a"]),
        ("@file://a`@file://b`", &["@file://a"]),
        ("# `@file://a` @file://b\n`@file://c", &["@file://b", "@file://c"]),
    ]);
}

#[test]
fn ref_6_hostile_texts_take_no_longer_than_their_size() {
    let texts = [
        format!("{}@file://a", "> ".repeat(100_000)),
        format!("{}\n{}@file://a", "- ".repeat(100_000), "\n".repeat(100_000)),
        (1..1200).map(|length| "`".repeat(length) + " ").collect::<String>() + "@file://a",
        "@a:b-".repeat(100_000),
        "\\".repeat(400_000) + "@file://a",
        "@a:".repeat(200_000),
        "@file://a|".repeat(50_000),
        "*@file://a*".repeat(50_000),
        format!("@file://{}", "(".repeat(300_000)),
        format!("@file://{}x", ".".repeat(300_000)),
        "`@file://a".repeat(50_000),
        "| `\n".repeat(50_000) + "@file://a",
        "x <!-- @file://a".repeat(50_000),
        "x <!-- ` --> @file://a".repeat(50_000),
        format!("x{}@file://a", "\\<!--".repeat(50_000)),
        "<a @file://a\n".repeat(50_000),
    ];
    for text in &texts {
        let count = scan(text).count();
        assert!(count <= text.len());
    }
}
