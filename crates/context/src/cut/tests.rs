use super::*;
use crate::budget::Keep;
use crate::tokens::{CL100K_BASE, FourBytes, O200K_BASE, Words};
use proptest::prelude::*;
use serde_json::json;

const KEEPS: [Keep; 3] = [Keep::Head, Keep::Tail, Keep::Middle];

fn prose(sentences: usize) -> String {
    (0..sentences)
        .map(|n| {
            let stop = if n % 3 == 2 { "\n" } else { " " };
            format!("Sentence number {n} tells of the {} thing in some words.{stop}", n * 7)
        })
        .collect()
}

/// Returns texts that are hard to cut.
fn hard() -> Vec<(&'static str, String)> {
    vec![
        ("one long line of letters", "x".repeat(20_000)),
        ("mixed letters", "aBcDe0fG".repeat(2666)),
        ("blanks", " ".repeat(20_000)),
        ("line ends", "\r\n".repeat(10_000)),
        ("signs", "{[(<>)]}/".repeat(2000)),
        ("one grapheme", format!("a{}", "\u{301}".repeat(10_000))),
        ("graphemes", format!("e{}", "\u{301}".repeat(9)).repeat(1000)),
        ("families", "👨‍👩‍👧‍👦".repeat(1000)),
        ("flags", "🇩🇪🇫🇷".repeat(1333)),
        ("chinese", "他们昨天去了北京。天气很好，大家都很高兴！".repeat(266)),
        ("chinese without signs", "天地玄黄宇宙洪荒".repeat(666)),
        ("arabic", "ذهب الولد إلى المدرسة؟ نعم. ".repeat(333)),
        ("thai", "ภาษาไทยไม่มีช่องว่างระหว่างคำ".repeat(333)),
        ("hindi", "लड़का स्कूल गया। वह खुश था। ".repeat(333)),
        ("crlf", "one line\r\nand another\r\n".repeat(666)),
        ("prose", prose(300)),
        ("zero width", "a\u{200b}\u{200d}b".repeat(2666)),
        ("private", "\u{e000}\u{10ffff}\u{fffd}".repeat(2000)),
        ("special", "<|endoftext|>".repeat(1333)),
        ("skin tones", "👩🏽‍🤝‍👨🏿 👍🏾".repeat(600)),
        ("tag flags", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}".repeat(600)),
        ("marks in words", format!("word{} ", "\u{301}\u{489}".repeat(5_000)).repeat(2)),
        ("hangul", "한국어는 띄어쓰기를 합니다. ".repeat(400)),
        ("hangul letters", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}".repeat(800)),
        ("hebrew", "שָׁלוֹם עֲלֵיכֶם. ".repeat(500)),
        ("directions", "abc \u{202e}\u{2066}אבג\u{2069}\u{202c} def\u{200f}. ".repeat(400)),
        ("tibetan", "བོད་སྐད་ཡིག། ".repeat(500)),
        ("tamil", "நிறுவனம் கொள்ளு. ".repeat(400)),
        ("blanks of all kinds", "\u{a0}\u{3000}\t \u{2028}\r\n\u{85}".repeat(1500)),
        ("digits", "31415926535".repeat(1500)),
        ("markers", "… [clipped: 12 of 34 tokens]".repeat(600)),
    ]
}

fn check(text: &str, limit: usize, measure: Measure, keep: Keep, counter: &dyn TokenCounter) {
    let name = counter.name();
    let context = || format!("{name} {keep:?} {measure:?} {limit} {:?}", text.get(..60));
    let ruler = Ruler::new(measure, counter);
    let cut = cut(text, limit, measure, keep, counter);
    assert_eq!(ruler.count(&cut.text), cut.after, "{}", context());
    assert!(cut.after <= limit, "{} > {}: {}", cut.after, limit, context());
    let whole = ruler.count(text);
    assert_eq!(cut.clipped, whole > limit, "{whole} {}", context());
    if cut.clipped {
        assert!(cut.before_exact, "small texts are counted: {}", context());
        assert_eq!(cut.before, whole, "{}", context());
        check_kept(text, &cut, keep, &context());
    } else {
        assert_eq!(cut.text, text);
    }
}

