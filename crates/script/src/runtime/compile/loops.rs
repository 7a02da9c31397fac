//! Loops (AS-6, AS-10). A loop's test comes after its body, so that an iteration takes one jump.
//!
//! Only the compiled body shows whether a loop has events (AS-29): until then the
//! place of its first event holds `Nothing`.

use super::builder::behind;
use super::function::FunctionCompiler;
use super::tables::push;
use crate::runtime::code::{LoopSite, Op, ParallelSite, Reg};
use crate::runtime::error::codes;
use crate::syntax::ast::{Block, Expr, For};
use contexture_diagnostic::Span;

/// A loop whose body is being compiled.
struct Open {
    /// The saved depth of events; the loop's state follows it.
    register: Reg,
    /// The position for `LoopBegin`, if any.
    begin: usize,
    site: u32,
    /// The number of events before the body.
    eventful: usize,
}

impl<'a> FunctionCompiler<'_, 'a> {
    pub(super) fn repeat(&mut self, count: &'a Expr, body: &'a Block, span: Span) {
        let mark = self.code.mark();
        let site = self.loop_site("repeat", None, span);
        let register = self.code.temp();
        let at = self.code.temps(2);
        self.expr(count, behind(at, 1));
        self.at(count.span);
        self.code.emit(Op::CountBegin { at, positive: false });
        let open = self.open(register, site, span);
        let test = self.code.label();
        self.code.jump(test);
        let target = self.code.here();
        self.block(body);
        self.code.place(test);
        self.at(span);
        self.count_next(&open, at, target);
        self.close(&open);
        self.code.release(mark);
    }

    pub(super) fn loop_until(
        &mut self,
        until: &'a Expr,
        max: Option<&'a Expr>,
        body: &'a Block,
        span: Span,
    ) {
        let mark = self.code.mark();
        let site = self.loop_site("loop", None, span);
        let register = self.code.temp();
        let at = self.code.temps(2);
        self.bound(max, behind(at, 1), span);
        self.code.emit(Op::CountBegin { at, positive: true });
        let open = self.open(register, site, span);
        let (test, exit) = (self.code.label(), self.code.label());
        self.code.jump(test);
        let target = self.code.here();
        self.block(body);
        self.code.place(test);
        self.branch(until, true, exit);
        self.at(span);
        self.count_next(&open, at, target);
        self.code.emit(Op::Truncated { at, site });
        self.code.place(exit);
        self.close(&open);
        self.code.release(mark);
    }

    fn count_next(&mut self, open: &Open, at: Reg, target: u32) {
        self.code.emit(if self.eventful > open.eventful {
            Op::CountNextEvent { at, target }
        } else {
            Op::CountNext { at, target }
        });
    }

    pub(super) fn for_in(&mut self, each: &'a For, span: Span) {
        let mark = self.code.mark();
        let variable = Some(each.variable.text.clone());
        let site = self.loop_site("for", variable, span);
        let register = self.code.temp();
        let at = self.code.temps(4);
        self.expr(&each.list, at);
        self.bound(each.max.as_ref(), behind(at, 2), span);
        self.at(each.list.span);
        self.code.emit(Op::WalkBegin { at, site });
        let open = self.open(register, site, span);
        let test = self.code.label();
        self.code.jump(test);
        let target = self.code.here();
        self.scopes.enter();
        self.scopes.define(&each.variable.text, behind(at, 3));
        self.block(&each.body);
        self.scopes.leave();
        self.code.place(test);
        self.at(span);
        self.code.emit(if self.eventful > open.eventful {
            Op::WalkNextEvent { at, target }
        } else {
            Op::WalkNext { at, target }
        });
        self.close(&open);
        self.code.release(mark);
    }

    /// Compiles `parallel for x in list max n { … }`: the body follows the instruction that starts
    /// it and sees copies of all registers below the loop variable.
    pub(super) fn parallel_for(&mut self, each: &'a For, span: Span, to: Reg) {
        let variable = Some(each.variable.text.clone());
        let loop_site = self.loop_site("parallel for", variable, span);
        if let Some(site) = self.tables.program.loops.get_mut(loop_site as usize) {
            site.eventful = true;
        }
        let at = self.code.temps(2);
        self.expr(&each.list, at);
        self.bound(each.max.as_ref(), behind(at, 1), span);
        self.at(span);
        self.eventful += 1;
        let variable = self.code.temp();
        let site = ParallelSite { variable, end: 0, loop_site };
        let site = push(&mut self.tables.program.parallels, site);
        self.code.emit(Op::Parallel { at, site });
        let boundary = self.scopes.set_boundary(self.scopes.depth());
        let loops = std::mem::take(&mut self.loops);
        self.scopes.enter();
        self.scopes.define(&each.variable.text, variable);
        let result = self.code.temp();
        self.block_value(&each.body, result);
        self.at(span);
        self.code.emit(Op::Return { from: result });
        self.scopes.leave();
        self.loops = loops;
        self.scopes.set_boundary(boundary);
        let end = self.code.here();
        if let Some(site) = self.tables.program.parallels.get_mut(site as usize) {
            site.end = end;
        }
        self.code.emit(Op::Take { to, from: at });
    }

    fn loop_site(&mut self, word: &'static str, variable: Option<String>, span: Span) -> u32 {
        let site = LoopSite { word, variable, place: self.place(span), eventful: false };
        push(&mut self.tables.program.loops, site)
    }

    /// Compiles the `max` of a loop; the parser refuses a loop without one.
    fn bound(&mut self, max: Option<&'a Expr>, to: Reg, span: Span) {
        match max {
            Some(max) => {
                self.expr(max, to);
                self.at(max.span);
            }
            None => {
                self.at(span);
                let help = "add `max` and the greatest number of iterations".to_owned();
                self.fail(codes::LOOP_BOUND, "loop without `max`", Some(help));
            }
        }
    }

    fn open(&mut self, register: Reg, site: u32, span: Span) -> Open {
        self.at(span);
        let begin = self.code.emit(Op::Nothing);
        self.loops += 1;
        Open { register, begin, site, eventful: self.eventful }
    }

    fn close(&mut self, open: &Open) {
        self.loops -= 1;
        if self.eventful > open.eventful {
            self.has_loop_events = true;
            if let Some(site) = self.tables.program.loops.get_mut(open.site as usize) {
                site.eventful = true;
            }
            self.code.patch(open.begin, Op::LoopBegin { at: open.register, site: open.site });
            self.code.emit(Op::EventsEnd { at: open.register });
        }
    }
}
