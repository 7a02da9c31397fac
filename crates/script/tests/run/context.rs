//! AS-12 to AS-17: `use`.

use crate::support::{
    block_on, executable, executable_of_any, failure_of, main_of, outcome, outcome_with,
};
use contexture_context::{Budget, DeclaredItem, Keep, TraceKind, Trust};
use contexture_script::host::GenerateCall;
use contexture_script::runtime::{Entry, RunOptions, ScriptedHost, run};
use serde_json::{Value, json};

/// Runs a program whose model always answers `"ok"`, and returns the model calls.
fn calls_with(source: &str, input: Value, options: &RunOptions) -> Vec<GenerateCall> {
    let host = (0..20).fold(ScriptedHost::new(), |host, _| host.with_answer(json!("ok")));
    let host =
        host.with_file("notes.md", json!("file text")).with_file("data.json", json!({ "k": [1] }));
    let outcome = outcome_with(source, input, &host, options);
    assert!(outcome.result.is_ok(), "{:?}", outcome.result);
    host.generate_calls()
}

fn calls(source: &str) -> Vec<GenerateCall> {
    calls_with(source, json!({ "question": "Why?", "detail": "deep" }), &RunOptions::default())
}

fn body(body: &str) -> Vec<GenerateCall> {
    calls(&main_of(body))
}

fn brief(items: &[DeclaredItem]) -> Vec<(Option<&str>, &str, Value)> {
    items
        .iter()
        .map(|item| (item.label.as_deref(), item.source.as_str(), item.value.clone()))
        .collect()
}

#[test]
fn as_12_prompt_contains_only_used_items() {
    let calls = body("secret = \"s\" other = [1] use input.question generate({ input: \"x\" })");
    assert_eq!(brief(&calls[0].items), [(None, "input.question", json!("Why?"))]);
    assert_eq!(body("secret = \"s\" generate({ input: \"x\" })")[0].items, []);
}