/// Checks that the kept part is a part of the text that begins and ends between graphemes.
fn check_kept(text: &str, cut: &Cut<'_>, keep: Keep, context: &str) {
    let is_bound = |at: usize| is_grapheme_bound(text, at);
    // A blank or line end after a marker may be the text's own.
    let is_start = |at: usize| is_bound(at) || (at > 0 && is_bound(at - 1));
    let is_whole = readings(&cut.text).iter().any(|kept| {
        let end = |start: usize| is_start(start) && is_bound(start + kept.len());
        match keep {
            Keep::Head => text.starts_with(kept) && is_bound(kept.len()),
            Keep::Tail => text.ends_with(kept) && is_start(text.len() - kept.len()),
            Keep::Middle => kept.is_empty() || places(text, kept).any(end),
        }
    });
    assert!(is_whole, "{:?} of {context}", cut.text);
}

/// Returns the possible kept parts: the text may itself contain something like a marker.
fn readings(text: &str) -> [&str; 2] {
    [without_markers(text), text]
}

/// Returns the places of `part` in `text`, including overlapping ones.
fn places<'a>(text: &'a str, part: &'a str) -> impl Iterator<Item = usize> + 'a {
    let starts = text.char_indices().map(|(at, _)| at);
    starts.filter(move |at| text.get(*at..).is_some_and(|rest| rest.starts_with(part)))
}

fn is_grapheme_bound(text: &str, at: usize) -> bool {
    if !text.is_char_boundary(at) {
        return false;
    }
    let mut cursor = unicode_segmentation::GraphemeCursor::new(at, text.len(), true);
    cursor.is_boundary(text, 0).unwrap()
}

fn without_markers(text: &str) -> &str {
    let is_marker = |rest: &str| rest.ends_with(" tokens]") || rest.ends_with(" chars]");
    let mut kept = text;
    if let Some((before, marker)) = kept.rsplit_once("… [clipped: ")
        && is_marker(marker)
    {
        kept = before;
    }
    if kept.starts_with("… [clipped: ")
        && let Some((_, after)) = kept.split_once(']')
    {
        kept = after.strip_prefix(['\n', ' ']).unwrap_or(after);
    }
    kept
}

#[test]
fn as_16_hard_texts_are_cut_within_any_limit() {
    for (_, text) in hard() {
        for keep in KEEPS {
            for limit in [0, 1, 2, 3, 12, 13, 14, 15, 16, 30, 57, 100, 999] {
                check(&text, limit, Measure::Tokens, keep, &O200K_BASE);
            }
            for limit in [1, 40, 1_000] {
                check(&text, limit, Measure::Chars, keep, &O200K_BASE);
                check(&text, limit, Measure::Tokens, keep, &CL100K_BASE);
            }
        }
    }
}

#[test]
fn as_16_hard_texts_fill_their_limit() {
    for (name, text) in hard() {
        for keep in KEEPS {
            let cut = cut(&text, 500, Measure::Tokens, keep, &O200K_BASE);
            // A grapheme as long as the text is not split, and a near end may cost a quarter.
            let least = if matches!(name, "one grapheme" | "marks in words") { 1 } else { 350 };
            assert!(!cut.clipped || cut.after >= least, "{name} {keep:?} {}", cut.after);
        }
    }
}

fn random_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z]{1,9}",
        3 => prop::sample::select(vec![
            " ", "  ", "\n", "\r\n", ". ", ".\n", ", ", "。", "？", "！", "\t", "'s ", "\u{301}",
            "\u{301}\u{327}", "👩‍👩‍👧", "🇩🇪", "中文", "ไทย", "स्ते", "ع", "[x]", "123456", "/",
            "\u{2028}", "\u{200d}", "か\u{3099}", "…", "))",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..300).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn as_16_cut_never_exceeds_budget(
        text in random_text(), limit in prop_oneof![0_usize..40, 0_usize..600],
    ) {
        for keep in KEEPS {
            check(&text, limit, Measure::Tokens, keep, &O200K_BASE);
            check(&text, limit, Measure::Tokens, keep, &CL100K_BASE);
            check(&text, limit, Measure::Chars, keep, &O200K_BASE);
        }
    }

    #[test]
    fn as_16_cut_never_exceeds_budget_of_any_counter(
        text in random_text(), repeat in 1_usize..20, limit in 0_usize..600,
    ) {
        let text = text.repeat(repeat);
        for keep in KEEPS {
            let words = cut(&text, limit, Measure::Tokens, keep, &Words);
            prop_assert!(Words.count(&words.text) <= limit);
            let bytes = cut(&text, limit, Measure::Tokens, keep, &FourBytes);
            prop_assert!(FourBytes.count(&bytes.text) <= limit);
        }
    }
}

