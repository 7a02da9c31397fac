//! What `{{> @file://parts/tone.md }}` includes: the text that a reference names (REF-7).
//!
//! Decision: nothing here loads. A reference is text that nobody here understands; whoever renders
//! a template gives the texts, from a map or from whatever loaded them. What is included is data:
//! it is printed as it is and never read as a template.

use super::ops::Kind;
use super::{PromptTemplate, PromptTemplateRegistry};
use crate::limits::MAX_DEPTH;
use contexture_diagnostic::{SourceFile, Span};
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A reference where a template includes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Include<'a> {
    /// The reference as written, without the white space around it.
    pub reference: &'a str,
    /// The partial whose text holds it; none when it is the template itself. Relative paths start
    /// where that text stands.
    pub partial: Option<&'a str>,
}

/// Gives the texts that references name.
///
/// Any map from references to texts does; what loads them from elsewhere implements this. Rendering
/// asks for a reference each time it comes to one, and for none in a branch that is not taken.
pub trait References {
    /// The text of a reference.
    ///
    /// # Errors
    /// [`ReferenceError`] when there is none; rendering ends with it.
    fn text(&self, include: Include<'_>) -> Result<Arc<str>, ReferenceError>;
}

/// Why a reference has no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReferenceError {
    /// The cause, in one line, without secrets.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

impl ReferenceError {
    /// A failure with its cause.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    /// Says how to mend it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Nothing gives texts where a template is rendered.
    pub(super) fn no_resolver() -> Self {
        Self::new("no references are loaded here")
            .with_help("give their texts: `template.render_with(&variables, &texts)`")
    }

    fn not_given() -> Self {
        Self::new("no text is given for it")
            .with_help("`references()` tells what a template includes; load it before rendering")
    }
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
    /// The partial whose text holds it; none for the template itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// Its place in the text that holds it, in bytes.
    #[serde(skip)]
    pub span: Span,
}

impl Included {
    /// What a [`References`] is asked.
    #[must_use]
    pub fn include(&self) -> Include<'_> {
        Include { reference: &self.reference, partial: self.partial.as_deref() }
    }
}

/// References by the text and the name of the partial that hold them, each once, in the order they
/// were come to.
#[derive(Default)]
pub(super) struct Gathered<'a> {
    found: IndexMap<Include<'a>, (&'a PromptTemplate, Span)>,
}

impl<'a> Gathered<'a> {
    /// Keeps a reference that stands in `template`, which is included as `partial`.
    pub(super) fn add(
        &mut self,
        template: &'a PromptTemplate,
        partial: Option<&'a str>,
        span: Span,
    ) {
        let include = Include { reference: template.program.slice(span), partial };
        self.found.entry(include).or_insert((template, span));
    }

    /// The references with their places counted in lines.
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

/// All references of a template and its partials, whether a rendering comes to them or not.
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
    /// Partials that were looked into.
    seen: HashSet<*const PromptTemplate>,
    /// The template and the partials under way, outermost first.
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
        // Rendering never comes deeper than that.
        let deep = self.chain.len() > usize::from(MAX_DEPTH);
        if deep || !self.seen.insert(std::ptr::from_ref(partial)) {
            return;
        }
        self.chain.push(partial);
        self.template(partial, Some(name));
        self.chain.pop();
    }
}
