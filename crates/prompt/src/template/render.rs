//! Rendering: from operations and values to text (PT-3, PT-4).
//!
//! Decision: rendering recurses only where blocks and partials nest, which [`MAX_DEPTH`] bounds; a
//! chain of `else if` is walked in a loop. Scopes of `#each` are a stack of references: no value
//! and no context is ever copied.

mod lookup;
mod reference;
mod sink;

use super::compiled::PromptTemplate;
use super::context::TemplateContext;
use super::ops::{Branch, Extent, Kind, Op, Path};
use super::references::{Gathered, Included, References};
use super::registry::PromptTemplateRegistry;
use super::value::{TemplateObject, TemplateValue};
use crate::error::{LocatedError, PromptError};
use crate::limits::{MAX_DEPTH, RenderLimits};
use contexture_diagnostic::{SourceFile, Span};
use indexmap::IndexSet;
use lookup::{Found, Scope};
use sink::{Refused, Sink};
use std::fmt;

/// The greatest room reserved for a text beyond the length of its template, in bytes.
const MOST_SPARE_ROOM: usize = 16 << 10;

#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) template: &'a PromptTemplate,
    /// The name by which it was requested, if any.
    pub(super) name: Option<&'a str>,
    /// The registry for partials that the template does not have itself.
    pub(super) library: Option<&'a PromptTemplateRegistry>,
    pub(super) limits: RenderLimits,
    pub(super) references: Option<&'a dyn References>,
}

impl<'a> Job<'a> {
    pub(super) const fn alone(template: &'a PromptTemplate) -> Self {
        let limits = template.limits;
        Self { template, name: None, library: None, limits, references: None }
    }

    pub(super) const fn with(self, references: &'a dyn References) -> Self {
        Self { references: Some(references), ..self }
    }

    pub(super) fn to_string(self, ctx: &'a TemplateContext) -> Result<String, Fault<'a>> {
        // A small template often loops; a large one is mostly text.
        let length = self.template.source().len();
        let room = length + length.saturating_mul(3).min(MOST_SPARE_ROOM);
        let mut renderer = Renderer::new(self, ctx, Sink::text_only(self.limits, room));
        renderer.whole()?;
        Ok(renderer.out.into_text())
    }

    pub(super) fn write(
        self,
        ctx: &'a TemplateContext,
        out: &mut dyn fmt::Write,
    ) -> Result<(), Fault<'a>> {
        Renderer::new(self, ctx, Sink::into_writer(self.limits, out)).whole()
    }

    /// Renders without output and returns the paths that are not found.
    pub(super) fn missing(self, ctx: &'a TemplateContext) -> Result<Vec<String>, Fault<'a>> {
        let mut out = sink::Nowhere;
        let mut renderer = Renderer::new(self, ctx, Sink::into_writer(self.limits, &mut out));
        renderer.missing = Some(IndexSet::new());
        renderer.whole()?;
        Ok(renderer.missing.into_iter().flatten().collect())
    }

    /// Renders without output and returns the references that it reaches.
    pub(super) fn included(self, ctx: &'a TemplateContext) -> Result<Vec<Included>, Fault<'a>> {
        let mut out = sink::Nowhere;
        let mut renderer = Renderer::new(self, ctx, Sink::into_writer(self.limits, &mut out));
        renderer.included = Some(Gathered::default());
        renderer.whole()?;
        Ok(renderer.included.map(Gathered::located).unwrap_or_default())
    }
}

/// An error with its place, not yet counted in lines.
pub(super) struct Fault<'a> {
    pub(super) error: PromptError,
    partial: Option<&'a str>,
    template: &'a PromptTemplate,
    span: Span,
}

impl Fault<'_> {
    pub(super) fn locate(self) -> LocatedError {
        let at = SourceFile::new("", self.template.source()).position(self.span.start);
        LocatedError {
            error: self.error,
            partial: self.partial.map(str::to_owned),
            line: at.line as usize,
            column: at.column as usize,
        }
    }
}

/// The result of a step. The error is boxed, so that success moves a single word.
type Outcome<'a, T> = Result<T, Box<Fault<'a>>>;

struct Renderer<'a, 'w> {
    out: Sink<'w>,
    steps: u64,
    depth: u8,
    job: Job<'a>,
    globals: &'a TemplateObject,
    scopes: Vec<Scope<'a>>,
    /// The template and the partials that are being rendered, outermost first.
    active: Vec<Active<'a>>,
    /// The missing paths, if they are collected instead of refused.
    missing: Option<IndexSet<String>>,
    /// The references, if they are collected instead of requested.
    included: Option<Gathered<'a>>,
}

