//! References in programs (AS-2, AS-15, REF-6 to REF-10) through the façade: what the check tells of
//! them, what reaches the prompt, what the model may load, and what is kept of it.

use crate::common::{Place, value};
use contexture::context::TraceKind;
use contexture::context::manifest::{ItemRecord, Manifest};
use contexture::diagnostic::{Severity, SourceFile};
use contexture::models::StandIn;
use contexture::recorder::inline_texts;
use contexture::run::{RunReport, RunRequest, load};
use contexture::runs;
use contexture::store::runs::{RunStore as _, select};
use serde_json::{Value, json};

const PROGRAM: &str = "app/main.as";

/// A program in a folder, with files beside it.
fn place(program: &str, files: &[(&str, &str)]) -> Place {
    let place = Place::new(files);
    place.write(PROGRAM, program);
    place
}

/// What the check tells: `code line:column marked text: message`.
fn check(place: &Place) -> Vec<String> {
    let (_, report) = load(&place.project(), &place.path(PROGRAM)).unwrap();
    let file = |name: &str| -> &SourceFile {
        report.files.iter().find(|file| file.name() == name).unwrap()
    };
    let told = report.diagnostics.iter().filter(|fault| fault.severity != Severity::Hint);
    told.map(|fault| {
        let source = file(&fault.file);
        let at = source.position(fault.span.start);
        let marked = source.slice(fault.span);
        format!("{} {}:{} {marked:?}: {}", fault.code, at.line, at.column, fault.message)
    })
    .collect()
}

/// A run with answers written down.
fn run(place: &Place, answers: &Value) -> RunReport {
    place.write("answers.json", &answers.to_string());
    place.run(RunRequest {
        stand_in: StandIn::Answers(place.path("answers.json")),
        ..place.request(PROGRAM, json!({}))
    })
}

/// The prompt of a dry run: its system message and its user message.
fn prompt(place: &Place) -> (Option<String>, String) {
    let report =
        place.run(RunRequest { dry_run: true, ..place.request(PROGRAM, json!({ "q": "Why?" })) });
    let prompts = report.prompts.clone();
    value(report);
    let [prompt] = prompts.as_slice() else { panic!("{prompts:?}") };
    (prompt.system.clone(), prompt.user.clone())
}

fn user(program: &str, files: &[(&str, &str)]) -> String {
    prompt(&place(program, files)).1
}

/// The data of the `generate` of the last run.
fn generated(place: &Place) -> Value {
    let store = runs(&place.project());
    let id = select(&store, "latest").unwrap();
    let log = store.load(&id).unwrap();
    let event = log.events.iter().rev().find(|event| event.kind == TraceKind::Generate).unwrap();
    let mut data = event.data.clone();
    inline_texts(&mut data, &mut |digest| store.text(&id, digest).unwrap());
    data
}

fn items(place: &Place) -> Vec<ItemRecord> {
    let manifest = generated(place)["manifest"].clone();
    serde_json::from_value::<Manifest>(manifest).unwrap().items
}

#[test]
fn ref_6_reference_in_input_stays_and_its_content_follows_program_items() {
    let program = r#"
        main func(input) {
          use input.q as question
          generate({ input: "Read @!file://notes.md, then answer." }) -> { answer string }
        }"#;
    insta::assert_snapshot!(user(program, &[("app/notes.md", "# Notes\nIt was [x] raining.\n")]));
}

#[test]
fn ref_7_lazy_resource_is_line_and_tool_and_is_not_read() {
    let program = r#"
        import resource Docs from "@?file://../docs/**/*.md"
        main func(input) {
          use Docs max 4k as docs
          generate({ input: "See also @?file://gone.md." }) -> { answer string }
        }"#;
    let files = [("docs/a.md", "never in the prompt")];
    insta::assert_snapshot!(user(program, &files));
}

