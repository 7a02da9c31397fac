//! The server of the context protocol: conversations with agents and their contexts
//! (CP-5…CP-20).
//!
//! A [`Serve`] offers one project to apps: its agents, and the contexts of their
//! conversations. [`http::Listening`] serves it over WebSocket and HTTP.
//!
//! Decision: transports only read, write and guard; the effect of a message is decided in one place, so
//! it is the same for every transport.

pub mod acp;
mod agents;
mod app;
mod caller;
pub mod codes;
mod context_writer;
mod damage;
mod engine;
mod exchange;
mod flows;
mod folder;
mod frontend;
pub mod handler;
pub mod http;
mod intent;
mod intent_template;
mod limits;
mod message;
mod neighbours;
mod openai;
pub(crate) mod operations;
mod phase;
mod place;
pub mod probe;
mod routed;
mod sensitive;
mod session;
mod sessions;
mod subscriptions;
#[cfg(test)]
mod testing;
pub mod tokens;
mod turn;
pub mod upkeep;
pub mod waits;

use crate::fault::Fault;
use agents::Agents;
use app::{App, WorkQueue};
use contexture::Project;
use contexture::contexts::{CONTEXTS_FILE, OpenError};
use contexture::database::{self, Database, Left};
use contexture::flows::ToolFault;
use contexture::run::RunRequest;
use contexture::store::contexts::{self, ContextStore, Update};
use contexture_protocol::{ErrorCode, Limits, Refusal};
use damage::Damage;
use engine::{Engine, Means};
use flows::allowed::Allowed;
use flows::journal::Journals;
use flows::sets::Sets;
use flows::unfinished::{self, Unfinished};
use folder::FolderLock;
use frontend::calls::Calls;
use handler::{Handler, Handlers};
use intent::Intents;
use message::Maker;
use neighbours::Neighbours;
use operations::audit::{Audit, AuditEvent, AuditRecord};
use operations::log::Log;
use operations::metrics::Metrics;
use operations::readiness::Readiness;
use operations::telemetry::Telemetry;
use parking_lot::Mutex;
use phase::{GRACE, Phase};
use sessions::Sessions;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use subscriptions::Subscriptions;
use tokens::{Accounts, Registry, Tokens};
use tokio::runtime::Handle;
use tokio::sync::watch;
use turn::turns::Turns;

pub use operations::audit::{self, AUDIT_FILE};
pub use operations::log::{Format, Level, LogOut, LogSettings};
pub use place::Place;

/// The settings of the server.
#[derive(Clone)]
pub struct Settings {
    /// The project, with the settings of `[serve]`.
    pub project: Project,
    /// The programs with the agents; the main agent of the first one answers by default.
    pub programs: Vec<PathBuf>,
    /// The folder of contexts and tokens; with a database, that of the audit log.
    pub data: PathBuf,
    /// The address of the database of contexts, flows and tokens, `postgres://…`, which may hold a password.
    pub database: Option<String>,
    /// The engine of sets, in place of that of `[serve]`.
    pub engine: Option<String>,
    /// The common settings of turns: model, stand-in, allowed packs.
    pub turns: RunRequest,
    /// Take acknowledged updates that are missing for lost, and go on from what is there (GU-12).
    pub accept_loss: bool,
    /// The settings of the log; off by default.
    pub log: LogSettings,
    /// The handlers of further message types (CP-4); none by default.
    pub handlers: Vec<Arc<dyn Handler>>,
    /// Actions that are functions of this program (FL-3); they take precedence
    /// over others of the same name. `serve.actions` controls which of them clients may use.
    pub actions: contexture::flow::action::Registry,
}

impl Settings {
    /// Creates settings for programs of a project, with defaults.
    #[must_use]
    pub fn new(project: Project, programs: Vec<PathBuf>) -> Self {
        let data = project.state_folder().join("data");
        let (turns, log) = (RunRequest::default(), LogSettings::default());
        let actions = contexture::flow::action::Registry::default();
        let (handlers, accept_loss) = (Vec::new(), false);
        let (database, engine) = (None, None);
        Self {
            project,
            programs,
            data,
            database,
            engine,
            turns,
            accept_loss,
            log,
            handlers,
            actions,
        }
    }
}

