//! Routes of references: registries followed, levels named, parameters assigned.

use super::assign::{Declared, Given, Untaken, assign};
use super::setup::Loader;
use crate::definition::{Definition, Hop, OnlyMatch, Way};
use crate::expand::EXPAND;
use crate::syntax::{Reference, Semantics};
use crate::text::{self, LineRange};
use crate::{processors, protocols};
use contexture_core::reference::{LoadError, Note, Parameters, Place, Protocol, Role};
use contexture_diagnostic::suggestion;
use std::sync::Arc;

/// The way from a reference to what it names.
#[derive(Debug, Clone)]
pub struct Route {
    /// The reference that was asked for, canonical and without user info.
    pub reference: String,
    /// The reference that registries led to, likewise.
    pub resolved: String,
    /// The prefix that holds: the caller's, or that of the registry's entry.
    pub semantics: Semantics,
    /// The levels, innermost first.
    pub steps: Vec<Step>,
    /// The start of relative paths.
    pub place: Place,
    /// `encoding`, `line` and `max`, as given.
    pub common: Parameters,
    /// The lines that are taken.
    pub lines: Option<LineRange>,
    /// The most tokens of the result.
    pub max: Option<u64>,
    /// The registries that were followed, in order.
    pub trail: Vec<Hop>,
    /// The glob that led to files, if one did: one of them alone is meant (MA-2).
    pub only: Option<OnlyMatch>,
    /// The way that is gone when nothing is at the end of this one (MA-2).
    pub fallback: Option<Arc<Route>>,
    /// Remarks about the way.
    pub notes: Vec<Note>,
    /// How the way is gone.
    pub(crate) mode: Mode,
}

/// How a way is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Mode {
    /// True inside an expansion, which expands what is loaded itself.
    pub(crate) is_expansion: bool,
    /// True if nothing connects: a placeholder stands for what would.
    pub(crate) is_offline: bool,
}

/// One level of a reference.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its effect.
    pub kind: StepKind,
    /// Its protocol, in lower case.
    pub name: String,
    /// Its own prefix.
    pub semantics: Semantics,
    /// The reference from this level inwards, canonical and without user info.
    pub reference: String,
    /// The parameters it takes.
    pub parameters: Arc<Parameters>,
}

/// The effect of a level.
#[derive(Debug, Clone)]
pub enum StepKind {
    /// Reads a path.
    Source {
        /// The path as written, user info included.
        path: String,
    },
    /// Works on the content of the level inside.
    Processor,
    /// Wraps the content of the level inside by a definition.
    Wrapper(Arc<Definition>),
}

impl Route {
    /// Returns the way to the level `index` alone, without what stands around it and without a
    /// budget.
    #[must_use]
    pub fn within(&self, index: usize) -> Self {
        let steps: Vec<Step> = self.steps.iter().take(index + 1).cloned().collect();
        let last = steps.last();
        let reference = last.map(|step| step.reference.clone()).unwrap_or_default();
        let semantics = last.map_or(self.semantics, |step| step.semantics);
        Self { resolved: reference.clone(), reference, semantics, steps, max: None, ..self.clone() }
    }
}

impl Route {
    /// Returns the way, gone in a mode. Inside an expansion the levels of `expand` are left out.
    pub(crate) fn in_mode(mut self, mode: Mode) -> Self {
        if mode.is_expansion {
            self.steps.retain(|step| step.name != EXPAND);
        }
        self.fallback = self.fallback.map(|other| Arc::new(Self::clone(&other).in_mode(mode)));
        Self { mode, ..self }
    }
}

impl Loader {
    /// Returns how a reference would be loaded; nothing is touched.
    ///
    /// # Errors
    /// [`LoadError`] for an unknown protocol, registry id or parameter, a value that a parameter
    /// does not take, or a path that the protocol's definition does not allow.
    pub fn route(&self, reference: &Reference<'_>, place: &Place) -> Result<Route, LoadError> {
        match plain(self, reference, place) {
            Some(route) => Ok(route),
            None => super::ways::first(self, reference, place),
        }
    }
}

