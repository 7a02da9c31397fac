//! New values in the text of a file of tests (EV-7).
//!
//! Decision: what differs is replaced where it stands, as JSON, which YAML takes; comments, order and
//! style of all else stay byte for byte. Every change is read again, and one after which the file says
//! anything else is not made.

use super::parse::yaml;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::Spanned;
use std::fmt;
use std::ops::Range;

/// A step of a path into a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Key(&'static str),
    Index(usize),
}

/// The values of a text with their places.
enum Tree {
    Map(Vec<(String, Spanned<Tree>)>),
    List(Vec<Spanned<Tree>>),
    Leaf,
}

/// A place in a text, and what is to stand there.
type Edit = (Range<usize>, String);

/// Returns a text of YAML or JSON with another value at a path; none when it can't be changed in place.
pub(super) fn edited(text: &str, path: &[Step], new: &Value) -> Option<String> {
    let mut wanted: Value = yaml(text).ok()?;
    let old = at_mut(&mut wanted, path)?;
    let before = std::mem::replace(old, new.clone());
    let tree: Spanned<Tree> = yaml(text).ok()?;
    let node = path.iter().try_fold(&tree, |node, step| child(node, *step))?;
    let mut small = Vec::new();
    differences(text, node, (&before, new), &mut small);
    let whole = vec![(place(text, node), new.to_string())];
    [small, whole]
        .into_iter()
        .map(|edits| with(text, edits))
        .find(|text| yaml::<Value>(text).is_ok_and(|found| found == wanted))
}

fn at_mut<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(*key),
        Step::Index(at) => value.get_mut(*at),
    })
}

fn child(node: &Spanned<Tree>, step: Step) -> Option<&Spanned<Tree>> {
    match (&node.value, step) {
        (Tree::Map(fields), Step::Key(key)) => {
            fields.iter().find(|(name, _)| name == key).map(|(_, node)| node)
        }
        (Tree::List(items), Step::Index(at)) => items.get(at),
        _ => None,
    }
}

/// Finds the smallest places in which two values differ.
fn differences(
    text: &str,
    node: &Spanned<Tree>,
    (old, new): (&Value, &Value),
    edits: &mut Vec<Edit>,
) {
    if old == new {
        return;
    }
    match (&node.value, old, new) {
        (Tree::Map(fields), Value::Object(old), Value::Object(new))
            if old.len() == new.len() && old.keys().all(|key| new.contains_key(key)) =>
        {
            for (key, node) in fields {
                let values = old.get(key).zip(new.get(key));
                values.into_iter().for_each(|pair| differences(text, node, pair, edits));
            }
        }
        (Tree::List(items), Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            let pairs = items.iter().zip(old.iter().zip(new));
            pairs.for_each(|(node, pair)| differences(text, node, pair, edits));
        }
        _ => edits.push(replaced(text, node, new)),
    }
}

/// Returns the change that puts a value in place of a node; of a text in a block the sign before it goes,
/// too.
fn replaced(text: &str, node: &Spanned<Tree>, new: &Value) -> Edit {
    let place = place(text, node);
    let before = text.get(..place.start).unwrap_or_default().trim_end();
    let sign = before.trim_end_matches(|c: char| c == '+' || c == '-' || c.is_ascii_digit());
    let is_block = matches!(node.value, Tree::Leaf)
        && sign.ends_with(['|', '>'])
        && text.get(before.len()..place.start).is_some_and(|gap| gap.contains('\n'));
    if !is_block {
        let blank = if place.is_empty() { " " } else { "" };
        return (place, format!("{blank}{new}"));
    }
    let block = text.get(place.clone()).unwrap_or_default();
    let rest = block.rsplit_once('\n').map(|(lines, rest)| {
        let end = if lines.ends_with('\r') { "\r\n" } else { "\n" };
        format!("{end}{rest}")
    });
    let rest = rest.unwrap_or_default();
    (sign.len() - 1..place.end, format!("{new}{rest}"))
}

/// Returns the place of a node: its reader tells where it begins, and of one without parts where it ends.
fn place(text: &str, node: &Spanned<Tree>) -> Range<usize> {
    let span = node.referenced.span();
    let number = |number: Option<u64>| number.and_then(|it| usize::try_from(it).ok());
    let start = number(span.byte_offset()).unwrap_or_default();
    let first = start.saturating_add(number(span.byte_len()).unwrap_or_default());
    let last = match &node.value {
        // The reader places an empty value at the colon before it.
        Tree::Leaf if text.get(start..first) == Some("") => {
            let is_colon = text.get(start..).is_some_and(|rest| rest.starts_with(':'));
            let at = start + usize::from(is_colon);
            return at..at;
        }
        Tree::Leaf => return start..first,
        Tree::Map(fields) => fields.last().map(|(_, node)| node),
        Tree::List(items) => items.last(),
    };
    let end = last.map_or(first, |last| place(text, last).end);
    let is_flow = text.get(start..).is_some_and(|text| text.starts_with(['{', '[']));
    let close = text.get(end..).and_then(|rest| rest.find(['}', ']'])).filter(|_| is_flow);
    start..close.map_or(end, |at| end + at + 1)
}

