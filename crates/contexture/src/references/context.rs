//! `@context://ID`: a stored conversation context (REF-20).
//!
//! Decision: the messages are read as a transcript, one line for each with its further lines
//! indented, so that no message can pose as another. All of it has the trust level of memory,
//! whoever the sender is: it is from another conversation, and fenced. A turn reads the contexts of
//! its owner alone; the command line those of the workspace, whoever owns them, since it has the
//! file.

use crate::contexts::{self, CONTEXTS_FILE, OpenError};
use crate::project::Project;
use crate::run::request::Contexts;
use contexture_context::Trust;
use contexture_protocol::StatePath;
use contexture_reference::{
    LoadError, LoadFuture, Loaded, Parameter, ParameterKind, Protocol, Request, Resource, Role,
    codes,
};
use contexture_store::contexts::{ContextError, ContextStore, Key, StoredMessage};
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

/// Messages that are read at a time.
const PAGE: usize = 200;

/// The protocol `context`.
pub(super) struct Conversations {
    given: Option<Contexts>,
    project: Project,
    /// The store of the workspace, opened when it is first read.
    own: OnceLock<Result<Arc<dyn ContextStore>, OpenError>>,
    parameters: [Parameter; 1],
}

impl Conversations {
    pub(super) fn new(project: &Project, given: Option<Contexts>) -> Self {
        let last = "how many of the last messages; all when absent";
        let last = Parameter::new("last", ParameterKind::Integer, last);
        Self { given, project: project.clone(), own: OnceLock::new(), parameters: [last] }
    }

    /// Returns the store, and the owner whose contexts may be read; the command line reads all.
    fn store(&self, request: &Request<'_>) -> Result<(&dyn ContextStore, Option<&str>), LoadError> {
        if let Some(Contexts { store, owner }) = &self.given {
            return Ok((&**store, Some(owner)));
        }
        // Until there is a file, it is looked for again.
        let file = self.project.state_folder().join("data").join(CONTEXTS_FILE);
        let is_there = self.project.stores.contexts.is_some() || file.is_file();
        let own = is_there.then(|| self.own.get_or_init(|| contexts::open(&self.project, &file)));
        let nothing = |message: &str, help: &str| {
            let error = LoadError::new(codes::NOTHING_STORED.code, request.reference, message);
            Err(error.with_help(help))
        };
        match own {
            None => nothing(
                "no conversation context is stored in this workspace",
                "`contexture serve` keeps the conversations that it serves",
            ),
            Some(Ok(store)) => Ok((&**store, None)),
            Some(Err(OpenError::Key(error))) => {
                nothing(&format!("the stored contexts can't be opened: {error}"), error.help())
            }
            Some(Err(OpenError::Store(error))) => Err(refused(request, error)),
            Some(Err(OpenError::Missing(missing))) => {
                nothing(&missing.to_string(), &missing.help())
            }
        }
    }

    fn read(&self, request: &Request<'_>) -> Result<Loaded, LoadError> {
        let wanted = Wanted::parse(request)?;
        let (store, owner) = self.store(request)?;
        let fail = |error: ContextError| refused(request, &error);
        let owner = match owner {
            Some(owner) => owner.to_owned(),
            None => only_holder(store, request, &wanted.context)?,
        };
        let key = Key { owner: &owner, context: &wanted.context };
        let (media_type, text) = match &wanted.part {
            Part::Messages(None) => ("text/plain", behind(store, key, request, 0)?),
            Part::Messages(Some(last)) if *last <= PAGE => {
                let messages =
                    if *last == 0 { Vec::new() } else { store.last(key, *last).map_err(fail)? };
                ("text/plain", transcript(&messages))
            }
            Part::Messages(Some(last)) => {
                let all = store.head(key).map_err(fail)?.messages;
                let skip = all.saturating_sub(*last as u64);
                ("text/plain", behind(store, key, request, skip)?)
            }
            Part::State(path) => state(store, key, request, path.as_ref())?,
        };
        let reference = request.reference;
        let resource = Resource::of_text(reference, media_type, text, Trust::Memory);
        Ok(Loaded { resources: vec![resource], ..Loaded::default() })
    }
}

/// Returns the owner of a context for the command line, which reads those of all owners.
fn only_holder(
    store: &dyn ContextStore,
    request: &Request<'_>,
    context: &str,
) -> Result<String, LoadError> {
    let fail = |error: ContextError| refused(request, &error);
    let mut holders = store.holders(context).map_err(fail)?;
    match (holders.pop(), holders.len()) {
        (Some(holder), 0) => Ok(holder),
        (None, _) => Err(fail(ContextError::NotFound(context.to_owned()))),
        (Some(last), _) => {
            let message = format!("several owners have a context `{context}`");
            let told = LoadError::new(codes::NOT_READABLE.code, request.reference, message);
            let help = "it is read where one of them speaks, through `contexture serve`";
            Err(told.with_help(format!("{help}; it is {} and {last}'s", holders.join(", "))))
        }
    }
}

/// The part of a context that a path names.
struct Wanted {
    context: String,
    part: Part,
}

enum Part {
    Messages(Option<usize>),
    State(Option<StatePath>),
}

