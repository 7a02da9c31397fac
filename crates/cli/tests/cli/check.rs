//! `contexture check`, `parse` and `explain`.

use crate::support::{Sandbox, repository};
use serde_json::json;
use std::path::{Path, PathBuf};

fn program(text: impl AsRef<[u8]>) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", text);
    sandbox
}

#[test]
fn as_32_check_json_lists_diagnostics_with_character_columns() {
    let sandbox = program("main func(input) {\n  名 = 1\n  名 + 字\n}\n");
    let done = sandbox.run(["check", "p.as", "--json"]).exits(2);
    assert_eq!(done.stderr, "");
    let object = done.json();
    let fault = &object["diagnostics"][0];
    assert_eq!(fault["code"], "AS2001");
    assert_eq!(fault["severity"], "error");
    assert_eq!(fault["file"], "p.as");
    assert_eq!(fault["span"], json!({ "line": 3, "column": 7, "end_line": 3, "end_column": 8 }));
    assert!(fault["message"].is_string() && fault.get("help").is_some());
}

#[test]
fn ty_4_check_reads_stdin_and_finds_imports_from_the_current_folder() {
    let sandbox = program("main agent P { main func(input) { input } }");
    let text = "import agent P from \"./p.as\"\nmain func(input) { P(input) one }";
    let object = sandbox.run_with(["check", "-", "--json"], text).exits(2).json();
    let all = object["diagnostics"].as_array().unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!((&all[0]["code"], &all[0]["file"]), (&json!("AS2001"), &json!("stdin.as")));
    assert_eq!(all[0]["fixes"], json!([]));
}

#[test]
fn ty_4_check_fix_applies_safe_fixes_of_the_named_file_and_reports_the_rest() {
    let sandbox = program("main func(input) { input && one; }");
    sandbox.write("q.as", "import agent P from \"./p.as\"\nmain func(input) { P(!input) }");
    let done = sandbox.run(["check", "--fix", "q.as"]).exits(2);
    assert!(done.stderr.contains("fixed 1 place of q.as"), "{}", done.stderr);
    assert!(sandbox.read("q.as").ends_with("{ P(not input) }"));
    assert_eq!(sandbox.read("p.as"), "main func(input) { input && one; }");
    let done = sandbox.run(["check", "--fix", "p.as"]).exits(2);
    assert!(done.stdout.contains("error[AS2001]"), "{}", done.stdout);
    assert_eq!(sandbox.read("p.as"), "main func(input) { input and one }");
    let error = sandbox.run_with(["check", "--fix", "-"], "1").exits(2);
    assert!(error.stderr.contains("--fix can't write to stdin"), "{}", error.stderr);
}

#[test]
fn ty_4_check_prompts_lists_items_without_running() {
    let sandbox = program(
        "import tool File from \"file://workspace\"\nmain func(input) {\n  page = File.read({ path: \"none\" })\n  if input.all {\n    use page max 1k as page\n    generate({ input: \"x\", tools: [File.read] }) -> { a string }\n  }\n}",
    );
    let object = sandbox.run(["check", "p.as", "--prompts", "--json"]).exits(0).json();
    let prompt = &object["prompts"][0];
    assert_eq!((&prompt["file"], &prompt["line"]), (&json!("p.as"), &json!(6)));
    assert_eq!(
        prompt["items"],
        json!([{
            "label": "page", "candidate": null, "source": "page", "budget": "1k", "trust": "tool",
            "condition": "input.all",
        }])
    );
    assert_eq!(
        (&prompt["tools"], &prompt["shape"]),
        (&json!(["File.read"]), &json!("{ a string }"))
    );
    let text = sandbox.run(["check", "p.as", "--prompts"]).exits(0).stdout;
    assert!(text.contains("  page as page, max 1k, trust tool, if input.all\n"), "{text}");
}