#[test]
fn as_12_four_forms_and_their_budgets() {
    let calls = body(
        "docs = [1, 2]
        use docs
        use docs.summary max 4k
        use input.question as user question
        use docs[0] max 8k chars as retrieved evidence
        use docs max 500 keep tail priority 5 as \"quoted label\"
        generate({ input: \"x\" })",
    );
    let items = &calls[0].items;
    assert_eq!(
        brief(items),
        [
            (None, "docs", json!([1, 2])),
            (None, "docs.summary", json!([1, 2])),
            (Some("user question"), "input.question", json!("Why?")),
            (Some("retrieved evidence"), "docs[0]", json!(1)),
            (Some("quoted label"), "docs", json!([1, 2])),
        ]
    );
    let budgets: Vec<Option<Budget>> = items.iter().map(|item| item.budget).collect();
    assert_eq!(
        budgets,
        [
            None,
            Some(Budget::tokens(4000)),
            None,
            Some(Budget::chars(8000)),
            Some(Budget::tokens(500).keeping(Keep::Tail)),
        ]
    );
    assert_eq!(items.iter().map(|item| item.priority).collect::<Vec<_>>(), [0, 0, 0, 0, 5]);
    let position = items[1].position.as_ref().unwrap();
    assert_eq!((position.file.as_str(), position.line, position.column), ("main.as", 4, 9));
}

#[test]
fn as_12_label_is_never_evaluated() {
    let calls = body(
        "evidence = \"value\"\ndocs = \"d\"\nuse docs as evidence\ngenerate({ input: \"x\" })",
    );
    assert_eq!(brief(&calls[0].items), [(Some("evidence"), "docs", json!("d"))]);
}

#[test]
fn as_13_evaluated_when_prompt_is_built() {
    let calls = body(
        "scratch = []
        use scratch.summary max 2k as observations
        scratch.add({ fact: \"A\" })
        generate({ input: \"1\" })
        scratch.add({ fact: \"B\" })
        generate({ input: \"2\" })
        scratch = \"gone\"
        use scratch
        try { generate({ input: \"3\" }) } else err { err.code }",
    );
    assert_eq!(calls[0].items[0].value, json!([{ "fact": "A" }]));
    assert_eq!(calls[1].items[0].value, json!([{ "fact": "A" }, { "fact": "B" }]));
    assert_eq!(calls.len(), 2, "`.summary` of a string fails before the third call");
}

#[test]
fn as_13_use_is_evaluated_in_own_scope() {
    let calls = body(
        "x = \"outer\"
        use x
        for x in [\"inner\"] max 1 {
            use x as mine
            generate({ input: \"1\" })
        }",
    );
    assert_eq!(
        brief(&calls[0].items),
        [(None, "x", json!("outer")), (Some("mine"), "x", json!("inner"))]
    );
}

#[test]
fn as_13_failing_use_is_reported_at_use() {
    let error = failure_of(&main_of("o = {}\nuse o.text\ngenerate({ input: \"x\" })"));
    assert_eq!((error.code.as_str(), error.line, error.column), ("AS9004", 3, 1));
}

#[test]
fn as_13_once_per_generate() {
    let calls = body("n = [0]\nuse n\ngenerate({ input: \"x\", attempts: 3 })");
    assert_eq!(calls.len(), 1, "attempts are the host's, with the same items");
    assert_eq!(calls[0].options.attempts, 3);
}

#[test]
fn as_14_use_is_visible_to_later_generates_in_block_and_inside_it() {
    let calls = body(
        "generate({ input: \"before\" })
        use input.question as user question
        if true {
            use input.detail as detail
            generate({ input: \"inside\" })
        }
        generate({ input: \"after\" })
        repeat * 2 {
            generate({ input: \"turn\" })
            use input.detail
        }",
    );
    let sources = |call: &GenerateCall| {
        brief(&call.items).iter().map(|item| item.1.to_owned()).collect::<Vec<_>>()
    };
    let seen: Vec<_> = calls.iter().map(sources).collect();
    let question = "input.question".to_owned();
    let detail = "input.detail".to_owned();
    assert_eq!(
        seen,
        [
            vec![],
            vec![question.clone(), detail],
            vec![question.clone()],
            vec![question.clone()],
            vec![question],
        ]
    );
}

#[test]
fn as_14_functions_and_agents_are_boundaries() {
    let source = "
        func helper(x) { generate({ input: \"helper\" }) }
        agent Other { role \"other\" main func(input) { generate({ input: \"agent\" }) } }
        main agent Main {
            role \"main\"
            func own(x) { generate({ input: \"own\" }) }
            main func(input) {
                use input.question
                helper(1)
                own(1)
                Other(1)
                generate({ input: \"main\" })
            }
        }";
    let calls = calls(source);
    let seen: Vec<_> = calls
        .iter()
        .map(|call| (call.instruction.as_str(), call.role.as_deref(), call.items.len()))
        .collect();
    assert_eq!(
        seen,
        [
            ("helper", None, 0),
            ("own", Some("main"), 0),
            ("agent", Some("other"), 0),
            ("main", Some("main"), 1),
        ]
    );
}

#[test]
fn as_14_agent_level_uses_are_visible_to_functions_of_agent() {
    let source = "
        import file Notes from \"notes.md\"
        import file Data from \"data.json\"
        use Notes as everywhere
        agent Other { main func(input) { generate({ input: \"other\" }) } }
        main agent Main {
            func helper() { use \"local\" as mine
                generate({ input: \"helper\" }) }
            main func(input) { helper() Other(1) }
            use Data.k max 1k as data
        }";
    let calls = calls(source);
    assert_eq!(
        brief(&calls[0].items),
        [
            (Some("everywhere"), "Notes", json!("file text")),
            (Some("data"), "Data.k", json!([1])),
            (Some("mine"), "\"local\"", json!("local")),
        ]
    );
    assert_eq!(brief(&calls[1].items), [(Some("everywhere"), "Notes", json!("file text"))]);
}

#[test]
fn as_27_imported_file_is_read_once_and_must_be_used() {
    let source = "
        import file Notes from \"notes.md\"
        import file Data from \"data.json\"
        main func(input) {
            generate({ input: \"none\" })
            use Notes
            generate({ input: \"one\" })
            use Notes.length as size
            generate({ input: Notes })
            Notes
        }";
    let host = (0..3).fold(ScriptedHost::new(), |host, _| host.with_answer(json!("ok")));
    let host = host.with_file("notes.md", json!("file text"));
    let outcome = outcome(source, json!({}), &host);
    assert_eq!(outcome.result, Ok(json!("file text")));
    assert_eq!(host.file_imports().len(), 1, "and what is not used is not read");
    let items: Vec<usize> = host.generate_calls().iter().map(|call| call.items.len()).collect();
    assert_eq!(items, [0, 1, 2]);
    assert_eq!(host.generate_calls()[2].instruction, "file text");
}

#[test]
fn as_27_imported_file_is_read_only() {
    let source = |body: &str| format!("import file Data from \"data.json\" {}", main_of(body));
    for body in ["Data.k = 1", "d = Data d.k.add(2)", "d = Data d.x = 1"] {
        let host = ScriptedHost::new().with_file("data.json", json!({ "k": [1] }));
        let error = outcome(&source(body), json!({}), &host).result.unwrap_err();
        assert_eq!(error.code, "AS9013", "{body}");
    }
    let host = ScriptedHost::new().with_file("data.json", json!({ "k": [1] }));
    let copied = outcome(&source("d = Data.summary d.k.add(2)\n[d, Data]"), json!({}), &host);
    assert_eq!(copied.result, Ok(json!([{ "k": [1, 2] }, { "k": [1] }])));
}

#[test]
fn as_27_file_that_fails_fails_each_time() {
    let source = "import file Gone from \"gone.md\" main func(input) { a = try { Gone } else e { e.code } b = try { Gone } else e { e.message }\n[a, b] }";
    let host = ScriptedHost::new();
    let outcome = outcome(source, json!({}), &host);
    assert_eq!(outcome.result, Ok(json!(["not_scripted", "the script has no answer for gone.md"])));
    assert_eq!(host.file_imports().len(), 1);
}

const CHOICE: &str = "main func(input) {
    short = \"s\"
    long = \"l\"
    use one of {
        brief: short max 500
        full: long max 2k keep tail selected
        none: empty
    } as evidence
    generate({ input: \"x\" })
}";

#[test]
fn as_17_selected_candidate_is_shown() {
    let calls = calls(CHOICE);
    assert_eq!(brief(&calls[0].items), [(Some("evidence"), "long", json!("l"))]);
    assert_eq!(calls[0].items[0].budget, Some(Budget::tokens(2000).keeping(Keep::Tail)));
}

#[test]
fn as_17_first_candidate_is_default() {
    let calls = calls(&CHOICE.replace(" selected", ""));
    assert_eq!(brief(&calls[0].items), [(Some("evidence"), "short", json!("s"))]);
}

#[test]
fn as_17_selection_of_run_overrides_selected() {
    let choose = |name: &str| RunOptions {
        selections: [("main.as:4:5".to_owned(), name.to_owned())].into(),
        ..RunOptions::default()
    };
    let shown = calls_with(CHOICE, json!({}), &choose("brief"));
    assert_eq!(brief(&shown[0].items), [(Some("evidence"), "short", json!("s"))]);
    assert_eq!(
        calls_with(CHOICE, json!({}), &choose("none"))[0].items,
        [],
        "`empty` renders nothing"
    );
    let host = ScriptedHost::new();
    let error = outcome_with(CHOICE, json!({}), &host, &choose("ful")).result.unwrap_err();
    assert_eq!(
        (error.code.as_str(), error.help.as_deref()),
        ("AS9026", Some("did you mean `full`?"))
    );
}

#[test]
fn as_17_only_shown_candidate_is_evaluated() {
    let source = main_of(
        "a = \"a\"\no = {}\nuse one of {\n fine: a\n broken: o.missing\n}\ngenerate({ input: \"x\" })",
    );
    assert_eq!(brief(&calls(&source)[0].items), [(None, "a", json!("a"))]);
}

#[test]
fn as_15_capabilities_cannot_be_used() {
    let imports = "import tool T from \"sh://grep\"\nimport llm L from \"mock\"\nimport memory M from \"file://m.jsonl\"\nfunc f() { 1 }\nagent A { func g() { 1 } }\n";
    for name in ["T", "L", "M", "f", "A"] {
        let source = format!(
            "{imports}main agent {{ main func(input) {{\nuse {name}\ngenerate({{ input: \"x\" }})\n}} }}"
        );
        let error = failure_of(&source);
        assert_eq!((error.code.as_str(), error.line, error.column), ("AS9020", 7, 1), "{name}");
    }
}

#[test]
fn as_15_call_in_use_is_refused() {
    let functions = "func f() { 1 }\n";
    for expression in ["f()", "[1].first()", "generate({ input: \"y\" })", "[f()]"] {
        let body = format!("use {expression} max 2k\ngenerate({{ input: \"x\" }})");
        let program = executable_of_any(&format!("{functions}{}", main_of(&body)));
        let (host, entry, options) = (ScriptedHost::new(), Entry::default(), RunOptions::default());
        let error = block_on(run(&program, &entry, json!({}), &host, &options)).result.unwrap_err();
        assert_eq!((error.code.as_str(), error.line), ("AS9020", 3), "{expression}");
    }
}

#[test]
fn as_29_use_is_recorded_where_it_is_declared() {
    let host = ScriptedHost::new();
    let source = main_of("scratch = []\nuse scratch.summary max 2k as observations\nuse input.a");
    let program = executable(&source);
    let outcome =
        block_on(run(&program, &Entry::default(), json!({}), &host, &RunOptions::default()));
    assert_eq!(outcome.result, Ok(json!(null)), "a use alone evaluates nothing");
    let events = host.events();
    let uses: Vec<_> = events
        .iter()
        .filter(|event| event.kind == TraceKind::Use)
        .map(|event| &event.data)
        .collect();
    assert_eq!(uses[0]["source"], "scratch.summary");
    assert_eq!(uses[0]["label"], "observations");
    assert_eq!(
        (&uses[0]["budget"]["amount"], &uses[0]["budget"]["unit"]),
        (&json!(2), &json!("k"))
    );
    assert_eq!(
        (&uses[1]["source"], uses[1].get("label"), uses[1].get("budget")),
        (&json!("input.a"), None, None)
    );
}

#[test]
fn ev_10_bounds_show_what_is_selected_of_them() {
    let calls = body(
        "docs = [\"one\", \"two\"] why = \"Why?\"
        use best 1..4 of docs max 10..50 keep head | tail for why selected best 2 20 tail as a
        use best 0..2 of docs for why selected best 0 as b
        use docs max 10..50 chars as c
        use best 3 of docs for why as d
        generate({ input: \"x\" })",
    );
    let shown = |item: &DeclaredItem| {
        let budget = item.budget.unwrap();
        let most = item.question.as_ref().and_then(|question| question.most);
        (item.label.clone().unwrap(), most, budget.limit, budget.keep)
    };
    let shown: Vec<_> = calls[0].items.iter().map(shown).collect();
    let expected = [
        ("a".to_owned(), Some(2), 20, Keep::Tail),
        ("c".to_owned(), None, 50, Keep::Head),
        ("d".to_owned(), Some(3), 2000, Keep::Head),
    ];
    assert_eq!(shown, expected, "the best 0 of anything are nothing");
}

#[test]
fn ca_16_question_and_its_label_come_with_what_is_shown() {
    let calls = body(
        "docs = [\"one\", \"two\"] nothing = none
        use docs for input.question
        use docs max 50 chars for \"Which\" + \" one?\" as b
        use docs for nothing
        use one of { a: docs max 10, b: empty } for input.detail
        use docs
        generate({ input: \"x\" })",
    );
    let items = &calls[0].items;
    let question = |item: &DeclaredItem| Some(item.question.as_ref()?.text.clone());
    let questions: Vec<Option<String>> = items.iter().map(question).collect();
    let expected = [Some("Why?"), Some("Which one?"), None, Some("deep"), None];
    assert_eq!(questions, expected.map(|text| text.map(str::to_owned)));
    let trust: Vec<Trust> = items.iter().map(|item| item.origin.trust).collect();
    assert_eq!(trust[0], Trust::User, "the question chose what is shown");
    assert_eq!((trust[1], trust[3], trust[4]), (Trust::Program, Trust::User, Trust::Program));
    let budgets: Vec<Option<Budget>> = items.iter().map(|item| item.budget).collect();
    assert_eq!(budgets[0], Some(Budget::tokens(2000)), "as a pack without `max`");
    assert_eq!(budgets[1], Some(Budget::chars(50)));
    assert_eq!(budgets[3], Some(Budget::tokens(10)));
    assert_eq!(budgets[4], None);
}

#[test]
fn ca_16_question_that_is_not_a_text_fails_with_its_place() {
    let failure =
        failure_of(&main_of("docs = [1] n = 5 use docs max 20 for n generate({ input: \"x\" })"));
    assert_eq!(failure.message, "`for` takes a text to select by, not an integer");
}

#[test]
fn ca_16_memory_with_question_gives_its_records() {
    let source = "import memory Notes from \"sqlite://notes.db#a\"
        main func(input) {
          use Notes max 2k for input.question as notes
          for n in [1, 2] max 2 { generate({ input: \"x\" }) }
        }";
    let host = ScriptedHost::new()
        .with_answer(json!("ok"))
        .with_answer(json!("ok"))
        .with_memory("Notes.query", json!([{ "text": "a" }]))
        .with_memory("Notes.query", json!([{ "text": "a" }, { "text": "b" }]));
    let outcome =
        outcome_with(source, json!({ "question": "Why?" }), &host, &RunOptions::default());
    assert!(outcome.result.is_ok(), "{:?}", outcome.result);
    let asked = host.memory_calls();
    assert_eq!(asked.len(), 2, "it is asked for each prompt");
    assert_eq!(
        (asked[0].method.as_str(), &asked[0].arguments),
        ("query", &json!({ "limit": 1000 }))
    );
    let calls = host.generate_calls();
    assert_eq!(calls[1].items[0].value, json!([{ "text": "a" }, { "text": "b" }]));
    let question = calls[1].items[0].question.as_ref().unwrap();
    assert_eq!((question.text.as_str(), question.most), ("Why?", None));
}
