//! `contexture trace`.

use crate::support::Sandbox;
use serde_json::Value;

const PROGRAM: &str = "\
main func(input) {
  use input.notes max 40 as notes
  use input.question as question
  generate({ input: \"Answer the question.\" }) -> { answer?: string }
}
";

const NOTES: &str = "The server listens on port 7878. It was built in spring. It is written in Rust. \
    It serves pages. It keeps a cache. The cache holds ten pages. It logs every request it gets.";

/// A folder in which the program ran with each of the questions.
fn after(questions: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", PROGRAM);
    for question in questions {
        let input = serde_json::json!({ "notes": NOTES, "question": question }).to_string();
        let _ = sandbox.run(["run", "p.as", "--quiet", "--input", &input]).exits(0);
    }
    sandbox
}

#[test]
fn as_29_list_shows_newest_run_first() {
    let sandbox = after(&["a?", "b?"]);
    let done = sandbox.run(["trace", "list"]).exits(0);
    assert_eq!(done.stdout.lines().count(), 2);
    assert!(done.stdout.lines().all(|line| line.contains("done") && line.ends_with("p.as")));
    let runs = sandbox.run(["trace", "list", "--json", "--limit", "1"]).exits(0).json();
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1);
    let newest = runs["runs"][0]["run"].as_str().unwrap();
    assert!(done.stdout.starts_with(newest), "{}", done.stdout);
}

#[test]
fn as_29_show_prints_tree_with_tokens_times_and_cuts() {
    let done = after(&["Which port?"]).run(["trace", "show"]).exits(0);
    for part in [
        "run ",
        "p.as · done",
        "use input.notes max 40 as notes",
        "generate 1 p.as:4:3",
        "builtin://extractive",
        "[notes]",
        " of ",
        "cut by its own budget",
        "[question]",
    ] {
        assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    }
}

#[test]
fn as_29_prompt_prints_exact_text_sent() {
    let sandbox = after(&["Which port?"]);
    let input = serde_json::json!({ "notes": NOTES, "question": "Which port?" }).to_string();
    let dry =
        sandbox.run(["run", "p.as", "--input", &input, "--dry-run", "--json"]).exits(0).json();
    let user = sandbox.run(["trace", "prompt", "latest", "1", "--role", "user"]).exits(0).stdout;
    assert_eq!(dry["prompts"][0]["user"], user);
    let whole = sandbox.run(["trace", "prompt", "latest", "1"]).exits(0).stdout;
    assert!(whole.contains(&user));
    let json = sandbox.run(["trace", "prompt", "latest", "1", "--json"]).exits(0).json();
    let messages = json["requests"][0]["messages"].as_array().unwrap();
    assert_eq!(messages.last().unwrap()["text"], user);
    assert!(json["requests"][0]["answer"].is_string());
    let answer = sandbox.run(["trace", "prompt", "--answer"]).exits(0);
    assert!(answer.stdout.contains("answer"), "{}", answer.stdout);
    let _ = sandbox.run(["trace", "prompt", "latest", "2"]).exits(2).says("no call 2");
    let _ = sandbox.run(["trace", "prompt", "latest", "1", "--request", "9"]).exits(2);
}

#[test]
fn as_29_diff_compares_items() {
    let sandbox = after(&["Which port?", "When was it built?"]);
    let done = sandbox.run(["trace", "diff", "latest~1", "latest"]).exits(0);
    for part in ["call 1 p.as:4:3 changed", "[question]", "- Which port?", "+ When was it built?"] {
        assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    }
    let object = sandbox.run(["trace", "diff", "latest~1", "latest", "--json"]).exits(0).json();
    let items = object["calls"][0]["items"].as_array().unwrap();
    let question = items.iter().find(|item| item["label"] == "question").unwrap();
    assert_eq!(question["change"], "changed");
    assert_eq!(
        (&question["left"], &question["right"]),
        (&"Which port?".into(), &"When was it built?".into())
    );
    let same = sandbox.run(["trace", "diff", "latest", "latest"]).exits(0);
    assert!(same.stdout.contains("all prompts are identical"), "{}", same.stdout);
}

