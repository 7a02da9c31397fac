//! Secrets in what commands write and print (GU-9, GU-10).

use crate::support::Sandbox;
use std::path::Path;

const TEXT: &str =
    "The key is ghp_0123456789abcdefghijABCD. See https://h/a?sig=s1gnature&x=1 soon.";

fn program() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "p.as",
        "main func(input) {\n    use input.text as doc\n    generate({ input: \"Repeat the text.\" })\n}\n",
    );
    sandbox.write("in.json", serde_json::json!({ "text": TEXT }).to_string());
    sandbox
}

fn assert_clean(text: &str, name: &str) {
    for secret in ["0123456789abcdef", "s1gnature", "hunter2"] {
        assert!(!text.contains(secret), "{name}: {text}");
    }
}

/// Asserts that only the owner can read what is below a folder, and that no file shows a secret.
fn assert_private(path: &Path) {
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = path.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{}: {mode:o}", path.display());
        }
        if path.is_dir() {
            assert_private(&path);
        } else {
            assert_clean(&std::fs::read_to_string(&path).unwrap(), &path.display().to_string());
        }
    }
}

#[test]
fn gu_9_recording_and_records_hide_secrets_are_private_and_replay() {
    let sandbox = program();
    let run = |more: &[&str]| {
        let arguments = ["run", "p.as", "--input-file", "in.json", "--quiet"];
        sandbox.run(arguments.iter().chain(more)).exits(0).json()
    };
    sandbox.write("contexture.toml", "[policy]\nsecrets = \"allow\"\n");
    // What was there for everybody is not any longer.
    sandbox.write("answers.jsonl", "old\n");
    let value = run(&["--record", "answers.jsonl", "--trace", "trace.jsonl"]);
    for file in ["answers.jsonl", "trace.jsonl"] {
        assert_clean(&sandbox.read(file), file);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = sandbox.path(file).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{file}: {mode:o}");
        }
    }
    for folder in ["runs", "texts"] {
        let folder = sandbox.path(".contexture").join(folder);
        if folder.exists() {
            assert_private(&folder);
        }
    }
    let replayed = run(&["--replay", "answers.jsonl"]);
    let masked = value.to_string().replace("0123456789abcdefghijABCD", "•••");
    assert_eq!(replayed.to_string(), masked, "the digest is that of the request as it was sent");
}

#[test]
fn gu_10_item_with_secret_is_masked_before_model_with_warning() {
    let sandbox = program();
    let arguments = ["run", "p.as", "--input-file", "in.json"];
    let done = sandbox.run(arguments).exits(0);
    assert_clean(&done.stdout, "the answer");
    assert_clean(&done.stderr, "the warnings");
    for what in ["GitHub token, line 1", "secret parameter of an address, line 1"] {
        let warning = format!("`input.text` seems to hold a secret ({what}), which is masked");
        assert!(done.stderr.contains(&warning), "{}", done.stderr);
    }
    let shown = sandbox.run(["trace", "export", "latest"]).exits(0).stdout;
    assert!(shown.contains(r#""what":"GitHub token""#), "{shown}");
    let prompt = sandbox.run(["trace", "prompt", "latest"]).exits(0).stdout;
    assert!(prompt.contains("The key is ghp_•••. See https://h/a?sig=•••&x=1 soon."), "{prompt}");

    sandbox.write("contexture.toml", "[policy]\nsecrets = \"allow\"\n");
    let done = sandbox.run(arguments).exits(0);
    assert!(done.stdout.contains("0123456789abcdef"), "{}", done.stdout);
    assert!(done.stderr.contains("is shown to the model"), "{}", done.stderr);
    assert_clean(&done.stderr, "the warnings");
    assert_private(&sandbox.path(".contexture/runs"));
    sandbox.write("contexture.toml", "[policy]\nsecrets = \"maybe\"\n");
    let _ = sandbox.run(arguments).exits(2).says("mask");
}

#[test]
fn gu_10_result_of_models_tool_and_interpolated_text_are_masked() {
    let sandbox = Sandbox::new();
    sandbox.write("notes.md", "db_password = hunter2hunter2\n");
    sandbox.write(
        "p.as",
        "import tool File from \"file://workspace\"\n\nmain func(input) {\n    text = \
         File.read({ path: \"notes.md\" })\n    generate({ input: \"Repeat: \" + text })\n}\n",
    );
    let done = sandbox.run(["run", "p.as", "--mock"]).exits(0);
    assert!(done.stderr.contains("the instruction seems to hold a secret"), "{}", done.stderr);
    let prompt = sandbox.run(["trace", "prompt", "latest"]).exits(0).stdout;
    assert!(prompt.contains("db_password = •••"), "{prompt}");
    assert_clean(&prompt, "the prompt");
}

/// Answers one request with 200, and returns its head.
fn answer_once() -> (u16, std::thread::JoinHandle<String>) {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
            head.push(byte[0]);
        }
        let body = "hunter2hunter2 is echoed";
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
        String::from_utf8(head).unwrap()
    });
    (port, serving)
}