/// Returns the way of one level without a query to a protocol that nobody defines, as most are: no
/// registry to follow and nothing to give out. `None` when it is not so, or something is wrong with
/// it.
fn plain(loader: &Loader, reference: &Reference<'_>, place: &Place) -> Option<Route> {
    if reference.depth() != 1 || reference.raw_query().is_some() {
        return None;
    }
    let name = reference.protocol().to_ascii_lowercase();
    let known = loader.protocols.get(&name)?;
    if known.protocol.role() != Role::Source || loader.definitions.has(&name) {
        return None;
    }
    let parameters = Arc::clone(known.defaults.as_ref()?);
    let (asked, semantics) = (reference.public(), reference.semantics());
    let kind = StepKind::Source { path: reference.path().to_owned() };
    let step = Step { kind, name, semantics, reference: asked.clone(), parameters };
    Some(Route {
        resolved: asked.clone(),
        reference: asked,
        semantics,
        steps: vec![step],
        place: place.clone(),
        common: Parameters::default(),
        lines: None,
        max: None,
        trail: Vec::new(),
        only: None,
        fallback: None,
        notes: Vec::new(),
        mode: Mode::default(),
    })
}

/// Returns the way of any reference along one kind of sources of ids.
pub(super) fn resolved(
    loader: &Loader,
    reference: &Reference<'_>,
    place: &Place,
    way: Way,
) -> Result<Route, LoadError> {
    let asked = reference.public();
    let resolution = loader.definitions.resolve_by(reference, way)?;
    let resolved = resolution.reference.as_ref();
    let whole = if resolution.trail.is_empty() { asked.clone() } else { resolved.public() };
    let (mut steps, mut declared) = levels(loader, &resolved)?;
    // Definitions on the way declare parameters that what they lead to need not take.
    declared.push(Declared { parameters: &resolution.parameters, ..Declared::default() });
    let assigned =
        assign(&declared, &given(&resolved)).map_err(|untaken| refused(&asked, untaken))?;
    for (step, parameters) in steps.iter_mut().zip(assigned.levels) {
        step.parameters = Arc::new(parameters);
    }
    let lines = lines(&assigned.common, &asked)?;
    number_from(&mut steps, lines);
    Ok(Route {
        semantics: resolved.semantics(),
        resolved: whole,
        max: budget(&assigned.common, &asked)?,
        common: assigned.common,
        reference: asked,
        steps,
        place: resolution.place.unwrap_or_else(|| place.clone()),
        lines,
        trail: resolution.trail,
        only: resolution.only,
        fallback: None,
        notes: Vec::new(),
        mode: Mode::default(),
    })
}

/// Returns the levels of a reference, innermost first, without parameters, and what each declares.
fn levels<'l>(
    loader: &'l Loader,
    reference: &Reference<'_>,
) -> Result<(Vec<Step>, Vec<Declared<'l>>), LoadError> {
    let mut levels: Vec<Reference<'_>> = reference.levels().collect();
    levels.reverse();
    let mut steps = Vec::with_capacity(levels.len());
    let mut declared = Vec::with_capacity(levels.len() + 1);
    let none = Arc::new(Parameters::default());
    for (index, level) in levels.iter().enumerate() {
        let (kind, declares) = level_kind(loader, level, index == 0)?;
        steps.push(Step {
            kind,
            name: level.protocol().to_ascii_lowercase(),
            semantics: level.semantics(),
            reference: level.public(),
            parameters: Arc::clone(&none),
        });
        declared.push(declares);
    }
    Ok((steps, declared))
}

fn given<'q>(reference: &Reference<'q>) -> Vec<Given<'q>> {
    let pairs = reference.query().pairs().filter(|pair| !pair.raw().is_empty());
    pairs
        .map(|pair| Given {
            raw: pair.raw(),
            name: pair.name().into_owned(),
            value: pair.value().unwrap_or_default().into_owned(),
        })
        .collect()
}

fn lines(common: &Parameters, reference: &str) -> Result<Option<LineRange>, LoadError> {
    let lines = common.get("line").map(str::parse::<LineRange>).transpose();
    lines.map_err(|error| {
        LoadError::new("REF3004", reference, format!("`line` {error}")).with_help(error.help())
    })
}

