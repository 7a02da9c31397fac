use crate::support::{Fixture, Patient};
use contexture_reference::syntax::Semantics;
use contexture_reference::{LoadLimits, PlanOptions, Policy, State};

const TEXT: &str =
    "先读 @!file://a.md，then @file://b.md, later @?file://c.md. `@file://code.md`\n";

fn fixture() -> Fixture {
    Fixture::with(&[("a.md", "alpha"), ("b.md", "bravo and more"), ("c.md", "charlie")])
}

fn states(
    fixture: &Fixture,
    text: &str,
    options: &PlanOptions,
) -> Vec<(String, State, Option<u64>)> {
    let entries = fixture.plan(text, options).entries.into_iter();
    entries.map(|entry| (entry.reference, entry.state, entry.tokens)).collect()
}

#[test]
fn ref_9_plan_has_every_reference_in_text_order() {
    let fixture = fixture();
    let expected = [
        ("@!file://a.md".to_owned(), State::Loaded, Some(1)),
        ("@file://b.md".to_owned(), State::Loaded, Some(4)),
        ("@?file://c.md".to_owned(), State::Pending, None),
    ];
    assert_eq!(states(&fixture, TEXT, &PlanOptions::default()), expected);
    let span = fixture.plan(TEXT, &PlanOptions::default()).entries[0].span.unwrap();
    assert_eq!(TEXT.get(span.0..span.1), Some("@!file://a.md"));
}

#[test]
fn ref_7_policy_decides_about_plain_sign() {
    let fixture = fixture();
    for policy in [Policy::Model, Policy::Never] {
        let options = PlanOptions { policy, ..PlanOptions::default() };
        assert_eq!(states(&fixture, TEXT, &options)[1].1, State::Pending, "{policy:?}");
    }
    let small = PlanOptions { budget: Some(3), ..PlanOptions::default() };
    let entry = fixture.plan(TEXT, &small).entries.swap_remove(1);
    assert_eq!((entry.state, entry.tokens), (State::Pending, Some(4)));
    assert_eq!(entry.reason, "its 4 tokens do not fit the 3 left of the budget");
    let two = PlanOptions { budget: Some(5), ..PlanOptions::default() };
    let pair = states(&fixture, "@file://b.md @file://b.md @file://a.md", &two);
    let pair: Vec<_> = pair.into_iter().map(|(_, state, _)| state).collect();
    assert_eq!(pair, [State::Loaded, State::Pending, State::Loaded]);
}

#[test]
fn ref_9_failed_entry_is_in_plan_with_cause() {
    let fixture = fixture();
    let plan =
        fixture.plan("@file://no.md and @!file://gone.md and @!fiel://x", &PlanOptions::default());
    let failed: Vec<_> = plan.entries.iter().map(|entry| (entry.state, entry.semantics)).collect();
    assert_eq!(
        failed,
        [
            (State::Failed, Semantics::Default),
            (State::Failed, Semantics::Hot),
            (State::Failed, Semantics::Hot)
        ]
    );
    assert_eq!(plan.hot_failure().unwrap().reference, "@!file://gone.md");
    assert!(plan.entries[0].reason.contains("no.md"), "{}", plan.entries[0].reason);
}

#[test]
fn ref_8_each_level_has_entry_with_own_semantics() {
    let fixture = fixture();
    let plan = fixture.plan("@!thinking:@?file://a.md", &PlanOptions::default());
    let outer = &plan.entries[0];
    let inner = outer.inner.as_ref().unwrap();
    assert_eq!((outer.semantics, outer.state), (Semantics::Hot, State::Loaded));
    assert_eq!((inner.semantics, inner.state), (Semantics::Lazy, State::Pending));
    assert_eq!(inner.reference, "@?file://a.md");
    let plan = fixture.plan("@?thinking:@!file://a.md", &PlanOptions::default());
    let outer = &plan.entries[0];
    let inner = outer.inner.as_ref().unwrap();
    assert_eq!((outer.state, inner.state), (State::Pending, State::Loaded));
    assert_eq!(inner.tokens, Some(1));
    let plan = fixture.plan("@?thinking:@!file://gone.md", &PlanOptions::default());
    assert!(plan.hot_failure().is_some());
}