#[test]
fn as_29_export_contains_all_texts() {
    let sandbox = after(&["Which port?"]);
    let whole = sandbox.run(["trace", "export", "latest", "--json"]).exits(0).json();
    let user = sandbox.run(["trace", "prompt", "latest", "1", "--role", "user"]).exits(0).stdout;
    let generate =
        whole["events"].as_array().unwrap().iter().find(|event| event["kind"] == "generate");
    let messages = &generate.unwrap()["data"]["manifest"]["messages"];
    assert!(
        messages.as_array().unwrap().iter().any(|message| message["text"] == user),
        "{messages:#}"
    );
    let lines = sandbox.run(["trace", "export"]).exits(0).stdout;
    assert!(
        lines.lines().all(|line| serde_json::from_str::<Value>(line).unwrap()["kind"].is_string())
    );
}

#[test]
fn as_29_unknown_run_gets_suggestion() {
    let sandbox = after(&["Which port?"]);
    let runs = sandbox.run(["trace", "list", "--json"]).exits(0).json();
    let id = runs["runs"][0]["run"].as_str().unwrap().to_owned();
    let _ = sandbox.run(["trace", "show", &id[..id.len() - 1]]).exits(0);
    let wrong = format!("{}{}", &id[..id.len() - 1], if id.ends_with('0') { "1" } else { "0" });
    let _ = sandbox.run(["trace", "show", &wrong]).exits(2).says(&format!("did you mean `{id}`?"));
    let error = sandbox.run(["trace", "show", "nonsense", "--json"]).exits(2).json();
    assert_eq!(error["error"]["code"], "run_unknown");
    let _ = Sandbox::new().run(["trace", "show"]).exits(2).says("no run was kept yet");
    let _ = Sandbox::new().run(["trace", "list"]).exits(0).says("no runs are stored");
}

#[test]
fn as_29_torn_line_is_reported_and_skipped() {
    let sandbox = after(&["Which port?"]);
    let _ = sandbox
        .sh("for f in $(find .contexture -name '*.jsonl'); do printf '{\"v\":1,\"id' >> $f; done")
        .exits(0);
    let done = sandbox.run(["trace", "show"]).exits(0).says("skipped");
    assert!(done.stdout.contains("generate 1"), "{}", done.stdout);
}

#[test]
fn as_22_attempts_are_shown_with_answers_and_errors() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "p.as",
        "main func(input) { generate({ input: \"x\", attempts: 2 }) -> { n integer } }",
    );
    sandbox.write("answers.jsonl", "\"{\\\"n\\\": \\\"many\\\"}\"\n{\"json\": {\"n\": 2}}\n");
    let done = sandbox.run(["run", "p.as", "--quiet", "--mock=answers.jsonl"]).exits(0);
    assert_eq!(done.json()["n"], 2);
    let shown = sandbox.run(["trace", "prompt"]).exits(0).stdout;
    for part in
        ["request 1, attempt 1", "{\"n\": \"many\"}", "n: expected integer", "request 2, attempt 2"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(shown.matches("Instruction:").count(), 1, "{shown}");
    let second = sandbox.run(["trace", "prompt", "latest", "1", "--request", "2"]).exits(0).stdout;
    assert!(second.contains("Instruction:") && second.contains("many"), "{second}");
    let tree = sandbox.run(["trace", "show"]).exits(0).stdout;
    assert!(
        tree.contains("attempt 1: 1 field does not match") && tree.contains("→ {\"n\":2}"),
        "{tree}"
    );
}

