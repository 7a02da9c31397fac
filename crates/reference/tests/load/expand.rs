//! Documents whose references are loaded in turn (MA-1).

use crate::support::{Fixture, run};
use contexture_context::Trust;
use contexture_reference::expand::{ExpandLimits, ExpandOptions, Expansion};
use contexture_reference::syntax::Reference;
use contexture_reference::{LoadLimits, PlanOptions, Policy};

fn expand_with(fixture: &Fixture, reference: &str, options: &ExpandOptions) -> Expansion {
    let reference = Reference::parse(reference).unwrap();
    run(fixture.loader.expand(&reference, options))
}

fn expand(fixture: &Fixture, reference: &str) -> Expansion {
    expand_with(fixture, reference, &ExpandOptions::default())
}

/// The depth, the reference and the state of each step.
fn steps(expansion: &Expansion) -> Vec<(usize, &str, &str)> {
    let steps = expansion.steps.iter();
    steps.map(|step| (step.depth, step.reference.as_str(), step.state.as_str())).collect()
}

#[test]
fn ma_1_loaded_text_stands_in_place_of_its_reference_except_in_code() {
    let fixture = Fixture::with(&[
        ("role.md", "# Role\n@!file://tone.md\nKeep `@!file://tone.md`, and (@!file://a/b.md).\n"),
        ("tone.md", "Be brief.\n"),
        ("a/b.md", "Words: @!file://c.md\n"),
        ("a/c.md", "few"),
    ]);
    let expansion = expand(&fixture, "@!file://role.md");
    assert_eq!(
        expansion.text,
        "# Role\nBe brief.\nKeep `@!file://tone.md`, and (Words: few).\n".trim_end()
    );
    assert_eq!(
        steps(&expansion),
        [
            (0, "@!file://role.md", "loaded"),
            (1, "@!file://tone.md", "loaded"),
            (1, "@!file://a/b.md", "loaded"),
            (2, "@!file://c.md", "loaded"),
        ]
    );
    assert!(expansion.hot_failure().is_none());
    assert!(expansion.steps.iter().all(|step| step.tokens.is_some() && step.digest.is_some()));
}

#[test]
fn ma_1_lazy_references_are_listed_as_pending_and_plain_ones_follow_the_policy() {
    let fixture = Fixture::with(&[
        ("role.md", "@?file://more.md and @file://tone.md"),
        ("tone.md", "Be brief."),
        ("more.md", "More."),
    ]);
    let expansion = expand(&fixture, "@role.md".replace("@", "@file://").as_str());
    assert_eq!(expansion.text, "@?file://more.md and Be brief.");
    assert_eq!(steps(&expansion)[1], (1, "@?file://more.md", "pending"));
    assert_eq!(steps(&expansion)[2], (1, "@file://tone.md", "loaded"));
    let never = PlanOptions { policy: Policy::Never, ..PlanOptions::default() };
    let never = ExpandOptions { plan: never, ..ExpandOptions::default() };
    let expansion = expand_with(&fixture, "@file://role.md", &never);
    assert_eq!(expansion.text, "@?file://more.md and @file://tone.md");
    assert_eq!(steps(&expansion)[2], (1, "@file://tone.md", "pending"));
}

#[test]
fn ma_1_budget_holds_for_all_documents_together() {
    let words = "word ".repeat(60);
    let fixture = Fixture::with(&[
        ("role.md", "@!file://inner.md @file://b.md"),
        ("inner.md", "@file://a.md"),
        ("a.md", &words),
        ("b.md", &words),
    ]);
    let plan = PlanOptions { budget: Some(100), ..PlanOptions::default() };
    let options = ExpandOptions { plan, ..ExpandOptions::default() };
    let expansion = expand_with(&fixture, "@!file://role.md", &options);
    let plain = expansion.steps.iter().filter(|step| !step.is_hot);
    let states: Vec<_> = plain.map(|step| step.state.as_str()).collect();
    assert_eq!(states.iter().filter(|state| **state == "loaded").count(), 1, "{states:?}");
}

#[test]
fn ma_1_failed_hot_reference_is_a_failure_and_stays_in_the_text() {
    let fixture = Fixture::with(&[("role.md", "@!file://none.md and @file://nothing.md")]);
    let expansion = expand(&fixture, "@!file://role.md");
    assert_eq!(expansion.text, "@!file://none.md and @file://nothing.md");
    assert_eq!(steps(&expansion)[1], (1, "@!file://none.md", "failed"));
    assert_eq!(steps(&expansion)[2], (1, "@file://nothing.md", "failed"));
    let error = expansion.hot_failure().unwrap();
    assert_eq!((error.code, error.reference.as_str()), ("REF3030", "@!file://none.md"));
    let missing = expand(&fixture, "@file://absent.md");
    assert_eq!(steps(&missing), [(0, "@file://absent.md", "failed")]);
    assert_eq!(missing.hot_failure().map(|error| error.code), Some("REF3030"));
}

