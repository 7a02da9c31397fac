//! The code of one function under construction: instructions with places, jumps, registers.

use crate::runtime::code::{Function, Handler, Op, Reg};
use contexture_diagnostic::Span;

/// A jump target whose position may not be known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label(usize);

/// The most registers that a window can have.
const REGISTERS: usize = Reg::MAX as usize;

/// Returns the register `count` after another; out of range it is the last one, and the function is
/// refused in any case.
pub(super) fn behind(register: Reg, count: usize) -> Reg {
    register.saturating_add(Reg::try_from(count).unwrap_or(Reg::MAX))
}

pub(super) struct Builder {
    code: Vec<Op>,
    spans: Vec<Span>,
    handlers: Vec<Handler>,
    labels: Vec<Option<u32>>,
    jumps: Vec<(usize, Label)>,
    next: usize,
    most: usize,
    /// The place that new instructions belong to.
    pub(super) span: Span,
    /// The greatest number of instructions.
    room: usize,
    /// True if the function needs more registers or instructions than there are.
    pub(super) overflow: bool,
}

impl Builder {
    pub(super) fn new(room: usize) -> Self {
        Self {
            code: Vec::new(),
            spans: Vec::new(),
            handlers: Vec::new(),
            labels: Vec::new(),
            jumps: Vec::new(),
            next: 0,
            most: 0,
            span: Span::default(),
            room,
            overflow: false,
        }
    }

    /// Adds an instruction and returns its index. A function that is too large gets no more.
    pub(super) fn emit(&mut self, op: Op) -> usize {
        self.overflow |= self.code.len() >= self.room;
        if self.overflow {
            return self.code.len();
        }
        self.code.push(op);
        self.spans.push(self.span);
        self.code.len() - 1
    }

    pub(super) fn patch(&mut self, at: usize, op: Op) {
        if let Some(slot) = self.code.get_mut(at) {
            *slot = op;
        }
    }

    pub(super) fn here(&self) -> u32 {
        super::tables::index(self.code.len())
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    pub(super) fn place(&mut self, label: Label) {
        let here = self.here();
        if let Some(slot) = self.labels.get_mut(label.0) {
            *slot = Some(here);
        }
    }

    pub(super) fn jump(&mut self, label: Label) {
        if self.overflow {
            return;
        }
        let at = self.emit(Op::Jump { target: 0 });
        self.jumps.push((at, label));
    }

    pub(super) fn temp(&mut self) -> Reg {
        let register = self.next;
        self.next += 1;
        self.most = self.most.max(self.next);
        self.overflow |= self.next > REGISTERS;
        Reg::try_from(register).unwrap_or(Reg::MAX)
    }

    pub(super) fn temps(&mut self, count: usize) -> Reg {
        let first = self.temp();
        for _ in 1..count {
            self.temp();
        }
        first
    }

    /// Returns the current allocation, for [`Builder::release`].
    pub(super) fn mark(&self) -> usize {
        self.next
    }

    /// Frees all registers allocated since `mark`.
    pub(super) fn release(&mut self, mark: usize) {
        self.next = mark;
    }

    pub(super) fn top(&self) -> Reg {
        Reg::try_from(self.next).unwrap_or(Reg::MAX)
    }

    /// Adds a handler. Inner ones are added before outer ones, and the first match is taken.
    pub(super) fn handler(&mut self, handler: Handler) {
        self.handlers.push(handler);
    }

    pub(super) fn finish(mut self) -> Function {
        for (at, label) in std::mem::take(&mut self.jumps) {
            let target = self.labels.get(label.0).copied().flatten().unwrap_or(u32::MAX);
            self.patch(at, Op::Jump { target });
        }
        Function {
            registers: self.most.max(1),
            code: self.code,
            spans: self.spans,
            handlers: self.handlers,
            ..Function::default()
        }
    }
}
