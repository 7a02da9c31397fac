//! Usage of a run's limits, and the table of its labels, which every operation on values needs. Every
//! breach is an error that names the limit.

use super::error::{Checked, Fault, codes};
use super::value::tag::Tags;
use contexture_context::Limits;
use std::cell::Cell;
use std::rc::Rc;

/// The number of instructions between two checks for cancellation and the limit of steps.
const SLICE: i64 = 20_000;

/// The greatest size of a value that leaves the program: shared parts are written once per
/// occurrence, so a small value can be an endless text.
const EXPORT_BYTES: u64 = 256 << 20;

/// The part of the limit, as a divisor, that must be free after a measure.
const SPARE: u64 = 16;

/// Counters of one run, shared by its fibers.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: Limits,
    /// The size of what was held at the last measure and of all that was made since.
    heap: Cell<u64>,
    /// The size of what was held at the last measure.
    held: Cell<u64>,
    steps: Cell<u64>,
    model_calls: Cell<u64>,
    tool_calls: Cell<u64>,
    tags: Rc<Tags>,
}

impl Meter {
    pub(crate) fn new(limits: Limits, tags: Rc<Tags>) -> Self {
        let zero = || Cell::new(0);
        Self {
            limits,
            heap: zero(),
            held: zero(),
            steps: zero(),
            model_calls: zero(),
            tool_calls: zero(),
            tags,
        }
    }

    pub(crate) fn tags(&self) -> &Rc<Tags> {
        &self.tags
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the number of instructions counted so far: whole slices, and the parts that fibers
    /// returned.
    pub(crate) fn steps(&self) -> u64 {
        self.steps.get()
    }

    #[inline]
    pub(crate) fn heap(&self, bytes: usize) -> Checked<()> {
        let used = self.heap.get().saturating_add(bytes as u64);
        self.heap.set(used);
        if used > self.limits.heap_bytes {
            return Err(self.heap_full());
        }
        Ok(())
    }

    /// Reports whether so much was made since the last measure that another may free a good part of
    /// the limit.
    pub(crate) fn is_measure_due(&self) -> bool {
        let limit = self.limits.heap_bytes;
        let made = self.heap.get().saturating_sub(self.held.get());
        self.heap.get() > limit / 2 && made > limit / 8
    }

    /// Notes what is held. Reports whether the run was full and enough is free now to go on: were it
    /// less, the run would spend its time on measures.
    pub(crate) fn measured(&self, held: u64) -> bool {
        let limit = self.limits.heap_bytes;
        let was_full = self.heap.get() > limit;
        self.heap.set(held);
        self.held.set(held);
        was_full && held < limit - limit / SPARE
    }

    /// Checks the size of a value that leaves the run as JSON.
    pub(crate) fn export(&self, bytes: u64) -> Checked<()> {
        let limit = self.limits.heap_bytes.min(EXPORT_BYTES);
        if bytes <= limit {
            return Ok(());
        }
        let message = format!("a value that leaves the program takes more than {limit} bytes");
        Err(Fault::limit(codes::HEAP_BYTES, message)
            .help("a part that a value contains twice is written twice: pass a smaller value"))
    }

    #[cold]
    fn heap_full(&self) -> Box<Fault> {
        let limit = self.limits.heap_bytes;
        Fault::limit(
            codes::HEAP_BYTES,
            format!("the run holds more than {limit} bytes of strings, lists and objects"),
        )
        .help("keep fewer values, or raise `heap_bytes` under `[limits]` in `contexture.toml`")
    }

    #[inline]
    pub(crate) fn string(&self, bytes: usize) -> Checked<()> {
        if bytes > self.limits.string_bytes {
            return Err(self.string_too_long(bytes));
        }
        Ok(())
    }

    #[cold]
    pub(crate) fn string_too_long(&self, bytes: usize) -> Box<Fault> {
        let limit = self.limits.string_bytes;
        let message = format!("a string would have {bytes} bytes, but only {limit} are allowed");
        Fault::limit(codes::STRING_BYTES, message)
            .help("shorten the text first, or raise `string_bytes`")
    }

    #[inline]
    pub(crate) fn collection(&self, items: usize) -> Checked<()> {
        let limit = self.limits.collection_items;
        if items > limit {
            return Err(Fault::limit(
                codes::COLLECTION_ITEMS,
                format!("a list or object would have {items} items, but only {limit} are allowed"),
            )
            .help("keep fewer items, or raise `collection_items`"));
        }
        Ok(())
    }

    pub(crate) fn model_call(&self) -> Checked<()> {
        count(&self.model_calls, self.limits.model_calls).map_err(|limit| {
            let message = format!("the run called models more than {limit} times");
            Fault::limit(codes::MODEL_CALLS, message)
                .help("call models less often, or raise `model_calls`")
        })
    }

    pub(crate) fn tool_call(&self) -> Checked<()> {
        count(&self.tool_calls, self.limits.tool_calls).map_err(|limit| {
            let message = format!("the run called tools and memories more than {limit} times");
            Fault::limit(codes::TOOL_CALLS, message)
                .help("call tools less often, or raise `tool_calls`")
        })
    }

    /// Returns the number of instructions that may run before the next call of [`Meter::spend`].
    pub(crate) fn slice(&self) -> i64 {
        let left = self.limits.steps.saturating_sub(self.steps.get());
        i64::try_from(left).map_or(SLICE, |left| left.min(SLICE))
    }

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