/// Lines that were taken from the middle keep the numbers that they have in the source.
fn number_from(steps: &mut [Step], lines: Option<LineRange>) {
    let Some(LineRange { first, .. }) = lines else { return };
    if let Some(step) = steps.get_mut(1).filter(|step| step.name == processors::LINES) {
        let parameters = Arc::make_mut(&mut step.parameters);
        let from = parameters.taken.entry(processors::FROM.to_owned());
        from.or_insert_with(|| first.to_string());
    }
}

fn refused(reference: &str, untaken: Untaken) -> LoadError {
    LoadError::new("REF3003", reference, untaken.message).with_help(untaken.help)
}

fn budget(common: &Parameters, reference: &str) -> Result<Option<u64>, LoadError> {
    let Some(written) = common.get("max") else { return Ok(None) };
    text::budget(written).map(Some).ok_or_else(|| {
        LoadError::new("REF3005", reference, format!("`max={written}` is not a budget"))
            .with_help("write a positive number of tokens, such as `max=500` or `max=2k`")
    })
}

fn level_kind<'l>(
    loader: &'l Loader,
    level: &Reference<'_>,
    innermost: bool,
) -> Result<(StepKind, Declared<'l>), LoadError> {
    let name = level.protocol().to_ascii_lowercase();
    if let Some(protocol) = loader.protocol(&name) {
        let kind = protocol_kind(protocol.as_ref(), level, innermost)?;
        return Ok((kind, of_protocol(protocol.as_ref(), innermost)));
    }
    let Some(definition) = loader.definitions.get(&name) else {
        return Err(unknown(loader, level, &name));
    };
    if innermost {
        let message =
            format!("the protocol `{name}` has no registry, so a path names nothing in it");
        return Err(LoadError::new("REF3002", &level.public(), message)
            .with_help(format!("put it around another reference: @{name}:file://a.md")));
    }
    let declared = Declared {
        name: definition.name(),
        parameters: definition.parameters(),
        documents: true,
        ..Declared::default()
    };
    Ok((StepKind::Wrapper(Arc::clone(definition)), declared))
}

fn of_protocol(protocol: &dyn Protocol, innermost: bool) -> Declared<'_> {
    let name = protocol.name();
    Declared {
        name,
        parameters: protocol.parameters(),
        open: protocol.takes_any_parameter(),
        passes_on: innermost && matches!(name, "http" | "https"),
        documents: false,
    }
}

fn protocol_kind(
    protocol: &dyn Protocol,
    level: &Reference<'_>,
    innermost: bool,
) -> Result<StepKind, LoadError> {
    let name = protocol.name();
    let (message, help) = match (protocol.role(), innermost) {
        (Role::Source, true) => return Ok(StepKind::Source { path: level.path().to_owned() }),
        (Role::Processor, false) => return Ok(StepKind::Processor),
        (Role::Processor, true) => (
            format!("`{name}` works on what another reference gives, not on a path"),
            format!("name what it works on: @{name}:file://{}", level.path()),
        ),
        (Role::Source, false) => (
            format!("`{name}` reads a path, it does not work on another reference"),
            format!("write @{name}://… or leave `{name}` out"),
        ),
    };
    Err(LoadError::new("REF3002", &level.public(), message).with_help(help))
}

fn unknown(loader: &Loader, level: &Reference<'_>, name: &str) -> LoadError {
    if let Some(missing) = protocols::missing(name) {
        let error = LoadError::new("REF3006", &level.public(), missing.to_string());
        return error.with_help(missing.help());
    }
    let defined = loader.definitions.names().filter(|name| !loader.protocols.contains_key(*name));
    let known: Vec<&str> = loader.protocols.keys().map(String::as_str).chain(defined).collect();
    let help = suggestion(name, known.iter().copied()).unwrap_or_else(|| {
        let listed: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
        format!("there are {}; define others by resource elements", listed.join(", "))
    });
    LoadError::new("REF3001", &level.public(), format!("there is no protocol `{name}`"))
        .with_help(help)
}
