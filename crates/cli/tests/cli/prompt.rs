//! `contexture prompt`.

use crate::support::Sandbox;
use serde_json::json;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("t.md", "Hello {{name}}!{{#each tags}} #{{item}}{{/each}}");
    sandbox
}

#[test]
fn pt_2_render_prints_only_text() {
    let vars = r#"{"name":"Ada","tags":["a",1.10]}"#;
    let done = sandbox().run(["prompt", "render", "t.md", "--vars", vars]).exits(0);
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("Hello Ada! #a #1.10", ""));
    let stdin = sandbox().run_with(["prompt", "render", "t.md", "--vars", "-"], vars).exits(0);
    assert_eq!(stdin.stdout, done.stdout);
}

#[test]
fn pt_3_all_missing_variables_are_named() {
    let done = sandbox().run(["prompt", "render", "t.md"]).exits(1);
    assert_eq!(done.stdout, "");
    let _ = done.says("t.md: line 1, column 9").says("name, tags");
}

#[test]
fn pt_7_partials_are_named_by_file_stem() {
    let sandbox = sandbox();
    sandbox.write("t.md", "{{> head}}: {{name}}").write("parts/head.md", "Dear");
    sandbox.write("parts/broken.md", "{{#if").write("parts/picture.png", b"\xff\xd8");
    let vars = r#"{"name":"Ada"}"#;
    let with = ["prompt", "render", "t.md", "--vars", vars, "--partials", "parts"];
    assert_eq!(sandbox.run(with).exits(0).stdout, "Dear: Ada");
    let _ = sandbox.run(["prompt", "render", "t.md", "--vars", vars]).exits(1).says("--partials");
    let _ = sandbox.run(["prompt", "render", "t.md", "--partials", "none"]).exits(2).says("none");
}

#[test]
fn pt_7_partial_is_preferred_over_its_data_file() {
    let sandbox = sandbox();
    sandbox.write("t.md", "{{> head}}").write("head.md", "Dear").write("head.json", "{}");
    assert_eq!(
        sandbox.run(["prompt", "render", "t.md", "--partials", "."]).exits(0).stdout,
        "Dear"
    );
    sandbox.write("t.txt", "{{> head}}");
    let _ = sandbox
        .run(["prompt", "render", "t.txt", "--partials", "."])
        .exits(2)
        .says("matches several files");
}

#[test]
fn pt_2_invalid_templates_and_variables_are_refused() {
    let sandbox = sandbox();
    sandbox.write("bad.md", "a\n{{#if x}}");
    let _ = sandbox.run(["prompt", "render", "bad.md"]).exits(2).says("line 2");
    for vars in ["[1]", "1", "{a}", ""] {
        let _ = sandbox.run(["prompt", "render", "t.md", "--vars", vars]).exits(2).says("--vars");
    }
    sandbox.write("bytes.md", b"\xff");
    let _ = sandbox.run(["prompt", "render", "bytes.md"]).exits(2).says("UTF-8");
}

#[test]
fn pt_6_check_prints_errors_and_variables() {
    let sandbox = sandbox();
    let done = sandbox.run(["prompt", "check", "t.md"]).exits(0);
    assert_eq!(done.stdout, "name  required  1:9\ntags  required  1:24\n");
    let object = sandbox.run(["prompt", "check", "t.md", "--json"]).exits(0).json();
    assert_eq!(object["variables"], json!(["name", "tags"]));
    assert_eq!(object["diagnostics"], json!([]));
    sandbox.write("bad.md", "{{#if a}}{{/if}}{{/each}}");
    let object = sandbox.run(["prompt", "check", "bad.md", "--json"]).exits(2).json();
    assert_eq!(object["diagnostics"][0]["code"], "PT1005");
    let done = sandbox.run(["prompt", "check", "bad.md"]).exits(2);
    assert!(done.stdout.contains("--> bad.md:1:17"), "{}", done.stdout);
}

