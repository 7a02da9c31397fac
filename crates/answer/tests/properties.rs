//! Properties of every text: no panic, no change to valid JSON, and every mixture of the faults of
//! AS-21 is read back to its original value.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may panic like tests"
)]

use contexture_answer::{Field, Partial, ReadOptions, Shape, contract, read, repair_message};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Number, Value};

/// Pieces that cause trouble when combined.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    ":",
    ",",
    "\\",
    "\\\"",
    "\\u",
    "\\ud83d",
    "//",
    "/*",
    "*/",
    "#",
    "\n",
    " ",
    "```",
    "```json",
    "<think>",
    "</think>",
    "“",
    "”",
    "‘",
    "「",
    "」",
    "，",
    "：",
    "｛",
    "｝",
    "［",
    "］",
    "【",
    "true",
    "None",
    "nul",
    "1",
    "-",
    "1.5e",
    "a",
    "key",
    "中",
    "😀",
    "\u{feff}",
    "\u{0}",
    "...",
    "=",
    "=>",
    ";",
    "；",
    "`",
    "<",
    ">",
    "(",
    ")",
    "\"a\":",
    "{\"a\":1}",
    "0x",
    "\u{3000}",
];

fn pieces() -> impl Strategy<Value = String> {
    vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat())
}

fn shape() -> Shape {
    Shape::Object(vec![
        Field::new("a", Shape::Integer),
        Field::new("key", Shape::list(Shape::String)).optional(),
        Field::new("e", Shape::one_of(["x", "Y"])).optional(),
    ])
}

fn read_every_way(text: &str) {
    let shapes = [
        None,
        Some(shape()),
        Some(Shape::list(Shape::Number)),
        Some(Shape::String),
        Some(Shape::Boolean),
        Some(Shape::Json),
    ];
    for shape in &shapes {
        for options in [ReadOptions::lenient(), ReadOptions::strict()] {
            let outcome = read(text, shape.as_ref(), &options);
            if let (Err(error), Some(shape)) = (&outcome, shape) {
                assert!(!error.errors().is_empty());
                assert!(repair_message(text, error, shape).contains(&contract(shape)));
            }
        }
    }
    let mut partial = Partial::new(Some(shape()));
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (head, tail) = rest.split_at(c.len_utf8());
        partial.push(head);
        partial.refresh();
        rest = tail;
    }
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        (-1e15..1e15).prop_map(|x| Number::from_f64(x).unwrap()),
        any::<f64>().prop_filter_map("finite", Number::from_f64),
    ]
}

