//! Checks of a value against a JSON Schema, as far as servers use it for results.
//!
//! Decision: the keywords for the form of a value are checked, at every depth: `type`,
//! `properties`, `required`, `additionalProperties`, `items`, `prefixItems`, `enum`, `const`,
//! `anyOf`, `oneOf`, `allOf`, `not`, `$ref` within the schema, and the limits of numbers, texts and
//! lists. Words beside these, such as `pattern` and `format`, are not looked at: a value is refused
//! for what is known to be wrong alone.

use serde_json::{Map, Value};
use std::cell::Cell;

/// The depth to which a value and its schema are followed together.
const DEPTH: usize = 64;
/// The number of pairs of a value and a schema that are looked at: forms within forms multiply.
const STEPS: usize = 1_000_000;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: expected {expected}, found {found}")]
pub(crate) struct Misfit {
    pub(crate) place: String,
    /// The expected value, by the schema.
    pub(crate) expected: String,
    /// The found value.
    pub(crate) found: String,
}

/// Checks a value against a schema and returns the first thing that does not fit.
///
/// # Errors
/// [`Misfit`].
pub(crate) fn check(schema: &Value, value: &Value) -> Result<(), Misfit> {
    let left = Cell::new(STEPS);
    Check { root: schema, depth: 0, left: &left }.value(schema, value, "")
}

#[derive(Clone, Copy)]
struct Check<'s, 'c> {
    root: &'s Value,
    depth: usize,
    left: &'c Cell<usize>,
}

impl<'s> Check<'s, '_> {
    fn value(self, schema: &'s Value, value: &Value, place: &str) -> Result<(), Misfit> {
        let schema = match schema {
            Value::Object(schema) => schema,
            Value::Bool(false) => return Err(misfit(place, "nothing", value)),
            _ => return Ok(()),
        };
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err(misfit(place, "a value that can be checked in reasonable time", value));
        };
        self.left.set(left);
        if self.depth >= DEPTH {
            return Err(misfit(place, &format!("a value no deeper than {DEPTH} levels"), value));
        }
        let inner = Self { depth: self.depth + 1, ..self };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            // A schema that lies elsewhere is not fetched, and checks nothing here.
            if let Some(target) = target.strip_prefix('#').and_then(|at| self.root.pointer(at)) {
                inner.value(target, value, place)?;
            }
        }
        kind(schema, value, place)?;
        limits(schema, value, place)?;
        inner.combined(schema, value, place)?;
        match value {
            Value::Object(fields) => inner.object(schema, fields, value, place),
            Value::Array(items) => inner.list(schema, items, place),
            _ => Ok(()),
        }
    }

    fn combined(
        self,
        schema: &'s Map<String, Value>,
        value: &Value,
        place: &str,
    ) -> Result<(), Misfit> {
        for part in list(schema, "allOf") {
            self.value(part, value, place)?;
        }
        for (word, most) in [("anyOf", usize::MAX), ("oneOf", 1)] {
            let parts = list(schema, word);
            let fits = parts.iter().filter(|part| self.value(part, value, place).is_ok()).count();
            if !parts.is_empty() && (fits == 0 || fits > most) {
                let which = if most == 1 { "exactly one" } else { "one" };
                return Err(misfit(place, &format!("{which} of {} forms", parts.len()), value));
            }
        }
        match schema.get("not") {
            Some(not) if self.value(not, value, place).is_ok() => {
                Err(misfit(place, "another form than the one that is excluded", value))
            }
            _ => Ok(()),
        }
    }

    fn object(
        self,
        schema: &'s Map<String, Value>,
        fields: &Map<String, Value>,
        whole: &Value,
        place: &str,
    ) -> Result<(), Misfit> {
        for name in list(schema, "required").iter().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                return Err(misfit(place, &format!("the field `{name}`"), whole));
            }
        }
        let known = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        // Which names a pattern covers is not looked at.
        let others = others.filter(|_| !schema.contains_key("patternProperties"));
        for (name, value) in fields {
            let schema = known.and_then(|known| known.get(name));
            let Some(schema) = schema.or(others) else { continue };
            let at = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
            self.value(schema, value, &at)?;
        }
        Ok(())
    }

    fn list(
        self,
        schema: &'s Map<String, Value>,
        items: &[Value],
        place: &str,
    ) -> Result<(), Misfit> {
        let first = list(schema, "prefixItems");
        for (at, item) in items.iter().enumerate() {
            if let Some(schema) = first.get(at).or_else(|| schema.get("items")) {
                self.value(schema, item, &format!("{place}[{at}]"))?;
            }
        }
        Ok(())
    }
}

