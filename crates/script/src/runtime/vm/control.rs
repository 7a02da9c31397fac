//! Control: what decided that an instruction runs (GU-3).
//!
//! A test of a value that is not the program's own begins a region, which ends where all ways from
//! the test meet again. What happens in a region is influenced by the value, and so is every
//! variable that one of the ways assigns. Without such a test nothing here costs anything.

use super::fiber::Frame;
use crate::runtime::code::{Handler, Reg};
use crate::runtime::machine::Machine;
use crate::runtime::value::Value;
use crate::runtime::value::tag::{Tag, Tags};
use std::rc::Rc;

/// The index that no instruction has: the end of a function, or no region at all.
pub(super) const NOWHERE: usize = usize::MAX;

/// The influences under which a fiber runs.
#[derive(Debug, Default)]
pub(crate) struct Control {
    /// The tag of everything that decided.
    pub(crate) tag: Tag,
    /// The open regions, outermost first.
    regions: Vec<Region>,
}

#[derive(Debug)]
struct Region {
    /// The number of calls below its own.
    depth: usize,
    /// The test that began it.
    at: usize,
    /// The instruction where it ends.
    end: usize,
    /// The tag before it.
    before: Tag,
    /// What its ways write.
    writes: Rc<Writes>,
}

/// The variables that a region may write.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Writes {
    /// Registers that are assigned.
    pub(crate) assigned: Vec<Reg>,
    /// Registers whose list or object is changed.
    pub(crate) changed: Vec<Reg>,
}

impl Control {
    pub(crate) fn new(tag: Tag) -> Self {
        Self { tag, regions: Vec::new() }
    }

    /// Reports whether a region is open.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        !self.regions.is_empty()
    }

    /// Returns where the innermost region ends, if it belongs to the call above `depth` others.
    #[inline]
    pub(super) fn end(&self, depth: usize) -> usize {
        match self.regions.last() {
            Some(region) if region.depth == depth => region.end,
            _ => NOWHERE,
        }
    }

    /// Begins the region of a test at `frame`, or joins it in a loop; returns its end.
    #[cold]
    #[inline(never)]
    pub(super) fn decide(
        &mut self,
        machine: &Machine<'_>,
        frame: Frame,
        depth: usize,
        tag: Tag,
    ) -> usize {
        let at = frame.pc as usize;
        let before = self.tag;
        self.tag = machine.meter.tags().influenced(before, tag.of_decision());
        let own = self.regions.iter().rev().take_while(|region| region.depth == depth);
        if !own.into_iter().any(|region| region.at == at) {
            let (end, writes) = machine.flow(frame.function).region(at);
            self.regions.push(Region { depth, at, end: end.unwrap_or(NOWHERE), before, writes });
        }
        self.end(depth)
    }

    /// Ends the regions that end at `pc`; returns the end of the next one.
    #[cold]
    #[inline(never)]
    pub(super) fn leave(
        &mut self,
        regs: &mut [Value],
        tags: &Tags,
        (pc, depth): (usize, usize),
    ) -> usize {
        while self.end(depth) == pc {
            self.pop(regs, tags);
        }
        self.end(depth)
    }

    /// Ends the regions of a call that returns, and notes their influence on its result.
    #[inline]
    pub(super) fn returned(&mut self, value: Value, tags: &Tags, depth: usize) -> Value {
        if self.tag.is_program() { value } else { self.end_call(value, tags, depth) }
    }

    #[cold]
    fn end_call(&mut self, value: Value, tags: &Tags, depth: usize) -> Value {
        let value = value.under(self.tag, tags);
        while let Some(region) = self.regions.pop_if(|region| region.depth >= depth) {
            self.tag = region.before;
        }
        value
    }

    /// Continues in a handler: the regions that it lies outside of end, and one begins that lasts
    /// until it doesn't matter any more whether the handler ran.
    #[cold]
    pub(super) fn handle(
        &mut self,
        machine: &Machine<'_>,
        (stack, next): (&mut [Value], Frame),
        (depth, handler): (usize, Handler),
        failure: Tag,
    ) {
        let tags = machine.meter.tags();
        let tag = tags.influenced(failure.of_decision(), self.tag);
        if tag.is_program() {
            return;
        }
        let flow = machine.flow(next.function);
        let regs = stack.get_mut(next.base as usize..).unwrap_or_default();
        while let Some(region) = self.regions.last() {
            let inside = region.depth == depth && flow.contains(region.at, next.pc as usize);
            if region.depth < depth || inside {
                break;
            }
            if region.depth == depth {
                self.pop(regs, tags);
            } else if let Some(region) = self.regions.pop() {
                self.tag = region.before;
            }
        }
        let before = self.tag;
        self.tag = tags.influenced(before, tag);
        let (end, writes) = flow.handler(handler);
        let end = end.unwrap_or(NOWHERE);
        self.regions.push(Region { depth, at: next.pc as usize, end, before, writes });
    }

    fn pop(&mut self, regs: &mut [Value], tags: &Tags) {
        let Some(Region { before, writes, .. }) = self.regions.pop() else { return };
        for register in &writes.assigned {
            if let Some(value) = regs.get_mut(usize::from(*register)) {
                value.influence(self.tag, tags);
            }
        }
        for register in &writes.changed {
            if let Some(header) = regs.get(usize::from(*register)).and_then(Value::header) {
                header.mix(self.tag, tags);
            }
        }
        self.tag = before;
    }
}
