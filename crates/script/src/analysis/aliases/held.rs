//! What an expression may hold: things that were there before, or something new with parts.

use contexture_diagnostic::Span;

/// Steps that are followed below a parameter.
const MOST_STEPS: usize = 4;
/// Parts and roots that are told apart; what has more is left to the run.
const MOST_PARTS: usize = 8;
/// Nesting of parts that is followed.
const MOST_NESTING: usize = 3;

/// A step into a list or object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step<'p> {
    Field(&'p str),
    Index(i64),
    /// One that is not known.
    Some,
    /// Each in turn.
    Each,
}

/// A variable outside of a `parallel for`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outside<'p> {
    pub(super) name: &'p str,
    /// Where it is defined.
    pub(super) span: Span,
}

/// Something that was there before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Root<'p> {
    /// What a variable outside of the `parallel for` at hand holds, at any depth.
    Outside(Outside<'p>),
    /// What stands so many steps below a parameter.
    Parameter(usize, Vec<Step<'p>>),
}

/// What an expression may hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Held<'p> {
    /// It may be each of these.
    pub(super) roots: Vec<Root<'p>>,
    /// Whether it may be something else too.
    pub(super) other: bool,
    /// What was put into it; of new containers only what leads to a root.
    pub(super) parts: Vec<(Step<'p>, Held<'p>)>,
    /// Whether it holds parts that lead to no root, too.
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
    /// Something new, or something of which nothing is known.
    pub(super) fn fresh() -> Self {
        Self { other: true, ..Self::default() }
    }

    /// Something that was there before.
    pub(super) fn root(root: Root<'p>) -> Self {
        Self { roots: vec![root], ..Self::default() }
    }

    /// A new list of which all items are alike.
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

    /// Whether it, or a part of it, was there before.
    fn leads_to_roots(&self) -> bool {
        self.has_roots() || self.parts.iter().any(|(_, part)| part.leads_to_roots())
    }

    fn nesting(&self) -> usize {
        self.parts.iter().map(|(_, part)| part.nesting() + 1).max().unwrap_or(0)
    }

    /// Notes what is put into it. A field that is set replaces what stood there.
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

    /// As [`Held::put`], below some steps; what stands on the way is put back.
    pub(super) fn put_below(&mut self, steps: &[Step<'p>], part: Self) {
        let Some((first, rest)) = steps.split_first() else { return };
        if rest.is_empty() {
            return self.put(*first, part);
        }
        let mut inner = self.part(*first);
        inner.put_below(rest, part);
        self.put(*first, inner);
    }

    /// What stands in it. Where not all that it may be was there before, and the step does not go
    /// to each, that is not known.
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

    /// What stands below some steps.
    pub(super) fn below(&self, steps: &[Step<'p>]) -> Self {
        steps.iter().fold(self.clone(), |held, step| held.part(*step))
    }

    /// What it may be when it is either.
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

    /// After it became known under another name: what was put into it may have been replaced.
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

    /// Whether it, or a part of it, is or stands below this parameter.
    pub(super) fn mentions(&self, parameter: usize) -> bool {
        let own =
            |root: &Root<'p>| matches!(root, Root::Parameter(number, _) if *number == parameter);
        self.roots.iter().any(own) || self.parts.iter().any(|(_, part)| part.mentions(parameter))
    }

    /// With each root replaced by what it stands for. What may as well be something else is left
    /// out: whether a call gives back what it took is then not known.
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
