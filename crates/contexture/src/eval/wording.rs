//! The faults that readers of YAML and JSON name, in plain words (EV-1).
//!
//! Decision: readers word faults for the programmer of a type, and offer their settings as a way out.
//! What a person who writes a file can meet is worded here, in one place; the rest stays as it is.

/// What a reader calls the right value, and the plain words for it.
const WANTED: [(&str, &str); 16] = [
    ("sequence start", "a list"),
    ("a sequence", "a list"),
    ("mapping start", "an object"),
    ("a map", "an object"),
    ("string scalar", "a text"),
    ("a string", "a text"),
    ("u64", "a whole number from 0"),
    ("f64", "a number"),
    ("floating point", "a number"),
    ("string key for externally tagged enum", "the name of an expectation"),
    ("externally tagged enum expected scalar or mapping", "an expectation, as in `equals: 1`"),
    ("enum Expectation", "an expectation, as in `equals: 1`"),
    ("string or map", "an expectation, as in `equals: 1`"),
    ("map with a single key", "one expectation, as in `equals: 1`"),
    ("newtype variant", "an expectation with a value, as in `equals: 1`"),
    ("end of mapping after enum variant value", "one expectation for each element of the list"),
];

/// What a reader says whole, or begins with, and the plain words for it.
const WHOLE: [(&str, &str); 5] = [
    ("cannot deserialize null into string", "expected a text, found nothing"),
    ("invalid length ", "expected an object, found a list"),
    ("multiple YAML documents", "expected one YAML document, found several"),
    ("unexpected sequence end", "expected a value, found the end of the list"),
    ("unexpected mapping end", "expected a value, found the end of the object"),
];

/// Returns a message in plain words, where a reader words it for programmers.
pub(super) fn plain(message: &str) -> Option<String> {
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        return Some(format!("unknown name {rest}"));
    }
    if let Some(rest) = message.strip_prefix("duplicate mapping key: ") {
        let key = rest.rsplit_once(", set ").map_or(rest, |(key, _)| key);
        return Some(format!("the key `{key}` stands twice"));
    }
    if let Some(rest) = message.strip_prefix("non-finite float ") {
        let number = rest.split_once(" rejected").map_or(rest, |(number, _)| number);
        return Some(format!("expected a finite number, found {number}"));
    }
    if let Some((_, words)) = WHOLE.iter().find(|(begin, _)| message.starts_with(begin)) {
        return Some((*words).to_owned());
    }
    let typed = message.strip_prefix("invalid type: ").or(message.strip_prefix("invalid value: "));
    if let Some((found, right)) = typed.and_then(|typed| typed.rsplit_once(", expected ")) {
        let right = wanted(right).unwrap_or(right);
        return Some(format!("expected {right}, found {}", found_in_words(found)));
    }
    let right = message.strip_prefix("expected ").or(message.strip_prefix("invalid "));
    wanted(right.unwrap_or(message)).map(|right| format!("expected {right}"))
}

/// Returns what the right value is.
fn wanted(name: &str) -> Option<&str> {
    if name.starts_with("struct ") {
        return Some("an object");
    }
    WANTED.iter().find(|(known, _)| *known == name).map(|(_, words)| *words)
}

/// Returns what stands in place of the right value.
fn found_in_words(name: &str) -> String {
    let of_kind =
        |kind: &str, words: &str| name.strip_prefix(kind).map(|rest| format!("{words}{rest}"));
    let words = match name {
        "map" => "an object",
        "sequence" => "a list",
        "null" | "unit value" => "nothing",
        "unit variant" => "its name alone",
        other => other,
    };
    of_kind("string ", "the text ")
        .or_else(|| of_kind("integer ", "the number "))
        .or_else(|| of_kind("floating point ", "the number "))
        .or_else(|| of_kind("boolean ", ""))
        .unwrap_or_else(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[track_caller]
    fn is(message: &str, words: &str) {
        assert_eq!(plain(message).as_deref(), Some(words));
    }

    #[test]
    fn ev_1_wrong_type_is_told_as_what_was_expected_and_what_came() {
        is(
            "invalid type: string \"x, expected y\", expected struct Matches",
            "expected an object, found the text \"x, expected y\"",
        );
        is(
            "invalid type: integer `5`, expected a sequence",
            "expected a list, found the number `5`",
        );
        is(
            "invalid value: integer `-1`, expected u64",
            "expected a whole number from 0, found the number `-1`",
        );
        is(
            "invalid type: floating point `1.5`, expected u64",
            "expected a whole number from 0, found the number `1.5`",
        );
        is(
            "invalid type: boolean `true`, expected a list of cases",
            "expected a list of cases, found `true`",
        );
        is(
            "invalid type: unit variant, expected newtype variant",
            "expected an expectation with a value, as in `equals: 1`, found its name alone",
        );
        is("invalid type: map, expected a string", "expected a text, found an object");
        is(
            "invalid length 1, expected struct Near with 3 elements",
            "expected an object, found a list",
        );
    }

    #[test]
    fn ev_1_words_for_programmers_are_plain() {
        is("expected sequence start", "expected a list");
        is("invalid u64", "expected a whole number from 0");
        is("expected string key for externally tagged enum", "expected the name of an expectation");
        is("unknown variant `a`, expected one of b, c", "unknown name `a`, expected one of b, c");
        is(
            "duplicate mapping key: k, set DuplicateKeyPolicy in Options if acceptable",
            "the key `k` stands twice",
        );
        is(
            "non-finite float `.nan` rejected by the configured policy",
            "expected a finite number, found `.nan`",
        );
        is(
            "cannot deserialize null into string; use Option<String>",
            "expected a text, found nothing",
        );
    }

    #[test]
    fn ev_1_other_messages_stay() {
        for message in [
            "missing field `program`",
            "expected a number from 0, found -1",
            "the pattern `(` is not valid: x",
        ] {
            assert_eq!(plain(message), None);
        }
    }
}
