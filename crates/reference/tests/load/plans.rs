use crate::support::Desk;
use contexture_reference::syntax::Semantics;
use contexture_reference::{PlanOptions, Policy, State};

const TEXT: &str =
    "先读 @!file://a.md，then @file://b.md, later @?file://c.md. `@file://code.md`\n";

fn desk() -> Desk {
    Desk::with(&[("a.md", "alpha"), ("b.md", "bravo and more"), ("c.md", "charlie")])
}

fn states(desk: &Desk, text: &str, options: &PlanOptions) -> Vec<(String, State, Option<u64>)> {
    let entries = desk.plan(text, options).entries.into_iter();
    entries.map(|entry| (entry.reference, entry.state, entry.tokens)).collect()
}

#[test]
fn ref_9_a_plan_has_every_reference_in_text_order() {
    let desk = desk();
    let expected = [
        ("@!file://a.md".to_owned(), State::Loaded, Some(1)),
        ("@file://b.md".to_owned(), State::Loaded, Some(4)),
        ("@?file://c.md".to_owned(), State::Pending, None),
    ];
    assert_eq!(states(&desk, TEXT, &PlanOptions::default()), expected);
    let span = desk.plan(TEXT, &PlanOptions::default()).entries[0].span.unwrap();
    assert_eq!(TEXT.get(span.0..span.1), Some("@!file://a.md"));
}

#[test]
fn ref_7_the_policy_decides_about_a_plain_sign() {
    let desk = desk();
    for policy in [Policy::Model, Policy::Never] {
        let options = PlanOptions { policy, ..PlanOptions::default() };
        assert_eq!(states(&desk, TEXT, &options)[1].1, State::Pending, "{policy:?}");
    }
    let small = PlanOptions { budget: Some(3), ..PlanOptions::default() };
    let entry = desk.plan(TEXT, &small).entries.swap_remove(1);
    assert_eq!((entry.state, entry.tokens), (State::Pending, Some(4)));
    assert_eq!(entry.reason, "its 4 tokens do not fit the 3 left of the budget");
    let two = PlanOptions { budget: Some(5), ..PlanOptions::default() };
    let pair = states(&desk, "@file://b.md @file://b.md @file://a.md", &two);
    let pair: Vec<_> = pair.into_iter().map(|(_, state, _)| state).collect();
    assert_eq!(pair, [State::Loaded, State::Pending, State::Loaded]);
}

#[test]
fn ref_9_what_fails_stands_in_the_plan_with_its_cause() {
    let desk = desk();
    let plan =
        desk.plan("@file://no.md and @!file://gone.md and @!fiel://x", &PlanOptions::default());
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
fn ref_8_each_level_has_an_entry_with_its_own_semantics() {
    let desk = desk();
    let plan = desk.plan("@!thinking:@?file://a.md", &PlanOptions::default());
    let outer = &plan.entries[0];
    let inner = outer.inner.as_ref().unwrap();
    assert_eq!((outer.semantics, outer.state), (Semantics::Hot, State::Loaded));
    assert_eq!((inner.semantics, inner.state), (Semantics::Lazy, State::Pending));
    assert_eq!(inner.reference, "@?file://a.md");
    let plan = desk.plan("@?thinking:@!file://a.md", &PlanOptions::default());
    let outer = &plan.entries[0];
    let inner = outer.inner.as_ref().unwrap();
    assert_eq!((outer.state, inner.state), (State::Pending, State::Loaded));
    assert_eq!(inner.tokens, Some(1));
    let plan = desk.plan("@?thinking:@!file://gone.md", &PlanOptions::default());
    assert!(plan.hot_failure().is_some());
}
