//! `use … for …` (CA-16): what its question selects, what it leaves out, and what is kept of both.

use crate::common::{Allowing, Place, told, value};
use contexture::context::manifest::RankedRecord;
use contexture::diagnostic::{Diagnostic, Severity};
use contexture::host::DryPrompt;
use contexture::models::StandIn;
use contexture::run::{RunRequest, load};
use serde_json::{Value, json};

/// A program whose main function begins so.
fn program(imports: &str, body: &str) -> String {
    format!(
        "{imports}\nmain func(input) {{\n{body}\n  generate({{ input: \"Answer.\" }}) -> {{ answer string }}\n}}\n"
    )
}

fn dry(place: &Place, program: &str, input: Value) -> (DryPrompt, Vec<String>) {
    place.write("a.as", program);
    let report = place.run(RunRequest { dry_run: true, ..place.request("a.as", input) });
    assert!(report.outcome.is_ok(), "{}", told(report.outcome.as_ref().unwrap_err()));
    let warnings = report.warnings.clone();
    (report.prompts.into_iter().next().unwrap(), warnings)
}

fn asked(question: &str) -> Value {
    json!({ "question": question })
}

/// Thirty files about nothing, and one with a price.
fn docs() -> Place {
    let place = Place::new(&[]);
    for number in 0..30 {
        let text = format!("# Chapter {number}\n\n{}", "Tea grows on hills.\n\n".repeat(40));
        place.write(&format!("docs/{number:02}.md"), &text);
    }
    let text =
        format!("# Prices\n\n{}## Widget\n\nA widget costs 89 euros.\n", "Tea.\n\n".repeat(300));
    place.write("docs/prices.md", &text);
    place.write("docs/picture.png", "\u{0}PNG");
    place
}

const DOCS: &str = "import resource Docs from \"@!file://docs/*\"";

fn passages(record: &RankedRecord) -> Vec<(&str, u32)> {
    record.passages.iter().map(|one| (one.text.as_str(), one.first_line)).collect()
}

#[test]
fn ca_16_question_finds_file_of_pattern_that_order_leaves_out() {
    let place = docs();
    let body = "use Docs max 200 for input.question as docs";
    let (prompt, warnings) = dry(&place, &program(DOCS, body), asked("What does a widget cost?"));
    assert!(prompt.user.contains("A widget costs 89 euros."), "{}", prompt.user);
    assert!(prompt.user.contains("… [line 605: Prices > Widget]"), "{}", prompt.user);
    assert!(!prompt.user.contains("Tea"), "{}", prompt.user);
    assert!(warnings.iter().all(|told| told.contains("picture.png")), "{warnings:?}");
    let [item] = prompt.items.as_slice() else { panic!("{:?}", prompt.items) };
    assert_eq!(item.source, "@file://docs/prices.md");
    let [record] = prompt.ranked.as_slice() else { panic!("{:?}", prompt.ranked) };
    assert_eq!(passages(record), [("@file://docs/prices.md", 605)]);
    assert!(item.score.is_some() && item.score == record.score_of(&item.source));
    assert_eq!(record.question, "What does a widget cost?");
    assert_eq!(record.left_out.texts, 31, "{:?}", record.left_out);
    let without = program(DOCS, "use Docs max 200 as docs");
    let (prompt, _) = dry(&place, &without, asked(""));
    assert!(!prompt.user.contains("89 euros"), "{}", prompt.user);
    assert!(prompt.ranked.is_empty());
}

