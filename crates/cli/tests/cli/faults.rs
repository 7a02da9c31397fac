//! Errors that name the real fault (CA-14).

use crate::support::Sandbox;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

#[test]
fn ca_14_missing_imported_file_is_found_by_check_at_its_import() {
    let sandbox = Sandbox::new();
    sandbox.write("notes.md", "x");
    sandbox.write("a.as", "import file Notes from \"./noets.md\"\nmain func() { Notes }\n");
    let done = sandbox.run(["check", "a.as"]).exits(2);
    for told in ["a.as:1:24", "noets.md", "did you mean `notes.md`"] {
        assert!(done.stdout.contains(told), "{done:?}");
    }
    let _ = sandbox.run(["run", "a.as"]).exits(2).says("a.as:1:24");
    sandbox.write("a.as", "import file Notes from \"./notes.md\"\nmain func() { Notes }\n");
    let _ = sandbox.run(["check", "a.as"]).exits(0);
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    sandbox.write("a.as", "import file Notes from \"./folder\"\nmain func() { Notes }\n");
    let done = sandbox.run(["check", "a.as"]).exits(2);
    assert!(done.stdout.contains("is a folder"), "{done:?}");
}

#[test]
fn ca_14_pattern_of_imported_file_is_told_as_pattern() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "x");
    sandbox.write("a.as", "import file Docs from \"docs/*.md\"\nmain func() { Docs }\n");
    let done = sandbox.run(["check", "a.as"]).exits(2);
    for told in
        ["takes one path, and no pattern", "import resource Docs from \"@!file://docs/*.md\""]
    {
        assert!(done.stdout.contains(told), "{done:?}");
    }
    sandbox.write("docs/*.md", "x");
    let _ = sandbox.run(["check", "a.as"]).exits(0);
}

#[test]
fn ca_5_cost_of_program_with_errors_is_not_known() {
    let sandbox = Sandbox::new();
    sandbox.write("a.as", "main func(input) { generate({ input: x }) -> { a string } }\n");
    let ask = "main func() { generate({ input: \"a\" }) -> { a string } }\n";
    sandbox.write("b.as", ask);
    for files in [&["a.as"][..], &["a.as", "b.as"], &["none.as"]] {
        let check = [&["check", "--cost"], files].concat();
        let done = sandbox.run(check.iter().copied()).exits(2);
        assert!(done.stdout.contains("worst case: not known"), "{done:?}");
        let object = sandbox.run(check.into_iter().chain(["--json"])).exits(2).json();
        assert!(object["cost"].is_null() && object["sites"].is_array(), "{object}");
    }
    let object = sandbox.run(["check", "--cost", "b.as", "--json"]).exits(0).json();
    assert_eq!(object["cost"]["calls"], 1, "{object}");
}

#[test]
fn ca_14_wildcard_that_matches_nothing_names_folder_at_its_import() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.txt", "x");
    let program = |pattern: &str| {
        format!(
            "import resource Docs from \"{pattern}\"\n\
             main func() {{\n  use Docs\n  generate({{ input: \"x\" }})\n}}\n"
        )
    };
    for (pattern, told) in [
        ("@!file://docs/*.md", "matches nothing in the folder"),
        ("@!file://dosc/*.txt", "there is no folder"),
        ("@!file://**/*.rst", "matches nothing in the folder"),
    ] {
        sandbox.write("a.as", program(pattern));
        for command in ["check", "run"] {
            let done = sandbox.run([command, "a.as"]).exits(2);
            let told_by = format!("{}{}", done.stdout, done.stderr);
            let folder = pattern.split(['/', '*']).find(|part| part.starts_with("do"));
            for told in ["a.as:1:28", told, folder.unwrap_or("work")] {
                assert!(told_by.contains(told), "{told}: {told_by}");
            }
        }
    }
    sandbox.write("a.as", program("@file://docs/*.md"));
    let done = sandbox.run(["check", "a.as"]).exits(0);
    assert!(done.stdout.contains("warning[REF3037]"), "{done:?}");
    sandbox.write("a.as", program("@!file://docs/*.txt"));
    assert!(!sandbox.run(["check", "a.as"]).exits(0).stdout.contains("REF3037"));
}

/// A server that answers 404 as llama.cpp does.
fn without_path() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut asked = [0; 1 << 16];
            let _ = stream.read(&mut asked);
            let body =
                r#"{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}"#;
            let head = "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length";
            let _ = write!(stream, "{head}: {}\r\n\r\n{body}", body.len());
        }
    });
    address
}

#[test]
fn ca_14_wrong_path_of_base_url_is_told_as_path() {
    let sandbox = Sandbox::new();
    sandbox.write("a.as", "main func() { generate({ input: \"x\" }) }\n");
    let address = without_path();
    let model = format!("openai+http://{address}/api/v7/m");
    let done = sandbox.run(["run", "a.as", "--json", "--model", &model]).exits(1).json();
    let error = &done["error"];
    assert!(error.to_string().contains("/api/v7/chat/completions"), "{done}");
    assert!(error["help"].as_str().unwrap().contains("base URL"), "{done}");
    assert!(!error.to_string().contains("no model"), "{done}");
}
