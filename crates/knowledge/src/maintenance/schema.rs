//! Checking a JSON value against one of the published schemas.
//!
//! Decision: the schema files are the one place where the fields stand, and this module reads them
//! as they are. It knows the few keywords that they use (a test holds them to it) and, unlike a
//! deserializer, reports every fault with its JSON pointer and not the first one alone.

use contexture_diagnostic::suggestion;
use serde_json::{Map, Value};

const MAX_FAULTS: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Where, as a JSON pointer; empty for the whole.
    pub(super) pointer: String,
    pub(super) message: String,
}

/// Returns the faults of a value, at most [`MAX_FAULTS`].
pub(super) fn check(value: &Value, schema: &Value) -> Vec<Fault> {
    let mut check = Check { faults: Vec::new(), pointer: String::new() };
    check.value(value, schema);
    check.faults
}

pub(super) fn pointer(parent: &str, name: &str) -> String {
    format!("{parent}/{}", name.replace('~', "~0").replace('/', "~1"))
}

struct Check {
    faults: Vec<Fault>,
    pointer: String,
}

impl Check {
    fn fault(&mut self, message: impl Into<String>) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Fault { pointer: self.pointer.clone(), message: message.into() });
        }
    }

    /// The depth is that of the schema, which has no references.
    fn value(&mut self, value: &Value, schema: &Value) {
        if !self.fits_type(value, schema) {
            return;
        }
        match value {
            Value::Object(fields) => self.object(fields, schema),
            Value::Array(items) => self.array(items, schema),
            Value::String(text) => self.text(text, schema),
            Value::Number(number) => self.number(number, schema),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn fits_type(&mut self, value: &Value, schema: &Value) -> bool {
        let expected: Vec<&str> = match schema.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => return true,
        };
        let fits = expected.iter().any(|kind| is_a(value, kind));
        if !fits {
            self.fault(format!("expected {}, found {}", alternatives(&expected), kind_of(value)));
        }
        fits
    }

    fn object(&mut self, fields: &Map<String, Value>, schema: &Value) {
        let none = Map::new();
        let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        for name in words(schema, "required") {
            if !fields.contains_key(name) {
                self.fault(format!("the field `{name}` is missing"));
            }
        }
        for (name, value) in fields {
            let within = self.pointer.len();
            self.pointer = pointer(&self.pointer, name);
            if let Some(schema) = known.get(name) {
                self.value(value, schema);
            } else if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
                let names = || known.keys().map(String::as_str);
                let hint = suggestion(name, names()).unwrap_or_else(|| {
                    format!("fields here are {}", names().collect::<Vec<_>>().join(", "))
                });
                self.fault(format!("there is no field `{name}`; {hint}"));
            }
            self.pointer.truncate(within);
        }
    }

    fn array(&mut self, items: &[Value], schema: &Value) {
        if let Some(least) = limit(schema, "minItems")
            && (items.len() as u64) < least
        {
            self.fault(format!("expected at least {least} items, found {}", items.len()));
        }
        let Some(schema) = schema.get("items") else { return };
        for (index, item) in items.iter().enumerate() {
            let within = self.pointer.len();
            self.pointer.push_str(&format!("/{index}"));
            self.value(item, schema);
            self.pointer.truncate(within);
        }
    }

    fn text(&mut self, text: &str, schema: &Value) {
        let allowed: Vec<&str> = words(schema, "enum").collect();
        if !allowed.is_empty() && !allowed.contains(&text) {
            let allowed = allowed.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>();
            let expected = alternatives(&allowed.iter().map(String::as_str).collect::<Vec<_>>());
            self.fault(format!("expected {expected}, found {}", shown(text)));
        }
        if limit(schema, "minLength").is_some_and(|least| (text.chars().count() as u64) < least) {
            self.fault("expected a text that is not empty");
        }
        if schema.get("format").and_then(Value::as_str) == Some("date-time") && !is_date_time(text)
        {
            let found = shown(text);
            self.fault(format!("expected a time such as 2026-05-01T00:00:00Z, found {found}"));
        }
    }

    fn number(&mut self, number: &serde_json::Number, schema: &Value) {
        let least = schema.get("minimum").and_then(Value::as_f64);
        if let (Some(least), Some(found)) = (least, number.as_f64())
            && found < least
        {
            self.fault(format!("expected at least {least}, found {number}"));
        }
    }
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        // JSON Schema counts 4.0 as an integer.
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string {}", shown(text)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Returns a text in quotes, its end left out when it is long.
fn shown(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    format!("{start:?}{more}")
}

fn alternatives(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [several @ .., last] => format!("{} or {last}", several.join(", ")),
    }
}

fn words<'a>(schema: &'a Value, keyword: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn limit(schema: &Value, keyword: &str) -> Option<u64> {
    schema.get(keyword).and_then(Value::as_u64)
}