#[test]
fn ca_16_budget_holds_whatever_it_is_and_best_passages_stay() {
    let place = docs();
    let whole = (1..60).map(|n| format!("## Part {n}\n\nThe widget of part {n} is {n}.\n\n"));
    place.write("docs/widgets.md", &whole.collect::<String>());
    let mut before = 0;
    for (budget, limit) in [("20", 20), ("60", 60), ("200", 200), ("1k", 1000), ("600 chars", 600)]
    {
        let body = format!("use Docs max {budget} for input.question as docs");
        let (prompt, _) = dry(&place, &program(DOCS, &body), asked("widget of part 7"));
        let taken: u64 = match budget.contains("chars") {
            true => prompt.items.iter().map(|item| item.text.chars().count() as u64).sum(),
            false => prompt.items.iter().map(|item| item.tokens).sum(),
        };
        assert!(taken <= limit, "{budget}: {taken}");
        if limit >= 60 {
            assert!(
                prompt.user.contains("The widget of part 7 is 7."),
                "{budget}: {}",
                prompt.user
            );
        }
        let shown = prompt.user.matches("The widget of part").count();
        assert!(shown >= before || budget.contains("chars"), "{budget}");
        before = shown;
    }
}

#[test]
fn ca_16_lists_and_objects_keep_their_order_and_what_matches() {
    let body = "use input.notes max 100 for input.question as notes
      use input.facts max 100 for input.question as facts
      use input.text max 40 for input.question as text
      use input.number max 10 for input.question";
    let notes: Vec<Value> = (0..200)
        .map(|n| json!({ "id": n, "text": format!("note {n} about {}", if n % 50 == 7 { "prices" } else { "tea" }) }))
        .collect();
    let text =
        format!("{}The prices are low.\n\n{}", "Tea.\n\n".repeat(500), "Tea.\n\n".repeat(500));
    let input = json!({
        "question": "prices?", "notes": notes, "text": text, "number": 5,
        "facts": { "tea": "green", "prices": [1, 2], "other": "the prices" },
    });
    let place = Place::new(&[]);
    let (prompt, _) = dry(&place, &program("", body), input);
    let shown: Value = serde_json::from_str(&prompt.items[0].text).unwrap();
    let ids: Vec<u64> =
        shown.as_array().unwrap().iter().map(|one| one["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [7, 57, 107, 157]);
    assert_eq!(prompt.ranked[0].left_out.passages, 196);
    assert_eq!(prompt.ranked[0].passages[0].text, "[7]");
    let facts: Value = serde_json::from_str(&prompt.items[1].text).unwrap();
    assert_eq!(facts, json!({ "prices": [1, 2], "other": "the prices" }));
    assert!(prompt.items[2].text.contains("The prices are low."), "{}", prompt.items[2].text);
    assert_eq!(prompt.items[3].text, "5", "there is nothing to select from");
    assert_eq!(prompt.ranked.len(), 3);
}

#[test]
fn ca_16_chinese_question_selects() {
    let place = Place::new(&[
        ("docs/a.md", "# 清洁\n\n每天清洗水箱。\n\n# 保修\n\n保修期为两年，电池一年。\n"),
        ("docs/b.md", "# 价格\n\n机器售价八百元。\n"),
    ]);
    let body = "use Docs max 60 for input.question as docs";
    let (prompt, _) = dry(&place, &program(DOCS, body), asked("保修期多久"));
    assert!(prompt.user.contains("保修期为两年"), "{}", prompt.user);
    assert!(!prompt.user.contains("水箱") && !prompt.user.contains("售价"), "{}", prompt.user);
}

#[test]
fn ca_16_questions_without_words_or_matches_have_outcomes() {
    let place = docs();
    let text = program(DOCS, "use Docs max 200 for input.question as docs");
    let (prompt, warnings) = dry(&place, &text, asked("Which football club won?"));
    assert!(prompt.items.is_empty() && prompt.ranked[0].passages.is_empty());
    assert!(
        warnings.iter().any(|told| told.contains("has a word of the question")),
        "{warnings:?}"
    );
    for blank in ["", " \n"] {
        let (prompt, warnings) = dry(&place, &text, asked(blank));
        assert!(prompt.user.contains("Tea grows"), "{}", prompt.user);
        assert!(warnings.iter().any(|told| told.contains("is empty")), "{warnings:?}");
    }
    let (prompt, _) = dry(&place, &text, asked("?!…"));
    assert!(prompt.items.is_empty());
    let long = format!("{} widget", "tea and more ".repeat(50_000));
    let (prompt, _) = dry(&place, &text, asked(&long));
    assert!(prompt.ranked[0].question.chars().count() <= 1000);
    assert!(!prompt.items.is_empty());
    let (prompt, _) = dry(&place, &text, json!({ "question": null }));
    assert!(prompt.user.contains("Tea grows") && prompt.ranked.is_empty(), "{}", prompt.user);
}

#[test]
fn ca_16_memory_is_selected_from_and_replayed() {
    let place = Place::new(&[]);
    let imports = "import memory Notes from \"file://notes.jsonl\"";
    let adding = "Notes.add({ kind: \"fact\", text: \"The widget costs 89 euros.\" })
      Notes.add({ kind: \"fact\", text: \"Tea grows on hills.\" })";
    place.write("add.as", &format!("{imports}\nmain func(input) {{ {adding} }}"));
    value(place.run(place.request("add.as", json!({}))));
    let body = "use Notes max 300 for input.question as notes";
    place.write("a.as", &program(imports, body));
    let recording = place.path("recording.jsonl");
    let request = |replay: bool| RunRequest {
        stand_in: match replay {
            true => StandIn::Replay(recording.clone()),
            false => StandIn::Mock,
        },
        record: (!replay).then(|| recording.clone()),
        ..place.request("a.as", asked("What is the cost of a widget?"))
    };
    let first = place.run(request(false));
    let answer = value(first);
    let again = place.run(request(true));
    assert_eq!(value(again), answer);
    let (prompt, _) = dry(
        &place,
        &program(imports, "use Notes max 300 for input.question as notes"),
        asked("cost of a widget"),
    );
    assert!(prompt.user.contains("89 euros") && !prompt.user.contains("hills"), "{}", prompt.user);
    assert_eq!(prompt.items[0].trust, "memory");
}

#[test]
fn ca_16_thousand_files_are_ranked_with_what_stands_around_them() {
    let place = Place::new(&[]);
    for number in 0..1_000 {
        place.write(
            &format!("docs/{number:04}.txt"),
            &format!("Entry {number}.\n\nThe code of entry {number} is {}.\n", number * 7),
        );
    }
    let body = "before = \"one\" after = \"two\"
      use before
      use Docs max 150 for \"code of entry 777\"
      use after";
    let (prompt, _) = dry(&place, &program(DOCS, body), json!({}));
    assert_eq!(prompt.items[0].text, "one");
    assert_eq!(prompt.items.last().unwrap().text, "two");
    assert_eq!(prompt.items[1].source, "@file://docs/0777.txt");
    assert!(prompt.items[1].text.contains("is 5439."));
    assert_eq!(prompt.ranked[0].left_out.best.len(), 20);
}

#[test]
fn ca_16_check_warns_of_pattern_of_which_few_files_fit() {
    let place = docs();
    let text = program(
        DOCS,
        "use Docs max 200 as docs
      use Docs max 200 for input.question
      use Docs max 400k
      use one of { a: Docs max 1k keep tail, b: empty }",
    );
    place.write("a.as", &text);
    let (_, report) = load(&place.project(), &place.path("a.as")).unwrap();
    let few: Vec<&Diagnostic> =
        report.diagnostics.iter().filter(|fault| fault.code == "AS3016").collect();
    let messages: Vec<&str> = few.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "only 0 of the 31 files of `Docs` fit into 200, in the order of their names",
            "only 2 of the 31 files of `Docs` fit into 1k, in the order of their names",
        ]
    );
    assert!(few.iter().all(|fault| fault.severity == Severity::Warning));
    let help = few[0].help.as_deref().unwrap();
    assert!(help.contains("`use Docs max 200 for input.question`"), "{help}");
    place.write(
        "a.as",
        &program("import resource Docs from \"@?file://docs/*\"", "use Docs max 10"),
    );
    let (_, report) = load(&place.project(), &place.path("a.as")).unwrap();
    assert!(report.diagnostics.iter().all(|fault| fault.code != "AS3016"), "loaded on demand");
}

#[test]
fn ca_16_pack_is_asked_the_question_and_not_the_instruction() {
    let place = Place::new(&[]);
    let guide = "---\nname: acme\ndescription: Facts.\ntype: brand-product\nstatus: ready\n\
                 profile: wiki-first\n---\nThe guide.\n";
    place.write(".agents/knowledge/acme/KNOWLEDGE.md", guide);
    let facts = "# Facts\n\n## Widget\n\nThe widget costs 89 euros.\n\n## Gadget\n\nThe gadget costs 12 euros.\n";
    place.write(".agents/knowledge/acme/compiled/facts.md", facts);
    let text = "import knowledge Acme from \"knowledge://acme\"
        main func(input) {
          use Acme max 500 for input.question
          generate({ input: \"What is the gadget?\" }) -> { answer string }
        }";
    place.write("a.as", text);
    let request =
        RunRequest { dry_run: true, ..place.request("a.as", asked("cost of the widget")) };
    let report = place.run_observed(request, std::sync::Arc::new(Allowing));
    assert!(report.outcome.is_ok(), "{}", told(report.outcome.as_ref().unwrap_err()));
    let prompt = &report.prompts[0];
    assert!(prompt.user.contains("89 euros"), "{}", prompt.user);
    let [record] = prompt.ranked.as_slice() else { panic!("{:?}", prompt.ranked) };
    assert_eq!(
        (record.source.as_str(), record.question.as_str()),
        ("knowledge://acme", "cost of the widget")
    );
    assert_eq!(record.passages[0].heading.as_deref(), Some("Facts > Widget"));
    assert!(prompt.items[0].score.is_some());
}

#[test]
fn ca_16_less_room_in_prompt_drops_worst_passages_first() {
    let parts = (0..30).map(|n| {
        let words = if n == 17 { "widget widget costs" } else { "widget" };
        format!("## Part {n}\n\nThe {words} of part {n} is described here at some length.\n\n")
    });
    let place = Place::new(&[("docs/a.md", &parts.collect::<String>())]);
    let notes: Vec<Value> = (0..30)
        .map(|n| {
            json!(format!("note {n}: {}", if n == 17 { "what a widget costs" } else { "a widget" }))
        })
        .collect();
    for body in
        ["use Docs max 600 for \"widget costs\"", "use input.notes max 600 for \"widget costs\""]
    {
        let ask = |most: &str| {
            let text = format!(
                "{DOCS}\nmain func(input) {{ {body}\n generate({{ input: \"Answer.\"{most} }}) -> {{ answer string }} }}"
            );
            dry(&place, &text, json!({ "notes": notes })).0
        };
        let whole = ask("");
        let mut before = whole.ranked[0].passages.len();
        assert!(before > 10, "{before}");
        for percent in [5, 25, 50, 75] {
            let less = whole.items[0].tokens * percent / 100;
            let most = whole.total_tokens - less;
            let prompt = ask(&format!(", max_input: {most}"));
            assert!(
                prompt.total_tokens <= most && !prompt.user.contains("[clipped"),
                "{}",
                prompt.user
            );
            let record = &prompt.ranked[0];
            assert!(record.passages.len() < before, "{percent}");
            before = record.passages.len();
            let shown = prompt.user.matches(" widget").count() - usize::from(body.contains("Docs"));
            assert_eq!(shown, before, "{}", prompt.user);
            assert!(prompt.user.contains("17"), "{}", prompt.user);
            assert_eq!(record.passages.len() as u64 + record.left_out.passages, 30);
        }
    }
}

#[test]
fn ca_16_plan_is_not_told_what_was_selected() {
    let place = docs();
    let names = |question: &str| {
        let text = format!(
            "{DOCS}\nimport tool Grep from \"sh://grep\"\nmain func(input) {{
              use Docs max 200 for \"{question}\"
              generate({{ input: \"Answer.\", tools: [Grep], plan: true }}) -> {{ answer string }} }}"
        );
        dry(&place, &text, json!({})).0.user
    };
    assert_eq!(names("What does a widget cost?"), names("Which tea grows on hills?"));
}
