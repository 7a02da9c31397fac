//! A fiber: a stack of registers and calls that runs until it needs an effect.

use crate::host::{GenerateCall, MemoryCall, ToolCall};
use crate::knowledge::KnowledgeCall;
use crate::runtime::error::{Checked, Fault, RunError};
use crate::runtime::events::OpenEvent;
use crate::runtime::value::Value;
use crate::runtime::value::origin::Origin;
use crate::template::TemplateCall;

/// A call: the one under way while the fiber is suspended, else a caller that waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The function by number.
    pub(crate) function: u32,
    /// The instruction to go on with.
    pub(crate) pc: u32,
    /// Where its window begins on the stack.
    pub(crate) base: u32,
    /// How many events were open when it was called.
    pub(crate) events: u32,
}

/// A strand of execution: the run itself, or a turn of a `parallel for`.
#[derive(Debug, Default)]
pub(crate) struct Fiber {
    pub(crate) stack: Vec<Value>,
    pub(crate) frames: Vec<Frame>,
    /// Open events, outermost first.
    pub(crate) events: Vec<OpenEvent>,
    /// The event that those belong to.
    pub(crate) parent: Option<u64>,
    /// Containers older than this are not written.
    pub(crate) epoch: u32,
    /// How many `parallel for` are around it.
    pub(crate) nested: usize,
    /// Calls that were open where it was started.
    pub(crate) depth: usize,
    /// In the outermost call, handlers before this instruction belong to someone else.
    pub(crate) floor: u32,
    /// The register that waits for the effect's value.
    pub(crate) waiting: usize,
    /// The failure of the effect it waited for.
    pub(crate) failed: Option<Box<Fault>>,
}

impl Fiber {
    /// Gives the outcome of the effect that it waits for.
    pub(crate) fn resume(&mut self, outcome: Checked<Value>) {
        match outcome {
            Ok(value) => {
                if let Some(slot) = self.stack.get_mut(self.waiting) {
                    *slot = value;
                }
            }
            Err(fault) => self.failed = Some(fault),
        }
    }

    /// The event that what happens now belongs to.
    pub(crate) fn current_event(&self) -> Option<u64> {
        self.events.last().map_or(self.parent, |event| Some(event.id))
    }
}

/// Why a fiber stopped.
pub(crate) enum Exit {
    /// It is done.
    Done(Value),
    /// It failed, and nothing in it caught that.
    Failed(Box<RunError>),
    /// It needs an effect.
    Effect(Effect),
}

/// What a fiber needs from outside.
pub(crate) enum Effect {
    Generate(Box<GenerateCall>),
    Tool(Box<ToolCall>),
    Memory(Box<MemoryCall>),
    Knowledge(Box<KnowledgeCall>),
    /// An imported file, by the import's number.
    File(u32),
    Template(Box<Rendering>),
    Parallel(Box<Parallel>),
}

/// A template to be rendered.
pub(crate) struct Rendering {
    /// Its import, by number.
    pub(crate) import: u32,
    pub(crate) call: TemplateCall,
    /// The least origin of all its variables.
    pub(crate) origin: Origin,
}

/// A `parallel for` to run.
pub(crate) struct Parallel {
    /// Its site in the tables.
    pub(crate) site: u32,
    /// The function that its body is part of.
    pub(crate) function: u32,
    /// The first instruction of the body.
    pub(crate) start: u32,
    /// What the body sees: all registers below the loop variable.
    pub(crate) window: Vec<Value>,
    /// The items, cut to `max`.
    pub(crate) items: Vec<Value>,
    /// Whether `max` left items out.
    pub(crate) truncated: bool,
    /// How many `parallel for` are around its turns.
    pub(crate) nested: usize,
    /// Calls that are open.
    pub(crate) depth: usize,
}
