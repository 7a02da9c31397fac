//! The way in: new projects, what is ready, keys, and input as people give it (CA-12).

use crate::support::Sandbox;
use serde_json::json;
use std::io::{Read as _, Write as _};

const ASK: &str =
    "main func(input { path string, count? integer, tags? list[string] }) { input }\n";

#[test]
fn ca_12_every_template_checks_and_runs_as_generated() {
    for (template, file) in [
        ("extract", "extract.as"),
        ("ask-docs", "ask.as"),
        ("agent", "agent.as"),
        ("server", "chat.as"),
    ] {
        let sandbox = Sandbox::new();
        let new = ["new", "my app", "--template", template, "--json"];
        let done = sandbox.run(new).exits(0).json();
        assert_eq!(done["template"], template);
        assert!(sandbox.read("my app/README.md").contains(file), "{template}");
        let root = sandbox.path("my app");
        let root = root.to_str().unwrap();
        let checked = sandbox.run(["check", &format!("my app/{file}")]).exits(0);
        assert!(!checked.stdout.contains("warning"), "{template}: {checked:?}");
        // A conversation is raw text, which the check has a hint about.
        let has_hint = checked.stdout.contains("hint");
        assert_eq!(has_hint, template == "server", "{template}: {checked:?}");
        if template == "server" {
            let ask = format!(
                "cd '{root}' && echo 'How long does delivery take?' | contexture run chat.as --input -"
            );
            let said = sandbox.sh(&ask).exits(0);
            assert!(said.stdout.contains("two days"), "{said:?}");
        } else {
            let said = sandbox.sh(done["run"].as_str().unwrap()).exits(0);
            let known = if template == "extract" { "404.5" } else { "7878" };
            assert!(said.stdout.contains(known), "{template}: {said:?}");
        }
        let _ = sandbox.run(["new", "my app"]).exits(2).says("is there already");
    }
}

#[test]
fn ca_12_doctor_suggests_what_a_misspelt_setting_meant() {
    let sandbox = Sandbox::new();
    for (settings, meant) in [
        ("modle = \"mock\"\n", "did you mean `model`?"),
        ("[limits]\nfile_byts = 3\n", "did you mean `file_bytes`?"),
        ("model = \"opnai://x\"\n", "did you mean `openai://x`?"),
    ] {
        sandbox.write("contexture.toml", settings);
        let done = sandbox.run(["doctor", "--offline"]).exits(1);
        assert!(done.stdout.contains(meant), "{done:?}");
        let object = sandbox.run(["doctor", "--offline", "--json"]).exits(1).json();
        let checks = object["checks"].as_array().unwrap();
        assert!(checks.iter().any(|check| check["help"] == meant), "{object}");
    }
}

#[test]
fn ca_12_names_left_out_of_env_file_agree_with_their_number() {
    let sandbox = Sandbox::new();
    sandbox.write("a.as", "main func() { 1 }\n").write("contexture.toml", "");
    sandbox.write(".env", "OPENAI_BASE_URL=http://x\n");
    let _ = sandbox.run(["run", "a.as"]).exits(0).says("OPENAI_BASE_URL of .env is left out");
    sandbox.write(".env", "OPENAI_BASE_URL=http://x\nCONTEXTURE_MODEL=mock\n");
    let _ = sandbox.run(["run", "a.as"]).exits(0).says(" of .env are left out");
}

#[test]
fn ca_12_input_is_given_as_pairs_files_and_raw_text() {
    let sandbox = Sandbox::new();
    sandbox.write("a.as", ASK).write("text.md", "= long =\n");
    let value =
        |args: &[&str]| sandbox.run([&["run", "a.as", "--quiet"], args].concat()).exits(0).json();
    let pairs = ["-i", "path=a=b", "-i", "count=3", "-i", "tags=x", "-i", "tags=y"];
    assert_eq!(value(&pairs), json!({ "path": "a=b", "count": 3, "tags": ["x", "y"] }));
    assert_eq!(value(&["-i", "path=@text.md"]), json!({ "path": "= long =\n" }));
    assert_eq!(value(&["-i", "{\"path\": \"x=1\"}"]), json!({ "path": "x=1" }));
    let raw = sandbox.sh("printf 'some\ntext\n' | contexture run a.as --quiet --input -");
    assert_eq!(raw.exits(0).json(), json!({ "path": "some\ntext" }));
    let object = sandbox.sh("echo '{\"path\": \"x\"}' | contexture run a.as --quiet --input -");
    assert_eq!(object.exits(0).json(), json!({ "path": "x" }));
    let _ = sandbox.run(["run", "a.as", "-i", "count=many"]).exits(2).says("`count` takes");
    let _ = sandbox.run(["run", "a.as", "-i", "path=@none.md"]).exits(2).says("none.md");
    let _ = sandbox.run(["run", "a.as", "-i", "path=a", "-i", "{}"]).exits(2);
    for wrong in ["{\"pth\": \"x\"}", "pth=x"] {
        let _ = sandbox.run(["run", "a.as", "-i", wrong]).exits(2).says("did you mean `path`");
    }
}

