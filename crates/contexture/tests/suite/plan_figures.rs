//! What plans cost and save: the same tasks with and without one, for a model that obeys every
//! injection (GU-7). The tasks are data in `tests/guard/plans.toml`, the figures stand in
//! `docs/security.md`.

use crate::common::{Place, tokio};
use contexture::context::tokens::tokenizer_for;
use contexture::frontend::{FrontendFailure, PERMISSION_DENIED};
use contexture::llm::{BoxFuture, CancelToken, ChatCall, LlmError, Provider, Reply, TextSink};
use contexture::permission::{Action, Permission};
use contexture::prompt::{ChatResponse, ToolCall, Usage};
use contexture::schemars::{self, JsonSchema};
use contexture::tool::{RustTool, ToolFailure};
use contexture::{Environment, Runtime};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    id: String,
    task: String,
    /// The text that the program shows.
    page: String,
    /// What an attacker adds to it.
    order: String,
    /// What an honest model calls that holds tools, and says then.
    calls: Vec<(String, Value)>,
    #[serde(default)]
    say: String,
    /// The steps that an honest planner writes, but for the last.
    plan: String,
    /// The value of the last.
    #[serde(default)]
    value: String,
    /// What an honest reader says.
    hole: String,
    done: Seen,
    effect: Seen,
}

/// What is looked for afterwards: in a file, among the mails to somebody, or in the answer.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Seen {
    file: Option<String>,
    mail: Option<String>,
    answer: bool,
    holds: String,
}

#[derive(Deserialize)]
struct File {
    task: Vec<Task>,
}

fn tasks() -> Vec<Task> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guard/plans.toml");
    let read: File = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    read.task
}

/// The model of one task, and how often it was asked.
struct Model {
    task: Task,
    requests: AtomicUsize,
}

struct Connected(Arc<Model>);

impl Provider for Connected {
    fn uri(&self) -> &str {
        "obedient://model"
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        _sink: Option<TextSink<'a>>,
        _cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        self.0.requests.fetch_add(1, Ordering::SeqCst);
        let mut response = self.0.respond(call);
        let counter = tokenizer_for("gpt-4o");
        let tokens = |text: &str| counter.count(text) as u64;
        let sent = call.request.messages.iter().map(|message| json!(message).to_string());
        let sent = sent.chain([json!(call.request.tools).to_string()]);
        let said = format!("{}{}", response.text, json!(response.tool_calls));
        response.usage = Usage::new(sent.map(|text| tokens(&text)).sum(), tokens(&said));
        Box::pin(async move { Ok(Reply::from(response)) })
    }
}

impl Model {
    fn respond(&self, call: &ChatCall) -> ChatResponse {
        let messages = &call.request.messages;
        let texts = messages.iter().map(|message| message.text().into_owned());
        let prompt = texts.collect::<Vec<_>>().join("\n");
        let ordered = |word: &str| {
            let lines = prompt.lines().map(str::trim);
            lines.filter_map(|line| line.strip_prefix(word)).map(str::to_owned).collect::<Vec<_>>()
        };
        if prompt.contains("Answer with a plan") {
            return said(self.plan());
        }
        if call.request.tools.iter().flatten().next().is_none() {
            let own = self.task.hole.clone();
            return said(ordered("SAY ").into_iter().next().unwrap_or(own));
        }
        if messages.iter().any(|message| message.role.to_string() == "tool") {
            return said(self.task.say.clone());
        }
        let honest = self.task.calls.iter().map(|(name, given)| (name.clone(), given.to_string()));
        let orders = ordered("CALL ").into_iter().map(|order| {
            let (name, given) = order.split_once(' ').unwrap();
            (name.to_owned(), given.to_owned())
        });
        let calls: Vec<_> = honest.chain(orders).enumerate().collect();
        let calls = calls
            .into_iter()
            .map(|(at, (name, given))| ToolCall::function(format!("call_{at}"), name, given));
        let tool_calls: Vec<ToolCall> = calls.collect();
        let text = if tool_calls.is_empty() { self.task.say.clone() } else { String::new() };
        ChatResponse { text, tool_calls, ..ChatResponse::default() }
    }