#[test]
fn ma_1_cycle_in_expanded_files_is_told_once() {
    let fixture = Fixture::with(&[
        ("a.md", "A @!file://b.md"),
        ("b.md", "B @!file://a.md"),
        ("self.md", "S @!file://self.md @!file://self.md"),
        ("sub/all.md", "all @!file://*.md"),
    ]);
    let expansion = expand(&fixture, "@!file://a.md");
    assert_eq!(expansion.text, "A B @!file://a.md");
    assert_eq!(
        steps(&expansion),
        [
            (0, "@!file://a.md", "loaded"),
            (1, "@!file://b.md", "loaded"),
            (2, "@!file://a.md", "cycle"),
        ]
    );
    assert!(expansion.hot_failure().is_none());
    let expansion = expand(&fixture, "@!file://self.md");
    assert_eq!(expansion.text, "S @!file://self.md @!file://self.md");
    assert_eq!(steps(&expansion).iter().filter(|step| step.2 == "cycle").count(), 2);
    let expansion = expand(&fixture, "@!file://sub/all.md");
    assert_eq!(steps(&expansion)[2], (2, "@file://all.md", "cycle"));
}

#[test]
fn ma_1_expansion_bomb_ends_at_each_limit() {
    let mut files: Vec<(String, String)> = Vec::new();
    for index in 0..40 {
        let next = index + 1;
        files.push((
            format!("{index}.md"),
            format!("{index} @!file://{next}.md @!file://{next}.md"),
        ));
    }
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let fixture = Fixture::with(&files);
    let limited = |limits: ExpandLimits| {
        let options = ExpandOptions { limits, ..ExpandOptions::default() };
        expand_with(&fixture, "@!file://0.md", &options)
    };
    let wide = ExpandLimits { depth: 100, references: usize::MAX, tokens: u64::MAX };
    for (limits, said) in [
        (ExpandLimits { depth: 3, ..wide }, "more than 3 documents inside one another"),
        (ExpandLimits { references: 50, ..wide }, "more than 50 references"),
        (ExpandLimits { tokens: 500, ..wide }, "has more than 500"),
    ] {
        let expansion = limited(limits);
        assert!(expansion.steps.len() < 500, "{}", expansion.steps.len());
        let error = expansion.hot_failure().unwrap();
        assert_eq!(error.code, "REF3044");
        assert!(error.message.contains(said), "{}", error.message);
        assert!(expansion.steps.iter().any(|step| step.state.as_str() == "limit"));
    }
    let expansion = limited(ExpandLimits::default());
    assert_eq!(expansion.hot_failure().map(|error| error.code), Some("REF3044"));
}

#[test]
fn ma_1_data_of_lower_trust_is_never_expanded() {
    let fixture = Fixture::with(&[("role.md", "@!memory://note"), ("a.md", "A")]);
    let fixture = fixture.protocol(crate::support::Given {
        name: "page",
        text: "web @!file://a.md",
        trust: Trust::Web,
    });
    fixture.write("page.md", b"Page: @!page://x");
    let expansion = expand(&fixture, "@!file://page.md");
    assert_eq!(expansion.text, "Page: web @!file://a.md");
    let step = &expansion.steps[1];
    assert_eq!((step.state.as_str(), step.trust), ("loaded", Some(Trust::Web)));
    assert!(step.reason.contains("1 references inside are not loaded"), "{}", step.reason);
    let loaded = fixture.load("@!expand:page://x").unwrap();
    assert_eq!(loaded.resources[0].text(), Some("web @!file://a.md"));
    assert_eq!(loaded.notes[0].code, "REF3045");
    let loaded = fixture.load("@!expand:file://page.md").unwrap();
    assert_eq!(loaded.resources[0].trust, Trust::Web);
}