#[test]
fn ca_12_program_comes_from_stdin_or_from_outside() {
    let sandbox = Sandbox::new();
    let said =
        "echo 'main func(text string) { text + \"!\" }' | contexture run - --quiet -i '\"hi\"'";
    assert_eq!(sandbox.sh(said).exits(0).json(), json!("hi!"));
    let _ = sandbox.sh("echo x | contexture run - --input -").exits(2).says("both the program");
    sandbox.write("data/notes.md", "inside");
    let outside = sandbox.path("../home/tool.as");
    let read = "import tool File from \"file://workspace\"\nmain func() { File.read({ path: \"notes.md\" }) }\n";
    std::fs::write(&outside, read).unwrap();
    let outside = outside.to_str().unwrap();
    let done = sandbox.run(["run", outside, "--workspace", "data", "--quiet"]).exits(0);
    assert!(done.stdout.contains("inside"), "{done:?}");
}

#[test]
fn ca_12_program_from_outside_imports_programs_from_its_own_folder_and_data_from_the_workspace() {
    let sandbox = Sandbox::new();
    let agent = |said: &str| format!("agent Other {{ func say() {{ \"{said}\" }} }}\n");
    sandbox.write("tools/lib/other.as", agent("own")).write("tools/notes.md", "of the tool");
    sandbox.write("data/lib/other.as", agent("hostile")).write("data/notes.md", "of the data");
    sandbox.write("other.as", agent("above")).write("tools/lib/text.md", agent("text"));
    let run = |imported: &str| {
        let program = format!(
            "import agent Other from \"{imported}\"\nimport file Notes from \"notes.md\"\n\
             main func() {{ Other.say() + \", \" + Notes }}\n"
        );
        sandbox.write("tools/tool.as", &program);
        let tool = sandbox.path("tools/tool.as");
        sandbox.run(["run", tool.to_str().unwrap(), "--workspace", "data", "--quiet"])
    };
    assert_eq!(run("./lib/other.as").exits(0).json(), json!("own, of the data"));
    for elsewhere in ["../other.as", "./lib/text.md", "./lib/none.as"] {
        let refused = run(elsewhere);
        assert!(refused.code != Some(0) && !refused.stdout.contains("above"), "{refused:?}");
    }
    let _ = run("../other.as").says("from its own folder");
}

#[test]
fn ca_12_env_file_supplies_keys_with_notice_and_programs_do_not_read_it() {
    let sandbox = Sandbox::new();
    sandbox.write("a.as", "main func() { 1 }\n");
    sandbox.write(
        ".env",
        "OPENAI_API_KEY=sk-proj-fromthefile123\nOPENAI_BASE_URL=http://127.0.0.1:9\n",
    );
    let done = sandbox.run(["run", "a.as"]).exits(0).says("OPENAI_API_KEY from .env");
    let done = done.says("OPENAI_BASE_URL of .env is left out");
    assert!(!done.stderr.contains("fromthefile"), "{done:?}");
    let done = sandbox.sh("OPENAI_API_KEY=sk-own contexture run a.as").exits(0);
    assert!(!done.stderr.contains("OPENAI_API_KEY from"), "{done:?}");
    let doctor = sandbox.run(["doctor", "--json"]).exits(0).json();
    assert!(doctor["checks"].to_string().contains("OPENAI_API_KEY"), "{doctor}");
}

#[test]
fn ca_12_doctor_names_what_is_wrong() {
    let sandbox = Sandbox::new();
    let check = |name: &str, exit: i32| {
        let told = sandbox.run(["doctor", "--json"]).exits(exit).json();
        assert_eq!(told["ok"], exit == 0, "{told}");
        let all = told["checks"].as_array().unwrap().clone();
        all.into_iter().find(|one| one["name"] == name).unwrap()
    };
    assert_eq!(check("settings", 0)["status"], "ok");
    sandbox.write("contexture.toml", "modle = \"x\"\n");
    assert_eq!(check("settings", 1)["status"], "error");
    sandbox.write("contexture.toml", "model = \"openai+http://127.0.0.1:9/v1/m\"\n");
    let model = check("model", 1);
    assert!(model["message"].as_str().unwrap().contains("127.0.0.1:9"), "{model}");
    sandbox.write("contexture.toml", "model = \"anthropic://claude\"\n\n[providers]\n");
    assert!(check("keys", 1)["message"].as_str().unwrap().contains("ANTHROPIC_API_KEY"));
}

#[test]
fn wa_5_doctor_finds_named_tools_that_can_not_be_served() {
    let sandbox = Sandbox::new();
    let check = |lines: &str, exit: i32| {
        sandbox.write("contexture.toml", format!("[serve.tools]\n{lines}\n"));
        let told = sandbox.run(["doctor", "--json"]).exits(exit).json();
        let all = told["checks"].as_array().unwrap().clone();
        all.into_iter()
            .find(|one| one["name"].as_str().unwrap().starts_with("serve.tools"))
            .unwrap()
    };
    sandbox.write("tools.as", "agent Notify { main func(input) { input } }\nmain func() { 1 }\n");
    let told = check("send = \"agent:Notify\"\nsum = \"calculator\"", 0);
    assert_eq!((&told["status"], &told["message"]), (&"ok".into(), &"2 can be served".into()));
    let told = check("sum = \"calculater\"", 1);
    assert_eq!((&told["name"], &told["status"]), (&"serve.tools.sum".into(), &"error".into()));
    assert!(told["help"].as_str().unwrap().contains("`calculator`"), "{told}");
    // What `serve` may find in another program, and what it serves and refuses.
    for line in ["send = \"agent:Notfy\"", "hook = \"http://127.0.0.1:9/\""] {
        assert_eq!(check(line, 0)["status"], "warning", "{line}");
    }
}

