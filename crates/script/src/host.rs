//! The effects of a program. All that it does besides computing goes through [`Host`], so that the
//! runtime itself uses no file, clock, network or random source.

pub use crate::load_error::LoadError;

use crate::knowledge::{KnowledgeCall, KnowledgeFault, KnowledgeImport, UsedPack};
use crate::reference::{
    LiteralText, ReferenceFault, ResourceImport, UsedResource, WrittenReference,
};
use crate::server::{ServerFacts, ServerFault, ServerImport};
use crate::template::{TemplateCall, TemplateFacts, TemplateFault, TemplateImport};
use contexture_answer::Shape;
use contexture_context::json::{self, JsonError, JsonText};
use contexture_context::manifest::Site;
use contexture_context::{Budget, DeclaredItem, Label, TraceKind};
use contexture_core::policy::{Class, Influence, Narrowed, Validation};
use serde_json::Value;
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The place of a call among those of its run, such as `3.0.7`: the seventh call of the first turn of a
/// `parallel for` that was the third call. The same program makes the same calls under the same keys
/// when their outcomes are the same, whatever the order in which turns side by side come to them
/// (WA-3).
pub type CallKey = Arc<str>;

/// The future that a method of [`Host`] returns.
pub type HostFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, HostError>> + Send + 'a>>;

/// Performs the effects of a running program.
///
/// One value serves a whole run. Calls of a `parallel for` are under way at the same time.
pub trait Host: Send + Sync {
    /// Asks a model (AS-19 to AS-23): lays out the prompt, calls, checks, records.
    fn generate<'a>(&'a self, call: GenerateCall) -> HostFuture<'a, Supplied>;

    /// Calls a method of an imported tool (AS-25).
    fn tool<'a>(&'a self, call: ToolCall) -> HostFuture<'a, Supplied>;

    /// Calls a method of an imported memory (AS-26).
    fn memory<'a>(&'a self, call: MemoryCall) -> HostFuture<'a, Supplied>;

    /// Asks an imported knowledge pack (KN-7, KN-9). It reads and does nothing else, so a dry run
    /// asks too.
    fn knowledge<'a>(&'a self, call: KnowledgeCall) -> HostFuture<'a, Supplied>;

    /// Reads an imported file (AS-27); called once per import, when it is first needed.
    fn file<'a>(&'a self, import: FileImport) -> HostFuture<'a, SuppliedFile>;

    /// Renders an imported template (AS-2): a string with the trust of the template's text. It
    /// reads and does nothing else, so a dry run renders too.
    fn template<'a>(&'a self, call: TemplateCall) -> HostFuture<'a, Supplied>;

    /// Records a trace event; the host adds the time.
    fn record(&self, event: Event);

    /// Reports whether events are kept. If not, the values in them are not written out.
    fn keeps_events(&self) -> bool {
        true
    }

    /// Reports whether the run is to stop with `Cancelled`; called every few thousand instructions.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// A value from outside, with its trust.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Supplied {
    /// The value.
    pub value: Value,
    /// The label of every part of it.
    pub label: Label,
    /// Real, or a placeholder of a dry run.
    pub standing: Standing,
    /// The word of the tool that gave it, if that validates what it is given: then the value is not
    /// as low as the argument.
    pub validation: Option<Validation>,
}

/// An imported file, as a host supplies it.
#[derive(Debug)]
pub enum SuppliedFile {
    /// A value that the host read.
    Value(Supplied),
    /// A JSON text, which the machine reads straight into its own values (GR-5).
    Json(JsonFile),
}

/// The text of a JSON file.
#[derive(Debug)]
pub struct JsonFile {
    /// Its name, for errors.
    pub name: String,
    /// The text.
    pub text: String,
    /// The label of every part of it.
    pub label: Label,
    /// Returns the failure of a text that is not JSON, by its name.
    pub invalid: fn(&str, &JsonError) -> HostError,
}

impl SuppliedFile {
    /// Returns the value as JSON, for a host that keeps it.
    ///
    /// # Errors
    /// What the host says of a text that is not JSON.
    pub fn into_value(self) -> Result<Supplied, HostError> {
        match self {
            Self::Value(supplied) => Ok(supplied),
            Self::Json(JsonFile { name, text, label, invalid }) => {
                let value = json::read(text.as_bytes()).map_err(|error| invalid(&name, &error))?;
                Ok(Supplied { value, label, ..Supplied::default() })
            }
        }
    }
}

