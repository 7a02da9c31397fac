//! The door of the language to the world: everything a program does but compute goes through
//! [`Host`], so that the runtime itself touches no file, clock, network or random source.

use crate::knowledge::{KnowledgeCall, KnowledgeFault, KnowledgeImport, UsedPack};
use crate::reference::{
    LiteralText, ReferenceFault, ResourceImport, UsedResource, WrittenReference,
};
use crate::server::{ServerFacts, ServerFault, ServerImport};
use crate::template::{TemplateCall, TemplateFacts, TemplateFault, TemplateImport};
use contexture_answer::Shape;
use contexture_context::manifest::Site;
use contexture_context::{DeclaredItem, TraceKind, Trust};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// What a [`Host`] method returns.
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
    fn file<'a>(&'a self, import: FileImport) -> HostFuture<'a, Supplied>;

    /// Renders an imported template (AS-2): a string with the trust of the template's text. It
    /// reads and does nothing else, so a dry run renders too.
    fn template<'a>(&'a self, call: TemplateCall) -> HostFuture<'a, Supplied>;

    /// Keeps a trace event; time is the host's.
    fn record(&self, event: Event);

    /// Asked every few thousand instructions; true stops the run with `Cancelled`.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// A value from outside, with how far it may be believed.
#[derive(Debug, Clone, PartialEq)]
pub struct Supplied {
    /// The value.
    pub value: Value,
    /// The trust of every text in it.
    pub trust: Trust,
    /// Whether it is real, or stands for what a dry run did not do.
    pub standing: Standing,
}

/// Whether a value is real, or stands for what a dry run did not do (AS-31).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Standing {
    /// It is what it says.
    #[default]
    Real,
    /// It stands for a value of which the types are known.
    Placeholder,
    /// Each text in it stands for a value of unknown shape: a program may read fields and items
    /// of it, and gets more of the same.
    Unknown,
}

impl Standing {
    /// What is made of two: real only when both are.
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
    /// Where the program asks.
    pub site: Site,
    /// The URI of the model in scope; `None` is the default one.
    pub model: Option<String>,
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
    /// What of instruction, role and description the program spells out, where it may hold
    /// references (REF-6).
    pub literals: Arc<[LiteralText]>,
    /// The instruction.
    pub instruction: String,
    /// How far the instruction may be believed; below [`Trust::Model`] the host warns.
    pub instruction_trust: Trust,
    /// The shape of the answer.
    pub shape: Option<Shape>,
    /// The other options.
    pub options: GenerateOptions,
    /// Whether a dry run gave a placeholder before: then anything here may be otherwise.
    pub on_placeholders: bool,
    /// What holds text of placeholders: items by `[label]` or source, and `the instruction`.
    pub placeholders: Vec<String>,
}

/// The options of `generate` (AS-19), checked.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerateOptions {
    /// Tokens of the answer.
    pub max_output: Option<u64>,
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
    /// Whether an answer to the same request may be taken from the cache.
    pub cache: bool,
    /// Milliseconds for the whole call.
    pub timeout_ms: Option<u64>,
    /// Tools that the model itself may call.
    pub tools: Vec<ToolBinding>,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        Self {
            max_output: None,
            max_input: None,
            attempts: 1,
            temperature: None,
            think: None,
            strict: false,
            debug: false,
            cache: false,
            timeout_ms: None,
            tools: Vec::new(),
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

/// A call of a tool's method.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The trace event of this call.
    pub event: u64,
    /// The tool.
    pub tool: ToolBinding,
    /// The method, such as `read`.
    pub method: String,
    /// Its argument: an object, but for `File.undo`, which takes effects.
    pub arguments: Value,
    /// Whether the argument holds text of placeholders.
    pub on_placeholders: bool,
    /// Where the program calls.
    pub site: Site,
}

/// A call of a memory's method.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryCall {
    /// The trace event of this call.
    pub event: u64,
    /// The memory.
    pub memory: ToolBinding,
    /// `add`, `query`, `update`, `delete`.
    pub method: String,
    /// Its argument.
    pub arguments: Value,
    /// Where the program calls.
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