/// Opens the database of the settings, if there is one, as one of its servers.
fn open_database(settings: &mut Settings) -> Result<Option<(Database, Left)>, Fault> {
    let Some(address) = &settings.database else { return Ok(None) };
    if settings.accept_loss {
        let message = "`--accept-loss` is for a data folder, and the contexts are in a database";
        return Err(Fault::of(codes::BAD_SETTING, message)
            .with_help("leave it out: the database itself vouches for what it keeps"));
    }
    let unusable = |error: database::DatabaseError| {
        Fault::of(codes::BAD_DATA, error.message).with_help(error.help)
    };
    let database = database::open(&settings.project, address).map_err(unusable)?;
    let left = database.join().map_err(unusable)?;
    settings.project.stores = database.stores.clone();
    Ok(Some((database, left)))
}

/// Makes the data folder private to all that the server runs.
fn close_data(settings: &mut Settings) -> Result<(), Fault> {
    let folder = settings.data.display();
    let unusable =
        |why: String| Fault::of(codes::BAD_DATA, format!("the data folder {folder} {why}"));
    let data = std::path::absolute(&settings.data)
        .map_err(|error| unusable(format!("can't be used: {error}")))?;
    if settings.project.close(&data) {
        return Ok(());
    }
    let why = "is the workspace: all of it would be private";
    Err(unusable(why.to_owned())
        .with_help("name a folder of its own with `--data` or `serve.data`"))
}

/// A server; a clone is the same server.
#[derive(Clone)]
pub struct Serve(Arc<App>);

impl Serve {
    /// Checks the settings, loads the programs, and checks and opens the contexts. Turns of an earlier
    /// server that wait for people are resumed; other unfinished ones are closed with OUTCOME_UNCERTAIN.
    /// A server whose contexts are damaged is never ready, and its [`warnings`](Self::warnings) tell what
    /// is missing. Needs a tokio runtime.
    ///
    /// # Errors
    /// A [`Fault`] when a program, an intent or the data folder can't be used.
    pub fn open(mut settings: Settings) -> Result<Self, Fault> {
        close_data(&mut settings)?;
        settings.project.extensions.add_actions(&settings.actions);
        let agents = Agents::load(&settings.project, &settings.programs)?;
        settings.turns.models.check_among(&agents.models())?;
        let warnings = checked_tools(&settings, &agents)?;
        for program in agents.programs() {
            settings.project.protect(&program);
        }
        let path = settings.data.join(CONTEXTS_FILE);
        folder::create(&settings.data).map_err(|error| {
            let folder = settings.data.display();
            Fault::of(codes::BAD_DATA, format!("the folder {folder} can't be made: {error}"))
        })?;
        let lock = FolderLock::take(&settings.data)?;
        let database = open_database(&mut settings)?;
        settings.project.share_runs();
        let damage = match settings.project.stores.contexts {
            Some(_) => None,
            None => Damage::of(&settings.data, settings.accept_loss)?,
        };
        if damage.is_some() {
            let nothing = contexts::InMemoryContexts::new(contexts::Options::default());
            return Self::with_store(
                settings,
                (agents, warnings),
                (Arc::new(nothing), damage),
                (lock, None),
            );
        }
        let store = contexture::contexts::open(&settings.project, &path).map_err(|error| {
            let message = error.to_string();
            match error {
                OpenError::Key(error) => {
                    Fault::of(codes::BAD_SETTING, message).with_help(error.help())
                }
                _ => Fault::of(codes::BAD_DATA, message),
            }
        })?;
        store.check_seals().map_err(|error| unreadable(&path, &error))?;
        Self::with_store(settings, (agents, warnings), (store, None), (lock, database))
    }

