//! The variables that a template needs (PT-6).
//!
//! Decision: a name inside `{{#each}}` may be a field of the item or a variable outside, and the
//! text alone does not decide it. It counts as the item's, unless the body names its item as `item`
//! or `this`: an author who writes `{{item.name}}` does not mean the item by a bare name.
//! [`PromptTemplate::missing`] is certain, since it sees the values.

use super::compiled::PromptTemplate;
use super::ops::{Branch, Extent, Kind, Op, Path, Root};
use super::registry::PromptTemplateRegistry;
use crate::limits::MAX_DEPTH;
use contexture_diagnostic::SourceFile;
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::HashSet;

/// The need for a variable, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Need {
    /// It is only tested, or used where `{{#if}}` has tested it.
    Optional,
    /// A bare name inside `{{#each}}`: a field of the item, or a variable if the item has none.
    Item,
    /// Rendering may fail without it.
    Required,
}

/// A variable that a template reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Requirement {
    /// Its path as written, such as `user.name`.
    pub name: String,
    /// Its need: the highest of all its uses.
    pub need: Need,
    /// True if every rendering needs it: it is required in a place that no condition and no loop
    /// guards.
    #[serde(skip)]
    pub always: bool,
    /// True if a loop goes over it.
    #[serde(skip)]
    pub is_list: bool,
    /// The partial in which it is first used; none for the template itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// The line of its first use, from 1.
    pub line: u32,
    /// The column of its first use in characters, from 1.
    pub column: u32,
}

pub(super) fn required(all: Vec<Requirement>) -> Vec<String> {
    all.into_iter().filter(|one| one.need == Need::Required).map(|one| one.name).collect()
}

pub(super) fn requirements(
    template: &PromptTemplate,
    library: Option<&PromptTemplateRegistry>,
) -> Vec<Requirement> {
    let mut survey =
        Survey { library, found: IndexMap::new(), seen: HashSet::new(), chain: vec![template] };
    survey.template(template, None, State::default());
    survey.found.into_values().collect()
}

struct Survey<'a> {
    library: Option<&'a PromptTemplateRegistry>,
    found: IndexMap<String, Requirement>,
    /// The partials already visited, with the circumstances that matter.
    seen: HashSet<(*const PromptTemplate, bool, bool, bool, u8)>,
    /// The template and the current partials, outermost first.
    chain: Vec<&'a PromptTemplate>,
}

#[derive(Clone, Default)]
struct State<'a> {
    depth: u8,
    in_loop: bool,
    /// True if a condition or loop guards this place.
    unsure: bool,
    /// True if a bare name may be the item's.
    bare_is_item: bool,
    /// The paths that were tested and found true.
    guards: Vec<&'a str>,
}

struct Place<'a> {
    template: &'a PromptTemplate,
    partial: Option<&'a str>,
    file: SourceFile,
}

impl<'a> Survey<'a> {
    fn template(
        &mut self,
        template: &'a PromptTemplate,
        partial: Option<&'a str>,
        state: State<'a>,
    ) {
        let file = SourceFile::new("", template.source());
        let place = Place { template, partial, file };
        self.block(&place, &template.program.ops, &state);
    }

    fn block(&mut self, place: &Place<'a>, ops: &'a [Op], state: &State<'a>) {
        let mut ops = ops;
        while let Some((op, after)) = ops.split_first() {
            ops = match &op.kind {
                Kind::Text | Kind::Reference(_) => after,
                Kind::Value(path) => {
                    self.needs(place, path, state);
                    after
                }
                Kind::Include(name) => {
                    self.include(place.template.program.slice(*name), state);
                    after
                }
                Kind::Branch(branch) => self.branch(place, branch, after, state),
                Kind::Loop(path, extent) => self.each(place, path, *extent, after, state),
            };
        }
    }

