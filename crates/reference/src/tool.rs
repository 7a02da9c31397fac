//! `load_resource`: what is pending, offered to a model as a tool (REF-10).
//!
//! Decision: a model may load what was offered to it and nothing else: the reference it asks for
//! must have the protocol and path of an offered one, or be a match of an offered pattern. It may
//! ask for other lines or another budget, not for another place.

use crate::loader::Loader;
use crate::plan::{PlanEntry, State};
use crate::syntax::{OURS_OVER_HTTP, Reference, ReferenceBuf, Semantics};
use contexture_core::reference::{ExpansionState, ExpansionStep, LoadError, Loaded, Place};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// So many offers are named to a model that asked for something else.
const NAMED: usize = 12;

/// The name of the tool.
pub const NAME: &str = "load_resource";

/// The description of the tool, for the model.
pub const DESCRIPTION: &str = "Loads a resource that the prompt offers and does not show, and \
     returns its text. Give its reference exactly as it is listed; `?line=5-10` takes some lines, \
     `?max=2k` a number of tokens.";

/// Returns the JSON Schema of the tool's argument: one string, `reference`.
#[must_use]
pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "reference": { "type": "string", "description": "the reference, such as @file://a.md" }
        },
        "required": ["reference"],
        "additionalProperties": false
    })
}

/// A resource that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The reference, without user info, as the model is shown it.
    pub reference: String,
    /// Its prefix.
    pub semantics: Semantics,
    /// Its size in tokens, where it is known.
    pub tokens: Option<u64>,
    /// The start of its relative paths.
    pub place: Place,
    /// The reference as written, user info included; never shown.
    source: ReferenceBuf,
}

/// The references that one prompt offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offers {
    offers: Vec<Offer>,
}

impl Offers {
    /// Offers the pending references of a plan whose text stands at `place`.
    pub fn add<'e>(&mut self, entries: impl IntoIterator<Item = &'e PlanEntry>, place: &Place) {
        for entry in entries.into_iter().filter(|entry| entry.state == State::Pending) {
            let Some(source) = entry.source.clone() else { continue };
            let offer = Offer {
                reference: entry.reference.clone(),
                semantics: entry.semantics,
                tokens: entry.tokens,
                place: place.clone(),
                source,
            };
            if !self.offers.contains(&offer) {
                self.offers.push(offer);
            }
        }
    }

    /// Offers a reference inside a document that was expanded, if it is pending (MA-1).
    pub fn add_step(&mut self, step: &ExpansionStep) {
        let source = step.source.as_deref().and_then(|source| ReferenceBuf::parse(source).ok());
        let Some(source) = source.filter(|_| step.state == ExpansionState::Pending) else { return };
        let offer = Offer {
            reference: step.reference.clone(),
            semantics: source.semantics(),
            tokens: step.tokens,
            place: step.place.clone(),
            source,
        };
        if !self.offers.contains(&offer) {
            self.offers.push(offer);
        }
    }

    /// Returns the offers, in their order.
    #[must_use]
    pub fn list(&self) -> &[Offer] {
        &self.offers
    }

    /// Reports whether nothing is offered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.offers.is_empty()
    }

    /// Returns what there is and what the prefixes oblige to, for the prompt; one line a reference.
    #[must_use]
    pub fn manifest(&self) -> String {
        let mut text = String::from(
            "Resources that are not loaded. Call load_resource with a reference to read one: `@!` \
             must be loaded before you answer, `@` when you judge that it helps, `@?` only when \
             you need what is in it.\n",
        );
        for offer in &self.offers {
            let size = offer.tokens.map(|tokens| format!(" ({tokens} tokens)"));
            // Writing to a string can't fail.
            let _ = writeln!(text, "- {}{}", offer.reference, size.unwrap_or_default());
        }
        text
    }

    /// Loads what a model asks for.
    ///
    /// # Errors
    /// [`LoadError`] with its cause, for the model to read: the run continues.
    pub async fn call(&self, loader: &Loader, arguments: &Value) -> Result<Loaded, LoadError> {
        let asked = arguments.get("reference").and_then(Value::as_str).unwrap_or_default().trim();
        if asked.is_empty() {
            return Err(LoadError::new("REF3050", NAME, "the argument `reference` is missing")
                .with_help("give one of the listed references, as a string"));
        }
        let reference = Reference::parse(asked).map_err(|error| error.load_error(asked))?;
        for offer in &self.offers {
            if let Some(wanted) = within(offer, &reference) {
                return loader.load(&wanted.as_ref(), &offer.place).await;
            }
        }
        Err(self.not_offered(&reference.public()))
    }

    fn not_offered(&self, asked: &str) -> LoadError {
        let names = || self.offers.iter().map(|offer| offer.reference.as_str());
        let help =
            contexture_diagnostic::suggestion(asked, names()).unwrap_or_else(|| self.named());
        LoadError::new("REF3051", asked, "it is not offered here").with_help(help)
    }

    fn named(&self) -> String {
        if self.offers.is_empty() {
            return "nothing is offered here: answer with what the prompt shows".to_owned();
        }
        let names = self.offers.iter().take(NAMED).map(|offer| offer.reference.as_str());
        let names = names.collect::<Vec<_>>().join(", ");
        match self.offers.len().saturating_sub(NAMED) {
            0 => format!("offered: {names}"),
            more => format!("offered: {names} and {more} more"),
        }
    }
}

/// Returns what to load for `asked`, if it lies within `offer`: the same place with the query of
/// both, where the model's parameters win; or a match of an offered pattern.
fn within(offer: &Offer, asked: &Reference<'_>) -> Option<ReferenceBuf> {
    let source = offer.source.as_ref();
    let shown = ReferenceBuf::parse(&offer.reference).ok()?;
    let same_levels = source.depth() == asked.depth()
        && source
            .levels()
            .zip(asked.levels())
            .all(|(left, right)| right.is_protocol(left.protocol()));
    if !same_levels {
        return None;
    }
    if shown.as_ref().path() != asked.path() {
        let is_match = crate::pattern::matches(source.path(), asked.path());
        return is_match.then(|| asked.to_owned());
    }
    with_query_of(source, shown.as_ref(), asked)
}

/// `source`, of which `shown` is offered, with the parameters of `asked`; `None` when they name
/// another place.
fn with_query_of(
    source: Reference<'_>,
    shown: Reference<'_>,
    asked: &Reference<'_>,
) -> Option<ReferenceBuf> {
    let added: Vec<_> = asked
        .query()
        .pairs()
        .filter(|pair| !pair.raw().is_empty())
        .filter(|pair| source.query().pairs().all(|known| known != *pair))
        .filter(|pair| shown.query().pairs().all(|known| known != *pair))
        .collect();
    // What goes to a server is a part of the place.
    let is_server =
        source.innermost().is_protocol("http") || source.innermost().is_protocol("https");
    let is_ours = |name: &str| name.starts_with("cx.") || OURS_OVER_HTTP.contains(&name);
    if is_server && !added.iter().all(|pair| is_ours(&pair.name())) {
        return None;
    }
    let kept = source.query().pairs().filter(|pair| !pair.raw().is_empty());
    let kept = kept.filter(|pair| added.iter().all(|new| new.name() != pair.name()));
    let query: Vec<&str> =
        kept.map(|pair| pair.raw()).chain(added.iter().map(|pair| pair.raw())).collect();
    let bare = ReferenceBuf::with_query(source, []).ok()?;
    if query.is_empty() {
        return Some(bare);
    }
    ReferenceBuf::parse(format!("{}?{}", bare.as_str(), query.join("&"))).ok()
}
