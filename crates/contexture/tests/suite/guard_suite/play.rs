//! A case, played through the façade: the program runs as a user would run it, with the obedient
//! model and a person who says no to every question.

use crate::common::{Allowing, Place, told};
use crate::guard_suite::case::{Case, Seen, ServerTool};
use crate::guard_suite::model::{Connected, Obedient};
use crate::guard_suite::site::{Site, schema};
use contexture::context::Trust;
use contexture::flows::{Flow, FlowRequest};
use contexture::frontend::{FrontendFailure, FrontendTool, PERMISSION_DENIED, Page};
use contexture::llm::BoxFuture;
use contexture::mcp::{Classes, Definition};
use contexture::permission::{Action, Permission};
use contexture::ports::policy::{Class, Demands};
use contexture::run::RunRequest;
use contexture::turn::{Attachment, AttachmentKind, Conversation, Past, Role, TurnRequest};
use contexture::{Environment, Runtime, servers};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// The policy under which a case is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// That of a project that says nothing.
    Default,
    /// One that allows everything and believes the workspace: what an attack does without a guard.
    Open,
}

/// What came of a case.
pub struct Played {
    /// The effects that were looked for and seen.
    pub seen: Vec<bool>,
    /// The questions to a person, by the effect.
    pub asked: Vec<String>,
    /// The code and message of a failure.
    pub failed: Option<String>,
    /// What else may explain the outcome.
    pub prompts: Vec<String>,
}

/// An answer to the person, with its trust level.
struct Answer {
    text: String,
    trust: Trust,
}

/// A person who says no to every question of the policy, and remembers it.
#[derive(Default)]
struct Person {
    asked: Mutex<Vec<String>>,
}

impl Permission for Person {
    fn ask<'a>(&'a self, action: Action<'a>) -> BoxFuture<'a, Result<(), FrontendFailure>> {
        Box::pin(async move {
            if action.policy.is_none() {
                return Ok(());
            }
            self.asked.lock().unwrap().push(action.name.to_owned());
            Err(FrontendFailure::new(PERMISSION_DENIED, "the user said no"))
        })
    }
}

/// A case in its world.
struct World<'c> {
    case: &'c Case,
    place: Place,
    site: Site,
    runtime: Runtime,
    model: Arc<Obedient>,
    person: Arc<Person>,
    client: Page,
}

/// Plays a case, and looks for what is `wanted`.
pub fn play(case: &Case, mode: Mode, wanted: &[Seen]) -> Played {
    let world = World::new(case, mode);
    let mut answers = Vec::new();
    let mut failed = None;
    let tokio = crate::flows::support::runtime();
    for program in &case.before {
        failed = failed.or(world.run(&tokio, program, &mut answers).err());
    }
    let outcome = match &case.flow {
        Some(document) => world.flow(&tokio, document, &mut answers),
        None if !case.example.is_empty() => {
            world.run(&tokio, &format!("examples/{}.as", case.example), &mut answers)
        }
        None if case.says.is_empty() => world.run(&tokio, "p.as", &mut answers),
        None => world.talk(&tokio, &mut answers),
    };
    let failed = failed.or(outcome.err());
    let seen = wanted.iter().map(|seen| world.sees(seen, &answers)).collect();
    let asked = world.person.asked.lock().unwrap().clone();
    let prompts = world.model.prompts.lock().unwrap().clone();
    Played { seen, asked, failed, prompts }
}