fn value(text: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number().prop_map(Value::Number),
        text.clone().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::Array),
            vec((text.clone(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn as_21_never_panics_on_text(text in any::<String>()) {
        read_every_way(&text);
    }

    #[test]
    fn as_21_never_panics_on_pieces(text in pieces()) {
        read_every_way(&text);
    }

    #[test]
    fn as_21_never_panics_on_damaged_json(
        value in value(any::<String>()),
        damage in vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..6),
    ) {
        let mut bytes = serde_json::to_vec_pretty(&value).unwrap();
        for (at, byte, kind) in damage {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                _ => bytes.truncate(at),
            }
        }
        read_every_way(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn as_21_valid_json_is_read_unchanged(value in value(any::<String>()), pretty: bool) {
        let text = if pretty {
            format!("\n {} \r\n", serde_json::to_string_pretty(&value).unwrap())
        } else {
            value.to_string()
        };
        let expected: Value = serde_json::from_str(&text).unwrap();
        let reading = read(&text, None, &ReadOptions::lenient()).unwrap();
        prop_assert_eq!(reading.value, expected);
        prop_assert_eq!(reading.repairs, vec![]);
    }

    #[test]
    fn as_21_strict_accepts_exact_json(text in prop_oneof![
        pieces(),
        any::<String>(),
        value(any::<String>()).prop_map(|value| value.to_string()),
    ]) {
        let strict = read(&text, None, &ReadOptions::strict());
        match serde_json::from_str::<Value>(&text) {
            Ok(value) => prop_assert_eq!(strict.unwrap().value, value),
            Err(_) => prop_assert!(strict.is_err()),
        }
    }

    #[test]
    fn as_21_mixed_faults_read_back(value in value(plain_text()), style in style()) {
        let value = rooted(value);
        let text = style.answer(&value);
        let reading = read(&text, None, &ReadOptions::lenient());
        prop_assert_eq!(reading.map(|it| it.value), Ok(style.kept(&value)), "{}", text);
    }

    #[test]
    fn as_21_unescaped_quotes_read_back(
        value in value(sentence()),
        mut style in style(),
    ) {
        let value = rooted(value);
        style.quotes = ('"', '"');
        style.raw = true;
        // Without commas a quote before a quote is ambiguous.
        style.no_commas = false;
        style.bare_keys = false;
        let text = style.answer(&value);
        let reading = read(&text, None, &ReadOptions::lenient());
        prop_assert_eq!(reading.map(|it| it.value), Ok(style.kept(&value)), "{}", text);
    }

    #[test]
    fn as_21_last_complete_object_wins_over_drafts_that_break_off(
        drafts in vec((draft(), prose()), 1..3),
        answer in final_answer(),
        after in prop::sample::select(&["", "\n", " Done.", "\n\nThat is all"][..]),
    ) {
        let shape = final_shape();
        let drafts: String = drafts.into_iter().map(|(draft, prose)| draft + prose).collect();
        let text = format!("First try: {drafts}{answer}{after}");
        let reading = read(&text, Some(&shape), &ReadOptions::lenient());
        prop_assert_eq!(reading.map(|it| it.value), Ok(answer), "{}", text);
    }

    #[test]
    fn as_23_last_partial_value_equals_value(value in value(plain_text()), size in 1..9_usize) {
        let value = rooted(value);
        let text = value.to_string();
        let mut partial = Partial::new(None);
        let chars: Vec<char> = text.chars().collect();
        for chunk in chars.chunks(size) {
            partial.push(&chunk.iter().collect::<String>());
        }
        partial.refresh();
        let expected: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(partial.value(), Some(&expected));
    }
}

/// Returns the shape of [`final_answer`].
fn final_shape() -> Shape {
    Shape::Object(vec![
        Field::new("a", Shape::String),
        Field::new("n", Shape::Integer).optional(),
        Field::new("tags", Shape::list(Shape::String)).optional(),
    ])
}

/// Generates an answer with texts of any kind, its quotes escaped as JSON has it.
fn final_answer() -> impl Strategy<Value = Value> {
    let text = || prop_oneof![sentence().boxed(), plain_text().boxed(), any::<String>().boxed()];
    (text(), any::<Option<i32>>(), prop::option::of(vec(text(), 1..3))).prop_map(|(a, n, tags)| {
        let mut fields = Map::from_iter([("a".to_owned(), Value::from(a))]);
        fields.extend(n.map(|n| ("n".to_owned(), n.into())));
        fields.extend(tags.map(|tags| ("tags".to_owned(), tags.into())));
        Value::Object(fields)
    })
}

/// Generates an answer of the same fields that breaks off anywhere.
fn draft() -> impl Strategy<Value = String> {
    let text = vec(prop::sample::select(&["good", "no", "7", "it is", "中"][..]), 0..4);
    let text = text.prop_map(|words| words.join(" "));
    let value = prop_oneof![
        text.clone().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        vec(text, 0..3).prop_map(Value::from),
    ];
    let fields = vec((prop::sample::select(&["a", "n", "tags"][..]), value), 1..4);
    (fields, any::<prop::sample::Index>()).prop_map(|(fields, at)| {
        let map: Map<_, _> = fields.into_iter().map(|(name, value)| (name.into(), value)).collect();
        let whole: Vec<char> = Value::Object(map).to_string().chars().collect();
        whole.iter().take(1 + at.index(whole.len())).collect()
    })
}

/// Generates what stands between a draft and the next one.
fn prose() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        &[
            " oops. Final answer: ",
            "\n\nSorry, again:\n",
            " — no.\nAnswer: ",
            " wait, Final answer: ",
            "... ",
            "\n",
            "。最终答案：",
        ][..],
    )
}

/// Returns the value, in a list if it is neither object nor list.
fn rooted(value: Value) -> Value {
    if value.is_object() || value.is_array() { value } else { Value::Array(vec![value]) }
}