impl From<Supplied> for SuppliedFile {
    fn from(supplied: Supplied) -> Self {
        Self::Value(supplied)
    }
}

/// The origin of a value: a real effect, or one that a dry run did not perform (AS-31).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Standing {
    /// The result of an effect that was performed.
    #[default]
    Real,
    /// It stands for a value of which the types are known.
    Placeholder,
    /// Each text in it stands for a value of unknown shape: a program may read fields and items
    /// of it, and gets more of the same.
    Unknown,
}

impl Standing {
    /// Combines two: real only when both are.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        if self == other { self } else { Self::Placeholder }
    }
}

/// A model call, decided by the program and not yet laid out.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerateCall {
    /// The trace event of this call; the host hangs attempts below it.
    pub event: u64,
    /// Its place among the calls of the run.
    pub key: CallKey,
    /// The numbers for events below it, which the steps of a plan have.
    pub events: EventIds,
    /// The place of the statement in the program.
    pub site: Site,
    /// The model in scope; `None` is the default one.
    pub model: Option<Arc<NamedModel>>,
    /// `role` in scope.
    pub role: Option<String>,
    /// `description` in scope.
    pub description: Option<String>,
    /// The visible items, outermost scope first, then in order of declaration.
    pub items: Vec<DeclaredItem>,
    /// The resources that are shown among them, in the order of the prompt (AS-15). The host loads
    /// them, once for this call.
    pub resources: Vec<UsedResource>,
    /// The knowledge packs that are shown among them, in the order of the prompt (AS-15). The host
    /// resolves them for the instruction, once for this call.
    pub packs: Vec<UsedPack>,
    /// The literal texts of instruction, role and description, which may hold references (REF-6).
    pub literals: Arc<[LiteralText]>,
    /// The instruction.
    pub instruction: String,
    /// The label of the instruction; below [`contexture_context::Trust::Model`] the host warns.
    pub instruction_label: Label,
    /// The label of what decided that the call is made.
    pub decision: Label,
    /// What the agents forbid in which it is made.
    pub narrowed: Narrowed,
    /// The shape of the answer.
    pub shape: Option<Shape>,
    /// The other options.
    pub options: GenerateOptions,
    /// True if a dry run supplied a placeholder before, so that a real call may differ.
    pub on_placeholders: bool,
    /// The parts with text of placeholders: items by `[label]` or source, and `the instruction`.
    pub placeholders: Vec<String>,
}

/// A model that a program imports, with those that are asked in its place (CA-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedModel {
    /// The name of the import.
    pub name: String,
    /// URIs in the order in which they are asked; those of one group are equal, and asked in turn.
    pub groups: Vec<Vec<String>>,
}

impl std::fmt::Display for NamedModel {
    /// Writes the URIs as a program does, without quotes: `A or [B, C]`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, group) in self.groups.iter().enumerate() {
            f.write_str(if number > 0 { " or " } else { "" })?;
            match group.as_slice() {
                [one] => f.write_str(one)?,
                several => write!(f, "[{}]", several.join(", "))?,
            }
        }
        Ok(())
    }
}

/// The numbers of a run's trace events, in order of time.
#[derive(Debug, Clone, Default)]
pub struct EventIds(Arc<AtomicU64>);

impl EventIds {
    pub(crate) fn after(last: u64) -> Self {
        Self(Arc::new(AtomicU64::new(last)))
    }