#[test]
fn as_15_resources_of_use_appear_in_order_and_share_its_budget() {
    let program = r#"
        import resource Docs from "@!file://docs/*.md"
        main func(input) {
          use input.q as question
          use Docs max 60 as docs
          use "the end" as end
          generate({ input: "Answer." }) -> { answer string }
        }"#;
    let long = "word ".repeat(200);
    let files = [("app/docs/a.md", "short one"), ("app/docs/b.md", &long), ("app/docs/c.md", "x")];
    let place = place(program, &files);
    let report =
        place.run(RunRequest { dry_run: true, ..place.request(PROGRAM, json!({ "q": "?" })) });
    let warnings = report.warnings.clone();
    let prompt = report.prompts[0].clone();
    value(report);
    let told: Vec<(&str, &str, bool)> = prompt
        .items
        .iter()
        .map(|item| (item.source.as_str(), item.trust.as_str(), item.clipped))
        .collect();
    assert_eq!(
        told,
        [
            ("input.q", "user", false),
            ("@file://docs/a.md", "resource", false),
            ("@file://docs/b.md", "resource", true),
            ("@file://docs/c.md", "resource", true),
            ("\"the end\"", "program", false),
        ]
    );
    let tokens: u64 =
        prompt.items.iter().filter(|one| one.trust == "resource").map(|one| one.tokens).sum();
    assert!((50..=60).contains(&tokens), "{tokens}");
    assert_eq!(prompt.user.matches("[docs]").count(), 2);
    let expected = "1 of the 3 resources of `@!file://docs/*.md` do not fit its budget";
    assert!(warnings.iter().any(|told| told.contains(expected)), "{warnings:?}");
}

#[test]
fn ca_16_resources_that_do_not_fit_are_told_in_one_warning() {
    let program = r#"
        import resource Docs from "@!file://docs/*.md"
        main func(input) {
          use Docs max 1k as docs
          generate({ input: "Answer." }) -> { answer string }
        }"#;
    let long = "Some words of a line.\n".repeat(400);
    let names: Vec<String> = (10..40).map(|number| format!("app/docs/{number}.md")).collect();
    let files: Vec<(&str, &str)> =
        names.iter().map(|name| (name.as_str(), long.as_str())).collect();
    let place = place(program, &files);
    let report = place.run(RunRequest { dry_run: true, ..place.request(PROGRAM, json!({})) });
    let warnings: Vec<&String> =
        report.warnings.iter().filter(|told| told.contains("budget")).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("29 of the 30 resources"), "{warnings:?}");
}

#[test]
fn ref_6_literal_parts_of_every_kind_are_searched_and_nothing_else() {
    let program = r#"
        main func(input) {
          name = "see @!file://never.md "
          use name as note
          role "a reader of @!file://角色.md"
          description 'Keeps to @!file://rules.md.'
          generate({ input: """
            先读@!file://规则.md，然后回答。
              `@!file://code.md` and \@!file://no.md
            """ + name + input.q + " then @!file://角色.md and @!file://last.md " + "end" }) -> { answer string }
        }"#;
    let files = [
        ("app/规则.md", "规则：要简短。"),
        ("app/角色.md", "角色"),
        ("app/rules.md", "rules"),
        ("app/last.md", "loaded text: @!file://never.md"),
    ];
    let place = place(&program.replace("\\@", "\\\\@"), &files);
    let (system, user) = prompt(&place);
    assert_eq!(
        system.as_deref(),
        Some("You are a reader of @!file://角色.md.\nKeeps to @!file://rules.md.")
    );
    insta::assert_snapshot!(user);
}

#[test]
fn ref_6_text_joined_to_other_text_is_not_reference() {
    let program = r#"
        main func(input) {
          generate({ input: "Read @!file://docs/" + input.q + ".md and @!file://gone.md" + input.q }) -> { a string }
          generate({ input: input.q + "@!file://gone.md is one, @!file://gone" + ".md too" }) -> { a string }
        }"#;
    let place = place(program, &[]);
    assert_eq!(
        check(&place),
        [
            "AS4007 3:35 \"@!file://docs/\": text that is joined to other text is not a reference",
            "AS4007 3:72 \"@!file://gone.md\": text that is joined to other text is not a reference",
            "AS4007 4:40 \"@!file://gone.md\": text that is joined to other text is not a reference",
            "AS4007 4:65 \"@!file://gone\": text that is joined to other text is not a reference",
        ]
    );
    let answers = json!([{ "json": { "a": "1" } }, { "json": { "a": "2" } }]);
    place.write("answers.json", &answers.to_string());
    let report = place.run(RunRequest {
        stand_in: StandIn::Answers(place.path("answers.json")),
        ..place.request(PROGRAM, json!({ "q": "x" }))
    });
    assert_eq!(value(report), json!({ "a": "2" }));
}