#[test]
fn pt_8_compose_prints_messages_or_request() {
    let sandbox = Sandbox::new();
    let list = "- role: system\n  text: You are brief.\n\
                - role: user\n  name: ada\n  template: 'Say {{what}}.'\n  vars: { what: hello }\n\
                - role: assistant\n  tool_calls: [{ id: c1, type: function, function: { name: now, arguments: '{}' } }]\n\
                - role: tool\n  tool_call_id: c1\n  text: noon\n\
                - role: user\n  parts:\n  - look\n  - image_url: https://example.com/a.png\n  - { type: text, text: closely }\n";
    sandbox.write("chat.yaml", list);
    let messages = sandbox.run(["prompt", "compose", "chat.yaml"]).exits(0).json();
    assert_eq!(
        messages[0],
        json!({ "role": "system", "content": [{ "type": "text", "text": "You are brief." }] })
    );
    assert_eq!(messages[1]["name"], "ada");
    assert_eq!(messages[1]["content"][0]["text"], "Say hello.");
    assert_eq!(messages[3]["tool_call_id"], "c1");
    assert_eq!(messages[4]["content"][1]["image_url"]["url"], "https://example.com/a.png");
    let request =
        sandbox.run(["prompt", "compose", "chat.yaml", "--model", "gpt-4o"]).exits(0).json();
    assert_eq!(request["model"], "gpt-4o");
    assert_eq!(request["messages"], messages);
    let uri = ["prompt", "compose", "chat.yaml", "--model", "openai://gpt-4o"];
    assert_eq!(sandbox.run(uri).exits(0).json()["model"], "gpt-4o");
}

#[test]
fn pt_10_compose_refuses_invalid_list_of_messages() {
    let sandbox = Sandbox::new();
    let cases = [
        ("role: user", "a list of messages"),
        ("- text: hi", "role"),
        ("- role: usr\n  text: hi", "usr"),
        ("- role: user\n  txt: hi", "txt"),
        ("- role: user", "one of `text`"),
        ("- role: user\n  text: a\n  template: b", "only one of"),
        ("- role: user\n  text: a\n  vars: {}", "`vars` needs"),
        ("- role: user\n  template: '{{#if'", "line 1"),
        ("- role: user\n  parts: [1]", "part 0"),
        ("- role: user\n  text: a\n- role: user\n  text: b", "1"),
        ("[", "not YAML"),
    ];
    for (list, word) in cases {
        let done = sandbox.run_with(["prompt", "compose", "-"], list).exits(2);
        assert!(done.stderr.contains(word), "{list}: {}", done.stderr);
    }
}

#[test]
fn pt_3_compose_fails_like_render_on_missing_variable() {
    let sandbox = Sandbox::new();
    for (list, words) in [
        ("- role: user\n  template: '{{x}}'", "-: message 0: line 1, column 3: variable `x`"),
        ("- role: user\n  parts:\n  - template: 'a {{x}}'", "part 0: line 1, column 5: variable"),
    ] {
        let done = sandbox.run_with(["prompt", "compose", "-"], list).exits(1);
        assert_eq!(done.stdout, "");
        let _ = done.says(words);
    }
    let each = "- role: user\n  template: '{{#each x}}{{/each}}'\n  vars: { x: 1 }";
    let done = sandbox.run_with(["prompt", "compose", "-"], each).exits(1);
    let _ = done.says("message 0: line 1, ").says("help: pass an array");
}

