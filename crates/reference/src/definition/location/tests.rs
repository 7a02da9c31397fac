use super::*;
use crate::definition::Limits;
use contexture_diagnostic::Diagnostic;
use proptest::prelude::*;

fn read(text: &str) -> (Option<Location>, Vec<Diagnostic>) {
    let mut report = Report::new(100);
    let location = super::read(text, 0..text.len(), &Limits::default(), &mut report);
    (location, report.finish("x.md"))
}

fn codes_of(text: &str) -> Vec<&'static str> {
    read(text).1.into_iter().map(|fault| fault.code).collect()
}

#[track_caller]
fn rules(text: &str) -> Location {
    let (location, faults) = read(text);
    assert_eq!(faults, vec![]);
    location.unwrap()
}

#[track_caller]
fn takes(text: &str, right: &[&str], wrong: &[&str]) {
    let location = rules(text);
    for path in right {
        assert_eq!(location.check(&["x"], path), Ok(()), "{path}");
    }
    for path in wrong {
        assert!(location.check(&["x"], path).is_err(), "{path}");
    }
}

#[test]
fn ref_16_brace_glued_to_literal_text_is_rule_once() {
    let text = "location ::= x://{id}\nid ::= [a-zA-Z][a-zA-Z0-9_-]*";
    takes(text, &["a", "analytical", "a-1_b"], &["", "1a", "a/b", "aa bb", "分析"]);
    takes(
        "location ::= x://{a}/{b}.md\na ::= [a-z]+\nb ::= [0-9]+",
        &["ab/12.md"],
        &["ab/.md", "ab/1.txt", "/1.md", "ab/12/3.md"],
    );
    takes("location ::= {a}-{a}\na ::= [a-z]", &["a-b"], &["-", "ab-c", "a-"]);
    takes("location ::= {a}{a}/\na ::= [a-z]", &["ab/"], &["a/", "abc/", "/"]);
    takes("location ::= 'v'{n}\nn ::= [0-9]", &["v1"], &["v", "v12"]);
}

#[test]
fn ref_16_class_takes_characters_by_their_numbers() {
    for class in ["[\\u4e00-\\u9fff]", "[\\u{4e00}-\\u{9fff}]", "[#x4E00-#x9FFF]"] {
        let text = format!("location ::= {class}+");
        takes(&text, &["中", "中文"], &["a", "u4e00", "4", "#x4E00"]);
    }
    takes("location ::= [\\x41-\\x43_]+", &["A", "B_C"], &["D", "x", "4"]);
    // What is not a number of a character is its signs.
    takes("location ::= [\\u12]+", &["u", "1u2"], &["3", "\u{12}"]);
    takes("location ::= [#xyz]+", &["#", "x#z"], &["a"]);
}

#[test]
fn ref_16_brace_standing_apart_repeats() {
    let text = "location ::= path_segment {'/' path_segment}\npath_segment ::= [a-z]+";
    takes(text, &["a", "a/b", "ab/cd/ef"], &["", "a/", "/a", "a//b"]);
    takes("location ::= 'x' {n}\nn ::= [0-9]", &["x", "x1", "x123"], &["1", "xx"]);
}

#[test]
fn ref_16_location_may_report_protocol_or_path_alone() {
    for text in [
        "location ::= x://{id}",
        "location ::= 'x://' id",
        "location ::= id",
        "location ::= @x://{id}",
    ] {
        takes(&format!("{text}\nid ::= [a-z]+"), &["abc"], &["", "a1", "x://"]);
    }
}

#[test]
fn ref_16_brackets_are_optional_or_class_by_what_they_hold() {
    takes("location ::= ['[@]' | '@!' | '@?'] 'a'", &["a", "[@]a", "@!a", "@?a"], &["@a", "[a"]);
    takes("location ::= 'a' [tail]\ntail ::= '/b'", &["a", "a/b"], &["at", "a/"]);
    takes("location ::= x://{a}[/{a}]\na ::= [a-z]+", &["a", "a/b"], &["a/", "a/b/c"]);
    takes("location ::= [abc]+", &["cab"], &["d", "[abc]"]);
    takes("location ::= [^/]+", &["a b", "分析"], &["a/b", ""]);
    takes(r"location ::= [\w.\-\]]+", &["a.b-]_"], &["a/b"]);
    takes("location ::= ['\"a]+", &["'a\""], &["b"]);
    takes("location ::= [a-z 0-9_]+", &["a 0"], &["A"]);
}

#[test]
fn ref_16_all_forms_of_repetition_and_choice() {
    takes("location ::= ('a' | \"b\" 'c')+ 'd'?", &["a", "bc", "abcad"], &["", "b", "add"]);
    takes("location ::= ('a' | 'b') *", &["ab", "abba"], &["c"]);
    takes("y ::= [0-9]{4}\nlocation ::= y '-' [0-9]{2}", &["2026-11"], &["202-11", "20260-1"]);
    takes("location ::= 'a'{2,3}", &["aa", "aaa"], &["a", "aaaa"]);
    takes("location ::= 'a'{2,}", &["aa", "aaaaa"], &["a"]);
    takes("location ::= seg*\nseg ::= 'ab'", &["ab", "abab"], &["a", "aba"]);
    takes("location ::= docs/*.md", &["docs/*.md"], &["docs/a.md"]);
}

