//! The corpus of broken answers and the notation of its files.
//!
//! A case is a name (`=== name`) and sections (`--- section`): `shape` in the language's syntax,
//! `raw` (or `raw escaped`, a JSON string), then `value` (JSON) or `errors` (a path per line,
//! `<root>` for the answer as a whole); `strict` may come first.

use contexture_answer::{Field, Shape};
use serde_json::Value;

pub(crate) struct Case {
    pub(crate) file: &'static str,
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) raw: String,
    pub(crate) strict: bool,
    pub(crate) expected: Expected,
}

pub(crate) enum Expected {
    Value(Value),
    /// The paths of the errors.
    Errors(Vec<String>),
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../corpus/", $name, ".txt")))),*]
    };
}

const FILES: &[(&str, &str)] = files![
    "01_around",
    "02_fences",
    "03_think",
    "04_commas",
    "05_quotes",
    "06_chinese",
    "07_keys_comments",
    "08_cut",
    "09_strings",
    "10_literals",
    "11_several",
    "12_types",
    "13_combined",
    "14_long",
];

pub(crate) fn corpus() -> Vec<Case> {
    FILES
        .iter()
        .flat_map(|(file, text)| {
            let text = format!("\n{text}");
            let cases: Vec<Case> =
                text.split("\n=== ").skip(1).map(|case| read_case(file, case)).collect();
            cases
        })
        .collect()
}

fn read_case(file: &'static str, text: &str) -> Case {
    let (name, rest) = text.split_once('\n').expect("a name");
    let mut shape = None;
    let mut raw = None;
    let mut strict = false;
    let mut expected = None;
    let rest = format!("\n{rest}\n");
    for section in rest.split("\n--- ").skip(1) {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        match title.trim() {
            "shape" => shape = Some(parse_shape(body)),
            "raw" => raw = Some(body.to_owned()),
            "raw escaped" => raw = Some(serde_json::from_str(body).expect("a JSON string")),
            "strict" => strict = true,
            "value" => {
                let value = serde_json::from_str(body);
                expected = Some(Expected::Value(value.unwrap_or_else(|e| panic!("{name}: {e}"))));
            }
            "errors" => {
                let paths = body.lines().filter(|line| !line.is_empty());
                let paths = paths.map(|line| if line == "<root>" { "" } else { line }.to_owned());
                expected = Some(Expected::Errors(paths.collect()));
            }
            other => panic!("{name}: unknown section {other}"),
        }
    }
    Case {
        file,
        name: name.to_owned(),
        shape: shape.unwrap_or_else(|| panic!("{name}: a shape")),
        raw: raw.unwrap_or_else(|| panic!("{name}: a raw answer")),
        strict,
        expected: expected.unwrap_or_else(|| panic!("{name}: an expectation")),
    }
}

/// Parses the form that `Shape` prints; enough of the language's syntax for the corpus.
pub(crate) fn parse_shape(text: &str) -> Shape {
    let mut reader = ShapeReader { rest: text.trim() };
    let shape = reader.shape();
    assert!(reader.rest.trim().is_empty(), "left over: {}", reader.rest);
    shape
}

struct ShapeReader<'a> {
    rest: &'a str,
}

impl ShapeReader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn quoted(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        if !self.rest.starts_with('"') {
            return None;
        }
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
        let text = values.next().expect("a string").expect("a string");
        self.rest = &self.rest[values.byte_offset()..];
        Some(text)
    }

    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let end = self
            .rest
            .find(|c: char| c.is_whitespace() || "[]{},:?|\"".contains(c))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    fn shape(&mut self) -> Shape {
        if let Some(first) = self.quoted() {
            let mut values = vec![first];
            while self.eat("|") {
                values.push(self.quoted().expect("an enum value"));
            }
            return Shape::Enum(values);
        }
        if self.eat("{") {
            return self.object();
        }
        match self.word().as_str() {
            "string" => Shape::String,
            "number" => Shape::Number,
            "integer" => Shape::Integer,
            "boolean" => Shape::Boolean,
            "json" => Shape::Json,
            "list" if self.eat("[") => {
                let item = self.shape();
                assert!(self.eat("]"), "expected ]");
                Shape::list(item)
            }
            "list" => Shape::List(None),
            other => panic!("unknown type {other:?}"),
        }
    }

    fn object(&mut self) -> Shape {
        let mut fields = Vec::new();
        while !self.eat("}") {
            let name = self.quoted().unwrap_or_else(|| self.word());
            let optional = self.eat("?");
            self.eat(":");
            let field = Field::new(name, self.shape());
            fields.push(if optional { field.optional() } else { field });
            self.eat(",");
        }
        Shape::Object(fields)
    }
}