/// Why an effect failed. The program sees `code` and `message` in `try … else err`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    /// Stable code, such as `file_not_found`, `shape_mismatch`, `timeout`.
    pub code: String,
    /// What happened, in one line, without secrets.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
    /// Further data, such as errors by field path.
    pub details: Option<Value>,
    /// Whether the run was cancelled; such a failure can't be caught.
    pub cancelled: bool,
}

impl HostError {
    /// A failure with a code and a message.
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

    /// Says how to mend it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A trace event as the runtime makes it: without time.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Counts from 1 in the order things happen.
    pub id: u64,
    /// The event it belongs to.
    pub parent: Option<u64>,
    /// What happened.
    pub kind: TraceKind,
    /// Whether it begins, ends, or takes no time.
    pub phase: Phase,
    /// The details.
    pub data: Value,
}

/// Which end of an event is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// It begins.
    Begin,
    /// It ends.
    End,
    /// It takes no time.
    Instant,
}

/// Reads the source files of a program, for `import agent` (AS-2). Pure callers have an in-memory
/// twin: [`MemoryLoader`].
pub trait SourceLoader {
    /// The text of `path` as imported by `importer`, under the name it is to be known by.
    ///
    /// # Errors
    /// [`LoadError`] when there is no such file, or it lies outside the workspace, or is no text.
    fn load(&self, importer: &str, path: &str) -> Result<LoadedSource, LoadError>;

    /// What can be known of a template that a program imports.
    ///
    /// # Errors
    /// All faults of the template and its partials.
    fn template(&self, import: &TemplateImport) -> Result<TemplateFacts, Vec<TemplateFault>>;

    /// Whether the reference of an imported resource can be loaded, as far as that is known without
    /// loading it.
    ///
    /// # Errors
    /// What is wrong with it.
    fn resource(&self, import: &ResourceImport) -> Result<(), ReferenceFault>;

    /// What is to be said about an imported pack: that there is none of the name, or in which state
    /// it is.
    fn knowledge(&self, import: &KnowledgeImport) -> Vec<KnowledgeFault>;

    /// What was accepted of the tools of an imported server; no server is asked.
    ///
    /// # Errors
    /// Why nothing is known of it.
    fn server(&self, import: &ServerImport) -> Result<ServerFacts, ServerFault>;

    /// The schemes of the providers of models that the application adds (HO-2).
    fn model_schemes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The references in a literal text, in its order, and what only looks like one.
    fn references(&self, text: &LiteralText) -> Vec<WrittenReference>;
}

/// A source file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedSource {
    /// Its name relative to the workspace; one file has one name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Why a source file could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LoadError {
    /// What happened.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

/// Source files in memory, by name; relative paths start from the importer's folder.
#[derive(Debug, Clone, Default)]
pub struct MemoryLoader {
    files: std::collections::BTreeMap<String, String>,
    templates: std::collections::BTreeMap<String, Result<TemplateFacts, Vec<TemplateFault>>>,
    references: Vec<(String, Option<ReferenceFault>)>,
    packs: Vec<(String, KnowledgeFault)>,
    servers: std::collections::BTreeMap<String, ServerFacts>,
}

impl MemoryLoader {
    /// No files.
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

    /// Adds a template by what is known of it.
    #[must_use]
    pub fn with_template(
        mut self,
        name: impl Into<String>,
        known: Result<TemplateFacts, Vec<TemplateFault>>,
    ) -> Self {
        self.templates.insert(name.into(), known);
        self
    }

    /// Adds a reference by its text, with what is wrong with it, if anything; the fault's place
    /// counts from the begin of the reference.
    #[must_use]
    pub fn with_reference(
        mut self,
        text: impl Into<String>,
        fault: Option<ReferenceFault>,
    ) -> Self {
        self.references.push((text.into(), fault));
        self
    }

    /// Adds a server by what is known of it.
    #[must_use]
    pub fn with_server(mut self, name: impl Into<String>, known: ServerFacts) -> Self {
        self.servers.insert(name.into(), known);
        self
    }

    /// Adds what is to be said about a pack by its name; of others there is nothing to be said.
    #[must_use]
    pub fn with_pack(mut self, pack: impl Into<String>, fault: KnowledgeFault) -> Self {
        self.packs.push((pack.into(), fault));
        self
    }
}

impl SourceLoader for MemoryLoader {
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