    pub(crate) fn last(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns a number that no other event of the run has.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl PartialEq for EventIds {
    /// Compares the runs that they belong to.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The options of `generate` (AS-19), checked.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerateOptions {
    /// Tokens of the answer.
    pub max_output: Option<u64>,
    /// Tokens that the answer may grow to when it was cut off and an attempt is left (CA-1).
    pub most_output: Option<u64>,
    /// True if a text that was cut off is taken as it is (CA-1).
    pub keep_cut: bool,
    /// The parts of the answer that are let up, and why (GU-4).
    pub release: Option<Release>,
    /// Tokens of the whole prompt (AS-18).
    pub max_input: Option<u64>,
    /// Calls in all, the first included; at least 1.
    pub attempts: u32,
    /// Sampling hint.
    pub temperature: Option<f64>,
    /// Reasoning hint.
    pub think: Option<Think>,
    /// Exact JSON, no coercion, no extra fields.
    pub strict: bool,
    /// Print the whole prompt to stderr.
    pub debug: bool,
    /// True if an answer to the same request may come from the cache.
    pub cache: bool,
    /// Milliseconds for the whole call.
    pub timeout_ms: Option<u64>,
    /// Tools that the model itself may call, each once.
    pub tools: Vec<GrantedTool>,
    /// True if it plans the calls of these tools before it sees any data (GU-7).
    pub plan: bool,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        Self {
            max_output: None,
            most_output: None,
            keep_cut: false,
            release: None,
            max_input: None,
            attempts: 1,
            temperature: None,
            think: None,
            strict: false,
            debug: false,
            cache: false,
            timeout_ms: None,
            tools: Vec::new(),
            plan: false,
        }
    }
}

/// The reasoning hint of `generate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Think {
    /// `false`
    Off,
    /// `true`
    On,
    /// `"auto"`
    Auto,
    /// `"low"`
    Low,
    /// `"medium"`
    Medium,
    /// `"high"`
    High,
}

/// An imported tool or memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ToolBinding {
    /// Its name in the program.
    pub name: String,
    /// Its URI as imported.
    pub uri: String,
    /// The file that imports it, by its source name; relative paths start there.
    pub importer: String,
}

/// A tool that a model may call, with the methods that its program grants to it (GU-2).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GrantedTool {
    /// The tool.
    pub tool: ToolBinding,
    /// The methods; no other may be offered or called.
    pub methods: Vec<GrantedMethod>,
}

impl GrantedTool {
    /// Returns the class of a method; `None` when it was not granted.
    #[must_use]
    pub fn class(&self, method: &str) -> Option<Class> {
        self.methods.iter().find(|granted| granted.name == method).map(|granted| granted.class)
    }
}

/// A method that a program grants to a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GrantedMethod {
    /// Its name where it is defined: of a server's tool the server's name for it.
    pub name: String,
    /// Its class.
    pub class: Class,
}

/// A call of a tool's method.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The trace event of this call.
    pub event: u64,
    /// Its place among the calls of the run.
    pub key: CallKey,
    /// The tool.
    pub tool: ToolBinding,
    /// The method, such as `read`.
    pub method: String,
    /// Its argument: an object, but for `File.undo`, which takes effects.
    pub arguments: Value,
    /// The headers whose value is a secret; the argument shows `•••` there.
    pub secrets: Vec<HeaderSecret>,
    /// True if the argument holds text of placeholders.
    pub on_placeholders: bool,
    /// What had an influence on the call.
    pub influence: Influence,
    /// What the agents forbid in which it is made.
    pub narrowed: Narrowed,
    /// The place of the call in the program.
    pub site: Site,
}

/// The closed parts of an answer that a program lets up for a reason: booleans, choices, and what is
/// within its bounds (GU-4).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Release {
    /// The reason.
    pub reason: String,
    /// The least and the greatest number.
    pub numbers: Option<(f64, f64)>,
    /// The first and the last day, such as `2026-01-31`.
    pub dates: Option<(String, String)>,
    /// The texts and whole numbers that may be named.
    pub ids: Vec<Value>,
}

/// A header of an HTTP tool whose value is a secret, which only the host knows (GU-9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderSecret {
    /// The header.
    pub header: String,
    /// The name of the secret.
    pub secret: String,
}

/// A call of a memory's method.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryCall {
    /// The trace event of this call.
    pub event: u64,
    /// Its place among the calls of the run.
    pub key: CallKey,
    /// The memory.
    pub memory: ToolBinding,
    /// `add`, `query`, `update`, `delete`.
    pub method: String,
    /// Its argument.
    pub arguments: Value,
    /// What had an influence on the call.
    pub influence: Influence,
    /// What the agents forbid in which it is made.
    pub narrowed: Narrowed,
    /// The place of the call in the program.
    pub site: Site,
}

