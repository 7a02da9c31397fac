//! The compiled form of a program: functions of 8-byte instructions over registers, and tables for
//! everything that does not fit into an instruction.
//!
//! A register is an index into the window that a call has on its fiber's stack. The arguments of a
//! call are where the callee's window begins, so a call copies nothing, and its result is returned
//! in the callee's first register.

use contexture_answer::Shape;
use contexture_context::manifest::Site;
use contexture_context::{Budget, Keep, Position};
use contexture_core::policy::{Class, Verdict};
use contexture_diagnostic::{SourceFile, Span};
use std::sync::Arc;

use crate::host::{GrantedTool, NamedModel, ToolBinding};
use crate::reference::LiteralText;
use crate::runtime::methods::keyed::Keyed;
use crate::syntax::ast::ImportKind;
use crate::template::TemplateImport;

/// A register of the current window.
pub(crate) type Reg = u16;

/// An instruction. `to` is written, other registers are read, unless stated otherwise.
///
/// When a test `If…` holds, it skips the next instruction; otherwise the next instruction, a
/// `Jump`, is executed. So a test has room for two operands and its jump for any distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Op {
    // Does nothing; reserves the place of a loop's first event.
    Nothing,
    // Copies a register.
    Move { to: Reg, from: Reg },
    // Moves a register that is not read again.
    Take { to: Reg, from: Reg },
    LoadNone { to: Reg },
    LoadBool { to: Reg, value: bool },
    // A small whole number.
    LoadInt { to: Reg, value: i32 },
    // A constant of the table.
    LoadConstant { to: Reg, index: u32 },
    // Loads an imported file's value; suspends if it was not read yet.
    LoadFile { to: Reg, import: u32 },

    Add { to: Reg, left: Reg, right: Reg },
    Subtract { to: Reg, left: Reg, right: Reg },
    Multiply { to: Reg, left: Reg, right: Reg },
    Divide { to: Reg, left: Reg, right: Reg },
    Remainder { to: Reg, left: Reg, right: Reg },
    AddInt { to: Reg, left: Reg, value: i16 },
    SubtractInt { to: Reg, left: Reg, value: i16 },
    RemainderInt { to: Reg, left: Reg, value: i16 },
    Negate { to: Reg, from: Reg },
    Not { to: Reg, from: Reg },
    Equal { to: Reg, left: Reg, right: Reg },
    NotEqual { to: Reg, left: Reg, right: Reg },
    Less { to: Reg, left: Reg, right: Reg },
    LessEqual { to: Reg, left: Reg, right: Reg },

    // Jumps, always forward.
    Jump { target: u32 },
    IfTrue { from: Reg },
    IfFalse { from: Reg },
    IfEqual { left: Reg, right: Reg },
    IfNotEqual { left: Reg, right: Reg },
    IfLess { left: Reg, right: Reg },
    IfLessEqual { left: Reg, right: Reg },
    IfEqualInt { left: Reg, value: i16 },
    IfNotEqualInt { left: Reg, value: i16 },
    IfLessInt { left: Reg, value: i16 },
    IfLessEqualInt { left: Reg, value: i16 },
    IfGreaterInt { left: Reg, value: i16 },
    IfGreaterEqualInt { left: Reg, value: i16 },

    // Checks the bound in `at + 1` and sets the counter in `at` to 0.
    CountBegin { at: Reg, positive: bool },
    // Jumps back to `target` while the counter in `at` is below the bound in `at + 1`.
    CountNext { at: Reg, target: u32 },
    // Does the same as `CountNext`, ends the iteration's event and begins the next.
    CountNextEvent { at: Reg, target: u32 },
    // Checks the list in `at`; sets the index in `at + 1` and the end in `at + 2`, where the bound
    // was; notes a longer list as truncated.
    WalkBegin { at: Reg, site: u32 },
    // Does the same as `WalkBegin` for a method that calls a function per item.
    EachBegin { at: Reg, name: u16 },
    // Sets `at + 3` to the next item and jumps back to `target`, while there is one.
    WalkNext { at: Reg, target: u32 },
    // Does the same as `WalkNext`, ends the iteration's event and begins the next.
    WalkNextEvent { at: Reg, target: u32 },
    // Notes that a loop reached its `max`.
    Truncated { at: Reg, site: u32 },
    // Begins a loop's event; saves the depth of events in `at`. Counter or index follow.
    LoopBegin { at: Reg, site: u32 },
    // Ends all events down to the depth saved in `at`.
    EventsEnd { at: Reg },
    // Ends all events of this call.
    EventsEndAll,
    // Saves the depth of events in `at`, for the handler of a `try`.
    EventsMark { at: Reg },

    NewList { to: Reg, capacity: u32 },
    // Appends to a list under construction; with `take` the item is not read again.
    Append { list: Reg, item: Reg, take: bool },
    NewObject { to: Reg, capacity: u32 },
    // Sets a field of an object under construction.
    PutField { object: Reg, name: u16, value: Reg, take: bool },
    // Does the same as `PutField`, with the name in a register.
    PutKey { object: Reg, key: Reg, value: Reg },
    GetField { to: Reg, base: Reg, name: u16 },
    GetLength { to: Reg, base: Reg },
    GetIndex { to: Reg, base: Reg, index: Reg },
    SetField { base: Reg, name: u16, value: Reg },
    // Adds to a field in its own place and skips the three instructions that read, add and set; goes
    // on with these where that can't be done.
    AddToField { base: Reg, name: u16, value: Reg },
    SetIndex { base: Reg, index: Reg, value: Reg },
    // `list.add(item)`
    ListAdd { list: Reg, item: Reg },
    // `value.method(…)`: the value in `at`, the arguments after it; the result is in `at`.
    CallMethod { at: Reg, count: u16, name: u16 },
    // Reads a field by its key, or else the default in `at + 2`, into `at`, and skips the three
    // instructions that call `.get`; goes on with these where that can't be done.
    GetOr { at: Reg, base: Reg, key: Reg },
    // Sorts or groups the list in `at` by the keys in the list in `at + 1`; the result is in `at`.
    ByKeys { at: Reg, how: Keyed },
    // Calls a function of the library with the arguments from `at` on; the result is in `at`.
    CallFunction { at: Reg, count: u16, function: u16 },

    // Calls a function with the arguments from `at` on; the result is in `at`.
    Call { at: Reg, function: u32 },
    // Does the same as `Call` across agents: copies the arguments and begins the agent's event.
    CallAgent { at: Reg, site: u32 },
    // Copies the result of `CallAgent` and ends the event.
    AgentEnd { at: Reg },
    Return { from: Reg },
    ReturnNone,
    // Checks an argument against its shape.
    CheckArgument { at: Reg, shape: u32 },

    // Calls a tool or memory with the argument in `at`; the result is in `at`.
    Tool { at: Reg, site: u32 },
    // Renders a template with the object in `at`; the text is in `at`.
    Template { at: Reg, site: u32 },
    // Calls a model: options from `at` on, then two registers per item; the answer is in `at`.
    Generate { at: Reg, site: u32 },
    // Sets `to` to the number of the candidate that a `use one of` shows.
    Choose { to: Reg, site: u32 },
    // Shows the text in a register as the progress of the run.
    Progress { at: Reg },
    // Lets up the value in a register.
    Release { at: Reg, site: u32 },
    // Notes a `use` declaration in the trace.
    UseEvent { site: u32 },
    // Runs the body that follows once per item of the list in `at` (bound in `at + 1`); the list
    // of results is in `at`.
    Parallel { at: Reg, site: u32 },
    // Fails with an entry of the table.
    Fail { site: u32 },
}