#[test]
fn as_2_program_renders_template_like_prompt_render() {
    let sandbox = sandbox();
    sandbox.write("texts/t.md", "{{> head}}: {{name}}{{#each tags}} #{{this}}{{/each}}");
    sandbox.write("texts/head.md", "Dear").write("texts/head.json", "{}");
    sandbox.write(
        "app/a.as",
        "import template T from \"../texts/t.md\"\nmain func(input) { T(input) }\n",
    );
    let vars = r#"{"name":"Ada","tags":["a",2]}"#;
    let rendered = sandbox
        .run(["prompt", "render", "texts/t.md", "--vars", vars, "--partials", "texts"])
        .exits(0)
        .stdout;
    let ran = sandbox.run(["run", "app/a.as", "--input", vars, "--quiet"]).exits(0);
    assert_eq!(ran.json(), json!(rendered));
    assert_eq!(rendered, "Dear: Ada #a #2");
    let failed = sandbox.run(["run", "app/a.as", "--input", r#"{"tags":1}"#]).exits(1);
    let _ = failed.says("texts/t.md:1:15").says("PT3001");
    sandbox.write("texts/head.md", "{{#if");
    let checked = sandbox.run(["check", "app/a.as"]).exits(2).stdout;
    assert!(checked.contains("AS6009") && checked.contains("texts/head.md:1:1"), "{checked}");
    let _ = sandbox.run(["run", "app/a.as", "--input", vars]).exits(2).says("AS6009");
}

#[test]
fn pt_10_every_sequence_error_has_fix() {
    let call =
        "\n  tool_calls: [{ id: a, type: function, function: { name: f, arguments: '{}' } }]";
    let assistant = format!("- role: assistant{call}\n");
    let answer = "- role: tool\n  text: x\n  tool_call_id: a\n";
    let user = "- role: user\n  text: x\n";
    let cases = [
        ("[]".to_owned(), "begin with"),
        (format!("{user}{user}"), "join the two messages"),
        (format!("- role: user\n  text: x{call}\n"), "move `tool_calls`"),
        (answer.to_owned(), "before it"),
        (format!("{assistant}- role: tool\n  text: x\n"), "of the call that it answers"),
        (format!("{assistant}{}", answer.replace("id: a", "id: b")), "one of these calls"),
        (format!("{assistant}{answer}{answer}"), "remove one"),
        (format!("{assistant}{user}"), "after the call"),
    ];
    let sandbox = Sandbox::new();
    for (list, fix) in cases {
        sandbox.write("m.yaml", &list);
        let done = sandbox.run(["prompt", "compose", "m.yaml"]).exits(2).says("help: ");
        assert!(done.stderr.contains(fix), "{list}\n{}", done.stderr);
    }
}

/// A workspace with texts that templates include.
fn library() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("contexture.toml", "").write("shared.md", "of the workspace");
    sandbox.write("prompts/a.md", "{{> @file://tone.md }}{{> @?file://shared.md}} {{name}}");
    sandbox.write("prompts/tone.md", "Be {{brief}}.\n").write("tone.md", "not this one");
    sandbox
}

#[test]
fn ref_21_references_start_in_template_folder_and_stay_in_workspace() {
    let sandbox = library();
    let vars = r#"{"name":"Ada"}"#;
    let rendered = "Be {{brief}}.\nof the workspace Ada";
    let done = sandbox.run(["prompt", "render", "prompts/a.md", "--vars", vars]).exits(0);
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), (rendered, ""));
    // Those of a partial start where the partials lie.
    sandbox.write("parts/p.md", "{{> @file://q.md}}").write("parts/q.md", "Q");
    sandbox.write("prompts/b.md", "{{> p}}{{> @file://tone.md}}");
    let with = ["prompt", "render", "prompts/b.md", "--partials", "parts"];
    assert_eq!(sandbox.run(with).exits(0).stdout, "QBe {{brief}}.\n");
    // From stdin they start in the current folder.
    let stdin = sandbox.run_with(["prompt", "render", "-"], "{{> @file://tone.md}}").exits(0);
    assert_eq!(stdin.stdout, "not this one");
    sandbox.write("prompts/out.md", "ok\n {{> @file://../../out.md}}");
    let done = sandbox.run(["prompt", "render", "prompts/out.md"]).exits(1);
    assert_eq!(done.stdout, "");
    let _ = done.says("prompts/out.md: line 2, column 6").says("outside").says("help:");
    let narrow = ["prompt", "render", "prompts/a.md", "--vars", vars, "--workspace", "parts"];
    let _ = sandbox.run(narrow).exits(2).says("outside the workspace").says("--workspace");
}