#[test]
fn as_16_marker_names_removed_and_total() {
    let text = prose(100);
    let whole = O200K_BASE.count(&text);
    let cut = cut(&text, 200, Measure::Tokens, Keep::Head, &O200K_BASE);
    let kept = without_markers(&cut.text);
    let gone = whole - O200K_BASE.count(kept);
    assert_eq!(cut.text, format!("{kept}… [clipped: {gone} of {whole} tokens]"));
    assert_eq!((cut.before, cut.removed, cut.before_exact), (whole, gone, true));
    assert!(kept.ends_with(".\n") || kept.ends_with('.'), "{kept}");
}

#[test]
fn as_16_chars_are_unicode_scalar_values() {
    let text = "汉字。".repeat(100);
    let cut = cut(&text, 100, Measure::Chars, Keep::Head, &O200K_BASE);
    let kept = without_markers(&cut.text);
    let gone = 300 - kept.chars().count();
    assert_eq!(cut.text, format!("{kept}… [clipped: {gone} of 300 chars]"));
    assert!(kept.ends_with('。') && cut.after <= 100);
}

#[test]
fn as_16_tail_follows_marker() {
    let text = prose(100);
    let cut = cut(&text, 200, Measure::Tokens, Keep::Tail, &O200K_BASE);
    let (marker, kept) = cut.text.split_once(']').unwrap();
    assert!(marker.starts_with("… [clipped: "), "{marker}");
    assert!(text.ends_with(kept.trim_start()), "{kept}");
    assert!(kept.trim_start().starts_with("Sentence number"), "{kept}");
}

