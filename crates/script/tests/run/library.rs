//! TY-6: the rows of the library.

use crate::support::{fault, main_of, value_of};
use contexture_script::library::{Entry, Owner, Receiver, Type, entries, functions, methods_of};
use serde_json::Value;
use std::collections::BTreeSet;

/// Returns a name for a message.
fn named(entry: &Entry) -> String {
    format!("{:?} {}", entry.owner, entry.name)
}

fn program(text: &str) -> String {
    if text.contains("main func") { text.to_owned() } else { main_of(text) }
}

#[test]
fn ty_6_example_of_each_entry_has_its_value() {
    for entry in entries() {
        assert!(entry.example.program.contains(entry.name), "{}", named(entry));
        if entry.example.value.is_empty() {
            continue;
        }
        let expected: Value = serde_json::from_str(entry.example.value).unwrap();
        assert_eq!(value_of(&program(entry.example.program)), expected, "{}", named(entry));
    }
}

#[test]
fn ty_6_each_entry_is_documented_and_has_one_name() {
    let mut seen = BTreeSet::new();
    for entry in entries() {
        for name in entry.aliases.iter().chain([&entry.name]) {
            assert!(seen.insert(format!("{:?} {name}", entry.owner)), "{}", named(entry));
        }
        assert!(!entry.summary.is_empty(), "{}", named(entry));
        let after = entry.parameters.iter().skip_while(|one| !one.is_optional);
        assert!(after.clone().all(|one| one.is_optional), "{}", named(entry));
    }
}

#[test]
fn ty_6_result_of_each_example_has_the_type_of_its_entry() {
    for entry in entries().filter(|entry| !entry.example.value.is_empty()) {
        let value: Value = serde_json::from_str(entry.example.value).unwrap();
        let fits = match entry.result {
            // `add` has no value; its example shows the list.
            Type::None => true,
            Type::Boolean => value.is_boolean(),
            Type::Integer => value.is_i64(),
            Type::Number => value.is_number(),
            Type::String => value.is_string(),
            Type::List(_) => value.is_array(),
            Type::Object => value.is_object(),
            Type::Same => match entry.owner {
                Owner::Method(Receiver::String) => value.is_string(),
                Owner::Method(Receiver::List) => value.is_array(),
                Owner::Method(Receiver::Object) => value.is_object(),
                Owner::Function => false,
            },
            Type::Any | Type::Item | Type::Returned | Type::Function(_) | Type::Key => true,
        };
        assert!(fits, "{}: {value} is not {:?}", named(entry), entry.result);
    }
}

#[test]
fn ty_6_each_entry_checks_number_of_arguments() {
    for (receiver, example) in
        [(Receiver::String, "\"a\""), (Receiver::List, "[1]"), (Receiver::Object, "{ a: 1 }")]
    {
        for entry in methods_of(receiver) {
            for name in entry.aliases.iter().chain([&entry.name]) {
                let call =
                    |count: usize| format!("{example}.{name}({})", vec!["1"; count].join(", "));
                assert_eq!(fault(&call(entry.most() + 1)).0, "AS9003", "{}", named(entry));
                if entry.least() > 0 {
                    assert_eq!(fault(&call(entry.least() - 1)).0, "AS9003", "{}", named(entry));
                }
            }
        }
    }
    for entry in functions() {
        let too_many = vec!["1"; entry.most() + 1].join(", ");
        assert_eq!(fault(&format!("{}({too_many})", entry.name)).0, "AS9003", "{}", named(entry));
    }
}
