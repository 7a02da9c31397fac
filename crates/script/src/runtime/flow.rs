//! The flow of control in a function: where the ways from a test meet again (GU-3).
//!
//! Decision: the regions of tests are found when the first test of a value from outside happens,
//! from the instructions themselves, so that the compiler knows nothing of labels and a program
//! without such values pays nothing. The end of a region is the immediate postdominator of its test.

use super::code::{Function, Handler, Op, Reg};
use super::vm::control::Writes;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The end of a region, none for that of the function, and what its ways write.
type Region = (Option<usize>, Rc<Writes>);

/// The flow of one function. The number of its instructions stands for its end.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    code: Vec<Op>,
    next: Vec<Vec<usize>>,
    /// The immediate postdominator of each instruction; none where the end is never reached.
    after: Vec<Option<usize>>,
    regions: RefCell<HashMap<(usize, usize), Region>>,
}

impl Flow {
    pub(crate) fn new(function: &Function, parallel_end: impl Fn(u32) -> Option<usize>) -> Self {
        let code = function.code.clone();
        let count = code.len();
        let ways = |(at, op): (usize, &Op)| {
            let mut next = next_of(op, at, &parallel_end);
            next.iter_mut().for_each(|to| *to = (*to).min(count));
            next
        };
        let mut next: Vec<Vec<usize>> = code.iter().enumerate().map(ways).collect();
        next.push(Vec::new());
        let after = postdominators(&next);
        Self { code, next, after, regions: RefCell::default() }
    }

    /// Returns the region of a test.
    pub(crate) fn region(&self, test: usize) -> Region {
        let (end, ways) = self.ways(test);
        self.known((test, usize::MAX), end, ways)
    }

    /// Returns the region of a handler. What was tried belongs to it: some of it wasn't done.
    pub(crate) fn handler(&self, handler: Handler) -> Region {
        let [start, tried, target] =
            [handler.start, handler.end, handler.target].map(|at| at as usize);
        let end = self.meeting(tried, target);
        let ways: Vec<usize> = (start..tried).chain([target]).collect();
        self.known((target, tried), end, &ways)
    }

    /// Reports whether an instruction lies in the region of a test.
    pub(crate) fn contains(&self, test: usize, instruction: usize) -> bool {
        let (end, ways) = self.ways(test);
        self.reached(end, ways).contains(&instruction)
    }

    /// Returns where the ways from a test meet, and where they begin.
    fn ways(&self, test: usize) -> (Option<usize>, &[usize]) {
        let end = self.after.get(test).copied().flatten();
        (end, self.next.get(test).map_or(&[], Vec::as_slice))
    }

    fn known(&self, key: (usize, usize), end: Option<usize>, ways: &[usize]) -> Region {
        if let Some(known) = self.regions.borrow().get(&key) {
            return known.clone();
        }
        let writes = Rc::new(self.writes(&self.reached(end, ways)));
        let end = end.filter(|end| *end < self.code.len());
        let region = (end, writes);
        self.regions.borrow_mut().insert(key, region.clone());
        region
    }

    /// Returns the first instruction that follows both, whatever happens.
    fn meeting(&self, left: usize, right: usize) -> Option<usize> {
        let up = |from: usize| {
            std::iter::successors(Some(from), |at| {
                let next = self.after.get(*at).copied().flatten();
                next.filter(|next| next != at)
            })
        };
        let of_left: BTreeSet<usize> = up(left.min(self.code.len())).collect();
        up(right.min(self.code.len())).find(|at| of_left.contains(at))
    }

    /// Returns the instructions that are reached before the end.
    fn reached(&self, end: Option<usize>, ways: &[usize]) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut todo = ways.to_vec();
        while let Some(at) = todo.pop() {
            if Some(at) == end || at >= self.code.len() || !reached.insert(at) {
                continue;
            }
            todo.extend(self.next.get(at).into_iter().flatten());
        }
        reached
    }

    fn writes(&self, instructions: &BTreeSet<usize>) -> Writes {
        let ops = || instructions.iter().filter_map(|at| self.code.get(*at));
        let assigned: BTreeSet<Reg> = ops().filter_map(assigned).collect();
        // A register that is assigned here holds something of the region, or something old.
        let changed = ops().filter_map(changed).filter(|register| !assigned.contains(register));
        let changed: BTreeSet<Reg> = changed.collect();
        Writes { assigned: assigned.into_iter().collect(), changed: changed.into_iter().collect() }
    }
}