/// Reports whether it is `YYYY-MM-DDThh:mm:ss`, a fraction if any, and `Z` or an offset.
pub(super) fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return false };
    let clock = time.strip_suffix(['Z', 'z']).or_else(|| {
        let (clock, offset) = time.split_at_checked(time.len().checked_sub(6)?)?;
        numbers(offset.strip_prefix(['+', '-'])?, ':', &[(2, 23), (2, 59)]).then_some(clock)
    });
    let Some(clock) = clock else { return false };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    numbers(date, '-', &[(4, 9999), (2, 12), (2, 31)])
        && numbers(clock, ':', &[(2, 23), (2, 59), (2, 60)])
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reports whether a text is numbers of so many digits and at most so much.
fn numbers(text: &str, separator: char, parts: &[(usize, u32)]) -> bool {
    let found: Vec<&str> = text.split(separator).collect();
    found.len() == parts.len()
        && found.iter().zip(parts).all(|(part, (digits, most))| {
            part.len() == *digits
                && part.bytes().all(|byte| byte.is_ascii_digit())
                && part.parse::<u32>().is_ok_and(|number| number <= *most)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maintenance::record::RecordKind;
    use proptest::prelude::*;
    use serde_json::json;

    fn faults(value: &Value, schema: &Value) -> Vec<String> {
        check(value, schema).into_iter().map(|f| format!("{}: {}", f.pointer, f.message)).collect()
    }

    #[test]
    fn kn_17_every_fault_is_reported_with_pointer() {
        let record = json!({
            "run_id": "", "trigger": "whim", "status": "passed", "profil": "hybrid",
            "inputs": [{"path": 3}, {"sha256": "00"}],
            "outputs": [{"path": "a", "operation": "made", "a/b~": 1}]
        });
        assert_eq!(
            faults(&record, RecordKind::CompileRun.schema()),
            [
                "/run_id: expected a text that is not empty",
                "/trigger: expected \"ingest\", \"source-change\", \"manual\", \"scheduled\" or \
             \"migration\", found \"whim\"",
                "/profil: there is no field `profil`; did you mean `profile`?",
                "/inputs/0/path: expected string, found the number 3",
                "/inputs/1: the field `path` is missing",
                "/outputs/0/operation: expected \"created\", \"updated\", \"deleted\" or \
             \"unchanged\", found \"made\"",
                "/outputs/0/a~1b~0: there is no field `a/b~`; fields here are path, operation",
            ]
        );
        assert_eq!(
            faults(&json!([]), RecordKind::CompileRun.schema()),
            [": expected object, found an array"]
        );
        assert_eq!(
            faults(&json!({"pack_name": "a", "cases": []}), RecordKind::SelectionEval.schema()),
            ["/cases: expected at least 1 items, found 0"]
        );
    }

    #[test]
    fn kn_17_number_of_faults_is_bounded() {
        let record = json!({"claims": vec![json!({}); 1000]});
        assert_eq!(check(&record, RecordKind::SourceMap.schema()).len(), MAX_FAULTS);
    }

    #[test]
    fn kn_17_times_are_checked() {
        for good in
            ["2026-05-01T00:00:00Z", "2026-05-01T23:59:60.125Z", "2026-05-01T00:00:00+08:00"]
        {
            assert!(is_date_time(good), "{good}");
        }
        for bad in [
            "",
            "T",
            "2026-05-01",
            "2026-13-01T00:00:00Z",
            "2026-05-01T00:00:00",
            "+",
            "é+00:00",
            "2026-05-01T00:00:00.Z",
            "2026-05-01T24:00:00Z",
            "2026-5-1T00:00:00Z",
        ] {
            assert!(!is_date_time(bad), "{bad}");
        }
    }

    /// Finds all keywords of a schema, at any depth.
    fn keywords(schema: &Value, found: &mut Vec<String>) {
        for (keyword, value) in schema.as_object().unwrap() {
            found.push(keyword.clone());
            match keyword.as_str() {
                "properties" => {
                    value.as_object().unwrap().values().for_each(|v| keywords(v, found))
                }
                "items" => keywords(value, found),
                _ => {}
            }
        }
    }

    #[test]
    fn kn_17_schemas_use_only_keywords_that_are_checked() {
        let known = [
            "$schema",
            "title",
            "description",
            "type",
            "additionalProperties",
            "required",
            "properties",
            "items",
            "enum",
            "minLength",
            "minItems",
            "minimum",
            "format",
        ];
        for kind in RecordKind::ALL {
            let mut found = Vec::new();
            keywords(kind.schema(), &mut found);
            assert!(found.len() > 10);
            assert!(found.iter().all(|word| known.contains(&word.as_str())), "{kind}: {found:?}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,24}".prop_map(Value::from),
            "[0-9TZ:.+-]{0,24}".prop_map(Value::from),
        ];
        let names = prop_oneof![
            "[a-z]{1,4}",
            proptest::sample::select(
                &["claims", "cases", "inputs", "timestamp", "summary", "status"][..]
            )
            .prop_map(str::to_owned),
        ];
        leaf.prop_recursive(4, 32, 4, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec((names.clone(), inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn kn_17_no_value_makes_check_panic(value in any_json()) {
            for kind in RecordKind::ALL {
                for fault in check(&value, kind.schema()) {
                    // A fault stands where the record has something.
                    prop_assert!(value.pointer(&fault.pointer).is_some(), "{fault:?}");
                }
            }
        }
    }
}