fn list<'s>(schema: &'s Map<String, Value>, word: &str) -> &'s [Value] {
    schema.get(word).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Checks `type`, `enum` and `const`.
fn kind(schema: &Map<String, Value>, value: &Value, place: &str) -> Result<(), Misfit> {
    let kinds: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind.as_str()],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is_of(kind, value)) {
        return Err(misfit(place, &kinds.join(" or "), value));
    }
    if let Some(only) = schema.get("const").filter(|only| !is_same(only, value)) {
        return Err(misfit(place, &short(only), value));
    }
    match schema.get("enum").and_then(Value::as_array) {
        Some(all) if !all.iter().any(|one| is_same(one, value)) => {
            let some: Vec<String> = all.iter().take(8).map(short).collect();
            let more = if all.len() > some.len() { ", …" } else { "" };
            Err(misfit(place, &format!("one of {}{more}", some.join(", ")), value))
        }
        _ => Ok(()),
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|it| it.fract() == 0.0)
        }
        "array" => value.is_array(),
        "object" => value.is_object(),
        // A kind that is not known can't be checked.
        _ => true,
    }
}

/// Reports whether two values are equal: `1` and `1.0` are the same number.
fn is_same(one: &Value, other: &Value) -> bool {
    let numbers = one.as_f64().zip(other.as_f64());
    one == other || numbers.is_some_and(|(one, other)| one.total_cmp(&other).is_eq())
}

/// Returns the limits of numbers, texts, lists and objects.
fn limits(schema: &Map<String, Value>, value: &Value, place: &str) -> Result<(), Misfit> {
    let limit = |word: &str| schema.get(word).and_then(Value::as_f64);
    let size = |least: &str, most: &str, size: usize, what: &str| {
        let size = size as f64;
        let too_few = limit(least).filter(|least| size < *least);
        let too_many = limit(most).filter(|most| size > *most);
        match (too_few, too_many) {
            (Some(least), _) => Err(misfit(place, &format!("at least {least} {what}"), value)),
            (_, Some(most)) => Err(misfit(place, &format!("at most {most} {what}"), value)),
            _ => Ok(()),
        }
    };
    match value {
        Value::String(text) => size("minLength", "maxLength", text.chars().count(), "characters"),
        Value::Array(items) => size("minItems", "maxItems", items.len(), "items"),
        Value::Object(fields) => size("minProperties", "maxProperties", fields.len(), "fields"),
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            let bounds: [(&str, &str, Fits); 4] = [
                ("minimum", "at least", |number, bound| number >= bound),
                ("maximum", "at most", |number, bound| number <= bound),
                ("exclusiveMinimum", "more than", |number, bound| number > bound),
                ("exclusiveMaximum", "less than", |number, bound| number < bound),
            ];
            let broken = bounds.iter().find_map(|(word, words, fits)| {
                let bound = limit(word).filter(|bound| !fits(number, *bound))?;
                Some(format!("{words} {bound}"))
            });
            broken.map_or(Ok(()), |broken| Err(misfit(place, &broken, value)))
        }
        Value::Null | Value::Bool(_) => Ok(()),
    }
}

/// A check of a number against a bound.
type Fits = fn(f64, f64) -> bool;

fn misfit(place: &str, expected: &str, value: &Value) -> Misfit {
    let place = if place.is_empty() { "the value" } else { place };
    let article = |word: &str| match word {
        "integer" | "array" | "object" => format!("an {word}"),
        "string" | "number" | "boolean" => format!("a {word}"),
        word => word.to_owned(),
    };
    let expected = expected.split(" or ").map(article).collect::<Vec<_>>().join(" or ");
    Misfit { place: place.to_owned(), expected, found: short(value) }
}