/// A file to be read for `import file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileImport {
    /// The trace event of this read.
    pub event: u64,
    /// The path as written.
    pub path: String,
    /// The file that imports it, by its source name.
    pub importer: String,
}

/// The failure of an effect. The program sees `code` and `message` in `try … else err`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    /// Stable code, such as `file_not_found`, `shape_mismatch`, `timeout`.
    pub code: String,
    /// The cause in one line, without secrets.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
    /// Further data, such as errors by field path.
    pub details: Option<Value>,
    /// True if the run was cancelled; such a failure can't be caught.
    pub cancelled: bool,
}

impl HostError {
    /// Creates a failure with a code and a message.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            help: None,
            details: None,
            cancelled: false,
        }
    }

    /// Adds the way to fix it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A trace event as the runtime makes it: without time.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its number, from 1 in order of time.
    pub id: u64,
    /// The event it belongs to.
    pub parent: Option<u64>,
    /// Its kind.
    pub kind: TraceKind,
    /// Its begin, its end, or both at once.
    pub phase: Phase,
    /// The details.
    pub data: Value,
    /// Details that are JSON text, as they may be of any size (GR-5); in `data` each is null.
    pub texts: Vec<(&'static str, JsonText)>,
}

/// The part of an event that a record describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// It begins.
    Begin,
    /// It ends.
    End,
    /// It takes no time.
    Instant,
}

/// Reads the source files of a program, for `import agent` (AS-2). [`MemoryLoader`] reads them
/// from memory.
pub trait SourceLoader {
    /// Returns the text of `path` as imported by `importer`, and the name of the source.
    ///
    /// # Errors
    /// [`LoadError`] when the file does not exist, lies outside the workspace or is not text.
    fn load(&self, importer: &str, path: &str) -> Result<LoadedSource, LoadError>;

    /// Checks that an imported file is there, without reading it (CA-14).
    ///
    /// # Errors
    /// [`LoadError`] when it is missing, is not a file, or lies outside the workspace.
    fn file(&self, _importer: &str, _path: &str) -> Result<(), LoadError> {
        Ok(())
    }

    /// Returns the facts about a template that a program imports.
    ///
    /// # Errors
    /// All faults of the template and its partials.
    fn template(&self, import: &TemplateImport) -> Result<TemplateFacts, Vec<TemplateFault>>;

    /// Checks the reference of an imported resource without loading it.
    ///
    /// # Errors
    /// The fault of the reference.
    fn resource(&self, import: &ResourceImport) -> Result<(), ReferenceFault>;

    /// Returns how many files a pattern names, and how many of them a budget holds; `None` when that
    /// is not known before a run (CA-16).
    fn fitting(&self, import: &ResourceImport, budget: Budget) -> Option<Fitting> {
        let _ = (import, budget);
        None
    }

    /// Returns the faults of an imported pack: a missing pack, or the state of the pack.
    fn knowledge(&self, import: &KnowledgeImport) -> Vec<KnowledgeFault>;

    /// Returns the accepted tools of an imported server, without a request to the server.
    ///
    /// # Errors
    /// The reason why its tools are unknown.
    fn server(&self, import: &ServerImport) -> Result<ServerFacts, ServerFault>;

    /// Returns the schemes of the model providers that the application adds (HO-2).
    fn model_schemes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the names of the secrets that have a value; none when they are not known.
    fn secrets(&self) -> Option<BTreeSet<String>> {
        None
    }

    /// Returns the references in a literal text in order, malformed ones included.
    fn references(&self, text: &LiteralText) -> Vec<WrittenReference>;
}

/// The files of a pattern under the budget of a `use`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fitting {
    /// Those with a text.
    pub files: usize,
    /// Those that the budget holds whole, in their order.
    pub whole: usize,
}

/// A source file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedSource {
    /// Its name relative to the workspace; one file has one name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Source files in memory, by name; relative paths start from the importer's folder.
#[derive(Debug, Clone, Default)]
pub struct MemoryLoader {
    files: std::collections::BTreeMap<String, String>,
    templates: std::collections::BTreeMap<String, Result<TemplateFacts, Vec<TemplateFault>>>,
    references: Vec<(String, Option<ReferenceFault>)>,
    packs: Vec<(String, KnowledgeFault)>,
    patterns: Vec<(String, Fitting)>,
    servers: std::collections::BTreeMap<String, ServerFacts>,
}