/// Generates text without backslashes, but with everything else that has a meaning outside strings.
fn plain_text() -> impl Strategy<Value = String> + Clone {
    let pieces = prop::sample::select(
        &[
            "a",
            "Zed",
            "\"",
            "'",
            "“",
            "”",
            "」",
            "`x`",
            "key",
            "x1",
            " ",
            ", ",
            ": ",
            "{",
            "}",
            "[",
            "]",
            "，",
            "：",
            "。",
            "｛",
            "］",
            "//",
            "/* ",
            "# ",
            "中文",
            "é",
            "😀",
            "true",
            "1",
            "-",
            ".",
            "...",
            "é\u{301}",
            ";",
            "=",
            "<b>",
            "(",
            ")",
        ][..],
    );
    vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

/// Generates a sentence in which some words are quoted.
fn sentence() -> impl Strategy<Value = String> + Clone {
    let word = prop::sample::select(&["the", "box", "is", "open", "Ada", "now", "7", "好的"][..]);
    let quoted = (word, 0..5_u8, any::<bool>()).prop_map(|(word, kind, comma)| {
        let comma = if comma && kind > 1 { "," } else { "" };
        if kind == 0 { format!("\"{word}\"") } else { format!("{word}{comma}") }
    });
    vec(quoted, 0..7).prop_map(|words| words.join(" "))
}

/// A mixture of the faults of AS-21.
#[derive(Debug, Clone)]
struct Style {
    quotes: (char, char),
    bare_keys: bool,
    wide: bool,
    trailing: bool,
    no_commas: bool,
    comments: bool,
    python: bool,
    inline: bool,
    wrap: usize,
    /// True if quotes inside strings are not escaped.
    raw: bool,
    /// The number of closers omitted at the end.
    cut: usize,
}

fn style() -> impl Strategy<Value = Style> {
    let quotes = prop::sample::select(
        &[
            ('"', '"'),
            ('\'', '\''),
            ('“', '”'),
            ('‘', '’'),
            ('「', '」'),
            ('『', '』'),
            ('＂', '＂'),
            ('`', '`'),
        ][..],
    );
    let flags =
        (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (quotes, flags, any::<bool>(), 0..6_usize, 0..3_usize).prop_map(
        |(quotes, flags, inline, wrap, cut)| Style {
            quotes,
            bare_keys: flags.0,
            wide: flags.1,
            trailing: flags.2,
            no_commas: flags.3,
            comments: flags.4,
            python: flags.5,
            inline,
            wrap,
            raw: false,
            cut,
        },
    )
}

impl Style {
    /// Returns the value without the quotes that would close a string of this style.
    fn kept(&self, value: &Value) -> Value {
        match value {
            Value::String(text) if self.raw => Value::String(text.clone()),
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.kept(item)).collect(),
            Value::Object(map) => {
                map.iter().map(|(key, item)| (self.text(key), self.kept(item))).collect()
            }
            // As the JSON text of the number is read.
            other => serde_json::from_str(&other.to_string()).unwrap(),
        }
    }

    fn text(&self, text: &str) -> String {
        let family = match self.quotes.0 {
            '“' | '＂' => "\"“”＂",
            '‘' => "'‘’",
            '「' => "」",
            '『' => "』",
            '\'' => "'",
            '`' => "`",
            _ => "\"",
        };
        text.chars().filter(|c| !family.contains(*c)).collect()
    }

    fn answer(&self, value: &Value) -> String {
        let mut body = String::new();
        self.write(value, &mut body);
        for _ in 0..self.cut {
            let shorter = body.trim_end();
            match shorter.strip_suffix(['}', ']', '｝', '］']) {
                Some(shorter) if shorter.trim().len() > 3 => body = shorter.to_owned(),
                _ => break,
            }
        }
        match self.wrap {
            0 => format!("```json\n{body}\n```"),
            1 => format!("<think>maybe {{\"no\": 1}}</think>\n{body}"),
            2 if self.cut == 0 => format!("Here it is:\n\n{body}\n\nDone, I hope."),
            3 => format!("\u{feff}{body}"),
            4 => format!("好的：\n```\n{body}\n```\n以上。"),
            _ => body,
        }
    }

    fn write(&self, value: &Value, out: &mut String) {
        match value {
            Value::String(text) if self.raw => *out += &format!("\"{text}\""),
            Value::String(text) => self.quoted(text, out),
            Value::Bool(flag) if self.python => out.push_str(if *flag { "True" } else { "False" }),
            Value::Null if self.python => out.push_str("None"),
            Value::Array(items) => {
                out.push_str(if self.wide { "［" } else { "[" });
                for (index, item) in items.iter().enumerate() {
                    self.gap(index, items.len(), out);
                    self.write(item, out);
                }
                self.end(items.len(), out);
                out.push_str(if self.wide { "］" } else { "]" });
            }
            Value::Object(map) => {
                out.push_str(if self.wide { "｛" } else { "{" });
                for (index, (key, item)) in map.iter().enumerate() {
                    self.gap(index, map.len(), out);
                    let word = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphabetic());
                    if self.bare_keys && word {
                        out.push_str(key);
                    } else {
                        self.quoted(key, out);
                    }
                    out.push_str(if self.wide { "：" } else { ": " });
                    self.write(item, out);
                }
                self.end(map.len(), out);
                out.push_str(if self.wide { "｝" } else { "}" });
            }
            other => out.push_str(&other.to_string()),
        }
    }

    fn quoted(&self, text: &str, out: &mut String) {
        out.push(self.quotes.0);
        out.push_str(&self.text(text));
        out.push(self.quotes.1);
    }

    fn gap(&self, index: usize, _count: usize, out: &mut String) {
        if index > 0 && !self.no_commas {
            out.push_str(if self.wide { "，" } else { "," });
        }
        if self.comments && index % 2 == 1 {
            out.push_str(if self.inline {
                " /* a comment, with: {signs} */"
            } else {
                " // a comment, with: {signs}"
            });
        }
        out.push_str(if self.inline { " " } else { "\n  " });
    }

    fn end(&self, count: usize, out: &mut String) {
        if count > 0 && self.trailing {
            out.push_str(if self.wide { "，" } else { "," });
        }
        if self.comments {
            out.push_str(" /* end ] } */ ");
        }
        if !self.inline {
            out.push('\n');
        }
    }
}
