//! What a run has used of its limits. Every breach is an error that names the limit.

use super::error::{Checked, Fault, codes};
use contexture_context::Limits;
use std::cell::Cell;

/// Instructions between two looks at the clock of the host and the limit of steps.
const SLICE: i64 = 20_000;

/// Bytes that one value may take where it leaves the program: shared parts are written out as often
/// as they are shared, so a small value can be an endless text.
const EXPORT_BYTES: u64 = 256 << 20;

/// Counters of one run, shared by its fibers.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: Limits,
    heap: Cell<u64>,
    steps: Cell<u64>,
    model_calls: Cell<u64>,
    tool_calls: Cell<u64>,
}

impl Meter {
    /// Nothing used yet.
    pub(crate) fn new(limits: Limits) -> Self {
        let zero = || Cell::new(0);
        Self { limits, heap: zero(), steps: zero(), model_calls: zero(), tool_calls: zero() }
    }

    /// The limits.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Instructions counted so far, in whole slices and what fibers gave back.
    pub(crate) fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Counts bytes that a value takes.
    #[inline]
    pub(crate) fn heap(&self, bytes: usize) -> Checked<()> {
        let used = self.heap.get().saturating_add(bytes as u64);
        self.heap.set(used);
        if used > self.limits.heap_bytes {
            return Err(self.heap_full());
        }
        Ok(())
    }

    /// Checks the size of a value that leaves the run as JSON.
    pub(crate) fn export(&self, bytes: u64) -> Checked<()> {
        let limit = self.limits.heap_bytes.min(EXPORT_BYTES);
        if bytes <= limit {
            return Ok(());
        }
        let message = format!("a value takes more than {limit} bytes where it leaves the program");
        Err(Fault::limit(codes::HEAP_BYTES, message)
            .help("a part that a value holds twice is written out twice: pass less of it"))
    }

    #[cold]
    fn heap_full(&self) -> Box<Fault> {
        let limit = self.limits.heap_bytes;
        Fault::limit(
            codes::HEAP_BYTES,
            format!("the run made more than {limit} bytes of strings, lists and objects"),
        )
        .help("make fewer values, or raise `heap_bytes`")
    }

    /// Checks the length of a string.
    #[inline]
    pub(crate) fn string(&self, bytes: usize) -> Checked<()> {
        let limit = self.limits.string_bytes;
        if bytes > limit {
            return Err(Fault::limit(
                codes::STRING_BYTES,
                format!("a string would have {bytes} bytes, and {limit} are allowed"),
            )
            .help("cut the text before, or raise `string_bytes`"));
        }
        Ok(())
    }

    /// Checks the length of a list or object.
    #[inline]
    pub(crate) fn collection(&self, items: usize) -> Checked<()> {
        let limit = self.limits.collection_items;
        if items > limit {
            return Err(Fault::limit(
                codes::COLLECTION_ITEMS,
                format!("a list or object would have {items} items, and {limit} are allowed"),
            )
            .help("keep fewer items, or raise `collection_items`"));
        }
        Ok(())
    }

    /// Counts a model call.
    pub(crate) fn model_call(&self) -> Checked<()> {
        count(&self.model_calls, self.limits.model_calls).map_err(|limit| {
            let message = format!("the run asked models more than {limit} times");
            Fault::limit(codes::MODEL_CALLS, message).help("ask less often, or raise `model_calls`")
        })
    }

    /// Counts a call of a tool or memory.
    pub(crate) fn tool_call(&self) -> Checked<()> {
        count(&self.tool_calls, self.limits.tool_calls).map_err(|limit| {
            let message = format!("the run called tools and memories more than {limit} times");
            Fault::limit(codes::TOOL_CALLS, message).help("call less often, or raise `tool_calls`")
        })
    }

    /// Instructions that may run before [`Meter::spend`] is to be asked.
    pub(crate) fn slice(&self) -> i64 {
        let left = self.limits.steps.saturating_sub(self.steps.get());
        i64::try_from(left).map_or(SLICE, |left| left.min(SLICE))
    }

    /// Counts instructions and checks their limit.
    pub(crate) fn spend(&self, steps: i64) -> Checked<()> {
        let used = self.steps.get().saturating_add(u64::try_from(steps).unwrap_or(0));
        self.steps.set(used);
        let limit = self.limits.steps;
        if used > limit {
            return Err(Fault::limit(
                codes::STEPS,
                format!("the run executed more than {limit} instructions"),
            )
            .help("look for a loop that does not end, or raise `steps`"));
        }
        Ok(())
    }
}

fn count(used: &Cell<u64>, limit: u64) -> Result<(), u64> {
    let now = used.get().saturating_add(1);
    used.set(now);
    if now > limit { Err(limit) } else { Ok(()) }
}