const _: () = assert!(size_of::<Op>() == 8, "an instruction is 8 bytes");

#[derive(Debug, Default)]
pub(crate) struct Function {
    /// `Agent.name`, for traces.
    pub(crate) label: String,
    /// Its own name; `main` when it has none.
    pub(crate) name: String,
    /// Its file, as an index into the program's files.
    pub(crate) file: usize,
    pub(crate) params: Vec<String>,
    /// The size of its window.
    pub(crate) registers: usize,
    pub(crate) code: Vec<Op>,
    /// The place of each instruction.
    pub(crate) spans: Vec<Span>,
    /// The handlers of failures, innermost first.
    pub(crate) handlers: Vec<Handler>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Handler {
    /// The first instruction tried.
    pub(crate) start: u32,
    /// The end of the tried instructions, exclusive.
    pub(crate) end: u32,
    /// The first instruction of the handler.
    pub(crate) target: u32,
    pub(crate) error: Reg,
    /// The register of the saved depth of events.
    pub(crate) events: Reg,
}

/// A place in the program's files. Line and column are counted only on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    pub(crate) file: usize,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct EffectPlace {
    pub(crate) place: Place,
    pub(crate) agent: Option<String>,
    pub(crate) function: Option<String>,
}

/// A constant that does not fit into an instruction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Constant {
    Int(i64),
    Float(f64),
    Str(Arc<str>),
    /// The name of a secret.
    Secret(Arc<str>),
}