#[test]
fn ty_3_levels_of_the_project_hold_for_check_and_run() {
    let sandbox = program("main func(input) {\n  spare = 1\n  input.a\n  2\n}");
    let found = |sandbox: &Sandbox, code: i32| {
        let object = sandbox.run(["check", "p.as", "--json"]).exits(code).json();
        let all = object["diagnostics"].as_array().unwrap().clone();
        let line = |fault: &serde_json::Value| {
            format!("{} {}", fault["severity"].as_str().unwrap(), fault["code"].as_str().unwrap())
        };
        all.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(found(&sandbox, 0), ["hint AS8007", "warning AS8003"]);
    sandbox.write("contexture.toml", "[check.levels]\nAS8007 = \"off\"\nno-effect = \"error\"\n");
    assert_eq!(found(&sandbox, 2), ["error AS8003"]);
    assert!(sandbox.run(["run", "p.as"]).exits(2).stderr.contains("error[AS8003]"));
    sandbox.write("contexture.toml", "[check.levels]\nno-efect = \"error\"\n");
    let error = sandbox.run(["check", "p.as"]).exits(2).stderr;
    assert!(error.contains("did you mean `no-effect`?"), "{error}");
}

#[test]
fn ty_3_explain_shows_why_an_example_and_what_was_meant() {
    let text = Sandbox::new().run(["explain", "AS8002"]).exits(0).stdout;
    for part in ["warning[AS8002]: lost-budget", "use input.notes 4k", "Probably meant:", "max 4k"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn as_32_check_exits_0_without_errors() {
    let sandbox = Sandbox::with_examples();
    let done = sandbox.sh("contexture check examples/*.as --json").exits(0);
    assert_eq!(done.json()["diagnostics"], json!([]));
    let done = sandbox.sh("contexture check examples/*.as").exits(0);
    let programs = std::fs::read_dir(sandbox.path("examples")).unwrap();
    let count = programs
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "as"))
        .count();
    assert_eq!(
        (done.stdout, done.stderr),
        (String::new(), format!("ok: {count} programs checked, no errors\n"))
    );
    let hints = program("main func(input) { generate({ input: \"x\" }) }");
    let done = hints.run(["check", "p.as"]).exits(0);
    assert!(done.stdout.contains("hint["), "{}", done.stdout);
}

#[test]
fn as_32_check_reports_all_errors_of_all_files_with_source() {
    let sandbox = program("main func(input) { one two }");
    sandbox.write("q.as", "import agent P from \"./p.as\"\nmain func(input) { three }");
    let done = sandbox.run(["check", "p.as", "q.as"]).exits(2);
    for part in ["--> p.as:1:20", "--> p.as:1:24", "--> q.as:2:20", "3 errors"] {
        assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    }
}

#[test]
fn as_32_unreadable_files_are_diagnostics() {
    let sandbox = program(b"\xff");
    let object = sandbox.run(["check", "p.as", "none.as", "--json"]).exits(2).json();
    let all = object["diagnostics"].as_array().unwrap();
    assert_eq!(all.len(), 2, "{object:#}");
    assert!(all[0]["message"].as_str().unwrap().contains("UTF-8"));
    assert_eq!(all[1]["span"]["line"], 1);
}

#[test]
fn as_31_parse_prints_tree_of_invalid_file() {
    let sandbox = program("main func(input) { 1 + 2 }");
    let tree = sandbox.run(["parse", "p.as"]).exits(0).json();
    assert_eq!(tree["type"], "File");
    assert_eq!(tree["items"][0]["type"], "Func");
    let done = sandbox.run_with(["parse", "-"], "main func(input) { 1 + }").exits(2);
    assert_eq!(done.json()["type"], "File");
    let _ = done.says("AS1");
}

#[test]
fn as_31_deep_tree_is_one_line_without_terminal() {
    let depth = 100;
    let ifs = "if input { ".repeat(depth) + "x = 1" + &" }".repeat(depth);
    let sandbox = program(format!("main func(input) {{ {ifs} }}"));
    let done = sandbox.run(["parse", "p.as"]).exits(0);
    assert_eq!(done.stdout.lines().count(), 1);
    assert!(done.stdout.len() < 1_000 * depth, "{}", done.stdout.len());
    assert_eq!(done.stdout.matches("\"If\"").count(), depth);
}

#[test]
fn as_32_explain_prints_meaning_of_code() {
    let sandbox = Sandbox::new();
    assert!(sandbox.run(["explain", "AS2001"]).exits(0).stdout.contains("AS2001"));
    assert!(sandbox.run(["explain", "as9007"]).exits(0).stdout.contains("index"));
    let template = sandbox.run(["explain", "PT1003"]).exits(0).stdout;
    assert!(template.contains("unclosed-block") && template.contains("Example:"), "{template}");
    assert!(sandbox.run(["explain", "cfg1001"]).exits(0).stdout.contains("contexture.toml"));
    assert!(sandbox.run(["explain", "RT1001"]).exits(0).stdout.contains("Runtime::builder"));
    assert!(sandbox.run(["explain", "rate_limited"]).exits(0).stdout.contains("429"));
    assert!(sandbox.run(["explain", "FLOW1004"]).exits(0).stdout.contains("Cycle"));
    let (word, code) = (sandbox.run(["explain", "timeout"]), sandbox.run(["explain", "TIMEOUT"]));
    assert!(word.exits(0).stdout.contains("model") && !code.exits(0).stdout.contains("model"));
    let skipped = sandbox.run(["explain", "dependency_failed"]).exits(0).stdout;
    assert!(skipped.contains("failure[DEPENDENCY_FAILED]"), "{skipped}");
    let _ = sandbox.run(["explain", "OUTCOME_UNCERTAN"]).exits(2).says("`OUTCOME_UNCERTAIN`");
    assert!(sandbox.run(["explain"]).exits(0).stdout.lines().count() > 150);
    for (wrong, right) in [("AS201", "AS2001"), ("PT103", "PT1003"), ("rate_limit", "rate_limited")]
    {
        let help = format!("did you mean `{right}`");
        let done = sandbox.run(["explain", wrong]).exits(2);
        assert!(done.stderr.contains(&help) || done.stderr.contains("did you mean"), "{done:?}");
    }
    let _ = sandbox.run(["explain", "XY1234"]).exits(2).says("lists all codes");
}

/// Every code in words that the sources of the program name is explained.
#[test]
fn as_32_every_word_code_is_explained() {
    let heads = [
        "refused(",
        "failed(",
        "SetupError::new(",
        "HostError::new(",
        "FlowError::setup(",
        "ActionFailure::new(",
    ];
    let list = Sandbox::new().run(["explain"]).exits(0).stdout;
    let known: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    let mut missing = Vec::new();
    let crates = ["actions", "answer", "cli", "contexture", "llm", "script", "store", "tools"];
    let folders = crates.map(|name| repository().join("crates").join(name));
    for path in folders.iter().flat_map(|folder| sources(folder)) {
        let text = std::fs::read_to_string(&path).unwrap();
        // Of tests and of what only speaks about codes nothing is printed.
        let text = text.split("#[cfg(test)]").next().unwrap();
        let mut words: Vec<&str> = Vec::new();
        for head in heads {
            let calls = text.split(head).skip(1);
            words.extend(
                calls.filter_map(|call| call.trim_start().strip_prefix('"')?.split('"').next()),
            );
        }
        for function in
            text.split("fn kind(&self)").skip(1).chain(text.split("fn code(&self)").skip(1))
        {
            let body = function.split("\n    }").next().unwrap();
            words.extend(body.split("=> \"").skip(1).filter_map(|rest| rest.split('"').next()));
        }
        let is_code = |word: &&str| {
            let is_of = |sign: char| sign.is_ascii_alphabetic() || sign == '_';
            !word.is_empty() && word.chars().all(is_of)
        };
        // An action tells a failure of a tool by the same word in capitals.
        let is_known = |word: &&str| {
            known.contains(word) || known.contains(&word.to_ascii_lowercase().as_str())
        };
        for word in words.into_iter().filter(is_code).filter(|word| !is_known(word)) {
            missing.push(format!("{word} ({})", path.display()));
        }
    }
    assert!(missing.is_empty(), "not explained: {missing:#?}");
}

/// The files of the sources that the program is made of.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found = Vec::new();
    for path in entries {
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !matches!(name, "tests" | "examples" | "dev") {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && !matches!(name, "tests.rs" | "scripted.rs") {
            found.push(path);
        }
    }
    found
}