#[test]
fn ref_4_invalid_reference_is_reported_at_its_place_in_program() {
    let program = "import resource A from \"@file:a.md\"\n\
        import resource B from \"\"\n\
        import resource C from \"docs/a.md\"\n\
        import resource D from \"@fiel://a.md\"\n\
        import resource E from \"@file://a.md?lin=3\"\n\
        main func(input) {\n  use A use B use C use D use E\n  role \"reader of @!fiel://x\"\n  \
        generate({ input: \"\"\"\n    \u{8bfb} \\\"@file:a.md\\\"\n    or @!none://x\n    or @none://y or ann@example.org\n  \"\"\" }) -> { a string }\n}";
    assert_eq!(
        check(&place(program, &[])),
        [
            "REF1004 1:31 \"a.md\": this is not a reference: expected `//` and a path, or an inner reference, found `a.md`",
            "REF1001 2:24 \"\\\"\\\"\": this is not a reference: expected `@`, found the end",
            "REF1001 3:25 \"docs/a.md\": this is not a reference: expected `@`, found `docs/a.md`",
            "REF3001 4:25 \"@fiel://a.md\": `@fiel://a.md`: there is no protocol `fiel`",
            "REF3003 5:25 \"@file://a.md?lin=3\": `@file://a.md?lin=3`: no level takes the parameter `lin`",
            "REF3001 8:19 \"@!fiel://x\": `@!fiel://x`: there is no protocol `fiel`",
            "REF1004 10:15 \"a.md\": this is not a reference: expected `//` and a path, or an inner reference, found `a.md`",
            "REF3001 11:8 \"@!none://x\": `@!none://x`: there is no protocol `none`",
            "REF3001 12:8 \"@none://y\": `@none://y`: there is no protocol `none`",
        ]
    );
}

#[test]
fn as_15_a_resource_is_shown_and_nothing_else() {
    let program = r#"
        import resource Docs from "@?file://docs/*.md"
        func f(x) { x }
        main func(input) {
          a = Docs
          b = Docs.length + f(Docs)
          Docs()
          Docs.read()
          use Docs.text
          use [Docs] as list
          use Docs as fine
          use one of { all: Docs max 2k none: empty } as choice
          generate({ input: Docs, tools: [Docs] }) -> { a string }
          model Docs
        }"#;
    assert_eq!(
        check(&place(program, &[])),
        [
            "AS2008 5:15 \"Docs\": `Docs` is a resource, not a value",
            "AS2008 6:15 \"Docs.length\": `Docs` is a resource, not a value",
            "AS2008 6:31 \"Docs\": `Docs` is a resource, not a value",
            "AS2006 7:11 \"Docs\": `Docs` is a resource and can't be called",
            "AS2008 8:11 \"Docs.read()\": `Docs` is a resource, not a value",
            "AS3002 9:15 \"Docs\": `Docs` is a resource and is shown as a whole",
            "AS3002 10:16 \"Docs\": `Docs` is a resource and is shown as a whole",
            "AS2008 13:29 \"Docs\": `Docs` is a resource, not a value",
            "AS4006 13:43 \"Docs\": `Docs` is a resource, and a model can only be given tools",
            "AS2012 14:17 \"Docs\": `Docs` is a resource, not a model",
        ]
    );
}