#[test]
fn as_16_middle_has_marker_on_each_side() {
    let text = prose(100);
    let whole = O200K_BASE.count(&text);
    let cut = cut(&text, 400, Measure::Tokens, Keep::Middle, &O200K_BASE);
    assert!(cut.text.starts_with("… [clipped: ") && cut.text.ends_with(" tokens]"));
    assert!(cut.text.contains("Sentence number 50"), "{}", cut.text);
    let figures: Vec<usize> = cut
        .text
        .split("[clipped: ")
        .skip(1)
        .map(|rest| rest.split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(figures.len(), 2);
    let kept = O200K_BASE.count(without_markers(&cut.text));
    assert!(figures.iter().sum::<usize>() + kept == whole, "{figures:?} {kept} {whole}");
    assert!(figures[0].abs_diff(figures[1]) < 60, "{figures:?}");
    assert_eq!(figures.iter().sum::<usize>(), cut.removed);
}

#[test]
fn as_16_marker_is_omitted_if_it_does_not_fit() {
    let text = prose(100);
    for keep in KEEPS {
        for limit in 1..12 {
            let cut = cut(&text, limit, Measure::Tokens, keep, &O200K_BASE);
            assert!(!cut.text.contains("clipped"), "{}", cut.text);
            assert!(!cut.text.is_empty() && cut.clipped);
        }
        assert_eq!(cut(&text, 0, Measure::Tokens, keep, &O200K_BASE).text, "");
    }
}

#[test]
fn as_16_partial_line_does_not_begin_line() {
    let text = format!("{} [system] {}", "word ".repeat(300), "more ".repeat(30));
    for limit in 40..80 {
        for keep in [Keep::Tail, Keep::Middle] {
            let cut = cut(&text, limit, Measure::Tokens, keep, &O200K_BASE);
            assert!(!cut.text.contains('\n'), "{}", cut.text);
        }
    }
}

#[test]
fn as_16_figures_of_huge_texts_are_marked_as_estimates() {
    let text = prose(20_000);
    let whole = O200K_BASE.count(&text);
    for keep in KEEPS {
        let cut = cut(&text, 1_000, Measure::Tokens, keep, &O200K_BASE);
        assert!(!cut.before_exact && cut.text.contains("000 tokens] (estimated)"), "{keep:?}");
        assert!(cut.before.abs_diff(whole) * 20 < whole, "{} {whole}", cut.before);
        assert!(O200K_BASE.count(&cut.text) <= 1_000 && cut.after >= 900, "{keep:?}");
    }
    let chars = cut(&text, 1_000, Measure::Chars, Keep::Head, &O200K_BASE);
    assert_eq!((chars.before, chars.before_exact), (text.chars().count(), true));
}

#[test]
fn as_16_lists_keep_whole_items() {
    let items: Vec<_> =
        (0..200).map(|n| json!({"path": format!("src/{n}.rs"), "line": n})).collect();
    let parts = Parts::of(&json!(items));
    for (keep, wanted) in [(Keep::Head, 0), (Keep::Tail, 199), (Keep::Middle, 100)] {
        let cut = parts.cut(400, Measure::Tokens, keep, &O200K_BASE);
        assert!(O200K_BASE.count(&cut.text) <= 400 && cut.after > 350, "{}", cut.after);
        let json: String =
            cut.text.lines().filter(|line| !line.starts_with('…')).collect::<Vec<_>>().join("\n");
        let kept: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        assert_eq!(cut.kept, Some(Kept { kept: kept.len(), of: 200, shortened: 0 }));
        assert!(kept.iter().all(|item| items.contains(item)));
        assert!(kept.contains(&items[wanted]), "{keep:?}");
        let first = items.iter().position(|item| *item == kept[0]).unwrap();
        assert_eq!(kept, items[first..first + kept.len()], "a row of items");
        let marker = cut.text.lines().find(|line| line.starts_with('…')).unwrap();
        let gone = cut.before - O200K_BASE.count(&json);
        assert_eq!(marker, format!("… [clipped: {gone} of {} tokens]", cut.before));
    }
}

#[test]
fn ca_15_list_of_long_passages_keeps_what_fits() {
    let text = |word: &str| format!("{} is a word. It stands in a line.\n", word).repeat(80);
    let passage = |word: &str| json!({"path": format!("{word}.md"), "text": text(word)});
    let items = ["one", "two", "three"].map(passage);
    let parts = Parts::of(&json!(items));
    let each = O200K_BASE.count(&Parts::of(&items[0]).text());
    for (keep, limit, kept, whole) in [
        (Keep::Head, 300, vec!["one.md"], 0),
        (Keep::Tail, 300, vec!["three.md"], 0),
        (Keep::Middle, 300, vec!["two.md"], 0),
        (Keep::Head, each + 300, vec!["one.md", "two.md"], 1),
        (Keep::Tail, each + 300, vec!["two.md", "three.md"], 1),
    ] {
        let cut = parts.cut(limit, Measure::Tokens, keep, &O200K_BASE);
        assert!(cut.after <= limit && cut.after + 40 > limit, "{keep:?}: {} of {limit}", cut.after);
        let json: String =
            cut.text.lines().filter(|line| !line.starts_with('…')).collect::<Vec<_>>().join("\n");
        let values: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        assert_eq!(
            values.iter().map(|one| one["path"].as_str().unwrap()).collect::<Vec<_>>(),
            kept
        );
        assert_eq!(values.iter().filter(|one| items.contains(one)).count(), whole);
        let marked =
            |one: &&serde_json::Value| one["text"].as_str().unwrap().contains("… [clipped: ");
        assert_eq!(values.iter().filter(marked).count(), 1);
        assert_eq!(cut.kept, Some(Kept { kept: kept.len(), of: 3, shortened: 1 }));
    }
}

#[test]
fn as_16_objects_keep_whole_fields_that_fit() {
    let value = json!({"path": "a.rs", "content": "long ".repeat(5_000), "line": 3, "ok": true});
    let parts = Parts::of(&value);
    let cut = parts.cut(60, Measure::Tokens, Keep::Head, &O200K_BASE);
    let (json, marker) = cut.text.split_once("\n…").unwrap();
    let kept: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(kept, json!({"path": "a.rs", "line": 3, "ok": true}));
    assert!(marker.contains("clipped") && cut.kept == Some(Kept { kept: 3, of: 4, shortened: 0 }));
}

#[test]
fn as_16_empty_value_stays_if_no_part_fits() {
    let long = "word ".repeat(3_000);
    for (value, empty, of) in [
        (json!([vec![1; 400], vec![2; 400]]), "[]", 2),
        (json!({"content": long}), "{}", 1),
        (json!({"a": {"b": 1, "c": long}}), "{}", 1),
    ] {
        let parts = Parts::of(&value);
        let whole = O200K_BASE.count(&parts.text());
        let gone = whole - O200K_BASE.count(empty);
        let marker = format!("… [clipped: {gone} of {whole} tokens]");
        for keep in KEEPS {
            let cut = |limit| parts.cut(limit, Measure::Tokens, keep, &O200K_BASE);
            let wanted = match keep {
                Keep::Tail => format!("{marker}\n{empty}"),
                _ => format!("{empty}\n{marker}"),
            };
            for made in [cut(100), cut(O200K_BASE.count(&wanted))] {
                assert_eq!(made.text, wanted, "{keep:?}");
                assert_eq!(made.kept, Some(Kept { kept: 0, of, shortened: 0 }));
                assert_eq!((made.before, made.removed, made.clipped), (whole, gone, true));
            }
            // Without room for the marker, and without room for anything.
            assert_eq!((cut(1).text.as_ref(), cut(1).after), (empty, 1));
            assert_eq!((cut(0).text.as_ref(), cut(0).after, cut(0).removed), ("", 0, whole));
        }
    }
}

#[test]
fn as_20_values_are_json_with_two_spaces() {
    for value in [
        json!([]),
        json!({}),
        json!(null),
        json!(1.5),
        json!([1, [2, {"a": []}], "x\ny"]),
        json!({"a": {"b": [1, 2]}, "c\"d": "中\u{2028}"}),
        json!([[], {}]),
    ] {
        assert_eq!(Parts::of(&value).text(), serde_json::to_string_pretty(&value).unwrap());
    }
    assert_eq!(Parts::of(&json!("plain\ntext")).text(), "plain\ntext");
}

#[test]
fn as_16_empty_list_or_object_is_cut_whole() {
    for value in [json!({}), json!([])] {
        let parts = Parts::of(&value);
        for keep in KEEPS {
            let cut = parts.cut(1, Measure::Chars, keep, &O200K_BASE);
            assert_eq!((&*cut.text, cut.after, cut.clipped), ("", 0, true), "{value} {keep:?}");
        }
    }
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|b| json!(b)),
        any::<i64>().prop_map(|n| json!(n)),
        random_text().prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(3, 40, 12, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(serde_json::Value::from),
            prop::collection::hash_map(".{0,6}", inner, 0..8)
                .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// Checks that the kept part of a list or an object is JSON of its own items or fields, whole and
/// in order.
fn check_parts(value: &serde_json::Value, cut: &Cut<'_>) -> Result<(), TestCaseError> {
    if !cut.clipped || cut.text.is_empty() {
        return Ok(());
    }
    let lines = cut.text.lines().filter(|line| !line.starts_with("… [clipped: "));
    let json = lines.collect::<Vec<_>>().join("\n");
    match value {
        serde_json::Value::Array(items) => {
            let kept: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
            let counted = cut.kept.unwrap();
            prop_assert_eq!((counted.kept, counted.of), (kept.len(), items.len()));
            // All but one are whole; that one is the first or the last.
            let row = |kept: &[serde_json::Value]| {
                kept.is_empty() || items.windows(kept.len()).any(|row| row == kept)
            };
            let less = counted.shortened;
            prop_assert!(less <= 1 && (row(&kept[less..]) || row(&kept[..kept.len() - less])));
        }
        serde_json::Value::Object(fields) => {
            let kept: serde_json::Map<_, _> = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(
                cut.kept,
                Some(Kept { kept: kept.len(), of: fields.len(), shortened: 0 })
            );
            prop_assert!(kept.iter().all(|(key, value)| fields.get(key) == Some(value)));
        }
        _ => prop_assert!(cut.kept.is_none()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn as_16_values_are_cut_within_any_limit(value in value(), limit in 0_usize..500) {
        let parts = Parts::of(&value);
        for keep in KEEPS {
            for measure in [Measure::Tokens, Measure::Chars] {
                let ruler = Ruler::new(measure, &O200K_BASE);
                let cut = parts.cut(limit, measure, keep, &O200K_BASE);
                prop_assert!(cut.after <= limit && ruler.count(&cut.text) == cut.after);
                prop_assert_eq!(cut.clipped, ruler.count(&parts.text()) > limit);
                check_parts(&value, &cut)?;
            }
        }
    }
}