/// Returns the instructions that may follow one.
fn next_of(op: &Op, at: usize, parallel_end: impl Fn(u32) -> Option<usize>) -> Vec<usize> {
    match *op {
        Op::Jump { target } => vec![target as usize],
        Op::IfTrue { .. }
        | Op::IfFalse { .. }
        | Op::IfEqual { .. }
        | Op::IfNotEqual { .. }
        | Op::IfLess { .. }
        | Op::IfLessEqual { .. }
        | Op::IfEqualInt { .. }
        | Op::IfNotEqualInt { .. }
        | Op::IfLessInt { .. }
        | Op::IfLessEqualInt { .. }
        | Op::IfGreaterInt { .. }
        | Op::IfGreaterEqualInt { .. } => vec![at + 1, at + 2],
        Op::CountNext { target, .. }
        | Op::CountNextEvent { target, .. }
        | Op::WalkNext { target, .. }
        | Op::WalkNextEvent { target, .. } => vec![target as usize, at + 1],
        Op::AddToField { .. } | Op::GetOr { .. } => vec![at + 1, at + 4],
        Op::Return { .. } | Op::ReturnNone | Op::Fail { .. } => vec![usize::MAX],
        // The body belongs to other fibers.
        Op::Parallel { site, .. } => vec![parallel_end(site).unwrap_or(at + 1)],
        _ => vec![at + 1],
    }
}

/// Returns the register that an instruction assigns, if a variable may be in it.
fn assigned(op: &Op) -> Option<Reg> {
    match *op {
        Op::Move { to, .. }
        | Op::Take { to, .. }
        | Op::LoadNone { to }
        | Op::LoadBool { to, .. }
        | Op::LoadInt { to, .. }
        | Op::LoadConstant { to, .. }
        | Op::LoadFile { to, .. }
        | Op::Add { to, .. }
        | Op::Subtract { to, .. }
        | Op::Multiply { to, .. }
        | Op::Divide { to, .. }
        | Op::Remainder { to, .. }
        | Op::AddInt { to, .. }
        | Op::SubtractInt { to, .. }
        | Op::RemainderInt { to, .. }
        | Op::Negate { to, .. }
        | Op::Not { to, .. }
        | Op::Equal { to, .. }
        | Op::NotEqual { to, .. }
        | Op::Less { to, .. }
        | Op::LessEqual { to, .. }
        | Op::NewList { to, .. }
        | Op::NewObject { to, .. }
        | Op::GetField { to, .. }
        | Op::GetLength { to, .. }
        | Op::GetIndex { to, .. }
        | Op::Choose { to, .. } => Some(to),
        Op::CallMethod { at, .. }
        | Op::GetOr { at, .. }
        | Op::ByKeys { at, .. }
        | Op::CallFunction { at, .. }
        | Op::Release { at, .. }
        | Op::Progress { at }
        | Op::Call { at, .. }
        | Op::CallAgent { at, .. }
        | Op::AgentEnd { at }
        | Op::Tool { at, .. }
        | Op::Template { at, .. }
        | Op::Generate { at, .. }
        | Op::Parallel { at, .. } => Some(at),
        Op::WalkNext { at, .. } | Op::WalkNextEvent { at, .. } => at.checked_add(3),
        Op::Nothing
        | Op::Jump { .. }
        | Op::IfTrue { .. }
        | Op::IfFalse { .. }
        | Op::IfEqual { .. }
        | Op::IfNotEqual { .. }
        | Op::IfLess { .. }
        | Op::IfLessEqual { .. }
        | Op::IfEqualInt { .. }
        | Op::IfNotEqualInt { .. }
        | Op::IfLessInt { .. }
        | Op::IfLessEqualInt { .. }
        | Op::IfGreaterInt { .. }
        | Op::IfGreaterEqualInt { .. }
        | Op::CountBegin { .. }
        | Op::CountNext { .. }
        | Op::CountNextEvent { .. }
        | Op::WalkBegin { .. }
        | Op::EachBegin { .. }
        | Op::Truncated { .. }
        | Op::LoopBegin { .. }
        | Op::EventsEnd { .. }
        | Op::EventsEndAll
        | Op::EventsMark { .. }
        | Op::Append { .. }
        | Op::PutField { .. }
        | Op::PutKey { .. }
        | Op::SetField { .. }
        | Op::AddToField { .. }
        | Op::SetIndex { .. }
        | Op::ListAdd { .. }
        | Op::Return { .. }
        | Op::ReturnNone
        | Op::CheckArgument { .. }
        | Op::UseEvent { .. }
        | Op::Fail { .. } => None,
    }
}

/// Returns the register whose list or object an instruction changes.
fn changed(op: &Op) -> Option<Reg> {
    match *op {
        Op::Append { list, .. } | Op::ListAdd { list, .. } => Some(list),
        Op::PutField { object, .. } | Op::PutKey { object, .. } => Some(object),
        Op::SetField { base, .. } | Op::AddToField { base, .. } | Op::SetIndex { base, .. } => {
            Some(base)
        }
        _ => None,
    }
}