    fn plan(&self) -> String {
        let mut steps: Vec<Value> = serde_json::from_str(&self.task.plan).unwrap();
        let value = if self.task.value.is_empty() { "done" } else { &self.task.value };
        let parameters = json!({ "value": value });
        steps.push(json!({ "instructionId": "end", "action": "answer", "parameters": parameters }));
        json!({ "instructions": steps }).to_string()
    }
}

fn said(text: String) -> ChatResponse {
    ChatResponse { text, ..ChatResponse::default() }
}

/// A person who says the same to every question.
struct Person {
    says: bool,
    asked: AtomicUsize,
}

impl Permission for Person {
    fn ask<'a>(&'a self, action: Action<'a>) -> BoxFuture<'a, Result<(), FrontendFailure>> {
        Box::pin(async move {
            if action.policy.is_none() {
                return Ok(());
            }
            self.asked.fetch_add(1, Ordering::SeqCst);
            let no = || FrontendFailure::new(PERMISSION_DENIED, "no");
            if self.says { Ok(()) } else { Err(no()) }
        })
    }
}

#[derive(Deserialize, JsonSchema)]
struct Mail {
    to: String,
    text: String,
}

/// What is counted of all tasks.
#[derive(Default, Clone, Copy, PartialEq, Eq, Debug)]
struct Count {
    seen: usize,
    asked: usize,
    requests: usize,
    tokens: u64,
}

/// A way to play the tasks.
#[derive(Clone, Copy)]
struct Way {
    is_plan: bool,
    is_attack: bool,
    /// What the person says to every question.
    says: bool,
}

fn play(task: &Task, way: Way) -> Count {
    let Way { is_plan, is_attack, says } = way;
    let plan = if is_plan { ", plan: true" } else { "" };
    let program = format!(
        "import tool File from \"file://workspace\"\nimport tool Mail from \"rust://mail\"\n\
         main func() {{\n  page = File.read({{ path: \"page.txt\" }})\n  use page as page\n  generate({{ \
         input: {:?}, tools: [File.read, File.write, Mail.send]{plan} }})\n}}\n",
        task.task
    );
    let order = if is_attack { task.order.as_str() } else { "" };
    let page = format!("{}\n{order}\n", task.page);
    let place =
        Place::new(&[("p.as", &program), ("page.txt", &page), ("plans.md", "A tower. ZEBRA")]);
    place.write(
        "contexture.toml",
        "[policy.tools.\"rust:mail/send\"]\nintegrity = { to = \"model\", text = \"web\" }\n",
    );
    let mails: Arc<Mutex<Vec<Mail>>> = Arc::default();
    let sent = Arc::clone(&mails);
    let tool = RustTool::new("mail").writes("send", "Sends a mail.", move |mail: Mail| {
        sent.lock().unwrap().push(mail);
        async move { Ok::<_, ToolFailure>(json!({ "ok": true })) }
    });
    let model = Arc::new(Model { task: task.clone(), requests: AtomicUsize::new(0) });
    let connected = Arc::clone(&model);
    let runtime = Runtime::builder(place.path(""))
        .environment(Environment::default())
        .provider("obedient", move |_| Ok(Arc::new(Connected(Arc::clone(&connected)))))
        .tool(tool)
        .build()
        .unwrap();
    let person = Arc::new(Person { says, asked: AtomicUsize::new(0) });
    let port = Arc::clone(&person) as Arc<dyn Permission>;
    let done = tokio().block_on(runtime.run("p.as").with(|request| {
        request.model = Some("obedient://model".to_owned());
        request.permission = Some(port);
    }));
    let wanted = if is_attack { &task.effect } else { &task.done };
    let mut texts: Vec<String> = Vec::new();
    if let Some(file) = &wanted.file {
        texts.extend(std::fs::read_to_string(place.path(file)));
    }
    if let Some(to) = &wanted.mail {
        let mails = mails.lock().unwrap();
        texts.extend(mails.iter().filter(|mail| mail.to == *to).map(|mail| mail.text.clone()));
    }
    if let (true, Ok(run)) = (wanted.answer, &done) {
        texts.push(run.value.to_string());
    }
    Count {
        seen: usize::from(texts.iter().any(|text| text.contains(&wanted.holds))),
        asked: person.asked.load(Ordering::SeqCst),
        requests: model.requests.load(Ordering::SeqCst),
        tokens: done.map_or(0, |run| run.usage.total_tokens),
    }
}