#[test]
fn as_29_diff_shows_added_removed_and_differently_cut_items() {
    let sandbox = Sandbox::new();
    let input = serde_json::json!({ "notes": NOTES, "a": "one", "b": "two" }).to_string();
    let program =
        |uses: &str| format!("main func(input) {{\n{uses}\ngenerate({{ input: \"x\" }})\n}}\n");
    sandbox.write("p.as", program("use input.notes max 40 as notes\nuse input.a as first"));
    let _ = sandbox.run(["run", "p.as", "--quiet", "--input", &input]).exits(0);
    sandbox.write("p.as", program("use input.notes max 30 as notes\nuse input.b as second"));
    let _ = sandbox.run(["run", "p.as", "--quiet", "--input", &input]).exits(0);
    let object = sandbox.run(["trace", "diff", "latest~1", "latest", "--json"]).exits(0).json();
    let items = object["calls"][0]["items"].as_array().unwrap();
    let change = |label: &str| {
        let item = items.iter().find(|item| item["label"] == label).unwrap();
        item["change"].as_str().unwrap().to_owned()
    };
    assert_eq!(change("notes"), "cut_differently");
    assert_eq!(change("first"), "gone");
    assert_eq!(change("second"), "added");
    let text = sandbox.run(["trace", "diff", "latest~1", "latest"]).exits(0).stdout;
    for part in [
        "[notes] input.notes cut differently",
        "[first] input.a gone",
        "- one",
        "[second] input.b added",
        "+ two",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn as_31_limit_of_zero_is_refused() {
    for limit in ["0", "-1", "x"] {
        let _ = Sandbox::new().run(["trace", "list", "--limit", limit]).exits(2).says("at least 1");
    }
}

#[test]
fn ca_12_list_is_filtered_by_failure_program_time_and_text() {
    let sandbox = after(&["Which port?", "When was it built?"]);
    std::fs::create_dir(sandbox.path("sub")).unwrap();
    sandbox.write("sub/q.as", "main func() { [1][3] }");
    let _ = sandbox.run(["run", "sub/q.as"]).exits(1);
    let listed = |arguments: &[&str]| {
        let arguments = ["trace", "list", "--json"].iter().chain(arguments);
        let runs = sandbox.run(arguments).exits(0).json()["runs"].as_array().unwrap().clone();
        runs.iter().map(|run| run["program"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&[]), ["sub/q.as", "p.as", "p.as"]);
    assert_eq!(listed(&["--failed"]), ["sub/q.as"]);
    for program in ["sub/q.as", "q.as", "./sub/q.as", "q"] {
        assert_eq!(listed(&["--program", program]), ["sub/q.as"], "{program}");
    }
    assert_eq!(listed(&["--program", "as"]), [""; 0]);
    assert_eq!(listed(&["--grep", "When was it built?"]), ["p.as"]);
    assert_eq!(listed(&["--grep", "The server listens on port 7878"]).len(), 2);
    assert_eq!(listed(&["--since", "1h", "--failed"]), ["sub/q.as"]);
    assert_eq!(listed(&["--since", "0s"]), [""; 0]);
    assert_eq!(listed(&["--until", "0s"]).len(), 3);
    assert_eq!(listed(&["--until", "1h"]), [""; 0]);
    assert_eq!(listed(&["--model", "extractive"]), ["p.as", "p.as"]);
    assert_eq!(listed(&["--model", "gpt"]), [""; 0]);
    let _ = sandbox.run(["trace", "list", "--since", "soon"]).exits(2).says("such as 30d");
    let _ = sandbox
        .run(["trace", "list", "--program", "sub/p.as"])
        .exits(0)
        .says("did you mean `sub/q.as`?");
    let failed = sandbox.run(["trace", "list", "--failed", "--json"]).exits(0).json();
    assert_eq!(failed["runs"][0]["error"]["code"], "AS9007", "{failed}");
    let done = sandbox.run(["trace", "list", "--json", "--program", "p.as"]).exits(0).json();
    let run = &done["runs"][0];
    assert_eq!((&run["calls"], &run["finish"]), (&1.into(), &"stop".into()), "{run}");
    assert!(run["input"].as_u64().unwrap() > 10, "{run}");
}

#[test]
fn ca_12_list_names_the_models_that_were_asked() {
    let sandbox = Sandbox::new();
    let run = |program: &str| {
        sandbox.write("m.as", program);
        let _ = sandbox.run(["run", "m.as"]).exits(0);
        let run = sandbox.run(["trace", "list", "--json"]).exits(0).json()["runs"][0].clone();
        (run["model"].clone(), run["models"].clone())
    };
    let two = "import llm A from \"mock\"\nmain func() { model A\n generate({ input: \"one\" }) }";
    assert_eq!(run(two), ("mock".into(), ["mock"].into()));
    assert_eq!(run("main func() { 1 }"), (().into(), Vec::<String>::new().into()));
}

#[test]
fn ca_12_prune_deletes_old_runs_and_says_which() {
    let sandbox = after(&["a?", "b?", "c?"]);
    let ids = || -> Vec<String> {
        let list = sandbox.run(["trace", "list", "--json"]).exits(0).json();
        list["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| run["run"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = ids();
    let dry = sandbox.run(["trace", "prune", "--keep", "1", "--dry-run", "--json"]).exits(0).json();
    let expected = serde_json::json!({ "removed": all[1..], "kept": 1, "dryRun": true });
    assert_eq!((dry, ids()), (expected, all.clone()));
    let _ = sandbox
        .run(["trace", "prune", "--older-than", "1h"])
        .exits(0)
        .says("0 runs deleted, 3 kept");
    let _ = sandbox.run(["trace", "prune", "--keep", "1"]).exits(0).says("2 runs deleted, 1 kept");
    assert_eq!(ids(), all[..1]);
    let _ = sandbox.run(["trace", "show", &all[1]]).exits(2);
    let _ = sandbox.run(["trace", "prune"]).exits(2);
}

#[test]
fn ca_12_diff_sums_up_first_and_shows_texts_when_asked() {
    let sandbox = after(&["Which port?", "When was it built?"]);
    let diff =
        |option: &str| sandbox.run(["trace", "diff", "latest~1", "latest", option]).exits(0).stdout;
    let stat = diff("--stat");
    assert!(stat.contains("1 of 1 call differ") && stat.contains("[question]"), "{stat}");
    assert!(!stat.contains("- Which port?") && !stat.contains("[notes]"), "{stat}");
    assert!(diff("--full").contains("- Which port?"));
    let same = sandbox.run(["trace", "diff", "latest", "latest", "--stat"]).exits(0).stdout;
    assert!(same.contains("all prompts are identical"), "{same}");
}

#[test]
fn ca_12_show_prints_values_whole_when_asked() {
    let sandbox = Sandbox::new();
    let long = "word ".repeat(200);
    sandbox.write("p.as", "main func(input) { input.text + \"end\" }");
    let input = serde_json::json!({ "text": long }).to_string();
    let _ = sandbox.run(["run", "p.as", "--quiet", "--input", &input]).exits(0);
    assert!(!sandbox.run(["trace", "show"]).exits(0).stdout.contains(&long));
    let full = sandbox.run(["trace", "show", "--full"]).exits(0).stdout;
    assert!(full.contains(&format!("{long}end")), "{full}");
}

/// A folder in which a list of 200 messages was used; each has its number and eighty letters.
fn after_long_list() -> Sandbox {
    let sandbox = Sandbox::new();
    let program = "main func(input { list json }) {\n  use input.list as list\n  \
        generate({ input: \"Answer.\" }) -> { answer?: string }\n  input.list\n}\n";
    sandbox.write("p.as", program);
    let message =
        |at: usize| serde_json::json!({ "text": format!("{at}:{}", "word ".repeat(16)), "at": at });
    let list: Vec<Value> = (0..200).map(message).collect();
    let input = serde_json::json!({ "list": list }).to_string();
    let _ = sandbox.run(["run", "p.as", "--quiet", "--input", &input]).exits(0);
    sandbox
}

/// The file of larger texts.
fn parts(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.path(".contexture/texts/parts.db")
}

#[test]
fn gr_1_export_of_whole_run_loses_nothing_and_line_of_run_is_short() {
    let sandbox = after_long_list();
    let done = sandbox.run(["trace", "export", "--json"]).exits(0);
    assert_eq!(done.stderr, "");
    let events = done.json()["events"].clone();
    let of_kind = |kind: &str| {
        let mut events = events.as_array().unwrap().iter();
        events.find(|event| event["kind"] == kind).unwrap().clone()
    };
    assert_eq!(of_kind("run")["data"]["value"].as_array().unwrap().len(), 200);
    let item = &of_kind("generate")["data"]["manifest"]["items"][0];
    assert_eq!(item["value"][7]["at"], 7);
    assert!(item["value_digest"].as_str().unwrap().starts_with("sha256:"));
    let run = done.json()["run"].as_str().unwrap().to_owned();
    let trace = std::fs::metadata(sandbox.path(format!(".contexture/runs/{run}.jsonl")));
    let bytes = trace.unwrap().len();
    assert!(bytes < 12_000, "{bytes}");
}

#[test]
fn gr_1_export_tells_of_altered_and_missing_texts_and_marks_them() {
    let sandbox = after_long_list();
    let mut bytes = std::fs::read(parts(&sandbox)).unwrap();
    let places: Vec<usize> =
        (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"100:word")).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at + 4] = b'W');
    std::fs::write(parts(&sandbox), bytes).unwrap();
    for is_altered in [true, false] {
        if !is_altered {
            std::fs::remove_file(parts(&sandbox)).unwrap();
        }
        let done = sandbox.run(["trace", "export", "--json"]).exits(1);
        let told = done.stderr.contains(" texts are missing or altered, and left out");
        assert!(told, "{}", done.stderr);
        let events = done.json()["events"].clone();
        let events = events.as_array().unwrap();
        let call = events.iter().find(|event| event["kind"] == "generate").unwrap();
        let item = &call["data"]["manifest"]["items"][0];
        let mark = item["value"]["$value"].as_str().unwrap();
        assert!(mark.starts_with("sha256:") && item.get("value_digest").is_none(), "{item}");
        assert!(item["text"]["$text"].as_str().unwrap().starts_with("sha256:"), "{item}");
        let page = sandbox.run(["trace", "export", "--html"]).exits(1);
        assert!(page.stderr.contains(" missing or altered"), "{}", page.stderr);
        assert!(page.stdout.contains("<html"), "the rest is shown");
        let shown = sandbox.run(["trace", "show", "--full"]).exits(0);
        assert!(shown.stderr.contains(" missing or altered"), "{}", shown.stderr);
    }
}

#[test]
fn gr_1_readers_tell_why_texts_can_not_be_read() {
    type Damage = fn(&mut Vec<u8>);
    let newer: Damage = |bytes| bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    let random: Damage = |bytes| bytes.iter_mut().for_each(|byte| *byte ^= 0xa5);
    for (damage, why, help) in [
        (newer, "it has format 99, this program knows up to 1", "use the version of this program"),
        (random, "it is not an SQLite file", "move it aside"),
    ] {
        let sandbox = after_long_list();
        let mut bytes = std::fs::read(parts(&sandbox)).unwrap();
        damage(&mut bytes);
        std::fs::write(parts(&sandbox), bytes).unwrap();
        for (arguments, exit) in [
            (&["trace", "prompt"][..], 1),
            (&["trace", "export"], 1),
            (&["trace", "show"], 0),
            (&["trace", "list", "--grep", "no such text"], 0),
            (&["doctor"], 1),
            (&["trace", "prune", "--keep", "0"], 2),
        ] {
            let done = sandbox.run(arguments).exits(exit);
            let all = format!("{}{}", done.stdout, done.stderr);
            assert!(all.contains(why) && all.contains(help), "{arguments:?}: {all}");
        }
    }
}