#[test]
fn ma_1_expand_processor_gives_one_text_with_its_steps() {
    let fixture = Fixture::with(&[
        ("role.md", "Role @!file://tone.md @?file://more.md"),
        ("tone.md", "brief @!expand:file://words.md"),
        ("words.md", "words"),
        ("broken.md", "@!file://none.md"),
    ]);
    let loaded = fixture.load("@!expand:file://role.md").unwrap();
    assert_eq!(loaded.resources[0].text(), Some("Role brief words @?file://more.md"));
    assert_eq!(loaded.resources[0].reference, "@expand:@!file://role.md".replace("@!", "@"));
    let depths: Vec<_> =
        loaded.steps.iter().map(|step| (step.depth, step.state.as_str())).collect();
    assert_eq!(depths, [(1, "loaded"), (2, "loaded"), (1, "pending")]);
    assert!(loaded.notes.is_empty(), "{:?}", loaded.notes);
    let error = fixture.load("@!expand:file://broken.md").unwrap_err();
    assert_eq!((error.code, error.reference.as_str()), ("REF3030", "@!file://none.md"));
    assert!(error.message.starts_with("in a document that is expanded"), "{}", error.message);
    assert_eq!(fixture.text("@!text:expand:file://role.md"), "Role brief words @?file://more.md");
}

#[test]
fn ma_1_references_in_text_that_is_not_expanded_are_told_once() {
    let fixture = Fixture::with(&[(
        "role.md",
        "@!file://a.md @!file://b.md @!file://a.md `@!file://c.md` @?file://d.md",
    )]);
    let loaded = fixture.load("@!file://role.md").unwrap();
    let notes: Vec<_> =
        loaded.notes.iter().map(|note| (note.code, note.message.as_str())).collect();
    assert_eq!(
        notes,
        [(
            "REF3045",
            "3 references inside are not loaded: @!file://a.md, @!file://b.md, @?file://d.md; \
             `@!expand:file://role.md` loads them"
        )]
    );
}

#[test]
fn ma_1_limits_of_the_loader_hold_for_the_processor() {
    let expansion = ExpandLimits { references: 1, ..ExpandLimits::default() };
    let limits = LoadLimits { expansion, ..LoadLimits::default() };
    let files = [("role.md", "@!file://a.md @!file://b.md"), ("a.md", "A"), ("b.md", "B")];
    let fixture = Fixture::limited(&files, limits);
    assert_eq!(fixture.refused("@!expand:file://role.md").0, "REF3044");
}

#[test]
fn ma_3_agent_files_import_paths() {
    let fixture = Fixture::with(&[
        (
            "CLAUDE.md",
            "See @docs/a.md, ask @ann, not `@docs/b.md`. Also @~/own.md and @docs/gone.md.",
        ),
        ("docs/a.md", "A imports @b.md"),
        ("docs/b.md", "B"),
        ("notes.md", "@docs/a.md"),
    ]);
    let expansion = expand(&fixture, "@!file://CLAUDE.md");
    assert_eq!(
        expansion.text,
        "See A imports B, ask @ann, not `@docs/b.md`. Also @~/own.md and @docs/gone.md."
    );
    assert_eq!(
        steps(&expansion),
        [
            (0, "@!file://CLAUDE.md", "loaded"),
            (1, "@file://docs/a.md", "loaded"),
            (2, "@file://b.md", "loaded"),
            (1, "@~/own.md", "failed"),
            (1, "@file://docs/gone.md", "failed"),
        ]
    );
    assert!(expansion.hot_failure().is_none());
    assert_eq!(expand(&fixture, "@!file://notes.md").text, "@docs/a.md");
    let own = "@docs/b.md";
    let named = run(fixture.loader.expand_text("x/AGENTS.md", own, &ExpandOptions::default()));
    assert_eq!(named.text, "B");
}

#[test]
fn ma_3_imports_in_cjk_text_and_with_spaces_are_loaded() {
    let fixture = Fixture::with(&[
        ("CLAUDE.md", "- @docs/规则.md，后\n（@b.md）**@b.md** 看@docs/with\\ space.md。\n"),
        ("docs/规则.md", "规则"),
        ("docs/with space.md", "S"),
        ("b.md", "B"),
    ]);
    let expansion = expand(&fixture, "@!file://CLAUDE.md");
    assert_eq!(expansion.text, "- 规则，后\n（B）**B** 看S。");
}

#[test]
fn ma_3_prefix_without_path_in_document_is_text() {
    let text = "V1 的 @!thought:// 引用是模块化的, `x`. And @file://, @?file://.";
    let fixture = Fixture::with(&[("role.md", text), ("wrong.md", "@!file://?line=5")]);
    let expansion = expand(&fixture, "@!file://role.md");
    assert_eq!(expansion.text, text);
    assert_eq!(steps(&expansion), [(0, "@!file://role.md", "loaded")]);
    let wrong = expand(&fixture, "@!file://wrong.md");
    assert_eq!(wrong.hot_failure().map(|error| error.code), Some("REF1005"));
}
