//! Answers of models.

use super::hold;
use contexture_answer::{
    AnswerError, Field, Partial, ReadOptions, Shape, contract, read, repair_message,
};
use serde_json::Value;

pub(super) const WORDS: &[&str] = &[
    "```json",
    "```",
    "<think>",
    "</think>",
    "{",
    "}",
    "[",
    "]",
    "True",
    "None",
    "“",
    "”",
    "，",
    "：",
    "//",
    "/*",
    "*/",
    "...",
    "\\n",
    "\\u00e9",
    "Sure! Here is it:",
    "'",
    "\"",
    "NaN",
    "1,000",
];

fn shapes() -> Vec<Option<Shape>> {
    let object = Shape::Object(vec![
        Field::new("a", Shape::Number),
        Field::new("ok", Shape::Boolean).optional(),
        Field::new("items", Shape::list(Shape::String)).optional(),
    ]);
    let choice = Shape::one_of(["yes", "no"]);
    vec![
        None,
        Some(Shape::list(object.clone())),
        Some(object),
        Some(choice),
        Some(Shape::String),
        Some(Shape::Number),
        Some(Shape::Boolean),
    ]
}

pub(super) fn answer(input: &[u8]) -> Result<String, String> {
    let text = String::from_utf8_lossy(input);
    let mut seen = Vec::new();
    for shape in shapes() {
        for options in [ReadOptions::lenient(), ReadOptions::strict()] {
            seen.push(of_shape(&text, shape.as_ref(), &options)?);
        }
        in_pieces(&text, shape)?;
    }
    Ok(seen.join(" "))
}

fn of_shape(text: &str, shape: Option<&Shape>, options: &ReadOptions) -> Result<String, String> {
    match read(text, shape, options) {
        Ok(reading) => {
            let written = reading.value.to_string();
            let again: Value = serde_json::from_str(&written)
                .map_err(|error| format!("a value is not JSON: {error}: {written}"))?;
            hold(again == reading.value, || format!("a value is not read back: {written}"))?;
            let is_plain = matches!(shape, Some(Shape::String));
            if !is_plain {
                let again = read(&written, shape, options)
                    .map_err(|error| format!("own JSON is refused: {error}: {written}"))?;
                hold(again.value == reading.value, || {
                    format!("own JSON is read back otherwise: {written} as {}", again.value)
                })?;
            }
            Ok(format!("{}", reading.repairs.len().min(5)))
        }
        Err(error) => {
            if let Some(shape) = shape {
                let _ = (repair_message(text, &error, shape), contract(shape));
            }
            Ok(match &error {
                AnswerError::TooLarge { .. } => "large".to_owned(),
                other => {
                    other.to_string().chars().filter(|one| one.is_alphabetic()).take(8).collect()
                }
            })
        }
    }
}

/// Checks that an answer that comes in pieces ends as one that comes at once.
fn in_pieces(text: &str, shape: Option<Shape>) -> Result<(), String> {
    let mut at_once = Partial::new(shape.clone());
    at_once.push(text);
    let mut pieces = Partial::new(shape);
    let mut rest = text;
    for length in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144].into_iter().cycle() {
        let end = rest.char_indices().nth(length).map_or(rest.len(), |(at, _)| at);
        let Some((piece, after)) = rest.split_at_checked(end) else { break };
        pieces.push(piece);
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    at_once.refresh();
    pieces.refresh();
    hold(at_once.text() == pieces.text(), || "pieces have another text".to_owned())?;
    // An earlier value stays where the whole has none.
    let (one, other) = (at_once.value(), pieces.value());
    hold(one.is_none() || one == other, || format!("pieces have another value: {one:?}, {other:?}"))
}