    /// Opens the server with an open store of contexts.
    fn with_store(
        settings: Settings,
        (agents, warnings): (Agents, Vec<String>),
        (store, damage): (Arc<dyn ContextStore>, Option<Damage>),
        (lock, database): (FolderLock, Option<(Database, Left)>),
    ) -> Result<Self, Fault> {
        let (database, left) = database.unzip();
        let serve = &settings.project.config.serve;
        let intents = Intents::open(&settings.project, serve, &agents)?;
        let metrics = Arc::new(Metrics::new());
        let ids = Arc::new(contexture::store::stamp::system());
        let maker = Maker::new(Arc::clone(&ids), Arc::clone(&metrics));
        let secrets = contexture::servers::secrets(&settings.project);
        let limits = Limits { bytes: serve.limits.message_bytes.get(), ..Limits::WIRE };
        let journals = match &damage {
            Some(_) => Journals::nothing(),
            None => Journals::open(&settings.data, &settings.project, Arc::clone(&ids))?,
        };
        let allowed = Allowed::open(&settings.project, &settings.actions)?;
        let flows = Sets::new(allowed, journals, serve.limits.sets_per_owner);
        let calls = Calls::open(flows.journals.journal(), database.is_some())
            .map_err(|error| Fault::of(codes::BAD_DATA, error.to_string()))?;
        let audit = Arc::new(Audit::open(&settings.data, &serve.limits, Arc::clone(&ids))?);
        let log = Arc::new(Log::open(settings.log, secrets, Arc::clone(&ids)));
        let tokens = match &database {
            Some(database) => Tokens::in_database(database.clone()),
            None => Tokens::in_folder(&settings.data),
        };
        let means =
            Means { settings: serve, data: &settings.data, journals: &flows.journals, log: &log };
        let engine = Engine::open(settings.engine.as_deref(), &means)?;
        let app = App {
            damage,
            warnings,
            lock: Mutex::new(Some(lock)),
            database,
            neighbours: Neighbours::default(),
            begun: maker.now_seconds(),
            agents,
            intents,
            store,
            maker,
            telemetry: Telemetry::open(&settings.project, &metrics)?,
            metrics,
            limits,
            tokens: Registry::open(tokens.clone())?,
            accounts: Accounts::of_tokens(tokens, Arc::clone(&log)),
            readiness: Readiness::new(settings.data.clone()),
            audit,
            log,
            sessions: Sessions::new(serve.limits.sessions_per_owner),
            subscriptions: Subscriptions::default(),
            turns: Arc::new(Turns::new(serve.turns)),
            calls,
            routed: Arc::default(),
            engine,
            flows,
            handlers: Handlers::open(settings.handlers)?,
            turn_request: settings.turns,
            phase: watch::Sender::new(Phase::Open),
            is_leaving: AtomicBool::new(false),
            handle: Handle::current(),
            durable: WorkQueue::begin(&Handle::current()),
            project: settings.project,
        };
        let app = Arc::new(app);
        if app.damage.is_none() {
            let left =
                left.map_or_else(|| Unfinished::of_folder(&app), |left| Ok(Unfinished::of(left)));
            // What goes on may call clients of other servers, and clients that a server which is gone had.
            neighbours::read_clients_now(&app);
            let interrupted = unfinished::resume_all(&app, &left?)?;
            app.neighbours.settle_later(interrupted);
            neighbours::settle_left(&app)?;
        }
        neighbours::listen(&app);
        Ok(Self(app))
    }

    /// Returns the names of the agents, the default one first.
    #[must_use]
    pub fn agents(&self) -> Vec<&str> {
        self.0.agents.all().iter().map(|agent| agent.name.as_str()).collect()
    }

    /// Returns warnings about damaged contexts, named tools that will be refused, and main agents that can't
    /// answer conversations.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let told = |agent: &agents::Agent| {
            let why = agent.misfit.as_ref()?;
            Some(format!("`{}` will fail for every message: {why}", agent.name))
        };
        let damage = self.0.damage.iter().flat_map(Damage::lines);
        let cut = self.0.audit.was_cut.then(|| {
            "lines at the end of the audit log that were acknowledged are missing".to_owned()
        });
        let changed = self.0.audit.broken.iter().map(|broken| {
            let (file, line, reason) = (&broken.file, broken.line, broken.reason);
            format!("line {line} of {file}: {reason}; `contexture context verify` checks all")
        });
        let tools = self.0.warnings.iter().cloned();
        damage
            .chain(cut)
            .chain(changed)
            .chain(tools)
            .chain(self.0.agents.all().iter().filter_map(told))
            .collect()
    }

    /// Writes what is left, and gives the folder free.
    async fn close(&self) {
        let app = &self.0;
        app.phase.send_replace(Phase::Closed);
        app.accounts.close().await;
        let telemetry = app.telemetry.clone();
        let _ = tokio::task::spawn_blocking(move || telemetry.close()).await;
        app.audit.note(&AuditRecord::new(AuditEvent::ServerStopped));
        neighbours::leave(app).await;
        app.leave();
    }

    /// Ends abandoned sessions.
    fn sweep(&self) {
        for session in self.0.sessions.sweep(Instant::now(), GRACE) {
            self.0.forget(&session);
        }
    }
}

