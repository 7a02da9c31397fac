//! What a journal says of its run: the program, its input and its options.

use super::{Durable, RUN, StoredRun, Turn};
use crate::models::StandIn;
use crate::project::Project;
use crate::run::{Overrides, RunRequest, SetupError};
use crate::servers::Consent;
use crate::turn::Conversation;
use contexture_context::Digest;
use contexture_core::policy::Class;
use contexture_core::profile::Money;
use contexture_llm::{Call, SpendLimit};
use contexture_script::program::Program;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The request of a run, as its journal keeps it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Head {
    /// The id of the trace of this life.
    pub(super) trace: Option<String>,
    version: String,
    pub(super) program: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The digests of the program's files, in their order.
    sources: Vec<(String, Digest)>,
    input: Value,
    agent: Option<String>,
    function: Option<String>,
    model: Option<String>,
    models: BTreeMap<String, String>,
    mock: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    local: bool,
    answers: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    given: Option<Vec<Value>>,
    replay: Option<PathBuf>,
    concurrency: Option<usize>,
    selections: BTreeMap<String, String>,
    allow_packs: Vec<String>,
    allow_servers: Vec<String>,
    yes_to: Vec<Class>,
    max_cost: Option<f64>,
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_calls: Option<u64>,
    overrides: Overrides,
    /// The key of the cell of an eval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cell: Option<String>,
    /// The turn of a server; its conversation is the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) turn: Option<Turn>,
}

/// What is different when a run is taken up again.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The input, which must be the same; needed when it held a secret.
    pub input: Option<Value>,
    /// New limits of what it may spend, in all its lives together.
    pub spend: SpendLimit,
    /// True if the program may have changed.
    pub program: bool,
    /// Further classes of effects that are allowed.
    pub yes_to: Vec<Class>,
}

impl Head {
    pub(super) fn of(request: &RunRequest, program: &Program, trace: Option<&str>) -> Self {
        let path = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let (mut mock, mut local) = (false, false);
        let (mut answers, mut given, mut replay) = (None, None, None);
        match &request.stand_in {
            StandIn::None => {}
            StandIn::Mock => mock = true,
            StandIn::Local => local = true,
            StandIn::Answers(file) => answers = Some(path(file)),
            StandIn::Given(values) => given = Some(values.clone()),
            StandIn::Replay(file) => replay = Some(path(file)),
        }
        let is_read = request.text.is_none();
        Self {
            trace: trace.map(str::to_owned),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: if is_read { path(&request.program) } else { request.program.clone() },
            text: request.text.clone(),
            sources: sources(program),
            input: request.input.to_json(),
            agent: request.agent.clone(),
            function: request.function.clone(),
            model: request.model.clone(),
            models: request.models.by_name.clone(),
            mock,
            local,
            answers,
            given,
            replay,
            concurrency: request.concurrency,
            selections: request.selections.clone(),
            allow_packs: request.allow_packs.iter().map(ToString::to_string).collect(),
            allow_servers: request.servers.allow.iter().map(ToString::to_string).collect(),
            yes_to: request.yes_to.clone(),
            max_cost: request.spend.money.map(Money::dollars),
            max_tokens: request.spend.tokens,
            max_calls: request.spend.calls,
            overrides: request.overrides,
            cell: match &request.durable {
                Some(Durable::Cell(key)) => Some(key.clone()),
                _ => None,
            },
            turn: None,
        }
    }

    /// Makes it that of a turn.
    pub(super) fn of_turn(mut self, turn: Turn, conversation: &Conversation) -> Self {
        self.turn = Some(turn);
        self.input = json!(conversation);
        self
    }

    /// Returns the line of a life of the run.
    pub(super) fn call(&self) -> Call {
        let digest = Digest::of_json(&self.input);
        Call { key: RUN.to_owned(), name: RUN.to_owned(), digest, request: json!(self) }
    }