#[test]
fn ref_7_hot_reference_that_fails_stops_before_model_is_asked() {
    let program = r#"
        import resource Doc from "@!file://gone.md"
        main func(input) {
          a = try { generate({ input: "Read @!file://missing.md" }) -> { a string } } else err { err }
          b = try { use Doc generate({ input: "Read it." }) -> { a string } } else err { err }
          c = try { generate({ input: "Read @!text:@!file://../../out.md" }) -> { a string } } else err { err }
          [a.code, a.message, b.code, b.message, c.code, c.message]
        }"#;
    // No answers are there: a model that is asked fails otherwise.
    let made = value(run(&place(program, &[]), &json!([])));
    assert_eq!(
        made,
        json!([
            "REF3030",
            "`@!file://missing.md`: there is no `app/missing.md` in the workspace",
            "REF3030",
            "`@!file://gone.md`: there is no `app/gone.md` in the workspace",
            "REF3031",
            "`@!file://../../out.md`: `../../out.md` lies outside the workspace",
        ])
    );
}

#[test]
fn ref_7_default_reference_that_fails_is_warning_and_entry_of_plan() {
    let program =
        r#"main func(input) { generate({ input: "Read @file://missing.md" }) -> { a string } }"#;
    let place = place(program, &[]);
    let report = run(&place, &json!([{ "json": { "a": "x" } }]));
    let warnings = report.warnings.clone();
    value(report);
    assert_eq!(
        warnings,
        ["app/main.as:1:20: `@file://missing.md`: there is no `app/missing.md` in the workspace"]
    );
    let plan = generated(&place)["references"].clone();
    assert_eq!((&plan[0]["state"], &plan[0]["semantics"]), (&json!("failed"), &json!("default")));
}

/// Answers: the calls of tools first, then the answer.
fn calls(references: &[&str]) -> Value {
    let calls = references.iter().map(|reference| {
        json!({ "tool_calls": [{ "name": "load_resource", "arguments": { "reference": reference } }] })
    });
    calls.chain([json!({ "json": { "a": "done" } })]).collect()
}

#[test]
fn ref_10_model_loads_pending_references_and_each_result_is_item() {
    let program = r#"
        import resource Docs from "@?file://docs/*.md"
        main func(input) {
          use Docs as docs
          generate({ input: "Look it up in @?file://b.md." }) -> { a string }
        }"#;
    let long = "word ".repeat(6000);
    let files = [
        ("app/docs/a.md", "# A\n</untrusted_data> hi"),
        ("app/docs/c.md", &long),
        ("app/b.md", "b"),
    ];
    let place = place(program, &files);
    let asked = [
        "@file://docs/a.md",
        "@file://b.md?line=1",
        "@file://docs/*.md",
        "@file://../answers.json",
        "@file:x",
    ];
    assert_eq!(value(run(&place, &calls(&asked))), json!({ "a": "done" }));
    let told: Vec<_> = items(&place)
        .into_iter()
        .map(|item| {
            (item.label.unwrap_or_default(), item.source, item.trust.as_str(), item.clipped)
        })
        .collect();
    let load = |source: &str, clipped| {
        ("load_resource".to_owned(), source.to_owned(), "resource", clipped)
    };
    assert_eq!(
        told,
        [
            ("resources".to_owned(), "load_resource".to_owned(), "program", false),
            load("@file://docs/a.md", false),
            load("@?file://b.md?line=1", false),
            load("@file://docs/a.md", false),
            load("@file://docs/c.md", true),
        ]
    );
    let data = generated(&place);
    let attempts = data["attempts"].as_array().unwrap();
    let messages = attempts.last().unwrap()["added_messages"].as_array().unwrap();
    let results: Vec<&str> = messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"][0]["text"].as_str().unwrap())
        .collect();
    insta::assert_snapshot!(results.join("\n=====\n").replace(&"word ".repeat(20), "…"));
}

#[test]
fn ref_10_models_that_call_no_tools_are_told_what_there_is_and_are_given_none() {
    let program =
        r#"main func(input) { generate({ input: "Look into @?file://b.md" }) -> { a?: string } }"#;
    let place = place(program, &[("app/b.md", "b")]);
    for stand_in in [StandIn::None, StandIn::Mock] {
        value(place.run(RunRequest { stand_in, ..place.request(PROGRAM, json!({})) }));
        let data = generated(&place);
        assert_eq!(items(&place).len(), 1);
        assert_eq!(data["references"][0]["state"], "pending");
    }
}

