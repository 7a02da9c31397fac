use super::*;
use crate::maintenance::record::RecordKind;
use proptest::prelude::*;
use serde_json::json;

fn faults(value: &Value, schema: &Value) -> Vec<String> {
    check(value, schema).into_iter().map(|f| format!("{}: {}", f.pointer, f.message)).collect()
}

#[test]
fn kn_17_every_fault_is_reported_with_its_pointer() {
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
fn kn_17_the_number_of_faults_is_bounded() {
    let record = json!({"claims": vec![json!({}); 1000]});
    assert_eq!(check(&record, RecordKind::SourceMap.schema()).len(), MAX_FAULTS);
}

#[test]
fn kn_17_times_are_checked() {
    for good in ["2026-05-01T00:00:00Z", "2026-05-01T23:59:60.125Z", "2026-05-01T00:00:00+08:00"] {
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

/// All keywords of a schema, in depth.
fn keywords(schema: &Value, found: &mut Vec<String>) {
    for (keyword, value) in schema.as_object().unwrap() {
        found.push(keyword.clone());
        match keyword.as_str() {
            "properties" => value.as_object().unwrap().values().for_each(|v| keywords(v, found)),
            "items" => keywords(value, found),
            _ => {}
        }
    }
}

#[test]
fn kn_17_the_schemas_use_only_keywords_that_are_checked() {
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
    fn kn_17_no_value_makes_the_check_panic(value in any_json()) {
        for kind in RecordKind::ALL {
            for fault in check(&value, kind.schema()) {
                // A fault stands where the record has something.
                prop_assert!(value.pointer(&fault.pointer).is_some(), "{fault:?}");
            }
        }
    }
}