#[test]
fn ref_16_rules_stand_among_prose_fences_comments_and_over_lines() {
    let text = "The path of a thing:\n\n```ebnf\n(* one\n   other ::= 'z' *)\nlocation ::= 'a'\n  | 'b'\n\
        | (\n  'c'\n  'd' )  ;\n```\n\nFor example:\n```text\nx://a\n```\n```js\nlocation ::= 1\n```\n| a | b |\n";
    takes(text, &["a", "b", "cd"], &["c", "x", "z"]);
    takes("- `location ::= 'a'`\n- prose", &["a"], &["a`"]);
    takes("location ::=\n  'a' (* 'b' *) 'c'", &["ac"], &["abc"]);
    assert!(read("Only words, no rules: a = b, `x`.").0.is_none());
    assert!(codes_of("Only words.").is_empty());
}

#[test]
fn ref_16_rule_of_comment_alone_is_any_text() {
    takes("location ::= 'a/' rest\nrest ::= (* whatever *)", &["a/", "a/分/b c"], &["b"]);
    assert_eq!(codes_of("location ::="), ["REF2030"]);
}

#[test]
fn ref_16_recursion_of_every_kind_is_taken() {
    takes("location ::= location '/' 'a' | 'a'", &["a", "a/a/a"], &["", "a/", "/a"]);
    takes("location ::= 'a' location | 'a'", &["aaaa"], &["", "ab"]);
    takes("location ::= '(' [location] ')'", &["()", "((()))"], &["(()", ")("]);
    takes("location ::= a a\na ::= ['x']", &["", "x", "xx"], &["xxx"]);
    let deep = format!("{}{}", "(".repeat(400), ")".repeat(400));
    takes("location ::= '(' [location] ')'", &[&deep], &[]);
}

#[test]
fn ref_16_mismatch_reports_place_and_expectation() {
    let location = rules("location ::= x://{id}\nid ::= [a-z] {[a-z0-9]}");
    let mismatch = location.check(&["x"], "ab!c").unwrap_err();
    assert_eq!(
        mismatch.to_string(),
        "expected [a-z0-9] (rule `id`) or the end at byte 2 of the path, found `!`"
    );
    let location = rules("location ::= 'users/' name\nname ::= [a-z]+");
    let mismatch = location.check(&["x"], "userz/a").unwrap_err();
    assert_eq!(
        mismatch,
        Mismatch::Unexpected {
            offset: 4,
            expected: vec!["`s/` (rule `location`)".to_owned()],
            found: Some('z')
        }
    );
    assert!(location.check(&["x"], "users/").unwrap_err().to_string().ends_with("found its end"));
}

#[test]
fn ref_16_what_is_wrong_with_rules() {
    assert_eq!(codes_of("location ::= x://{id}"), ["REF2031"]);
    assert_eq!(codes_of("location ::= nobody"), ["REF2031"]);
    assert_eq!(codes_of("location ::= 'a' [query_params]"), ["REF2031"]);
    assert_eq!(codes_of("path ::= 'a'"), ["REF2033"]);
    assert_eq!(codes_of("location ::= 'a'\nlocation ::= 'b'"), ["REF2032"]);
    assert_eq!(codes_of("location ::= 'a' location"), ["REF2034"]);
    assert_eq!(codes_of("location ::= [_-.]+"), ["REF2035"]);
    for broken in ["'a", "('a'", "'a')", "{'a'", "[a-z", "[]", "()", "('a']", "'a'{9999}"] {
        assert_eq!(codes_of(&format!("location ::= {broken}")), ["REF2030"], "{broken}");
    }
    let nested = format!("location ::= {}'a'{}", "(".repeat(40), ")".repeat(40));
    assert_eq!(codes_of(&nested), ["REF2030"]);
    let long = format!("location ::= '{}'", "a".repeat(5000));
    assert_eq!(codes_of(&long), ["REF2036"]);
    let (_, faults) = read("location ::= x://{thougt_id}\nthought_id ::= 'a'");
    assert_eq!(faults[0].span, contexture_diagnostic::Span::new(18, 27));
    assert!(faults[0].help.as_deref().unwrap().starts_with("did you mean `thought_id`?"));
}

#[test]
fn ref_16_counts_make_no_giant() {
    let text = format!("location ::= {}", "('a'{256}){256}".repeat(200));
    let (location, faults) = read(&text);
    assert!(location.is_some() || faults[0].code == "REF2036");
    let rules: Vec<String> =
        (0..200).map(|i| format!("r{i} ::= {}", "'a'{256}".repeat(400))).collect();
    let text = format!("location ::= 'a'\n{}", rules.join("\n"));
    assert_eq!(codes_of(&text), ["REF2036"]);
}

#[test]
fn ref_16_matching_stops_at_limit() {
    let location = rules("location ::= a\na ::= a a | 'x' | ''");
    let mismatch = location.check(&["p"], &"x".repeat(5000)).unwrap_err();
    assert_eq!(mismatch, Mismatch::TooComplex { max_steps: 1_000_000 });
    assert_eq!(location.check(&["p"], "xxxx"), Ok(()));
}

proptest! {
    #[test]
    fn ref_16_any_rules_and_path_end(
        body in r#"[a-c '"\[\]{}()|*+?;:/^\\.-]{0,40}"#,
        second in r#"[a-c '"\[\]{}()|*+?]{0,20}"#,
        path in "[a-c:/]{0,12}",
    ) {
        let text = format!("location ::= {body}\na ::= {second}\n");
        if let (Some(location), _) = read(&text) {
            let _ = location.check(&["p"], &path);
        }
    }

    #[test]
    fn ref_16_any_text_is_read(text in r"(?s)(location ::= |\(\*|```|\n|.){0,60}") {
        let (_, faults) = read(&text);
        for fault in faults {
            let span = fault.span.range();
            prop_assert!(span.start <= span.end && span.end <= text.len());
        }
    }
}