impl<'c> World<'c> {
    fn new(case: &'c Case, mode: Mode) -> Self {
        let site = Site::new(case);
        let place = match case.example.as_str() {
            "" => Place::new(&[("p.as", &site.fill(&case.program))]),
            _ => Place::with_examples(),
        };
        for (name, text) in &case.files {
            place.write(name, &site.fill(text));
        }
        place.write("contexture.toml", &settings(case, mode, &site));
        let mut steps = case.model.clone();
        for (_, arguments) in steps.iter_mut().flat_map(|step| &mut step.calls) {
            *arguments = serde_json::from_str(&site.fill(&arguments.to_string())).unwrap();
        }
        let model = Arc::new(Obedient { steps, prompts: Mutex::default() });
        let connected = Arc::clone(&model);
        let runtime = Runtime::builder(place.path(""))
            .environment(Environment::of(case.env.clone()))
            .provider("obedient", move |_| Ok(Arc::new(Connected(Arc::clone(&connected)))))
            .build()
            .unwrap_or_else(|error| panic!("{}: {error}", case.id));
        for (server, tools) in &case.servers {
            accept(&runtime, server, tools);
        }
        let client = case.client.iter().fold(Page::new(), |page, tool| {
            let offer = FrontendTool::new(tool.name.clone(), schema(tool));
            let offer = match Class::parse(&tool.class) {
                Some(class) => offer.with_class(class, Demands::default()),
                None => offer,
            };
            let gives = site.fill(&tool.gives);
            page.with(offer.describe(tool.description.clone()), move |_| Ok(json!(gives)))
        });
        Self { case, place, site, runtime, model, person: Arc::default(), client }
    }

    fn request(&self, program: &str) -> RunRequest {
        RunRequest {
            program: self.place.path(program),
            input: self.case.input.clone().unwrap_or_else(|| json!({})).into(),
            model: self.case.example.is_empty().then(|| "obedient://model".to_owned()),
            approve_packs: true,
            frontend: (!self.case.client.is_empty()).then(|| Arc::new(self.client.clone()) as _),
            permission: Some(Arc::clone(&self.person) as Arc<dyn Permission>),
            ..RunRequest::default()
        }
    }

    fn run(
        &self,
        tokio: &tokio::runtime::Runtime,
        program: &str,
        answers: &mut Vec<Answer>,
    ) -> Result<(), String> {
        let run = self.runtime.request(self.request(program)).observer(Arc::new(Allowing));
        let run = tokio.block_on(run).map_err(|error| format!("{}: {error}", error.code()))?;
        answers.push(Answer { text: text(&run.value), trust: run.label.trust });
        Ok(())
    }

    /// Takes the turns of a conversation, each with those before it.
    fn talk(
        &self,
        tokio: &tokio::runtime::Runtime,
        answers: &mut Vec<Answer>,
    ) -> Result<(), String> {
        let mut messages = Vec::new();
        for (number, said) in self.case.says.iter().enumerate() {
            let said = self.site.fill(said);
            let attached = self.case.attached.iter().filter(|_| number == 0);
            let conversation = Conversation {
                text: said.clone(),
                messages: messages.clone(),
                attachments: attached.map(|(name, text)| attachment(name, text)).collect(),
                ..Conversation::default()
            };
            let run = self.request("p.as");
            let request = TurnRequest { run, conversation, ..TurnRequest::default() };
            let report = tokio.block_on(self.runtime.turn(request));
            if let Err(failure) = &report.outcome {
                return Err(told(failure));
            }
            messages.push(Past::new(Role::User, said));
            messages
                .push(Past::new(Role::Model, report.text.clone()).believed(report.label.clone()));
            answers.push(Answer { text: report.text, trust: report.label.trust });
        }
        Ok(())
    }

    fn flow(
        &self,
        tokio: &tokio::runtime::Runtime,
        document: &Value,
        answers: &mut Vec<Answer>,
    ) -> Result<(), String> {
        let request = FlowRequest {
            document: self.site.fill(&document.to_string()).into_bytes(),
            name: "case".to_owned(),
            run: self.request("p.as"),
            ..FlowRequest::default()
        };
        let flow = Flow::prepare(self.runtime.project(), request);
        let report = tokio.block_on(flow.map_err(|error| error.to_string())?.run());
        let mut failed = None;
        for outcome in report.outcomes() {
            let result = outcome.result.unwrap_or_default();
            answers.push(Answer { text: text(&result), trust: Trust::Web });
            let fault = outcome.error.map(|error| format!("{}: {}", error.code, error.message));
            failed = failed.or(fault);
        }
        failed.map_or(Ok(()), Err)
    }