    fn branch(
        &mut self,
        place: &Place<'a>,
        first: &Branch,
        after: &'a [Op],
        state: &State<'a>,
    ) -> &'a [Op] {
        let Some((mut then, mut other, after)) = first.extent.split(after) else {
            return &[];
        };
        let mut branch = *first;
        let mut outside = state.clone();
        // Rendering is never nested deeper.
        outside.depth += u8::from(!branch.chained);
        outside.unsure = true;
        if outside.depth > MAX_DEPTH {
            return after;
        }
        loop {
            self.note(place, &branch.path, state, Need::Optional);
            let tested = place.template.program.slice(branch.path.span);
            let mut inside = outside.clone();
            if branch.negated { &mut outside } else { &mut inside }.guards.push(tested);
            self.block(place, then, &inside);
            match other.split_first() {
                Some((Op { kind: Kind::Branch(next), .. }, rest)) if next.chained => {
                    let Some((next_then, next_other, _)) = next.extent.split(rest) else { break };
                    (branch, then, other) = (*next, next_then, next_other);
                }
                _ => {
                    self.block(place, other, &outside);
                    break;
                }
            }
        }
        after
    }

    fn each(
        &mut self,
        place: &Place<'a>,
        path: &Path,
        extent: Extent,
        after: &'a [Op],
        state: &State<'a>,
    ) -> &'a [Op] {
        self.needs(place, path, state);
        if let Some(list) = self.found.get_mut(place.template.program.slice(path.span)) {
            list.is_list = true;
        }
        let Some((body, other, after)) = extent.split(after) else {
            return &[];
        };
        let mut outside = state.clone();
        outside.depth += 1;
        outside.unsure = true;
        if outside.depth > MAX_DEPTH {
            return after;
        }
        let mut inside = outside.clone();
        inside.in_loop = true;
        inside.bare_is_item |= !names_its_item(body);
        self.block(place, body, &inside);
        self.block(place, other, &outside);
        after
    }

    fn include(&mut self, name: &'a str, state: &State<'a>) {
        let own = self.chain.iter().rev().find_map(|template| template.partials.get(name));
        let partial = own.or_else(|| self.library?.get(name).ok());
        let Some(partial) = partial else { return };
        // A test around the include is not carried into it: the partial is visited only once.
        let state = State { depth: state.depth + 1, guards: Vec::new(), ..state.clone() };
        let State { in_loop, unsure, bare_is_item, depth, .. } = state;
        let key = (std::ptr::from_ref(partial), in_loop, unsure, bare_is_item, depth);
        let cycle = self.chain.iter().any(|active| std::ptr::eq(*active, partial));
        if cycle || depth > MAX_DEPTH || !self.seen.insert(key) {
            return;
        }
        self.chain.push(partial);
        self.template(partial, Some(name), state);
        self.chain.pop();
    }

    fn needs(&mut self, place: &Place<'a>, path: &Path, state: &State<'a>) {
        let name = place.template.program.slice(path.span);
        let need = if state.guards.iter().any(|guard| covers(guard, name)) {
            Need::Optional
        } else if state.bare_is_item {
            Need::Item
        } else {
            Need::Required
        };
        self.note(place, path, state, need);
    }

    fn note(&mut self, place: &Place<'a>, path: &Path, state: &State<'a>, need: Need) {
        if path.root.is_counter() || path.root == Root::Item && state.in_loop {
            return;
        }
        let name = place.template.program.slice(path.span);
        let always = need == Need::Required && !state.unsure;
        if let Some(known) = self.found.get_mut(name) {
            known.need = known.need.max(need);
            known.always |= always;
            return;
        }
        let at = place.file.position(path.span.start);
        let requirement = Requirement {
            name: name.to_owned(),
            need,
            always,
            is_list: false,
            partial: place.partial.map(str::to_owned),
            line: at.line,
            column: at.column,
        };
        self.found.insert(name.to_owned(), requirement);
    }
}

/// Reports whether a test of `guard` covers `path`: the same path, or one below it.
fn covers(guard: &str, path: &str) -> bool {
    path.strip_prefix(guard).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Reports whether the body of a loop names its item as `item` or `this`, except in loops inside
/// it.
fn names_its_item(body: &[Op]) -> bool {
    let mut ops = body;
    while let Some((op, after)) = ops.split_first() {
        let (path, after) = match &op.kind {
            Kind::Text | Kind::Include(_) | Kind::Reference(_) => (None, after),
            Kind::Value(path) => (Some(path), after),
            Kind::Branch(branch) => (Some(&branch.path), after),
            Kind::Loop(path, extent) => {
                (Some(path), extent.split(after).map_or(&[][..], |(_, _, after)| after))
            }
        };
        if path.is_some_and(|path| path.root == Root::Item) {
            return true;
        }
        ops = after;
    }
    false
}