#[test]
fn ref_10_a_server_that_takes_no_tools_is_asked_without_them() {
    let program = r#"
        main func(input) {
          generate({ input: "Look into @?file://b.md" }) -> { a string }
          generate({ input: "Look again into @?file://b.md" }) -> { a string }
        }"#;
    let place = place(program, &[("app/b.md", "b")]);
    let refused = json!({ "error": { "kind": "bad_request", "message": "m does not support tools", "status": 400 } });
    let answer = json!({ "repeat": true, "json": { "a": "x" } });
    let report = run(&place, &json!([refused, answer]));
    let warnings = report.warnings.clone();
    assert_eq!(value(report), json!({ "a": "x" }));
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].ends_with("takes no tools: what is pending can't be loaded"),
        "{warnings:?}"
    );
    // It is not asked in vain again.
    assert_eq!(generated(&place)["attempts"].as_array().unwrap().len(), 1);
}

#[test]
fn ref_10_loading_calls_of_model_count_against_limit() {
    let program =
        r#"main func(input) { generate({ input: "Look into @?file://b.md" }) -> { a string } }"#;
    let place =
        place(program, &[("app/b.md", "b"), ("contexture.toml", "[limits]\ntool_calls = 1\n")]);
    value(run(&place, &calls(&["@file://b.md", "@file://b.md"])));
    assert_eq!(items(&place).len(), 2);
}

