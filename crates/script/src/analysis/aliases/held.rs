//! Possible values of an expression: things that existed before, or something new with parts.

use contexture_diagnostic::Span;

/// The number of steps that are followed below a parameter.
const MOST_STEPS: usize = 4;
/// The number of parts and roots that are distinguished; anything with more is left to the run.
const MOST_PARTS: usize = 8;
/// The nesting of parts that is followed.
const MOST_NESTING: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step<'p> {
    Field(&'p str),
    Index(i64),
    /// One unknown step.
    Some,
    /// Each in turn.
    Each,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outside<'p> {
    pub(super) name: &'p str,
    pub(super) span: Span,
}

/// Something that existed before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Root<'p> {
    /// A value held, at any depth, by a variable from outside the current `parallel for`.
    Outside(Outside<'p>),
    /// The value so many steps below a parameter.
    Parameter(usize, Vec<Step<'p>>),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Held<'p> {
    /// It may be each of these.
    pub(super) roots: Vec<Root<'p>>,
    /// True if it may also be something else.
    pub(super) other: bool,
    /// The parts put into it; of new containers only those that lead to a root.
    pub(super) parts: Vec<(Step<'p>, Held<'p>)>,
    /// True if it also holds parts that do not lead to a root.
    pub(super) mixed: bool,
}

impl<'p> Root<'p> {
    fn below(&self, step: Step<'p>) -> Option<Self> {
        match self {
            Self::Outside(outside) => Some(Self::Outside(*outside)),
            Self::Parameter(_, steps) if steps.len() >= MOST_STEPS => None,
            Self::Parameter(number, steps) => {
                let steps = steps.iter().copied().chain([step]).collect();
                Some(Self::Parameter(*number, steps))
            }
        }
    }
}

impl<'p> Held<'p> {
    /// Returns something new, or something unknown.
    pub(super) fn fresh() -> Self {
        Self { other: true, ..Self::default() }
    }

    pub(super) fn root(root: Root<'p>) -> Self {
        Self { roots: vec![root], ..Self::default() }
    }

    /// Returns a new list whose items are all alike.
    pub(super) fn list_of(item: Self) -> Self {
        let mut list = Self::fresh();
        if !(item.other && item.has_roots()) {
            list.put(Step::Some, item);
        }
        list
    }

    fn has_roots(&self) -> bool {
        !self.roots.is_empty()
    }

    /// Reports whether it, or a part of it, existed before.
    fn leads_to_roots(&self) -> bool {
        self.has_roots() || self.parts.iter().any(|(_, part)| part.leads_to_roots())
    }

    fn nesting(&self) -> usize {
        self.parts.iter().map(|(_, part)| part.nesting() + 1).max().unwrap_or(0)
    }

    /// Notes a part put into it. A field that is set replaces its former value.
    pub(super) fn put(&mut self, step: Step<'p>, part: Self) {
        let exact = matches!(step, Step::Field(_) | Step::Index(_));
        if exact {
            self.parts.retain(|(known, _)| *known != step);
        }
        let told = self.has_roots() || part.leads_to_roots();
        if told && self.parts.len() < MOST_PARTS && part.nesting() < MOST_NESTING {
            self.parts.push((step, part));
        } else {
            self.mixed = true;
        }
    }

    /// Does the same as [`Held::put`] below some steps; the values on the way are put back.
    pub(super) fn put_below(&mut self, steps: &[Step<'p>], part: Self) {
        let Some((first, rest)) = steps.split_first() else { return };
        if rest.is_empty() {
            return self.put(*first, part);
        }
        let mut inner = self.part(*first);
        inner.put_below(rest, part);
        self.put(*first, inner);
    }

    /// Returns its part. It is unknown when some of its possible values are new and the step does
    /// not go to each.
    pub(super) fn part(&self, step: Step<'p>) -> Self {
        let exact = self.parts.iter().rev().find(|(known, _)| *known == step);
        if let Some((_, part)) = exact
            && matches!(step, Step::Field(_) | Step::Index(_))
        {
            return part.clone();
        }
        let whole = matches!(step, Step::Some | Step::Each);
        let may_be = |known: &Step<'p>| whole || matches!(known, Step::Some | Step::Each);
        let parts = self.parts.iter().filter(|(known, _)| may_be(known)).map(|(_, part)| part);
        let below = self.roots.iter().map(|root| match root.below(step) {
            Some(root) => Self::root(root),
            None => Self::fresh(),
        });
        let all: Vec<Self> = parts.cloned().chain(below).collect();
        let sure = !self.mixed && all.iter().all(Self::leads_to_roots);
        match step {
            Step::Each => {}
            _ if sure => {}
            _ => return Self::fresh(),
        }
        all.into_iter().reduce(Self::join).unwrap_or_else(Self::fresh)
    }

    pub(super) fn below(&self, steps: &[Step<'p>]) -> Self {
        steps.iter().fold(self.clone(), |held, step| held.part(*step))
    }

    pub(super) fn join(self, other: Self) -> Self {
        let mut keys: Vec<Step<'p>> = Vec::new();
        for (step, _) in self.parts.iter().chain(&other.parts) {
            if !keys.contains(step) {
                keys.push(*step);
            }
        }
        let mut joined = Self {
            roots: self.roots.clone(),
            other: self.other || other.other,
            parts: Vec::new(),
            mixed: self.mixed || other.mixed,
        };
        let more = other.roots.iter().filter(|root| !self.roots.contains(root));
        joined.roots.extend(more.cloned());
        joined.roots.truncate(MOST_PARTS);
        for step in keys {
            joined.put(step, self.part(step).join(other.part(step)));
        }
        joined
    }

    /// Forgets parts after it became known under another name: they may have been replaced.
    pub(super) fn escape(&mut self) {
        if self.has_roots() {
            for (_, part) in &mut self.parts {
                *part = Self::fresh();
            }
        } else {
            self.mixed |= !self.parts.is_empty();
            self.parts.clear();
        }
    }

    /// Reports whether it, or a part of it, is this parameter or below it.
    pub(super) fn mentions(&self, parameter: usize) -> bool {
        let own =
            |root: &Root<'p>| matches!(root, Root::Parameter(number, _) if *number == parameter);
        self.roots.iter().any(own) || self.parts.iter().any(|(_, part)| part.mentions(parameter))
    }

    /// Replaces each root by its meaning. A value that may be something else as well is left out:
    /// then it is unknown whether a call returns its argument.
    pub(super) fn resolve(&self, stands_for: &dyn Fn(&Root<'p>) -> Self) -> Self {
        let roots = if self.other { &[][..] } else { self.roots.as_slice() };
        let all = roots.iter().map(stands_for);
        let mut held = all.reduce(Self::join).unwrap_or_else(Self::fresh);
        held.mixed |= self.mixed;
        for (step, part) in &self.parts {
            held.put(*step, part.resolve(stands_for));
        }
        held
    }
}