#[test]
fn gu_9_secret_goes_into_header_and_into_no_record() {
    let sandbox = Sandbox::new();
    let (port, serving) = answer_once();
    sandbox.write("keys/web", "hunter2hunter2\n");
    sandbox.write("contexture.toml", "[secrets.WEB]\nfile = \"keys/web\"\n");
    sandbox.write(
        "p.as",
        format!(
            "import tool Web from \"http://127.0.0.1:{port}\"\n\nmain func(input) {{\n    \
             Web.get({{ url: \"/\", headers: {{ authorization: secret(\"WEB\") }} }}).status\n}}\n"
        ),
    );
    let done = sandbox.run(["run", "p.as", "--trace", "trace.jsonl"]).exits(0);
    let head = serving.join().unwrap().to_lowercase();
    assert!(head.contains("authorization: bearer hunter2hunter2"), "{head}");
    assert_clean(&format!("{}{}", done.stdout, done.stderr), "output");
    assert_clean(&sandbox.read("trace.jsonl"), "trace.jsonl");
    assert_private(&sandbox.path(".contexture/runs"));
}

#[test]
fn gu_9_secret_is_shown_compared_and_kept_nowhere() {
    let sandbox = Sandbox::new();
    sandbox.write("contexture.toml", "[secrets.S]\nfile = \"s\"\n");
    sandbox.write("s", "hunter2hunter2");
    for (body, place) in [
        ("\"a\" + secret(\"S\")", "a part of a text"),
        ("secret(\"S\") + 1", "a part of a text"),
        ("secret(\"S\") == \"a\"", "compared"),
        ("[secret(\"S\")] == [\"a\"]", "compared"),
        ("secret(\"S\")", "shown, kept or sent"),
        ("[{ a: secret(\"S\") }]", "shown, kept or sent"),
        ("File.write({ path: \"a\", content: secret(\"S\") })", "shown, kept or sent"),
        ("x = secret(\"S\")\nuse x as doc\ngenerate({ input: \"a\" })", "shown, kept or sent"),
        ("Web.post({ url: \"/\", body: secret(\"S\") })", "shown, kept or sent"),
        ("Notes.add({ text: secret(\"S\") })", "shown, kept or sent"),
    ] {
        sandbox.write(
            "p.as",
            format!(
                "import tool File from \"file://workspace\"\nimport tool Web from \
                 \"https://example.com\"\nimport memory Notes from \"file://notes.jsonl\"\n\
                 main func(input) {{\n{body}\n}}\n"
            ),
        );
        let done = sandbox.run(["run", "p.as", "--mock"]).exits(1);
        let told = format!("the secret `S` can't be {place}");
        assert!(done.stderr.contains(&told) && done.stderr.contains("p.as:"), "{}", done.stderr);
        assert_clean(&format!("{}{}", done.stdout, done.stderr), body);
    }
    sandbox.write("p.as", "import tool Web from \"https://example.com\"\nmain func(input) {\nWeb.get({ url: \"/\", headers: { a: secret(\"NONE\") } })\n}\n");
    let checked = sandbox.run(["check", "p.as"]).exits(0).stdout;
    assert!(checked.contains("the secret `NONE` has no value here"), "{checked}");
    let _ = sandbox.run(["run", "p.as"]).exits(1).says("set the variable `NONE`");
}

#[test]
fn gu_9_listing_of_servers_hides_secrets_of_addresses_and_arguments() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "contexture.toml",
        "[mcp.servers.web]\nurl = \"https://127.0.0.1:9/mcp?api_key=s1gnature\"\ntoken_env = \"T\"\n\
         [mcp.servers.own]\ncommand = \"server\"\nargs = [\"--password=hunter2hunter2\"]\n",
    );
    for arguments in [&["mcp-servers", "list"][..], &["mcp-servers", "list", "--json"]] {
        let done = sandbox.run(arguments);
        assert!(done.stdout.contains("api_key=•••"), "{}", done.stdout);
        assert_clean(&done.stdout, "stdout");
        assert_clean(&done.stderr, "stderr");
    }
    let done = sandbox.run(["mcp-servers", "accept", "web"]);
    assert_clean(&format!("{}{}", done.stdout, done.stderr), "accept");
}
