//! `contexture mcp` as a process: what goes over its streams, and how it ends (KN-16).

use crate::support::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    let _ = sandbox
        .write(
            ".agents/knowledge/acme/KNOWLEDGE.md",
            "---\nname: acme\ndescription: Widgets.\ntype: brand-product\nstatus: ready\n\
             profile: wiki-first\n---\nRead the facts.\n",
        )
        .write(
            ".agents/knowledge/acme/compiled/facts.md",
            "# Prices\n\nThe widget costs 42 crowns.\n",
        )
        .write("agents/double.as", "main func(number integer) { number * 2 }\n");
    sandbox
}

/// A server as a child process, spoken to line by line.
struct Server {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    id: u64,
}

impl Server {
    fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let all = ["mcp"].iter().chain(arguments).copied();
        Self::of(sandbox.contexture(all))
    }

    fn start_in(sandbox: &Sandbox, folder: &str, arguments: &[&str]) -> Self {
        let mut command = sandbox.contexture(arguments.iter().copied());
        command.current_dir(sandbox.path(folder));
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().unwrap());
        Self { child, to, from, id: 0 }
    }

    fn send(&mut self, message: &str) {
        let to = self.to.as_mut().unwrap();
        to.write_all(message.as_bytes()).unwrap();
        to.write_all(b"\n").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line:?}"))
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        self.send(&request.to_string());
        let answer = self.receive();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(self.id)));
        answer
    }

    fn initialize(&mut self) -> Value {
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "0" }
            }),
        );
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        self.request("tools/call", params)["result"].clone()
    }

    /// The exit code and what stands on stderr, once it has ended; nothing more is on stdout.
    fn ended(mut self) -> (Option<i32>, String) {
        let until = Instant::now() + Duration::from_secs(20);
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > until => {
                    self.child.kill().unwrap();
                    panic!("the server does not end");
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let (mut rest, mut said) = (String::new(), String::new());
        self.from.read_to_string(&mut rest).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(rest, "");
        (status.code(), said)
    }

    fn close(mut self) -> (Option<i32>, String) {
        drop(self.to.take());
        self.ended()
    }
}

