//! Includes by reference, `{{> @file://parts/tone.md }}` (REF-7).
//!
//! Decision: nothing is loaded here. A reference is opaque text; the caller of a rendering provides
//! the texts, from a map or from a loader. The included text is data: it is printed unchanged and
//! never parsed as a template.

use super::compiled::PromptTemplate;
use super::ops::Kind;
use super::registry::PromptTemplateRegistry;
use crate::error::ReferenceError;
use crate::limits::MAX_DEPTH;
use contexture_diagnostic::{SourceFile, Span};
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A reference included by a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Include<'a> {
    /// The reference as written, without the white space around it.
    pub reference: &'a str,
    /// The partial that contains it; none for the template itself. Relative paths start at that
    /// text.
    pub partial: Option<&'a str>,
}

/// A provider of the texts of references.
///
/// Any map from references to texts is one; a loader implements this trait. Rendering requests a
/// reference each time it reaches one, and none in a branch that is not taken.
pub trait References {
    /// Returns the text of a reference.
    ///
    /// # Errors
    /// [`ReferenceError`] if there is none; rendering fails with it.
    fn text(&self, include: Include<'_>) -> Result<Arc<str>, ReferenceError>;
}

impl References for BTreeMap<String, String> {
    fn text(&self, include: Include<'_>) -> Result<Arc<str>, ReferenceError> {
        let text = self.get(include.reference).ok_or_else(ReferenceError::not_given)?;
        Ok(Arc::from(text.as_str()))
    }
}

impl<S: std::hash::BuildHasher> References for HashMap<String, String, S> {
    fn text(&self, include: Include<'_>) -> Result<Arc<str>, ReferenceError> {
        let text = self.get(include.reference).ok_or_else(ReferenceError::not_given)?;
        Ok(Arc::from(text.as_str()))
    }
}

/// A reference that a template includes, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Included {
    /// The reference as written, without the white space around it.
    pub reference: String,
    /// The partial that contains it; none for the template itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// Its place in its text, in bytes.
    #[serde(skip)]
    pub span: Span,
}

impl Included {
    /// Returns the request for a [`References`].
    #[must_use]
    pub fn include(&self) -> Include<'_> {
        Include { reference: &self.reference, partial: self.partial.as_deref() }
    }
}

/// References by their text and the name of their partial, each once, in the order they were
/// reached.
#[derive(Default)]
pub(super) struct Gathered<'a> {
    found: IndexMap<Include<'a>, (&'a PromptTemplate, Span)>,
}

impl<'a> Gathered<'a> {
    /// Adds a reference of `template`, which is included as `partial`.
    pub(super) fn add(
        &mut self,
        template: &'a PromptTemplate,
        partial: Option<&'a str>,
        span: Span,
    ) {
        let include = Include { reference: template.program.slice(span), partial };
        self.found.entry(include).or_insert((template, span));
    }

    /// Returns the references with their places counted in lines.
    pub(super) fn located(self) -> Vec<Included> {
        let mut files: HashMap<*const PromptTemplate, SourceFile> = HashMap::new();
        let located = self.found.into_iter().map(|(include, (template, span))| {
            let file = files.entry(std::ptr::from_ref(template));
            let file = file.or_insert_with(|| SourceFile::new("", template.source()));
            let at = file.position(span.start);
            Included {
                reference: include.reference.to_owned(),
                partial: include.partial.map(str::to_owned),
                line: at.line,
                column: at.column,
                span,
            }
        });
        located.collect()
    }
}

/// Returns all references of a template and its partials, whether a rendering reaches them or not.
pub(super) fn all(
    template: &PromptTemplate,
    library: Option<&PromptTemplateRegistry>,
) -> Vec<Included> {
    let (found, seen) = (Gathered::default(), HashSet::new());
    let mut survey = Survey { library, found, seen, chain: vec![template] };
    survey.template(template, None);
    survey.found.located()
}

struct Survey<'a> {
    library: Option<&'a PromptTemplateRegistry>,
    found: Gathered<'a>,
    /// The partials already visited.
    seen: HashSet<*const PromptTemplate>,
    /// The template and the current partials, outermost first.
    chain: Vec<&'a PromptTemplate>,
}

impl<'a> Survey<'a> {
    fn template(&mut self, template: &'a PromptTemplate, partial: Option<&'a str>) {
        for op in &template.program.ops {
            match op.kind {
                Kind::Reference(span) => self.found.add(template, partial, span),
                Kind::Include(span) => self.partial(template.program.slice(span)),
                _ => {}
            }
        }
    }

    fn partial(&mut self, name: &'a str) {
        let own = self.chain.iter().rev().find_map(|template| template.partials.get(name));
        let Some(partial) = own.or_else(|| self.library?.get(name).ok()) else { return };
        // Rendering is never nested deeper.
        let deep = self.chain.len() > usize::from(MAX_DEPTH);
        if deep || !self.seen.insert(std::ptr::from_ref(partial)) {
            return;
        }
        self.chain.push(partial);
        self.template(partial, Some(name));
        self.chain.pop();
    }
}