#[test]
fn ref_7_only_reached_references_are_loaded() {
    let sandbox = library();
    sandbox.write("t.md", "a{{#if x}}{{> @!file://gone.md}}{{/if}}");
    assert_eq!(sandbox.run(["prompt", "render", "t.md"]).exits(0).stdout, "a");
    let done = sandbox.run(["prompt", "render", "t.md", "--vars", r#"{"x":1}"#]).exits(1);
    let _ = done.says("t.md: line 1, column 15").says("`@!file://gone.md`").says("gone.md");
    sandbox.write("t.md", "{{> @file://docs/*.{md,txt}}}|");
    let done = sandbox.run(["prompt", "render", "t.md"]).exits(0);
    assert_eq!(done.stdout, "|");
    let _ = done.says("matches nothing").says("REF3037");
    sandbox.write("docs/a.md", "A").write("docs/b.txt", "B").write("docs/c.rs", "C");
    assert_eq!(sandbox.run(["prompt", "render", "t.md"]).exits(0).stdout, "A\nB|");
    sandbox.write("t.md", "{{> @file:a.md}}");
    let _ =
        sandbox.run(["prompt", "render", "t.md"]).exits(2).says("column 5").says("`@file:a.md`");
}

#[test]
fn ref_4_check_lists_references_and_their_errors() {
    let sandbox = library();
    let done = sandbox.run(["prompt", "check", "prompts/a.md"]).exits(0);
    assert_eq!(
        done.stdout,
        "name  required  1:50\n@file://tone.md  1:5\n@?file://shared.md  1:27\n"
    );
    sandbox.write("parts/p.md", "\n{{> @fiel://x}}");
    sandbox.write("b.md", "{{> p}} {{> @file:x}}{{> @nope://ann:secret@h/y}}{{> @tone}}");
    let check = ["prompt", "check", "b.md", "--partials", "parts", "--json"];
    let done = sandbox.run(check).exits(2);
    assert!(!done.stdout.contains("secret"), "{}", done.stdout);
    let object = done.json();
    let told = |one: &serde_json::Value| format!("{} {}", one["code"], one["file"]);
    let faults: Vec<_> = object["diagnostics"].as_array().unwrap().iter().map(told).collect();
    assert_eq!(
        faults,
        [r#""PT1012" "b.md""#, r#""REF3001" "p""#, r#""REF1004" "b.md""#, r#""REF3001" "b.md""#]
    );
    assert_eq!(object["diagnostics"][2]["span"]["column"], 19);
    assert_eq!(
        object["references"][0],
        json!({ "reference": "@fiel://x", "partial": "p", "line": 2, "column": 5 })
    );
    assert_eq!(object["references"][2]["reference"], "@nope://h/y");
    let done = sandbox.run(["prompt", "check", "b.md", "--partials", "parts"]).exits(2);
    assert!(!done.stdout.contains("secret"), "{}", done.stdout);
    assert!(done.stdout.contains("--> p:2:5"), "{}", done.stdout);
}

#[test]
fn ref_21_composed_messages_include_references() {
    let sandbox = library();
    let list = "- role: system\n  template_file: prompts/a.md\n  vars: { name: Ada }\n\
                - role: user\n  template: '{{> @file://tone.md}}'\n\
                - role: assistant\n  parts:\n  - template: '<{{> @file://shared.md}}>'\n";
    sandbox.write("chat.yaml", list);
    let messages = sandbox.run(["prompt", "compose", "chat.yaml"]).exits(0).json();
    let text = |at: usize| messages[at]["content"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(text(0), "Be {{brief}}.\nof the workspace Ada");
    assert_eq!((text(1), text(2)), ("not this one".to_owned(), "<of the workspace>".to_owned()));
    sandbox.write("chat.yaml", "- role: user\n  template: '{{> @file://gone.md}}'\n");
    let done = sandbox.run(["prompt", "compose", "chat.yaml"]).exits(1);
    let _ = done.says("chat.yaml: message 0: line 1, column 5").says("`@file://gone.md`");
    sandbox.write("chat.yaml", "- role: user\n  template: '{{> @file:x}}'\n");
    let _ = sandbox.run(["prompt", "compose", "chat.yaml"]).exits(2).says("`@file:x`");
}

#[test]
fn pt_10_compose_shows_fix_for_each_sequence_error() {
    let sandbox = Sandbox::new();
    for (list, help) in [
        ("[]", "begin with a message"),
        ("- role: user\n  text: a\n- role: user\n  text: b", "join the two messages"),
        ("- role: tool\n  tool_call_id: c\n  text: b", "`tool_calls` before it"),
    ] {
        let _ = sandbox.run_with(["prompt", "compose", "-"], list).exits(2).says(help);
    }
}