#[test]
fn kn_16_stdio_server_prints_only_messages_to_stdout() {
    let sandbox = project();
    let mut server = Server::start(&sandbox, &["--root", ".", "--programs", "agents"]);
    let hello = server.initialize();
    assert_eq!(hello["result"]["serverInfo"]["name"], "contexture");
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    let tools = server.request("tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 6);
    let found = server.call("resolve_knowledge", json!({ "query": "What does the widget cost?" }));
    assert_eq!(found["structuredContent"]["selected_files"], json!(["compiled/facts.md"]));
    assert!(found["content"][0]["text"].as_str().unwrap().contains("42 crowns"));
    assert_eq!(server.call("double", json!({ "number": 4 }))["content"][0]["text"], "8");
    // What is no message is refused without an id, what is none of MCP's under its own.
    server.send("{nonsense");
    let refused = server.receive();
    assert_eq!((&refused["error"]["code"], &refused["id"]), (&json!(-32700), &Value::Null));
    server.send("");
    assert_eq!(server.request("no/such/method", json!({}))["error"]["code"], -32601);
    assert_eq!(server.request("tools/call", json!({ "name": 5 }))["error"]["code"], -32602);
    assert_eq!(server.call("double", json!({ "number": 5 }))["content"][0]["text"], "10");
    let (code, said) = server.close();
    assert_eq!(code, Some(0));
    assert!(said.contains("serving 6 tools and 1 pack over stdio"), "{said}");
}

#[test]
fn kn_16_stdio_server_returns_context_of_command_line() {
    let sandbox = project();
    let mut server = Server::start(&sandbox, &["--root", "."]);
    server.initialize();
    let question = "What does the widget cost?";
    let arguments = json!({ "query": question, "packs": ["acme"], "max": 500 });
    let found = server.call("resolve_knowledge", arguments)["structuredContent"].clone();
    let told = sandbox
        .run(["knowledge", "resolve-context", "--root", ".", "--pack", "acme", "--query", question])
        .exits(0);
    let context = found["context"].as_str().unwrap();
    assert!(told.stdout.contains(context.trim_end()), "{}\n{context}", told.stdout);
    let _ = server.close();
}

#[test]
fn kn_16_signal_ends_server_in_order() {
    let sandbox = project();
    let mut server = Server::start(&sandbox, &["--root", "."]);
    server.initialize();
    let pid = server.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let (code, _) = server.ended();
    assert_eq!(code, Some(0));

    // One that has not heard of its client yet.
    let server = Server::start(&sandbox, &["--root", "."]);
    assert_eq!(server.close().0, Some(0));
}

#[test]
fn kn_8_packs_without_root_show_only_metadata() {
    let sandbox = project();
    let mut server = Server::start(&sandbox, &[]);
    server.initialize();
    let refused = server.call("activate_knowledge", json!({ "name": "acme" }));
    assert_eq!(refused["isError"], true);
    let allow = refused["structuredContent"]["error"]["allow"].as_str().unwrap().to_owned();
    let _ = server.close();
    let mut server = Server::start(&sandbox, &["--allow-pack", &allow]);
    server.initialize();
    assert_eq!(server.call("activate_knowledge", json!({ "name": "acme" }))["isError"], false);
    let _ = server.close();
    let mut server = Server::start(&sandbox, &["--pack", "acme"]);
    server.initialize();
    assert_eq!(server.call("activate_knowledge", json!({ "name": "acme" }))["isError"], false);
    let _ = server.close();
}

#[test]
fn wa_9_folders_and_packs_are_relative_to_root() {
    let sandbox = project();
    let _ = sandbox.write("elsewhere/agents/half.as", "main func(number integer) { number / 2 }\n");
    let pack = ".agents/knowledge/acme";
    let all = ["mcp", "--root", "..", "--programs", "agents", "--pack", pack];
    let mut server = Server::start_in(&sandbox, "elsewhere", &all);
    server.initialize();
    let tools = server.request("tools/list", json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(names.contains(&"double") && !names.contains(&"half"), "{names:?}");
    assert_eq!(server.call("activate_knowledge", json!({ "name": "acme" }))["isError"], false);
    let _ = server.close();
}

#[test]
fn kn_16_invalid_server_settings_are_refused_before_start() {
    let sandbox = project();
    let refused = |arguments: &[&str], part: &str| {
        let all = ["mcp"].iter().chain(arguments).copied();
        let done = sandbox.run(all).exits(2).says(part);
        assert_eq!(done.stdout, "");
    };
    refused(&["--root", "nowhere"], "nowhere");
    refused(&["--programs", "nowhere"], "nowhere");
    refused(&["--pack", "amce"], "did you mean `acme`?");
    refused(&["--pack", "./agents"], "KNOWLEDGE.md");
    refused(&["--allow-pack", "acme"], "acme");
    refused(&["--offer", "notes.md"], "--offer");
    refused(&["--http", "127.0.0.1:0"], "CONTEXTURE_MCP_TOKEN");
    refused(&["--http", "127.0.0.1:0", "--token-file", "none"], "none");
    refused(&["--http", "nonsense"], "--http");
    refused(&["--token-file", "token"], "--http");
    let _ = sandbox.write("token", "0123456789abcdef\n").write("two", "two words\n");
    refused(&["--http", "127.0.0.1:0", "--token-file", "two"], "visible ASCII");
    refused(&["--http", "0.0.0.0:0", "--token-file", "token"], "--allow-remote");
}

#[test]
fn gu_6_policy_of_project_and_program_holds_for_tools_that_are_programs() {
    let sandbox = project();
    let file = "import tool File from \"file://workspace\"\n";
    let write = |path: &str| format!("File.write({{ path: {path}, content: \"x\" }})");
    let obeys = format!(
        "{file}main func(name string) {{ page = File.read({{ path: name }}) {} }}",
        write("page")
    );
    let tells = format!("{file}main func(name string) {{ {} }}", write("name"));
    let narrow = format!("policy write \"deny\"\n{tells}");
    for (name, text) in [("obeys", &obeys), ("tells", &tells), ("narrow", &narrow)] {
        sandbox.write(format!("agents/{name}.as"), text);
    }
    sandbox.write("page.txt", "out.txt");
    let call = |tool: &str, name: &str| {
        let mut server = Server::start(&sandbox, &["--root", ".", "--programs", "agents"]);
        server.initialize();
        let said = server.call(tool, json!({ "name": name }));
        let _ = server.close();
        (said["isError"] == true, said["content"][0]["text"].as_str().unwrap().to_owned())
    };
    let (is_error, text) = call("obeys", "page.txt");
    assert!(is_error && text.contains("POLICY_DENIED"), "{text}");
    assert!(text.contains("page.txt"), "it names the source: {text}");
    let (is_error, text) = call("narrow", "own.txt");
    assert!(is_error && text.contains("its program says"), "{text}");
    assert!(!call("tells", "own.txt").0, "what the client says is the user's word");
    let (is_error, text) = call("tells", "agents/double.as");
    assert!(is_error && text.contains("PATH_PROTECTED"), "an offered program: {text}");
    sandbox.write("contexture.toml", "[policy]\nwrite = \"deny\"\n");
    assert!(call("tells", "other.txt").1.contains("POLICY_DENIED"));
    assert!(!sandbox.path("out.txt").exists() && !sandbox.path("other.txt").exists());
}
