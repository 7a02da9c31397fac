//! `{{> @…}}`: a text from outside, printed as it is.

use super::{Outcome, Renderer};
use crate::error::PromptError;
use crate::error::ReferenceError;
use crate::template::compiled::PromptTemplate;
use crate::template::references::Include;
use contexture_diagnostic::Span;

impl<'a> Renderer<'a, '_> {
    pub(super) fn reference(
        &mut self,
        template: &'a PromptTemplate,
        span: Span,
    ) -> Outcome<'a, ()> {
        let partial = self.active.last().filter(|_| self.active.len() > 1);
        let partial = partial.and_then(|active| active.name);
        if let Some(included) = &mut self.included {
            included.add(template, partial, span);
            return Ok(());
        }
        if self.missing.is_some() {
            return Ok(());
        }
        let reference = template.program.slice(span);
        let text = match self.job.references {
            Some(references) => references.text(Include { reference, partial }),
            None => Err(ReferenceError::no_resolver()),
        };
        let text =
            text.map_err(|error| self.fault(PromptError::reference(reference, error), span))?;
        self.out.text(&text).map_err(|refused| self.refused(*refused, span))
    }
}