impl Wanted {
    fn parse(request: &Request<'_>) -> Result<Self, LoadError> {
        let wrong = |message: String| {
            LoadError::new(codes::NOT_FOUND.code, request.reference, message).with_help(
                "write `@context://ID`, `@context://ID/messages?last=10` or `@context://ID/state/PATH`",
            )
        };
        let (context, part) = match request.path.split_once('/') {
            Some((context, part)) => (context, part),
            None => (request.path, ""),
        };
        let last = match request.parameters.get("last") {
            Some(text) => Some(
                text.parse()
                    .map_err(|_| wrong(format!("`last={text}` is not a number of messages")))?,
            ),
            None => None,
        };
        let part = match part.split_once('/').unwrap_or((part, "")) {
            ("" | "messages", "") => Part::Messages(last),
            ("state", _) if last.is_some() => {
                return Err(wrong("`last` counts messages, and this is the state".to_owned()));
            }
            ("state", "") => Part::State(None),
            ("state", path) => {
                let path = path.parse().map_err(|error| {
                    wrong(format!("`{path}` is not a path into the state: {error}"))
                })?;
                Part::State(Some(path))
            }
            _ => return Err(wrong(format!("a context has no part `{part}`"))),
        };
        if context.is_empty() {
            return Err(wrong("it names no context".to_owned()));
        }
        Ok(Self { context: context.to_owned(), part })
    }
}

fn refused(request: &Request<'_>, error: &ContextError) -> LoadError {
    let code = match error {
        ContextError::NotFound(_) => codes::NOT_FOUND.code,
        _ => codes::NOT_READABLE.code,
    };
    let told = LoadError::new(code, request.reference, error.to_string());
    match error {
        ContextError::NotFound(_) => {
            told.with_help("`contexture context list` shows what there is")
        }
        _ => told,
    }
}

/// Returns the transcript of all messages but the first `skip`.
fn behind(
    store: &dyn ContextStore,
    key: Key<'_>,
    request: &Request<'_>,
    mut skip: u64,
) -> Result<String, LoadError> {
    let mut text = String::new();
    let mut after = 0;
    loop {
        let page = store.messages(key, after, PAGE).map_err(|error| refused(request, &error))?;
        let passed = usize::try_from(skip).unwrap_or(usize::MAX).min(page.messages.len());
        skip -= passed as u64;
        text.push_str(&transcript(page.messages.get(passed..).unwrap_or_default()));
        if text.len() as u64 > request.max_bytes {
            let limit = request.max_bytes;
            let message = format!("the messages have more than {limit} bytes");
            let error = LoadError::new(codes::TOO_MANY_BYTES.code, request.reference, message);
            return Err(error.with_help("read the last ones: `/messages?last=20`"));
        }
        match page.next {
            Some(next) => after = next,
            None => return Ok(text),
        }
    }
}

/// Returns the state, or a part of it.
fn state(
    store: &dyn ContextStore,
    key: Key<'_>,
    request: &Request<'_>,
    path: Option<&StatePath>,
) -> Result<(&'static str, String), LoadError> {
    let state = store.state(key).map_err(|error| refused(request, &error))?.value;
    let part = match path {
        Some(path) => path.get(&state).ok_or_else(|| {
            let message = format!("the state has nothing at `{}`", path.as_str());
            let known = state.as_object().into_iter().flat_map(|fields| fields.keys());
            let known: Vec<&str> = known.take(12).map(String::as_str).collect();
            let error = LoadError::new(codes::NOT_FOUND.code, request.reference, message);
            error.with_help(match known.as_slice() {
                [] => "the state of this context is empty".to_owned(),
                known => format!("it has {}", known.join(", ")),
            })
        })?,
        None => &state,
    };
    Ok(match part {
        Value::String(text) => ("text/plain", text.clone()),
        part => ("application/json", format!("{part:#}\n")),
    })
}

/// Returns messages as lines.
fn transcript(messages: &[StoredMessage]) -> String {
    let mut text = String::new();
    for message in messages {
        let message: Value = serde_json::from_str(&message.text).unwrap_or_default();
        let at = |pointer: &str| message.pointer(pointer).and_then(Value::as_str);
        let who = at("/sender/type").or_else(|| speaker(at("/type")?)).unwrap_or("MESSAGE");
        // A line of a message can't begin like that of another one.
        let said = said(&message).replace("\r\n", "\n").replace(['\n', '\r'], "\n  ");
        let _ = writeln!(text, "{}: {said}", who.replace(char::is_control, " "));
    }
    text
}

/// Returns the speaker of a message that names no sender.
fn speaker(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "USER_INPUT" => "USER",
        "MODEL_RESPONSE" => "MODEL",
        "TOOL_CALL_RESPONSE" => "TOOL",
        "SYSTEM_MESSAGE" => "SYSTEM",
        _ => return None,
    })
}

/// Returns the text of a message, and its other content in short.
fn said(message: &Value) -> String {
    let content = message.get("content").unwrap_or(&Value::Null);
    let mut parts = Vec::new();
    if let Some(text) = content.get("text").and_then(Value::as_str).filter(|text| !text.is_empty())
    {
        parts.push(text.to_owned());
    }
    let list = |name: &str| content.get(name).and_then(Value::as_array).into_iter().flatten();
    let word = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    for attachment in list("attachments") {
        let name = attachment.pointer("/metadata/fileName").and_then(Value::as_str);
        parts.push(format!("[{} {}]", word(attachment, "type"), name.unwrap_or("attached")));
    }
    for call in list("toolCalls").chain(list("calls")) {
        let parameters = call.get("parameters").map(Value::to_string).unwrap_or_default();
        parts.push(format!("[calls {} {parameters}]", word(call, "name")));
    }
    for result in list("results") {
        let value = result.get("result").or_else(|| result.get("error"));
        let value = value.map(Value::to_string).unwrap_or_default();
        parts.push(format!("[{} {} {value}]", word(result, "callId"), word(result, "status")));
    }
    if parts.is_empty() {
        return format!("[{} {content}]", word(message, "type"));
    }
    parts.join("\n")
}

impl Protocol for Conversations {
    fn name(&self) -> &str {
        "context"
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn connects(&self) -> bool {
        false
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        Box::pin(async move { self.read(&request) })
    }
}
