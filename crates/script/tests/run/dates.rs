//! TY-6: arithmetic on dates.

use crate::support::{fault, outcome, program, value, value_of};
use contexture_context::Trust;
use contexture_script::analysis::check;
use contexture_script::runtime::ScriptedHost;
use serde_json::json;

#[test]
fn ty_6_dates_are_computed_with_the_calendar() {
    assert_eq!(
        value("date.add(\"2024-02-28T23:30:00+01:00\", 1, \"hour\")"),
        json!("2024-02-29T00:30:00+01:00")
    );
    assert_eq!(value("date.between(\"2024-01-31\", \"2024-02-29\", \"months\")"), json!(1));
    assert_eq!(
        value(
            "from = date.parts(\"2023-12-31T22:00:00-05:00\") return [from.year, from.month, from.day, from.hour, from.weekday]"
        ),
        json!([2023, 12, 31, 22, 7])
    );
    assert_eq!(value("date.add(\" 2024-01-01\\n\", -1, \"day\")"), json!("2023-12-31"));
}

#[test]
fn ty_6_text_that_is_no_date_can_be_caught() {
    assert_eq!(
        fault("date.parts(\"2023-02-29\")"),
        ("AS9033".to_owned(), "`date.parts` takes a time, not the text \"2023-02-29\"".to_owned())
    );
    assert_eq!(
        fault("date.add(\"9999-12-31\", 1, \"day\")"),
        (
            "AS9033".to_owned(),
            "`date.add` leaves the calendar: the year of the result is not one of 0 to 9999"
                .to_owned()
        )
    );
    assert_eq!(
        fault("date.between(\"2024-01-01\", \"2024-01-02\", \"fortnight\")"),
        ("AS9006".to_owned(), "`date.between` takes a unit, not \"fortnight\"".to_owned())
    );
    assert_eq!(fault("date.add(\"2024-01-01\", 1.5, \"day\")").0, "AS9006");
    assert_eq!(fault("date.add(20240101, 1, \"day\")").0, "AS9006");
    assert_eq!(value("try { date.parts(\"soon\") } else err { err.code }"), json!("AS9033"));
}

#[test]
fn ty_6_variable_of_the_name_of_dates_comes_first() {
    assert_eq!(value("date = [1] date.add(2) date"), json!([1, 2]));
    let called = "func of(date) { date.add(3) date } main func(input) { of([1]) }";
    assert_eq!(value_of(called), json!([1, 3]));
}

#[test]
fn ty_6_date_has_the_trust_of_what_it_was_made_of() {
    let source = "import tool Http from \"https://a.b\" main func(input) {
        found = Http.get(\"/\")
        next = date.add(found.body, 1, \"day\")
        parts = date.parts(found.body)
        use next
        use parts
        generate({ input: \"x\" }) }";
    let host = ScriptedHost::new()
        .with_tool("Http.get", json!({ "body": "2024-02-28" }))
        .with_answer(json!("ok"));
    assert!(outcome(source, json!({}), &host).result.is_ok());
    let calls = host.generate_calls();
    let shown: Vec<_> = calls[0].items.iter().map(|item| item.value.clone()).collect();
    assert_eq!(shown[0], json!("2024-02-29"));
    let trust: Vec<_> = calls[0].items.iter().map(|item| item.origin.trust).collect();
    assert_eq!(trust, [Trust::Tool, Trust::Tool]);
}

#[test]
fn ty_6_type_of_a_date_is_known_to_the_check() {
    let faults = |body: &str| {
        let program = program(&format!("main func(input) {{ {body} }}"));
        check(&program).into_iter().map(|fault| fault.message).collect::<Vec<_>>()
    };
    assert_eq!(faults("date.add(input.day, 1, \"day\").slice(0, 4)"), [""; 0]);
    assert_eq!(faults("date.add(input.day, 1, \"day\") - 1"), ["`-` takes numbers, not a string"]);
    assert_eq!(faults("date.add(input.day)"), ["`date.add` takes 3 arguments, not 1"]);
    assert_eq!(faults("date.plus(input.day)"), ["call of undefined function `date.plus`"]);
}