/// Returns a value as a message shows it.
fn short(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > 40 => "a string".to_owned(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn told(schema: &Value, value: &Value) -> String {
        check(schema, value).err().map(|misfit| misfit.to_string()).unwrap_or_default()
    }

    #[test]
    fn as_25_result_that_does_not_fit_schema_is_reported_with_place() {
        let schema = json!({
            "type": "object",
            "properties": {
                "n": {"type": "integer"},
                "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}, "maxItems": 2},
                "kind": {"enum": ["a", "b"]},
                "some": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "share": {"type": "number", "minimum": 0, "exclusiveMaximum": 1}
            },
            "required": ["n"],
            "additionalProperties": false,
            "$defs": {"row": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 1}}}}
        });
        for good in [
            json!({"n": 1}),
            json!({"n": 2.0, "rows": [{"name": "x", "more": 1}], "kind": "b", "some": null, "share": 0}),
        ] {
            assert_eq!(told(&schema, &good), "");
        }
        for (bad, said) in [
            (json!({"n": "not a number"}), "n: expected an integer, found \"not a number\""),
            (json!({"n": 1.5}), "n: expected an integer, found 1.5"),
            (json!({}), "the value: expected the field `n`, found an object"),
            (json!([]), "the value: expected an object, found an array"),
            (json!({"n": 1, "x": 2}), "x: expected nothing, found 2"),
            (
                json!({"n": 1, "rows": [{"name": "a"}, {"name": 2}]}),
                "rows[1].name: expected a string, found 2",
            ),
            (json!({"n": 1, "rows": [{}]}), "rows[0]: expected the field `name`, found an object"),
            (
                json!({"n": 1, "rows": [{"name": ""}]}),
                "rows[0].name: expected at least 1 characters, found \"\"",
            ),
            (
                json!({"n": 1, "rows": [{"name":"a"},{"name":"a"},{"name":"a"}]}),
                "rows: expected at most 2 items, found an array",
            ),
            (json!({"n": 1, "kind": "c"}), "kind: expected one of \"a\", \"b\", found \"c\""),
            (json!({"n": 1, "some": 4}), "some: expected one of 2 forms, found 4"),
            (json!({"n": 1, "share": 1}), "share: expected less than 1, found 1"),
        ] {
            assert_eq!(told(&schema, &bad), said);
        }
    }

    #[test]
    fn as_25_forms_are_combined_as_schema_says() {
        let one = json!({"oneOf": [{"type": "integer"}, {"minimum": 5}]});
        assert_eq!(told(&one, &json!(1)), "");
        assert_eq!(told(&one, &json!(7)), "the value: expected exactly one of 2 forms, found 7");
        let all = json!({"allOf": [{"type": "integer"}, {"not": {"const": 3}}]});
        assert_eq!(told(&all, &json!(4)), "");
        assert!(told(&all, &json!(3)).contains("excluded"));
        let tuple = json!({"prefixItems": [{"type": "string"}], "items": false});
        assert_eq!(told(&tuple, &json!(["a"])), "");
        assert_eq!(told(&tuple, &json!(["a", 1])), "[1]: expected nothing, found 1");
        assert_eq!(
            told(&json!({"type": ["string", "null"]}), &json!(1)),
            "the value: expected a string or null, found 1"
        );
    }

    #[test]
    fn as_25_what_schema_reports_in_other_words_is_not_misfit() {
        for schema in [
            json!(true),
            json!({"pattern": "^b", "format": "date"}),
            json!({"$ref": "https://example.com/schema"}),
            json!({"$ref": "#/$defs/none"}),
            json!({"type": "money"}),
        ] {
            assert_eq!(told(&schema, &json!("a")), "", "{schema}");
        }
        let patterned = json!({"patternProperties": {"^x": {}}, "additionalProperties": false});
        assert_eq!(told(&patterned, &json!({"x1": 1})), "");
    }

    #[test]
    fn as_25_schema_that_leads_to_itself_is_followed_so_far_and_no_further() {
        let circle = json!({"$ref": "#"});
        assert!(told(&circle, &json!(1)).contains("no deeper than 64 levels"));
        let twice = json!({"anyOf": [{"allOf": [{"$ref": "#"}, false]}, {"allOf": [{"$ref": "#"}, false]}]});
        assert!(!told(&twice, &json!(1)).is_empty(), "it ends");
        let tree = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
        assert_eq!(told(&tree, &json!({"next": {"next": {}}})), "");
        assert!(
            told(&tree, &json!({"next": {"next": 1}})).starts_with("next.next: expected an object")
        );
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            Just(json!("string")),
            Just(json!("#")),
            Just(json!("#/items")),
        ];
        let words = prop::sample::select(vec![
            "type",
            "properties",
            "required",
            "enum",
            "anyOf",
            "oneOf",
            "allOf",
            "not",
            "items",
            "$ref",
            "additionalProperties",
            "minimum",
            "maxLength",
            "const",
            "x",
        ]);
        leaf.prop_recursive(4, 32, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((words.clone().prop_map(str::to_owned), inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn as_25_no_schema_and_no_value_ends_check_of_result(schema in any_json(), value in any_json()) {
            if let Err(misfit) = check(&schema, &value) {
                prop_assert!(!misfit.to_string().is_empty());
            }
        }
    }
}