#[test]
fn ca_12_unknown_field_is_refused_by_programs_and_steps_of_flows() {
    let sandbox = Sandbox::new();
    let set = r#"{ \"instructions\": [{ \"instructionId\": \"a\", \"action\": \"echo\", \"parameters\": {} }] }"#;
    sandbox.write("set.as", format!("main func(input {{ path? string }}) {{ \"{set}\" }}\n"));
    sandbox.write("a.as", ASK);
    let _ = sandbox.run(["flow", "run", "set.as", "--input", "{\"path\": \"x\"}"]).exits(0);
    let wrong = ["flow", "run", "set.as", "--input", "{\"pth\": \"x\"}"];
    let _ = sandbox.run(wrong).exits(2).says("did you mean `path`");
    let step = |parameters: &str| {
        let step = format!(
            r#"{{ "instructions": [{{ "instructionId": "a", "action": "agent:a", "parameters": {parameters} }}] }}"#
        );
        sandbox.write("step.json", &step);
        sandbox.run(["flow", "run", "step.json", "--json"])
    };
    let _ = step("{ \"path\": \"x\", \"idempotencyKey\": \"k\" }").exits(0);
    let failed = step("{ \"path\": \"x\", \"cuont\": 1 }").exits(1).json();
    let error = &failed["results"]["a"]["error"];
    assert_eq!(error["code"], "VALIDATION_FAILED", "{failed}");
    assert!(error["message"].as_str().unwrap().contains("did you mean `count`"), "{error}");
}

#[test]
fn ca_12_doctor_looks_at_named_models_and_mcp_servers() {
    let sandbox = Sandbox::new();
    let settings = "model = \"mock\"\n[models]\nFast = \"openai+http://127.0.0.1:9/v1/m\"\nOwn = \"default\"\n\n\
                    [mcp.servers.files]\ncommand = \"no-such-program-here\"\n";
    sandbox.write("contexture.toml", settings);
    let checks = |options: &[&str], exit: i32| {
        let told = sandbox.run(["doctor", "--json"].iter().chain(options)).exits(exit).json();
        let of = |name: &str| {
            let all = told["checks"].as_array().unwrap();
            all.iter().find(|one| one["name"] == name).map(|one| one["status"].clone())
        };
        (of("models.Fast"), of("models.Own"), of("mcp.files"))
    };
    let said = |word: &str| Some(json!(word));
    assert_eq!(checks(&[], 1), (said("error"), None, said("warning")));
    assert_eq!(checks(&["--offline"], 0), (said("ok"), None, said("ok")));
}

/// Answers one request, with this status line and body; returns its address.
fn answering(status: &'static str, body: &'static str) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(
            head.starts_with(b"GET /readyz HTTP/1.1\r\n"),
            "{}",
            String::from_utf8_lossy(&head)
        );
        let length = body.len();
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
    });
    url
}

#[test]
fn wa_13_doctor_asks_running_server_whether_it_is_ready() {
    let sandbox = Sandbox::new();
    let told = |url: &str, exit: i32, field: &str| {
        let told = sandbox.run(["doctor", "--json", "--server", url]).exits(exit).json();
        assert_eq!(told["checks"].as_array().map(Vec::len), Some(1), "{told}");
        told["checks"][0][field].as_str().unwrap().to_owned()
    };
    let asked = |url: &str, exit: i32| told(url, exit, "message");
    let ready = answering("200 OK", r#"{"status":"ready","reasons":[]}"#);
    assert_eq!(asked(&ready, 0), format!("{ready} accepts messages"));
    let draining = r#"{"status":"not ready","reasons":["the server is about to end"]}"#;
    let draining = answering("503 Service Unavailable", draining);
    assert!(asked(&draining, 1).ends_with("the server is about to end"));
    let foreign = answering("200 OK", "<html>ready</html>");
    assert!(asked(&foreign, 1).contains("not as a server of Contexture does"));
    assert!(asked("http://127.0.0.1:9", 1).contains("does not accept messages"));
    assert!(asked("https://127.0.0.1:9", 1).contains("expected an address"));
    assert!(asked("notaurl", 1).contains("expected an address"));
    assert!(told("notaurl", 1, "help").starts_with("write the address"));
    assert_eq!(told("http://127.0.0.1:9", 1, "help"), "start the server, or fix the address");
    let refused = sandbox.run(["doctor", "--server", "http://127.0.0.1:9", "--offline"]).exits(2);
    assert!(refused.stderr.contains("cannot be used with"), "{}", refused.stderr);
}