#[derive(Clone, Copy)]
struct Active<'a> {
    /// None for a template that was not requested by name.
    name: Option<&'a str>,
    template: &'a PromptTemplate,
}

impl<'a, 'w> Renderer<'a, 'w> {
    fn new(job: Job<'a>, ctx: &'a TemplateContext, out: Sink<'w>) -> Self {
        let Job { template, name, limits, .. } = job;
        Self {
            out,
            steps: limits.steps,
            depth: 0,
            job,
            globals: &ctx.vars,
            scopes: Vec::new(),
            active: vec![Active { name, template }],
            missing: None,
            included: None,
        }
    }

    fn whole(&mut self) -> Result<(), Fault<'a>> {
        let template = self.job.template;
        self.run(template, &template.program.ops).map_err(|fault| *fault)?;
        let end = Span::at(u32::try_from(template.source().len()).unwrap_or(u32::MAX));
        self.out.flush().map_err(|refused| *self.refused(*refused, end))
    }

    fn run(&mut self, template: &'a PromptTemplate, ops: &'a [Op]) -> Outcome<'a, ()> {
        self.spend(ops)?;
        let mut ops = ops;
        while let Some((op, after)) = ops.split_first() {
            if !op.before.is_empty() {
                let text = template.program.slice(op.before);
                self.out.text(text).map_err(|refused| self.refused(*refused, op.before))?;
            }
            ops = match &op.kind {
                Kind::Text => after,
                Kind::Value(path) => {
                    self.value(template, path)?;
                    after
                }
                Kind::Branch(branch) => self.branch(template, branch, after)?,
                Kind::Loop(path, extent) => self.each(template, path, *extent, after)?,
                Kind::Include(name) => {
                    self.include(template, *name)?;
                    after
                }
                Kind::Reference(span) => {
                    self.reference(template, *span)?;
                    after
                }
            };
        }
        Ok(())
    }

    #[inline]
    fn value(&mut self, template: &'a PromptTemplate, path: &Path) -> Outcome<'a, ()> {
        let written = if path.root.is_counter() {
            match self.counter(path.root) {
                Some(Found::Index(index)) => self.out.integer(index as u64),
                Some(Found::Flag(flag)) => self.out.flag(flag),
                _ => return self.not_found(template, path),
            }
        } else {
            match self.locate(template, path) {
                Some(value) => self.out.value(value),
                None => return self.not_found(template, path),
            }
        };
        written.map_err(|refused| self.refused(*refused, path.span))
    }

    fn branch(
        &mut self,
        template: &'a PromptTemplate,
        branch: &Branch,
        after: &'a [Op],
    ) -> Outcome<'a, &'a [Op]> {
        // `{{else if}}` of an `#each` is at the same depth as the `#each`.
        let deeper = !branch.chained;
        if deeper {
            self.enter(branch.path.span)?;
        }
        let (then, other, after) = self.split(branch.extent, after)?;
        let mut taken = self.choose(template, branch, then, other);
        // An `else` contains only a chained branch, or no chained branch.
        while let Some((op, rest)) = taken.split_first()
            && let Kind::Branch(next) = &op.kind
            && next.chained
        {
            self.spend(&[*op])?;
            let (then, other, _) = self.split(next.extent, rest)?;
            taken = self.choose(template, next, then, other);
        }
        self.run(template, taken)?;
        self.depth -= u8::from(deeper);
        Ok(after)
    }

    fn choose(
        &self,
        template: &'a PromptTemplate,
        branch: &Branch,
        then: &'a [Op],
        other: &'a [Op],
    ) -> &'a [Op] {
        let truth = self.find(template, &branch.path).is_some_and(Found::is_true);
        if truth == branch.negated { other } else { then }
    }

    fn each(
        &mut self,
        template: &'a PromptTemplate,
        path: &Path,
        extent: Extent,
        after: &'a [Op],
    ) -> Outcome<'a, &'a [Op]> {
        self.enter(path.span)?;
        let (body, other, after) = self.split(extent, after)?;
        match self.find(template, path) {
            None => self.not_found(template, path)?,
            Some(Found::Value(TemplateValue::Array(items))) => match items.split_last() {
                None => self.run(template, other)?,
                Some((last, _)) => self.turns(template, items, last, body)?,
            },
            Some(_) => {
                let name = template.program.slice(path.span).to_owned();
                return Err(self.fault(PromptError::NotAnArray(name), path.span));
            }
        }
        self.depth -= 1;
        Ok(after)
    }

    fn turns(
        &mut self,
        template: &'a PromptTemplate,
        items: &'a [TemplateValue],
        last: &'a TemplateValue,
        body: &'a [Op],
    ) -> Outcome<'a, ()> {
        let final_turn = items.len() - 1;
        self.scopes.push(Scope { item: last, index: 0, last: false });
        for (index, item) in items.iter().enumerate() {
            if let Some(scope) = self.scopes.last_mut() {
                *scope = Scope { item, index, last: index == final_turn };
            }
            self.run(template, body)?;
        }
        self.scopes.pop();
        Ok(())
    }

    fn include(&mut self, template: &'a PromptTemplate, span: Span) -> Outcome<'a, ()> {
        let name = template.program.slice(span);
        let partial = self.partial(name).map_err(|error| self.fault(error, span))?;
        if self.active.iter().any(|active| std::ptr::eq(active.template, partial)) {
            let error = PromptError::Render(format!("partials form a cycle: {}", self.cycle(name)));
            return Err(self.fault(error, span));
        }
        self.enter(span)?;
        self.active.push(Active { name: Some(name), template: partial });
        self.run(partial, &partial.program.ops)?;
        self.active.pop();
        self.depth -= 1;
        Ok(())
    }

    /// Returns a partial by name: a template's own partials come before those of the templates that
    /// include it, and all of them before the registry's (PT-7).
    fn partial(&self, name: &str) -> Result<&'a PromptTemplate, PromptError> {
        let own = self.active.iter().rev().find_map(|active| active.template.partials.get(name));
        match (own, self.job.library) {
            (Some(own), _) => Ok(own),
            (None, Some(library)) => library.get(name),
            (None, None) => Err(PromptError::PartialNotFound(name.to_owned())),
        }
    }

    fn cycle(&self, name: &str) -> String {
        let mut path: Vec<&str> = self.active.iter().filter_map(|active| active.name).collect();
        path.push(name);
        path.join(" -> ")
    }

    fn enter(&mut self, span: Span) -> Outcome<'a, ()> {
        if self.depth >= MAX_DEPTH {
            return Err(self.fault(PromptError::too_deep(), span));
        }
        self.depth += 1;
        Ok(())
    }

    /// Counts the next operations; nothing at all is one step, so that no loop is free.
    #[inline]
    fn spend(&mut self, ops: &[Op]) -> Outcome<'a, ()> {
        match self.steps.checked_sub(ops.len() as u64 + 1) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => Err(self.exhausted(ops)),
        }
    }

    #[cold]
    fn exhausted(&self, ops: &[Op]) -> Box<Fault<'a>> {
        let most = self.job.limits.steps;
        let error = PromptError::Render(format!("it takes more than {most} steps"));
        self.fault(error, ops.first().map_or(Span::at(0), Op::span))
    }

    #[cold]
    fn refused(&self, refused: Refused, span: Span) -> Box<Fault<'a>> {
        let message = match refused {
            Refused::Full(most) => format!("the text grows to more than {most} bytes"),
            Refused::Failed => "the sink refuses the text".to_owned(),
            Refused::Depth(error) => return self.fault(error, span),
        };
        self.fault(PromptError::Render(message), span)
    }

    #[cold]
    fn not_found(&mut self, template: &'a PromptTemplate, path: &Path) -> Outcome<'a, ()> {
        let name = template.program.slice(path.span).to_owned();
        let Some(missing) = &mut self.missing else {
            return Err(self.fault(PromptError::VariableNotFound(name), path.span));
        };
        missing.insert(name);
        Ok(())
    }

    fn split(&self, extent: Extent, after: &'a [Op]) -> Outcome<'a, Parts<'a>> {
        // The compiler never writes an extent beyond the list.
        extent.split(after).ok_or_else(|| {
            self.fault(PromptError::Render("a block has no end".into()), Span::at(0))
        })
    }

    #[cold]
    fn fault(&self, error: PromptError, span: Span) -> Box<Fault<'a>> {
        let (partial, template) = match self.active.as_slice() {
            [.., _, inner] => (inner.name, inner.template),
            [only] => (None, only.template),
            [] => (None, self.job.template),
        };
        Box::new(Fault { error, partial, template, span })
    }
}

/// Body, else and the rest after a block.
type Parts<'a> = (&'a [Op], &'a [Op], &'a [Op]);