impl std::fmt::Debug for Serve {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Serve").field("agents", &self.agents()).finish_non_exhaustive()
    }
}

/// Checks the tools that the settings name; returns warnings about those that will be refused.
fn checked_tools(settings: &Settings, agents: &Agents) -> Result<Vec<String>, Fault> {
    let Settings { project, actions, .. } = settings;
    let refused = |message: String, help: Option<String>| {
        let fault = Fault::of(codes::BAD_SETTING, message);
        Fault { help: help.or(fault.help.clone()), ..fault }
    };
    contexture::policy::check_rules(project)
        .map_err(|error| refused(error.to_string(), error.help))?;
    let faults = contexture::flows::check_tools(project, agents.programs(), actions.clone());
    let faults = faults.map_err(|error| refused(error.to_string(), error.help()))?;
    let told = |fault: &ToolFault| format!("`serve.tools.{}`: {}", fault.name, fault.message);
    let (warnings, errors): (Vec<_>, Vec<_>) = faults.iter().partition(|one| one.is_warning);
    if let Some(first) = errors.first() {
        let with_help = |fault: &&ToolFault| match &fault.help {
            Some(help) if errors.len() > 1 => format!("{} ({help})", told(fault)),
            _ => told(fault),
        };
        let lines: Vec<String> = errors.iter().map(with_help).collect();
        return Err(refused(lines.join("\n"), first.help.clone()));
    }
    let warned = warnings.into_iter().map(|one| {
        let help = one.help.as_deref().unwrap_or_default();
        format!("{}: calls will be refused; {help}", told(one))
    });
    Ok(warned.collect())
}

/// Creates the error about contexts that can't be read.
fn unreadable(path: &std::path::Path, error: &contexts::ContextError) -> Fault {
    let message = format!("what is kept in {} can't be read: {error}", path.display());
    match error {
        contexts::ContextError::Sealed { .. } => Fault::of(codes::BAD_SETTING, message).with_help(
            "name the key that it was sealed with under `serve.sensitive`; an old key stands \
             behind the new one, with a comma between",
        ),
        _ => Fault::of(codes::BAD_DATA, message),
    }
}

/// Answers a message whose turn was interrupted with its server.
fn close_interrupted(app: &App, pending: contexts::PendingKey) -> Result<(), Fault> {
    let unusable = |error: contexts::ContextError| Fault::of(codes::BAD_DATA, error.to_string());
    let text = "the server ended before the turn did, and what the turn did is not known";
    let mut refusal = Refusal::new(ErrorCode::OutcomeUncertain, text);
    refusal.message_id = Some(pending.key.message_id.clone());
    refusal.context_id.clone_from(&pending.context_id);
    let answer = app.maker.refusal(refusal);
    let added = contexts::NewMessage::new(&answer.to_value()).map_err(unusable)?;
    let settles =
        contexts::Settlement { key: pending.key.clone(), answer: answer.to_json().into() };
    let update = Update {
        owner: pending.owner.clone(),
        context_id: pending.context_id.clone(),
        operations: vec![contexts::Operation::AddMessage(added)],
        cause: Some(pending.key.message_id.clone()),
        settles: Some(settles),
        // One whose answer was stored after all has no second one.
        only_pending: true,
        ..Update::default()
    };
    let closed = match pending.context_id {
        Some(_) => app.store.apply(update).map(|applied| {
            let (subscriptions, store) = (&app.subscriptions, &*app.store);
            subscriptions.publish(store, &app.maker, &pending.owner, &applied);
        }),
        None => app.store.answer(&pending.owner, pending.key, answer.to_json()),
    };
    match closed {
        // The context was deleted in the meantime.
        Err(contexts::ContextError::NotFound(_) | contexts::ContextError::KeyNotFound(_)) => Ok(()),
        other => other.map_err(unusable),
    }
}
