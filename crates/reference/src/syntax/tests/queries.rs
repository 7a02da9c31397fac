use super::{code_and_offset, parsed};
use crate::syntax::{ReferenceBuf, encode};

fn query(text: &str) -> Vec<(String, String)> {
    parsed(text).query().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

fn is(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn ref_3_names_and_values_are_decoded() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("@file://a?line=5-10", &[("line", "5-10")]),
        ("@file://a?b=2&a=1", &[("b", "2"), ("a", "1")]),
        ("@file://a?a=", &[("a", "")]),
        ("@file://a?a=b=c", &[("a", "b=c")]),
        ("@file://a?a=1+1", &[("a", "1+1")]),
        ("@file://a?a=%2B%26%3d%3F%25", &[("a", "+&=?%")]),
        ("@file://a?%6eame=%E4%BD%A0好", &[("name", "你好")]),
        ("@file://a?a=%F0%9F%98%80x", &[("a", "😀x")]),
        ("@file://a?a=x%0Ay%09%0D", &[("a", "x\ny\t\r")]),
        ("@file://a?标题=第 一#章", &[("标题", "第 一#章")]),
        ("@file://a?u=http://h/", &[("u", "http://h/")]),
        ("@a:b://c?A=1&a=2", &[("A", "1"), ("a", "2")]),
    ];
    for (text, expected) in cases {
        assert_eq!(query(text), is(expected), "{text}");
    }
    assert_eq!(parsed("@file://a?a=%41").query().get("a").as_deref(), Some("A"));
    assert_eq!(parsed("@file://a?a=1").query().get("b"), None);
}

#[test]
fn ref_3_what_is_not_query() {
    let cases = [
        ("@file://a?", "REF1009", 10),
        ("@file://a?=1", "REF1009", 10),
        ("@file://a?a=1&", "REF1009", 14),
        ("@file://a?a=1&&b=2", "REF1009", 14),
        ("@file://a?a", "REF1010", 11),
        ("@file://a?a&b=1", "REF1010", 11),
        ("@file://a?a=1&标题", "REF1010", 20),
        ("@file://a?a=1&b=2&a=3", "REF1011", 18),
        ("@file://a?a=1&%61=3", "REF1011", 14),
        ("@file://a?a=%", "REF1012", 12),
        ("@file://a?a=%4", "REF1012", 12),
        ("@file://a?a=1%zz", "REF1012", 13),
        ("@file://a?a=%+1", "REF1012", 12),
        ("@file://a?%zz=1", "REF1012", 10),
        ("@file://a?a=%E4%zz", "REF1012", 15),
        ("@file://a?a=%E4%BD", "REF1013", 12),
        ("@file://a?a=x%E4%BDy", "REF1013", 13),
        ("@file://a?a=%ff", "REF1013", 12),
        ("@file://a?a=%C0%AF", "REF1013", 12),
        ("@file://a?a=%ED%A0%80", "REF1013", 12),
        ("@file://a?a=%80", "REF1013", 12),
        ("@file://a?a=1?b=2", "REF1014", 13),
        ("@file://a?a?b=2", "REF1014", 11),
        ("@file://a?a=%00", "REF1015", 12),
        ("@file://a?a=%1b", "REF1015", 12),
        ("@file://a?a=%C2%85", "REF1015", 12),
        ("@file://a?a%0a=1", "REF1015", 11),
    ];
    for (text, code, offset) in cases {
        assert_eq!(code_and_offset(text), (code, offset), "{text}");
    }
}

#[test]
fn ref_3_name_twice_is_found_among_many() {
    let many = |last: &str| {
        let names: Vec<String> = (0..5000).map(|it| format!("n{it}=")).collect();
        format!("@file://a?{}&{last}=1", names.join("&"))
    };
    assert_eq!(query(&many("x")).len(), 5001);
    let twice = many("n77");
    assert_eq!(code_and_offset(&twice), ("REF1011", twice.len() - "n77=1".len()));
    let nine = "@file://a?a=&b=&c=&d=&b=&e=&f=&g=&a=";
    assert_eq!(code_and_offset(nine), ("REF1011", 22));
}

#[test]
fn ref_3_http_passes_query_on() {
    let texts = [
        "@https://h/p?a=1&a=2",
        "@http://h/p?flag",
        "@http://h/p?",
        "@http://h/p?&&a",
        "@HTTP://h/p?a=%zz",
        "@http://h/p?a=1?b=%ff",
        "@text:https://h/p?=1&=2",
        "@http://h/p?cx.line=1&line=x&line=y",
        "@http://h/p?cx.format=json&format=%zz",
    ];
    for text in texts {
        assert_eq!(parsed(text).as_str(), text);
    }
    let pairs = |text: &'static str| -> Vec<(String, Option<String>)> {
        let pairs = parsed(text).query().pairs();
        pairs.map(|it| (it.name().into_owned(), it.value().map(|it| it.into_owned()))).collect()
    };
    assert_eq!(query("@http://h/?a=%zz&&%41=%E4&b"), is(&[("a", "%zz"), ("A", "%E4"), ("b", "")]));
    assert_eq!(pairs("@http://h/?b&c="), [("b".into(), None), ("c".into(), Some("".into()))]);
}

#[test]
fn ref_3_our_parameters_over_http_follow_our_rules() {
    let cases = [
        ("@http://h/?line=1&a=1&a=2&line=2", "REF1011", 26),
        ("@http://h/?cx.a=1&cx.a=2", "REF1011", 18),
        ("@http://h/?format=json&a=1&%66ormat=text", "REF1011", 27),
        ("@http://h/?a&max", "REF1010", 16),
        ("@http://h/?encoding=%zz", "REF1012", 20),
        ("@http://h/?cx.a=1?", "REF1014", 17),
        ("@text:http://h/?cache=%ff", "REF1013", 22),
    ];
    for (text, code, offset) in cases {
        assert_eq!(code_and_offset(text), (code, offset), "{text}");
    }
    // The outer protocol does not matter, the innermost does.
    assert_eq!(code_and_offset("@http:file://a?b"), ("REF1010", 16));
}

#[test]
fn ref_3_query_is_written_encoded() {
    let reference = parsed("@a:b://c?x=1");
    let parameters = [("name", "a & b = 100%?"), ("标题", "第一章。\n"), ("v", "1.5"), ("w", "a.")];
    let owned = ReferenceBuf::with_query(reference, parameters).expect("names differ");
    assert_eq!(
        owned.as_str(),
        "@a:b://c?name=a%20%26%20b%20%3D%20100%25%3F&标题=第一章%E3%80%82%0A&v=1.5&w=a%2E"
    );
    assert_eq!(query(owned.as_str()), is(&parameters));
    assert_eq!(ReferenceBuf::with_query(reference, []).expect("none").as_str(), "@a:b://c");
    assert!(ReferenceBuf::with_query(reference, [("a", ""), ("a", "")]).is_err());
    assert_eq!(encode("src/*.md"), "src/*%2Emd".replace("%2E", "."));
}