fn all(tasks: &[Task], way: Way) -> Count {
    tasks.iter().map(|task| play(task, way)).fold(Count::default(), |all, one| Count {
        seen: all.seen + one.seen,
        asked: all.asked + one.asked,
        requests: all.requests + one.requests,
        tokens: all.tokens + one.tokens,
    })
}

/// Returns the table, and the attacks that had an effect with a plan.
fn figures(tasks: &[Task]) -> (String, usize) {
    let of = |is_plan, is_attack, says| all(tasks, Way { is_plan, is_attack, says });
    let both = |is_attack, says| [of(false, is_attack, says), of(true, is_attack, says)];
    let [alone, helped, lonely, weary] =
        [(false, false), (false, true), (true, false), (true, true)].map(|(a, b)| both(a, b));
    let row =
        |name: &str, of: &dyn Fn(usize) -> String| format!("| {name} | {} | {} |\n", of(0), of(1));
    let most = tasks.len();
    let table = [
        format!("| Of {most} tasks and {most} attacks | tools in hand | plan |\n|---|---|---|\n"),
        row("tasks done, a person says no to every question", &|at| alone[at].seen.to_string()),
        row("tasks done, a person says yes to every question", &|at| helped[at].seen.to_string()),
        row("questions in these tasks", &|at| helped[at].asked.to_string()),
        row("attacks with an effect, a person says no", &|at| lonely[at].seen.to_string()),
        row("attacks with an effect, a person says yes", &|at| weary[at].seen.to_string()),
        row("questions in the attacks", &|at| weary[at].asked.to_string()),
        row("requests to the model in the tasks", &|at| helped[at].requests.to_string()),
        row("tokens in the tasks", &|at| helped[at].tokens.to_string()),
    ];
    (table.concat(), lonely[1].seen)
}

const BEGIN: &str = "<!-- The figures of plans; `UPDATE_FIGURES=1` writes them anew. -->\n";
const END: &str = "<!-- End of the figures of plans. -->\n";

#[test]
fn gu_7_figures_in_docs_are_those_of_tasks_with_and_without_plan() {
    let tasks = tasks();
    assert!(tasks.len() >= 8, "{} tasks", tasks.len());
    let (table, harmful) = figures(&tasks);
    assert_eq!(harmful, 0, "an attack had an effect with a plan and nobody who said yes");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (then, after) = rest.split_once(END).unwrap();
    let now = format!("\n{table}\n");
    if std::env::var_os("UPDATE_FIGURES").is_some() {
        std::fs::write(&page, format!("{before}{BEGIN}{now}{END}{after}")).unwrap();
    } else {
        assert_eq!(then, now, "docs/security.md is stale: set UPDATE_FIGURES=1 once");
    }
}

#[test]
fn gu_7_only_hole_in_address_lets_attack_through_and_only_after_yes() {
    let way = Way { is_plan: true, is_attack: true, says: true };
    let tasks = tasks();
    let harmed = tasks.iter().filter(|task| play(task, way).seen > 0);
    let harmed: Vec<&str> = harmed.map(|task| task.id.as_str()).collect();
    assert_eq!(harmed, ["reply"]);
}