    /// Refuses a program that has changed since.
    pub(super) fn check(&self, program: &Program) -> Result<(), SetupError> {
        let now = sources(program);
        let pairs = self.sources.iter().zip(&now);
        let changed = pairs.filter(|(before, now)| before.1 != now.1).map(|(_, now)| now.0.clone());
        let more = now.get(self.sources.len()..).unwrap_or_default().iter();
        let gone = self.sources.get(now.len()..).unwrap_or_default().iter();
        let rest = more.chain(gone).map(|(file, _)| file.clone());
        let Some(file) = changed.chain(rest).next() else { return Ok(()) };
        let message = format!("{file} has changed since the run began");
        let help = "undo the change, or take the run up with `--changed`: it ends where the program does something else than it did";
        Err(SetupError::new("program_changed", message, Some(help.to_owned())))
    }
}

fn sources(program: &Program) -> Vec<(String, Digest)> {
    let file = |source: &contexture_diagnostic::SourceFile| {
        (source.name().to_owned(), Digest::of_text(source.text()))
    };
    program.files.iter().map(|one| file(&one.source)).collect()
}

impl StoredRun {
    /// Returns the request that takes the run up again.
    ///
    /// # Errors
    /// [`SetupError`] when the run has ended, is under way, has calls in doubt or is a turn of a server,
    /// or when its input is not kept and not given.
    pub fn request(&self, project: &Project, changes: Changes) -> Result<RunRequest, SetupError> {
        if self.head.turn.is_some() {
            let message = format!("the run {} is a turn under `contexture serve`", self.id);
            let help = "`contexture runs resume` without options asks the server to go on with it";
            return Err(SetupError::new("turn_of_server", message, Some(help.to_owned())));
        }
        self.can_go_on(changes.program)?;
        let head = self.head.clone();
        let input = self.input(changes.input)?;
        let stand_in = match (head.answers, head.given, head.replay) {
            _ if head.mock => StandIn::Mock,
            _ if head.local => StandIn::Local,
            (Some(file), ..) => StandIn::Answers(file),
            (_, Some(values), _) => StandIn::Given(values),
            (_, _, Some(file)) => StandIn::Replay(file),
            _ => StandIn::None,
        };
        let parsed = |all: &[String]| all.iter().filter_map(|one| one.parse().ok()).collect();
        let mut yes_to = head.yes_to;
        yes_to.extend(changes.yes_to);
        let allow = parsed(&head.allow_servers);
        let keeps = project.config.trace.keep && head.trace.is_some();
        let mut request = RunRequest {
            program: head.program,
            text: head.text,
            input: input.into(),
            agent: head.agent,
            function: head.function,
            model: head.model,
            stand_in,
            concurrency: head.concurrency,
            forget: !keeps,
            selections: head.selections,
            allow_packs: parsed(&head.allow_packs),
            servers: Consent { allow, ..Consent::default() },
            yes_to,
            spend: SpendLimit {
                money: changes.spend.money.or(head.max_cost.and_then(Money::of_dollars)),
                tokens: changes.spend.tokens.or(head.max_tokens),
                calls: changes.spend.calls.or(head.max_calls),
            },
            overrides: head.overrides,
            durable: Some(Durable::Resume { run: self.id.clone(), changed: changes.program }),
            ..RunRequest::default()
        };
        request.models.by_name = head.models;
        Ok(request)
    }

    pub(super) fn input(&self, given: Option<Value>) -> Result<Value, SetupError> {
        let refused = |message: &str, help: &str| {
            Err(SetupError::new("input_changed", message, Some(help.to_owned())))
        };
        match given {
            Some(input) if Digest::of_json(&input) == self.input_digest => Ok(input),
            Some(_) => refused(
                "this is not the input that the run began with",
                "give the same input, or begin a new run",
            ),
            None if self.is_masked => refused(
                "the input of the run held a secret, which its journal does not keep",
                "give the same input again with `--input`",
            ),
            None => Ok(self.head.input.clone()),
        }
    }
}