/// Returns the registers that an instruction works on, if it may fail. `options` gives their number
/// for a site of `generate`.
pub(crate) fn read(op: &Op, options: impl Fn(u32) -> usize) -> Vec<Reg> {
    let from = |at: Reg, count: usize| {
        (0..count).filter_map(|more| at.checked_add(Reg::try_from(more).ok()?)).collect()
    };
    match *op {
        Op::Add { left, right, .. }
        | Op::Subtract { left, right, .. }
        | Op::Multiply { left, right, .. }
        | Op::Divide { left, right, .. }
        | Op::Remainder { left, right, .. }
        | Op::Equal { left, right, .. }
        | Op::NotEqual { left, right, .. }
        | Op::Less { left, right, .. }
        | Op::LessEqual { left, right, .. }
        | Op::IfEqual { left, right }
        | Op::IfNotEqual { left, right }
        | Op::IfLess { left, right }
        | Op::IfLessEqual { left, right } => vec![left, right],
        Op::AddInt { left, .. }
        | Op::SubtractInt { left, .. }
        | Op::RemainderInt { left, .. }
        | Op::IfLessInt { left, .. }
        | Op::IfLessEqualInt { left, .. }
        | Op::IfGreaterInt { left, .. }
        | Op::IfGreaterEqualInt { left, .. } => vec![left],
        Op::Negate { from, .. } => vec![from],
        Op::GetField { base, .. } | Op::GetLength { base, .. } => vec![base],
        Op::GetIndex { base, index, .. } => vec![base, index],
        Op::SetField { base, value, .. } | Op::AddToField { base, value, .. } => vec![base, value],
        Op::SetIndex { base, index, value } => vec![base, index, value],
        Op::ListAdd { list, item } => vec![list, item],
        Op::PutKey { object, key, value } => vec![object, key, value],
        Op::CallMethod { at, count, .. } => from(at, usize::from(count) + 1),
        Op::CallFunction { at, count, .. } => from(at, usize::from(count)),
        Op::CountBegin { at, .. } | Op::ByKeys { at, .. } | Op::Parallel { at, .. } => from(at, 2),
        Op::WalkBegin { at, .. } => from(at, 3),
        Op::EachBegin { at, .. }
        | Op::CheckArgument { at, .. }
        | Op::Tool { at, .. }
        | Op::Template { at, .. } => vec![at],
        Op::Generate { at, site } => from(at, options(site)),
        _ => Vec::new(),
    }
}

/// Returns the immediate postdominator of each instruction (Cooper, Harvey and Kennedy, "A Simple,
/// Fast Dominance Algorithm", on the reversed graph).
fn postdominators(next: &[Vec<usize>]) -> Vec<Option<usize>> {
    let end = next.len().saturating_sub(1);
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); next.len()];
    for (from, ways) in next.iter().enumerate() {
        for to in ways {
            if let Some(before) = before.get_mut(*to) {
                before.push(from);
            }
        }
    }
    let order = postorder(&before, end);
    let mut rank = vec![usize::MAX; next.len()];
    for (number, node) in order.iter().enumerate() {
        if let Some(rank) = rank.get_mut(*node) {
            *rank = number;
        }
    }
    let mut after: Vec<Option<usize>> = vec![None; next.len()];
    if let Some(own) = after.get_mut(end) {
        *own = Some(end);
    }
    let mut is_changing = true;
    while is_changing {
        is_changing = false;
        for node in order.iter().rev().filter(|node| **node != end) {
            let ways = next.get(*node).into_iter().flatten();
            let known = ways.copied().filter(|way| after.get(*way).is_some_and(Option::is_some));
            let found = known.reduce(|left, right| meet(&after, &rank, left, right));
            if let Some(own) = after.get_mut(*node).filter(|own| **own != found) {
                *own = found;
                is_changing = true;
            }
        }
    }
    after
}

fn meet(after: &[Option<usize>], rank: &[usize], mut left: usize, mut right: usize) -> usize {
    let rank = |node: usize| rank.get(node).copied().unwrap_or(usize::MAX);
    let up = |node: usize| after.get(node).copied().flatten().unwrap_or(node);
    while left != right {
        while rank(left) < rank(right) {
            left = up(left);
        }
        while rank(right) < rank(left) {
            right = up(right);
        }
    }
    left
}

/// Returns the nodes that reach the end, in postorder of the reversed graph.
fn postorder(before: &[Vec<usize>], end: usize) -> Vec<usize> {
    let mut seen = vec![false; before.len()];
    let mut order = Vec::new();
    let mut stack = vec![(end, 0)];
    if let Some(seen) = seen.get_mut(end) {
        *seen = true;
    }
    while let Some((node, taken)) = stack.pop() {
        match before.get(node).and_then(|ways| ways.get(taken)) {
            Some(way) => {
                stack.push((node, taken + 1));
                if let Some(seen) = seen.get_mut(*way).filter(|seen| !**seen) {
                    *seen = true;
                    stack.push((*way, 0));
                }
            }
            None => order.push(node),
        }
    }
    order
}