#[test]
fn ref_9_what_stands_twice_is_loaded_once() {
    use crate::support::Counted;
    let counted = Counted::default();
    let reads = std::sync::Arc::clone(&counted.reads);
    let fixture = Fixture::with(&[]).protocol(counted);
    let text = "@!count://a @!count://b @!count://a @count://a @count://a @?count://a";
    let plan = fixture.plan(text, &PlanOptions::default());
    let states: Vec<_> = plan.entries.iter().map(|entry| entry.state).collect();
    let [loaded, pending] = [State::Loaded, State::Pending];
    assert_eq!(states, [loaded, loaded, loaded, loaded, loaded, pending]);
    // Once hot, once by the other prefix, whose reference is another.
    assert_eq!(reads.lock().unwrap().as_slice(), ["a", "b", "a"]);
    assert_eq!(plan.entries[0].loaded, plan.entries[2].loaded);
    // Credentials are no part of what is shown, and still tell two references apart.
    let fixture = Fixture::with(&[]).protocol(crate::support::Echo("https"));
    let plan = fixture.plan("@!https://u:p@h/x @!https://v:q@h/x", &PlanOptions::default());
    assert_eq!(plan.entries[0].reference, plan.entries[1].reference);
    assert_ne!(plan.entries[0].loaded, plan.entries[1].loaded);
}

#[test]
fn ref_7_when_nothing_is_left_of_budget_nothing_more_is_loaded() {
    let counted = crate::support::Counted::default();
    let reads = std::sync::Arc::clone(&counted.reads);
    let fixture = Fixture::with(&[]).protocol(counted);
    let none = PlanOptions { budget: Some(0), ..PlanOptions::default() };
    let plan = fixture.plan("@count://a @!count://b", &none);
    assert_eq!(plan.entries[0].reason, "nothing is left of the budget");
    assert_eq!(plan.entries[0].state, State::Pending);
    assert_eq!(reads.lock().unwrap().as_slice(), ["b"]);
}

#[test]
fn ref_9_plan_has_own_limits() {
    use contexture_reference::{LoadLimits, Sizes};
    let limits = LoadLimits { max_plan_bytes: 8, max_references: 4, ..LoadLimits::default() };
    let fixture = Fixture::limited(&[("a.md", "alpha"), ("b.md", "bravo")], limits);
    let options = PlanOptions { sizes: Sizes::Weighed, ..PlanOptions::default() };
    let plan = fixture.plan("@!file://a.md @!file://b.md", &options);
    assert_eq!((plan.entries[0].state, plan.entries[0].tokens), (State::Loaded, None));
    assert_eq!(plan.hot_failure().unwrap().code, "REF3013");
    let text = "@?file://a.md ".repeat(5);
    let error = crate::support::run(fixture.loader.plan(&text, &options)).unwrap_err();
    assert_eq!(error.code, "REF3040");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn ref_9_plan_of_any_text_has_entries_in_order_where_they_stand(
        text in "(@[!?]?(file|thinking|json|fiel|thinking:file):@?(//)?[ab*./?=&中]{0,8}|[ 。,a\\n`]){0,12}",
    ) {
        let fixture = fixture();
        let plan = fixture.plan(&text, &PlanOptions::default());
        let mut behind = 0;
        for entry in &plan.entries {
            let (start, end) = entry.span.unwrap();
            proptest::prop_assert!(behind <= start && start < end);
            proptest::prop_assert!(text.get(start..end).unwrap().starts_with('@'));
            proptest::prop_assert_eq!(entry.state == State::Loaded, entry.loaded.is_some());
            proptest::prop_assert_eq!(entry.state == State::Failed, entry.error.is_some());
            behind = end;
        }
    }
}

#[test]
fn ref_9_plan_can_move_between_threads() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let fixture = fixture();
    let options = PlanOptions::default();
    let plan = crate::support::run(is_send(fixture.loader.plan(TEXT, &options))).unwrap();
    assert_eq!(plan.entries.len(), 3);
}

#[test]
fn ref_9_sources_that_wait_and_sources_that_do_not_keep_order_of_text() {
    let patient = Patient::default();
    let most = std::sync::Arc::clone(&patient.most);
    let limits = LoadLimits { concurrency: 3, ..LoadLimits::default() };
    let fixture = Fixture::limited(&[("a.md", "alpha")], limits).protocol(patient);
    let waits = ["0", "9", "a", "3", "1", "0", "7", "2", "9", "5"];
    let text = waits.iter().fold(String::new(), |text, wait| match *wait {
        "a" => text + "@!file://a.md ",
        wait => format!("{text}@!patient://{wait} "),
    });
    let plan = fixture.plan(&text, &PlanOptions::default());
    let given = plan.entries.iter().map(|entry| {
        let loaded = entry.loaded.as_ref().unwrap();
        loaded.resources[0].text().unwrap()
    });
    let expected = waits.map(|wait| if wait == "a" { "alpha" } else { wait });
    assert_eq!(given.collect::<Vec<_>>(), expected);
    assert_eq!(most.load(std::sync::atomic::Ordering::Relaxed), 3);
}