#[derive(Debug)]
pub(crate) struct AgentCode {
    pub(crate) name: Option<String>,
    /// Its `main func`, or its only function.
    pub(crate) main: Option<u32>,
    /// Its functions by name, those of its file included.
    pub(crate) functions: Vec<(String, u32)>,
    /// The uses that hold in the whole agent, by index: those of its file first.
    pub(crate) uses: Vec<u32>,
    /// What it forbids itself.
    pub(crate) policy: Vec<(Class, Verdict)>,
}

#[derive(Debug)]
pub(crate) struct ImportCode {
    pub(crate) kind: ImportKind,
    pub(crate) name: String,
    /// URI or path as written.
    pub(crate) from: String,
    /// The importing file, by its source name.
    pub(crate) importer: String,
}

#[derive(Debug)]
pub(crate) struct AgentSite {
    pub(crate) agent: u32,
    pub(crate) function: u32,
    pub(crate) count: u16,
}

/// The method of the host that performs a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolKind {
    Tool,
    Memory,
    Knowledge,
}

#[derive(Debug)]
pub(crate) struct ToolSite {
    pub(crate) binding: ToolBinding,
    pub(crate) kind: ToolKind,
    pub(crate) method: String,
    /// True if it changes something outside the run (AS-10).
    pub(crate) changes: bool,
    /// The one required parameter, which a bare value stands for (TY-7).
    pub(crate) bare: Option<String>,
    pub(crate) place: EffectPlace,
}

/// A `trust(value, "reason")`.
#[derive(Debug)]
pub(crate) struct ReleaseSite {
    pub(crate) place: Place,
    pub(crate) reason: String,
}

#[derive(Debug)]
pub(crate) struct TemplateSite {
    /// Its import, by number.
    pub(crate) import: u32,
    pub(crate) template: Arc<TemplateImport>,
    pub(crate) place: EffectPlace,
}

#[derive(Debug)]
pub(crate) struct GenerateSite {
    pub(crate) place: EffectPlace,
    /// The names of the options, in the order of their registers.
    pub(crate) options: Vec<(OptionName, Span)>,
    pub(crate) tools: Vec<GrantedTool>,
    /// True if one of their methods changes something outside the run (AS-10).
    pub(crate) changes: bool,
    pub(crate) shape: Option<Shape>,
    /// The visible uses, in the order of their registers.
    pub(crate) uses: Vec<VisibleSite>,
    pub(crate) literals: Arc<[LiteralText]>,
    pub(crate) model: Option<Arc<NamedModel>>,
    pub(crate) role: Option<String>,
    pub(crate) description: Option<String>,
}

/// A `use` that a `generate` sees.
#[derive(Debug)]
pub(crate) struct VisibleSite {
    pub(crate) number: u32,
    /// The candidates that are resources or packs, with the numbers of their imports: the host
    /// loads them.
    pub(crate) imports: Vec<(usize, u32)>,
}