#[test]
fn ref_7_the_policy_decides_about_default_references() {
    let program = r#"
        import resource Doc from "@file://doc.md"
        main func(input) {
          use Doc as doc
          generate({ input: "Read @file://a.md and @file://big.md and @file://c.md" }) -> { a string }
        }"#;
    let big = "word ".repeat(3000);
    let files = [("app/doc.md", "doc"), ("app/a.md", "a"), ("app/big.md", &big), ("app/c.md", "c")];
    let states = |config: &str| -> Vec<String> {
        let place = place(program, &files);
        place.write("contexture.toml", config);
        value(run(&place, &json!([{ "json": { "a": "x" } }])));
        let plan = generated(&place)["references"].clone();
        plan.as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["state"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(states(""), ["loaded"; 4]);
    assert_eq!(states("[references]\nbudget = 500\n"), ["loaded", "loaded", "pending", "loaded"]);
    assert_eq!(states("[references]\npolicy = \"model\"\n"), ["pending"; 4]);
    assert_eq!(states("[references]\npolicy = \"never\"\n"), ["pending"; 4]);
    let place = place(program, &files);
    place.write("contexture.toml", "[references]\npolicy = \"never\"\n");
    let (_, user) = prompt(&place);
    assert!(!user.contains("Context:"), "{user}");
}

#[test]
fn ref_7_with_max_input_default_references_take_what_is_left_of_it() {
    let program = |max: u32| {
        format!(
            "main func(input) {{ use \"own item\" as own\ngenerate({{ max_input: {max}, \
             input: \"Read @file://a.md and @file://b.md and @!file://hot.md\" }}) -> {{ a string }} }}"
        )
    };
    let words = |count| "word ".repeat(count);
    let (a, b, hot) = (words(200), words(100), words(50));
    let files = [("app/a.md", a.as_str()), ("app/b.md", &b), ("app/hot.md", &hot)];
    let mut whole = 0;
    for max in [9_000].into_iter().chain((300..700).step_by(20)) {
        let place = place(&program(max), &files);
        let report = place.run(RunRequest { dry_run: true, ..place.request(PROGRAM, json!({})) });
        let prompts = report.prompts.clone();
        value(report);
        let [prompt] = prompts.as_slice() else { panic!("{prompts:?}") };
        assert!(prompt.tokens <= u64::from(max), "{max}: {}", prompt.tokens);
        // What was let in stands whole: it was let in because there was room.
        for item in prompt.items.iter().filter(|item| item.source.starts_with('@')) {
            assert!(!item.clipped, "{max}: {item:?}");
        }
        let listed = prompt.items.iter().find(|item| item.label.as_deref() == Some("resources"));
        let shown = prompt.items.iter().filter(|item| item.source.starts_with('@')).count();
        let pending = listed.map_or(0, |item| item.text.matches("\n- @").count());
        assert_eq!(shown + pending, 3, "{max}: {}", prompt.user);
        whole = whole.max(prompt.tokens);
        let all = u64::from(max) >= whole + 20;
        assert_eq!(shown == 3, all, "{max}: {shown} of {whole} tokens");
    }
}

#[test]
fn ref_8_lazy_inner_level_is_handle_that_model_may_load() {
    let program = r#"main func(input) { generate({ input: "Use @!thinking:@?file://big.md" }) -> { a string } }"#;
    let place = place(program, &[("app/big.md", "the text")]);
    value(run(&place, &calls(&["@file://big.md"])));
    let items = items(&place);
    let sources: Vec<&str> = items.iter().map(|item| item.source.as_str()).collect();
    assert_eq!(sources, ["@thinking:@?file://big.md", "load_resource", "@?file://big.md"]);
}

#[test]
fn ref_5_repeated_reference_is_one_item_and_strongest_prefix_applies() {
    let program = r#"
        import resource Doc from "@!file://doc.md"
        main func(input) {
          use Doc as doc
          generate({ input: "@?file://a.md @!file://a.md @FILE://a.md @file://doc.md @?file://lazy.md" }) -> { a string }
        }"#;
    let files = [("app/a.md", "a"), ("app/doc.md", "doc"), ("app/lazy.md", "lazy")];
    let place = place(program, &files);
    value(run(&place, &json!([{ "json": { "a": "x" } }])));
    let sources: Vec<String> = items(&place).into_iter().map(|item| item.source).collect();
    assert_eq!(sources, ["@!file://doc.md", "@!file://a.md", "load_resource"]);
}

#[test]
fn ref_7_hot_reference_in_text_is_loaded_despite_lazy_use_of_same() {
    let program = r#"
        import resource Doc from "@?file://doc.md"
        main func(input) {
          use Doc max 40 as doc
          generate({ input: "Keep to @!file://doc.md" }) -> { a string }
        }"#;
    let place = place(program, &[("app/doc.md", "doc")]);
    value(run(&place, &json!([{ "json": { "a": "x" } }])));
    let [doc] = items(&place).try_into().unwrap();
    assert_eq!((doc.source.as_str(), doc.label.as_deref()), ("@!file://doc.md", Some("doc")));
}

#[test]
fn as_29_resource_item_records_reference_place_trust_digest_and_cut() {
    let program = "import resource Doc from \"@!file://doc.md\"\nmain func(input) {\n  use Doc max 40 as doc\n  generate({ input: \"\"\"\n    Read this:\n    @!file://a.md\n  \"\"\" }) -> { a string }\n}";
    let long = "word ".repeat(100);
    let place = place(program, &[("app/doc.md", &long), ("app/a.md", "a")]);
    value(run(&place, &json!([{ "json": { "a": "x" } }])));
    let [doc, text] = items(&place).try_into().unwrap();
    let at = |item: &ItemRecord| {
        let position = item.position.clone().unwrap();
        (position.file, position.line, position.column)
    };
    assert_eq!(at(&doc), (PROGRAM.to_owned(), 3, 3));
    assert_eq!(at(&text), (PROGRAM.to_owned(), 6, 5));
    assert_eq!(doc.cuts.len(), 1);
    assert!(doc.tokens <= 40 && doc.tokens_before > 100);
    assert_eq!(text.value, contexture::context::Digest::of_json(&json!("a")));
    assert_eq!(text.label, None);
}

#[test]
fn as_31_dry_run_reads_files_and_does_not_use_network() {
    let program = r#"
        import resource Web from "@!https://example.invalid/page"
        main func(input) {
          use Web as page
          generate({ input: "Read @!file://a.md, @https://example.invalid/b and @?sftp://ann:s3cret@host.invalid/c" }) -> { a string }
        }"#;
    let place = place(program, &[("app/a.md", "text of a")]);
    let report = place.run(RunRequest { dry_run: true, ..place.request(PROGRAM, json!({})) });
    let prompt = report.prompts[0].clone();
    assert_eq!(prompt.placeholders, ["[page]", "@https://example.invalid/b"]);
    assert!(prompt.on_placeholders);
    assert!(!prompt.user.contains("s3cret"), "{}", prompt.user);
    insta::assert_snapshot!(prompt.user);
    value(report);
}

#[test]
fn ref_23_credentials_reach_neither_model_nor_record() {
    let program = r#"main func(input) { generate({ input: "Read @?sftp://ann:s3cret@host.invalid/c." }) -> { a string } }"#;
    let place = place(program, &[]);
    value(run(&place, &json!([{ "when": "Read @?sftp://host.invalid/c.", "json": { "a": "x" } }])));
    for file in place.kept() {
        assert!(
            !String::from_utf8_lossy(&std::fs::read(&file).unwrap()).contains("s3cret"),
            "{file:?}"
        );
    }
}

#[test]
fn as_17_candidate_may_be_resource() {
    let program = |selected: &str| {
        format!(
            "import resource A from \"@!file://a.md\"\nimport resource B from \"@!file://b.md\"\n\
             main func(input) {{\n  use one of {{ {selected} none: empty }} as choice\n  \
             generate({{ input: \"Go.\" }}) -> {{ a string }}\n}}"
        )
    };
    let files = [("app/a.md", "alpha"), ("app/b.md", "beta")];
    let a = user(&program("a: A max 50 b: B selected"), &files);
    assert!(a.contains("[choice]\nsource: @!file://b.md") && !a.contains("alpha"), "{a}");
    let b = user(&program("a: A b: B"), &files);
    assert!(b.contains("[choice]\nsource: @!file://a.md") && !b.contains("beta"), "{b}");
    assert!(!user(&program("a: A b: B x: empty selected"), &files).contains("Context"));
}

#[test]
fn as_14_imported_agent_uses_resources_of_its_own_file() {
    let place = place(
        "import agent Reader from \"../lib/reader.as\"\nimport resource Mine from \"@!file://mine.md\"\n\
         main func(input) { use Mine Reader({ q: \"x\" }) }",
        &[
            (
                "lib/reader.as",
                "import resource Doc from \"@!file://doc.md\"\nagent Reader { use Doc as doc\n\
                 main func(input) { generate({ input: \"Read @!file://near.md\" }) -> { a string } } }",
            ),
            ("lib/doc.md", "doc of lib"),
            ("lib/near.md", "near of lib"),
            ("app/mine.md", "mine"),
            ("app/doc.md", "wrong"),
        ],
    );
    let (_, user) = prompt(&place);
    assert!(user.contains("doc of lib") && user.contains("near of lib"), "{user}");
    assert!(!user.contains("mine") && !user.contains("wrong"), "{user}");
}

#[test]
fn as_30_recorded_run_replays_with_loading_calls() {
    let program = r#"
        import resource Docs from "@?file://docs/*.md"
        main func(input) { use Docs generate({ input: "Read @!file://a.md" }) -> { a string } }"#;
    let place = place(program, &[("app/docs/d.md", "d"), ("app/a.md", "a")]);
    place.write("answers.json", &calls(&["@file://docs/d.md"]).to_string());
    let recording = place.path("recording.jsonl");
    let report = place.run(RunRequest {
        stand_in: StandIn::Answers(place.path("answers.json")),
        record: Some(recording.clone()),
        ..place.request(PROGRAM, json!({}))
    });
    value(report);
    let first = generated(&place);
    let replayed = place.run(RunRequest {
        stand_in: StandIn::Replay(recording),
        ..place.request(PROGRAM, json!({}))
    });
    value(replayed);
    let second = generated(&place);
    assert_eq!(first["manifest"]["items"], second["manifest"]["items"]);
    assert_eq!(first["references"], second["references"]);
}

#[test]
fn as_31_session_lines_may_contain_references() {
    use contexture::observe::Silent;
    use contexture::session::Session;
    let place = place("", &[("a.md", "text of a"), ("doc.md", "text of doc")]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let request = RunRequest { dry_run: true, ..RunRequest::default() };
    let mut session =
        Session::open(&place.project(), &request, std::sync::Arc::new(Silent)).unwrap();
    let mut eval = |line: &str| runtime.block_on(session.eval(line, Default::default()));
    eval("import resource Doc from \"@!file://doc.md\"").unwrap();
    eval("use Doc as doc").unwrap();
    eval("role \"reader of @!file://a.md\"").unwrap();
    eval("generate({ input: \"Go.\" }) -> { a string }").unwrap();
    for wrong in ["import resource X from \"doc.md\"", "generate({ input: \"@file:a.md\" })"] {
        let error = eval(wrong).unwrap_err();
        let contexture::script::runtime::SessionError::Syntax(faults) = error else {
            panic!("{error}")
        };
        assert!(faults[0].code.starts_with("REF1"), "{faults:?}");
    }
}

const ROLE: &str = "Role: @!file://tone.md\nOlder: @?file://old.md\n";

#[test]
fn ma_1_program_imports_an_expanded_document() {
    let program = r#"
        import resource Role from "@!expand:file://role/a.md"
        main func(input) {
          use Role as role
          generate({ input: "Answer." }) -> { a string }
        }"#;
    let files = [
        ("app/role/a.md", ROLE),
        ("app/role/tone.md", "Be brief: @file://words.md"),
        ("app/role/words.md", "few words"),
        ("app/role/old.md", "old"),
    ];
    let place = place(program, &files);
    let report = run(&place, &calls(&["@?file://old.md"]));
    assert_eq!(report.warnings, [""; 0]);
    assert_eq!(value(report), json!({ "a": "done" }));
    let kept = items(&place);
    let told: Vec<_> =
        kept.iter().map(|item| (item.source.as_str(), item.trust.as_str())).collect();
    let role = ("@expand:@file://role/a.md", "resource");
    let old = ("@?file://old.md", "resource");
    assert_eq!(told, [role, ("load_resource", "program"), old]);
    let text = "Role: Be brief: few words\nOlder: @?file://old.md\n";
    assert_eq!(kept[0].value, contexture::context::Digest::of_json(&json!(text)));
    let data = generated(&place);
    let inside = [
        ("@!file://tone.md", 1, "loaded"),
        ("@file://words.md", 2, "loaded"),
        ("@?file://old.md", 1, "pending"),
    ];
    for steps in
        [&data["references"][0]["expanded"], &data["manifest"]["expanded"][0]["references"]]
    {
        let steps = steps.as_array().unwrap().iter();
        let steps: Vec<_> = steps
            .map(|step| (step["reference"].clone(), step["depth"].clone(), step["state"].clone()))
            .collect();
        assert_eq!(
            steps,
            inside.map(|(name, depth, state)| (json!(name), json!(depth), json!(state)))
        );
    }
    assert_eq!(data["manifest"]["expanded"][0]["source"], "@!expand:@file://role/a.md");
}

#[test]
fn ma_1_references_of_a_resource_that_is_not_expanded_are_told_once() {
    let program = r#"
        import resource Role from "@!file://role.md"
        main func(input) { use Role generate({ input: "Answer." }) -> { a string } }"#;
    let place = place(program, &[("app/role.md", ROLE)]);
    let report = run(&place, &json!([{ "json": { "a": "x" } }]));
    let warnings = report.warnings.clone();
    value(report);
    let said = "2 references inside are not loaded: @!file://tone.md, @?file://old.md; \
                `@!expand:file://role.md` loads them";
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].ends_with(said), "{warnings:?}");
    assert_eq!(generated(&place)["references"][0]["reason"], said);
}

#[test]
fn ma_1_failed_hot_reference_inside_stops_the_call() {
    let program = r#"
        import resource Role from "@!expand:file://role.md"
        main func(input) {
          a = try { use Role generate({ input: "Answer." }) -> { a string } } else err { err }
          [a.code, a.message]
        }"#;
    // No answers are there: a model that is asked fails otherwise.
    let made = value(run(&place(program, &[("app/role.md", ROLE)]), &json!([])));
    let told = "`@!file://tone.md`: in a document that is expanded: there is no `app/tone.md` in \
                the workspace";
    assert_eq!(made, json!(["REF3030", told]));
}