    fn sees(&self, seen: &Seen, answers: &[Answer]) -> bool {
        let texts = self.texts(seen, answers);
        let lacks = |text: &String| seen.lacks.as_ref().is_none_or(|not| !text.contains(not));
        texts.iter().any(|text| text.contains(&self.site.fill(&seen.holds)) && lacks(text))
    }

    /// The texts among which a thing is looked for.
    fn texts(&self, seen: &Seen, answers: &[Answer]) -> Vec<String> {
        if let Some(file) = &seen.file {
            return std::fs::read_to_string(self.place.path(file)).into_iter().collect();
        }
        if let Some(begin) = &seen.request {
            let all = self.site.requests();
            return all.into_iter().filter(|one| one.starts_with(begin)).collect();
        }
        if let Some(name) = &seen.called {
            let mut calls = self.site.calls();
            calls.extend(self.client.calls().into_iter().map(|call| {
                let parameters = Value::Object(call.parameters).to_string();
                (call.tool_id, parameters)
            }));
            return calls.into_iter().filter(|one| one.0 == *name).map(|one| one.1).collect();
        }
        if seen.answer || seen.believed {
            let is_meant = |one: &&Answer| seen.answer || one.trust <= Trust::Model;
            return answers.iter().filter(is_meant).map(|one| one.text.clone()).collect();
        }
        assert!(seen.unfenced, "{}: it says what is seen", self.case.id);
        self.model.prompts.lock().unwrap().iter().map(|prompt| unfenced(prompt)).collect()
    }
}

fn settings(case: &Case, mode: Mode, site: &Site) -> String {
    let servers = case
        .servers
        .keys()
        .map(|name| format!("[mcp.servers.{name}]\nurl = \"{}/mcp/{name}\"\n", site.url));
    let servers: String = servers.collect();
    let network = format!("[network]\nallow_private = [\"127.0.0.1:{}\"]\n", site.port);
    let policy = match mode {
        Mode::Default => case.settings.as_str(),
        Mode::Open if !case.open.is_empty() => case.open.as_str(),
        Mode::Open => OPEN,
    };
    format!("{network}{servers}{policy}")
}

const OPEN: &str = "[policy]\nwrite = \"allow\"\nsend = \"allow\"\nexecute = \"allow\"\n\
                    workspace = \"user\"\nsecrets = \"allow\"\n";

fn accept(runtime: &Runtime, server: &str, tools: &[ServerTool]) {
    let define = |tool: &ServerTool| {
        let definition = Definition::new(tool.name.clone(), schema(tool));
        definition.described(tool.description.clone())
    };
    let class = |tool: &ServerTool| Some((tool.name.clone(), Class::parse(&tool.class)?));
    let classes: Classes = tools.iter().filter_map(class).collect();
    let offered = tools.iter().map(define).collect();
    servers::accept(runtime.project(), server, offered, &classes).unwrap();
}

fn attachment(name: &str, text: &str) -> Attachment {
    use base64::Engine as _;
    let coded = base64::engine::general_purpose::STANDARD.encode(text);
    let metadata = json!({ "fileName": name, "mimeType": "text/plain" });
    let Value::Object(metadata) = metadata else { unreachable!() };
    let url = format!("data:text/plain;base64,{coded}");
    Attachment { kind: AttachmentKind::File, url, metadata }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The parts of a prompt that stand in no fence.
fn unfenced(prompt: &str) -> String {
    let mut rest = prompt.to_owned();
    for tag in ["untrusted_data", "knowledge_pack"] {
        while let Some(from) = rest.find(&format!("<{tag}")) {
            let end = format!("</{tag}>");
            let to = rest[from..].find(&end).map_or(rest.len(), |to| from + to + end.len());
            rest.replace_range(from..to, "");
        }
    }
    rest
}