/// The options of `generate` that take a value (AS-19).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OptionName {
    Input,
    Role,
    Description,
    MaxOutput,
    MostOutput,
    OnCut,
    Release,
    MaxInput,
    Attempts,
    Temperature,
    Think,
    Strict,
    Debug,
    Cache,
    Timeout,
    Plan,
}

#[derive(Debug)]
pub(crate) struct UseSite {
    pub(crate) place: Place,
    /// The question that selects from it.
    pub(crate) question: Option<Span>,
    pub(crate) label: Option<String>,
    pub(crate) priority: i64,
    /// The candidates: one without a choice, several with one.
    pub(crate) candidates: Vec<CandidateSite>,
    /// The candidate marked `selected`, else the first.
    pub(crate) selected: usize,
    /// True if there is a choice: of `use one of`, or of bounds.
    pub(crate) one_of: bool,
}

#[derive(Debug)]
pub(crate) struct CandidateSite {
    pub(crate) name: String,
    /// The span of its expression; `None` is `empty`.
    pub(crate) source: Option<Span>,
    pub(crate) budget: Option<Budget>,
    pub(crate) keep: Keep,
    /// The most parts that a question selects.
    pub(crate) most: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct LoopSite {
    /// `for`, `repeat` or `loop`.
    pub(crate) word: &'static str,
    pub(crate) variable: Option<String>,
    pub(crate) place: Place,
    /// True if each of its runs has an event (AS-29).
    pub(crate) eventful: bool,
}

#[derive(Debug)]
pub(crate) struct ParallelSite {
    /// The register of the loop variable, after everything that the body sees.
    pub(crate) variable: Reg,
    /// The instruction where the parent continues; the body begins after the instruction.
    pub(crate) end: u32,
    /// The loop, for trace and warnings.
    pub(crate) loop_site: u32,
}

#[derive(Debug)]
pub(crate) struct ArgumentSite {
    pub(crate) shape: Shape,
    /// The name of the parameter; none for the function's result (TY-1).
    pub(crate) name: Option<String>,
}

/// A failure that is certain at compile time.
#[derive(Debug)]
pub(crate) struct FailSite {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// A compiled program: immutable, can be shared between threads and run any number of times.
#[derive(Debug, Default)]
pub struct Executable {
    pub(crate) files: Vec<Arc<SourceFile>>,
    pub(crate) functions: Vec<Function>,
    pub(crate) agents: Vec<AgentCode>,
    pub(crate) imports: Vec<ImportCode>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) names: Vec<Arc<str>>,
    pub(crate) agent_sites: Vec<AgentSite>,
    pub(crate) tools: Vec<ToolSite>,
    pub(crate) templates: Vec<TemplateSite>,
    pub(crate) generates: Vec<GenerateSite>,
    pub(crate) uses: Vec<UseSite>,
    pub(crate) loops: Vec<LoopSite>,
    pub(crate) parallels: Vec<ParallelSite>,
    pub(crate) arguments: Vec<ArgumentSite>,
    pub(crate) fails: Vec<FailSite>,
    pub(crate) releases: Vec<ReleaseSite>,
    /// Agents of the program's own file by index, and the one to start with.
    pub(crate) main: Option<u32>,
    pub(crate) own_agents: Vec<u32>,
}

impl Executable {
    /// Returns what an agent forbids itself.
    pub(crate) fn policy_of(&self, agent: u32) -> impl Iterator<Item = (Class, Verdict)> {
        let found = self.agents.get(agent as usize);
        found.into_iter().flat_map(|agent| agent.policy.iter().copied())
    }

    pub(crate) fn position(&self, place: Place) -> Position {
        let Some(source) = self.files.get(place.file) else { return Position::default() };
        let start = source.position(place.span.start);
        Position { file: source.name().to_owned(), line: start.line, column: start.column }
    }

    pub(crate) fn site(&self, place: &EffectPlace) -> Site {
        Site {
            position: self.position(place.place),
            agent: place.agent.clone(),
            function: place.function.clone(),
        }
    }

    pub(crate) fn text(&self, place: Place) -> &str {
        self.files.get(place.file).map_or("", |source| source.slice(place.span))
    }
}