impl MemoryLoader {
    /// Creates an empty loader.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.files.insert(name.into(), text.into());
        self
    }

    /// Adds a template by its facts or faults.
    #[must_use]
    pub fn with_template(
        mut self,
        name: impl Into<String>,
        known: Result<TemplateFacts, Vec<TemplateFault>>,
    ) -> Self {
        self.templates.insert(name.into(), known);
        self
    }

    /// Adds a reference by its text, with its fault if it has one; the fault's span is relative to
    /// the reference.
    #[must_use]
    pub fn with_reference(
        mut self,
        text: impl Into<String>,
        fault: Option<ReferenceFault>,
    ) -> Self {
        self.references.push((text.into(), fault));
        self
    }

    /// Adds a pattern of files by its text, with what fits any budget.
    #[must_use]
    pub fn with_pattern(mut self, text: impl Into<String>, fitting: Fitting) -> Self {
        self.patterns.push((text.into(), fitting));
        self
    }

    /// Adds a server by its tools.
    #[must_use]
    pub fn with_server(mut self, name: impl Into<String>, known: ServerFacts) -> Self {
        self.servers.insert(name.into(), known);
        self
    }

    /// Adds a fault of the pack of a name.
    #[must_use]
    pub fn with_pack(mut self, pack: impl Into<String>, fault: KnowledgeFault) -> Self {
        self.packs.push((pack.into(), fault));
        self
    }
}

impl SourceLoader for MemoryLoader {
    fn secrets(&self) -> Option<BTreeSet<String>> {
        Some(BTreeSet::new())
    }

    fn load(&self, importer: &str, path: &str) -> Result<LoadedSource, LoadError> {
        let name = beside(importer, path);
        let text = self.files.get(&name).cloned().ok_or_else(|| no_file(importer, path))?;
        Ok(LoadedSource { name, text })
    }

    fn template(&self, import: &TemplateImport) -> Result<TemplateFacts, Vec<TemplateFault>> {
        let TemplateImport { importer, path, .. } = import;
        let known = self.templates.get(&beside(importer, path)).cloned();
        known.unwrap_or_else(|| Err(vec![TemplateFault::Unreadable(no_file(importer, path))]))
    }

    fn resource(&self, import: &ResourceImport) -> Result<(), ReferenceFault> {
        let known = self.references.iter().find(|(text, _)| *text == import.reference);
        known.and_then(|(_, fault)| fault.clone()).map_or(Ok(()), Err)
    }

    fn fitting(&self, import: &ResourceImport, _budget: Budget) -> Option<Fitting> {
        let known = self.patterns.iter().find(|(text, _)| *text == import.reference);
        known.map(|(_, fitting)| *fitting)
    }

    fn knowledge(&self, import: &KnowledgeImport) -> Vec<KnowledgeFault> {
        let known = self.packs.iter().filter(|(pack, _)| *pack == import.pack);
        known.map(|(_, fault)| fault.clone()).collect()
    }

    fn server(&self, import: &ServerImport) -> Result<ServerFacts, ServerFault> {
        self.servers.get(&import.server).cloned().ok_or_else(|| ServerFault {
            code: "MCP1001",
            message: format!("there is no MCP server `{}`", import.server),
            help: Some("describe it in the settings".to_owned()),
        })
    }

    fn references(&self, text: &LiteralText) -> Vec<WrittenReference> {
        let known = self.references.iter().flat_map(|(known, fault)| {
            text.text.match_indices(known).map(move |(start, _)| {
                let fault = fault.clone().map(|fault| ReferenceFault {
                    start: start + fault.start,
                    end: start + fault.end,
                    ..fault
                });
                WrittenReference { start, end: start + known.len(), fault }
            })
        });
        let mut found: Vec<WrittenReference> = known.collect();
        found.sort_by_key(|found| found.start);
        found
    }
}

fn beside(importer: &str, path: &str) -> String {
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    join(folder, path)
}

fn no_file(importer: &str, path: &str) -> LoadError {
    LoadError { message: format!("there is no file `{path}` beside `{importer}`"), help: None }
}

/// Joins a folder and a relative path, resolving `.` and `..` as far as there are folders.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
