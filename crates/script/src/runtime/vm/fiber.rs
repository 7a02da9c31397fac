//! A fiber: a stack of registers and calls that runs until it needs an effect.

use super::control::Control;
use crate::host::{CallKey, GenerateCall, MemoryCall, ToolCall};
use crate::knowledge::KnowledgeCall;
use crate::runtime::code::{Executable, Reg};
use crate::runtime::error::{Checked, Fault, RunError, codes};
use crate::runtime::events::OpenEvent;
use crate::runtime::heap::Stack;
use crate::runtime::value::Value;
use crate::runtime::value::tag::Tag;
use crate::template::TemplateCall;
use contexture_core::policy::{Narrowed, narrow};
use std::fmt::Display;

/// A call: the current one while the fiber is suspended, or a waiting caller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) function: u32,
    /// The next instruction.
    pub(crate) pc: u32,
    /// The start of its window on the stack.
    pub(crate) base: u32,
    /// The number of open events when it was called.
    pub(crate) events: u32,
}

/// A thread of execution: the run itself, or an iteration of a `parallel for`.
#[derive(Debug, Default)]
pub(crate) struct Fiber {
    pub(crate) stack: Stack,
    pub(crate) frames: Vec<Frame>,
    /// Open events, outermost first.
    pub(crate) events: Vec<OpenEvent>,
    /// The parent of these events.
    pub(crate) parent: Option<u64>,
    /// The epoch below which containers are read-only.
    pub(crate) epoch: u32,
    /// The number of `parallel for`s around it.
    pub(crate) nested: usize,
    /// The number of open calls when it was started.
    pub(crate) depth: usize,
    /// The first instruction whose handlers apply in the outermost call.
    pub(crate) floor: u32,
    /// The register that waits for the effect's value.
    pub(crate) waiting: usize,
    pub(crate) failed: Option<Box<Fault>>,
    /// What decided that it runs.
    pub(crate) control: Control,
    /// What the agents forbid in which it was started.
    pub(crate) narrowed: Narrowed,
    pub(crate) keys: Keys,
}

/// The keys of a fiber's calls: a fiber makes them one after another.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keys {
    /// The key of its turn, with a point at the end; empty for the run itself.
    turn: String,
    made: u64,
}

impl Keys {
    /// Returns the keys of a turn of the `parallel for` whose own key is `parallel`.
    pub(crate) fn of_turn(parallel: &str, index: impl Display) -> Self {
        Self { turn: format!("{parallel}.{index}."), made: 0 }
    }

    pub(crate) fn next(&mut self) -> CallKey {
        self.made += 1;
        format!("{}{}", self.turn, self.made).into()
    }
}

impl Fiber {
    pub(crate) fn resume(&mut self, outcome: Checked<Value>) {
        match outcome {
            Ok(value) => {
                if let Some(slot) = self.stack.borrow_mut().get_mut(self.waiting) {
                    *slot = value;
                }
            }
            Err(fault) => self.failed = Some(fault),
        }
    }

    /// Returns what the agents forbid in which it is now (GU-6).
    pub(crate) fn narrowed(&self, program: &Executable) -> Narrowed {
        let mut all = self.narrowed.clone();
        for agent in self.events.iter().filter_map(|event| event.agent) {
            narrow(&mut all, program.policy_of(agent));
        }
        all
    }

    pub(crate) fn current_event(&self) -> Option<u64> {
        self.events.last().map_or(self.parent, |event| Some(event.id))
    }
}

/// The reason why a fiber stopped.
pub(crate) enum Exit {
    Done(Value),
    /// It failed without a handler.
    Failed(Box<RunError>),
    Effect(Effect),
}

pub(crate) enum Effect {
    Generate(Box<GenerateCall>),
    /// A call of a tool, with the tag of its argument.
    Tool(Box<ToolCall>, Tag),
    Memory(Box<MemoryCall>, Tag),
    Knowledge(Box<KnowledgeCall>, Tag),
    /// An imported file, by the import's number.
    File(u32),
    Template(Box<Rendering>),
    Parallel(Box<Parallel>),
}

pub(crate) struct Rendering {
    /// Its import, by number.
    pub(crate) import: u32,
    pub(crate) call: TemplateCall,
    /// The tag of its variables.
    pub(crate) tag: Tag,
}

pub(crate) struct Parallel {
    pub(crate) site: u32,
    /// The function that its body is part of.
    pub(crate) function: u32,
    /// The first instruction of the body.
    pub(crate) start: u32,
    /// The registers that the body sees: all below the loop variable.
    pub(crate) window: Vec<Value>,
    /// The items, cut to `max`.
    pub(crate) items: Vec<Value>,
    /// The tag of what decides how often it runs.
    pub(crate) tag: Tag,
    pub(crate) truncated: bool,
    /// The number of `parallel for`s around its iterations.
    pub(crate) nested: usize,
    /// The number of open calls.
    pub(crate) depth: usize,
}

/// Returns the value of a register; none when it is out of range.
pub(super) fn register(regs: &[Value], at: Reg) -> &Value {
    regs.get(usize::from(at)).unwrap_or(const { &Value::NONE })
}

/// Returns the fault of an instruction that the compiler never emits.
#[cold]
#[inline(never)]
pub(super) fn broken() -> Box<Fault> {
    Fault::limit(codes::NOT_READABLE, "the compiled program is damaged")
        .help("compile it from its source again, and report the program if that changes nothing")
}