fn with(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(place, _)| place.start);
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (place, new) in edits {
        out.push_str(text.get(done..place.start).unwrap_or_default());
        out.push_str(&new);
        done = place.end;
    }
    out + text.get(done..).unwrap_or_default()
}

struct TreeVisitor;

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_unit<E: Error>(self) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut fields = Vec::new();
        while let Some(key) = map.next_key()? {
            fields.push((key, map.next_value()?));
        }
        Ok(Tree::Map(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TEXT: &str = "\
# 用例
cases:
  - name: 一 # the first
    expect:
      - equals:
          answer: one two   # said
          'tags': ['a', \"b\"]
          note: |
            several
            lines
          score: 1
          none:
      - subset: {a: 1}
      - equals: {a: {b: 1}, c: [ ]} # }
  - expect: [equals: \"x\", equals: [1, 2]] # end
";

    #[track_caller]
    fn changed(path: &[Step], new: &Value, pairs: &[(&str, &str)]) {
        let mut expected = TEXT.to_owned();
        for (old, new) in pairs {
            assert!(expected.contains(old), "{old}");
            expected = expected.replacen(old, new, 1);
        }
        assert_eq!(edited(TEXT, path, new).as_deref(), Some(expected.as_str()));
    }

    const fn equals(case: usize, expect: usize) -> [Step; 5] {
        let (cases, list) = (Step::Key("cases"), Step::Key("expect"));
        [cases, Step::Index(case), list, Step::Index(expect), Step::Key("equals")]
    }

    #[test]
    fn ev_7_new_values_stand_where_the_old_ones_did() {
        let all = |answer: &str, note: &str, score: f64| json!({ "answer": answer, "tags": ["a", "c: \"d\""], "note": note, "score": score, "none": 5 });
        changed(
            &equals(0, 0),
            &all("one two", "several\nlines\n", 1.5),
            &[("\"b\"", "\"c: \\\"d\\\"\""), ("score: 1", "score: 1.5"), ("none:", "none: 5")],
        );
        changed(
            &equals(0, 2),
            &json!({ "a": { "b": [true] }, "c": [] }),
            &[("{b: 1}", "{b: [true]}")],
        );
        changed(&equals(0, 2), &json!("é"), &[("{a: {b: 1}, c: [ ]}", "\"é\"")]);
        changed(&equals(1, 0), &json!({ "k": 1 }), &[("\"x\"", "{\"k\":1}")]);
        changed(&equals(1, 1), &json!([1, 2, 3]), &[("[1, 2]", "[1,2,3]")]);
    }

    #[test]
    fn ev_7_text_in_a_block_and_whole_values_are_replaced() {
        let mut new = json!({ "answer": "one two", "tags": ["a", "b"], "note": "短", "score": 1, "none": null });
        let block = "note: |\n            several\n            lines\n";
        changed(&equals(0, 0), &new, &[(block, "note: \"短\"\n")]);
        new = json!({ "answer": "no" });
        let text = edited(TEXT, &equals(0, 0), &new).unwrap();
        assert!(text.contains("- equals:\n          {\"answer\":\"no\"}"), "{text}");
        assert!(text.ends_with(TEXT.split_once("      - subset").unwrap().1), "{text}");
    }

    #[test]
    fn ev_7_line_ends_of_file_are_kept() {
        let text = "cases:\n  - expect:\n      - equals:\n          note: |\n            several\n            lines\n          more: >-\n            folded\n            text\n      - equals: 1\n";
        let crlf = text.replace('\n', "\r\n");
        let new = json!({ "note": "短", "more": "b\nc" });
        let changed = edited(text, &equals(0, 0), &new).unwrap();
        assert_eq!(
            changed,
            "cases:\n  - expect:\n      - equals:\n          note: \"短\"\n          more: \"b\\nc\"\n      - equals: 1\n"
        );
        let found = edited(&crlf, &equals(0, 0), &new).unwrap();
        assert_eq!(found, changed.replace('\n', "\r\n"));
    }

    #[test]
    fn ev_7_words_that_are_texts_stay_texts() {
        let text = "cases:\n  - expect: [equals: {a: yes, b: off}]\n";
        let found = edited(text, &equals(0, 0), &json!({ "a": "yes", "b": false }));
        assert_eq!(found.as_deref(), Some(text.replace("off", "false").as_str()));
        assert_eq!(
            edited(text, &equals(0, 0), &json!({ "a": "yes", "b": "off" })).as_deref(),
            Some(text)
        );
    }

    #[test]
    fn ev_7_line_of_json_is_changed_in_place() {
        let line = r#"{ "name": "a",  "expect": [ {"equals": {"x": 1, "y": "k"}} ] }"#;
        let path = [Step::Key("expect"), Step::Index(0), Step::Key("equals")];
        let found = edited(line, &path, &json!({ "x": 2, "y": "k" })).unwrap();
        assert_eq!(found, line.replace("1", "2"));
        assert_eq!(edited(line, &[Step::Key("no")], &json!(1)), None);
        assert_eq!(edited("a: [", &path, &json!(1)), None);
    }
}
