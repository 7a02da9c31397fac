//! From an id to what it stands for (REF-18).

use super::check::{ParameterError, check};
use super::error::{ResolveError, near_ids};
use super::registered::{OnlyMatch, Row};
use super::{Definition, Definitions, Layer, Origin, RESERVED};
use crate::syntax::{Reference, ReferenceBuf, Semantics, SyntaxError, encode};
use crate::text::common_parameters;
use contexture_core::reference::{Parameter, Place};

/// The target of a reference once all registries are followed.
#[derive(Debug, Clone)]
pub struct Resolution {
    /// The reference to load; no level of it is a registered id any more.
    pub reference: ReferenceBuf,
    /// The start of its relative paths: the place of the last registry; none when there was none.
    pub place: Option<Place>,
    /// The registries that were followed, in order.
    pub trail: Vec<Hop>,
    /// The glob that led to files, if one did: one of them alone is meant (MA-2).
    pub only: Option<OnlyMatch>,
    /// The parameters that the definitions along the trail declare: checked, and allowed in the
    /// query although what they lead to need not take them. Those that any text takes (`line`,
    /// `max`, `encoding`) are left out: they hold for the text.
    pub parameters: Vec<Parameter>,
}

/// One entry of a registry that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// The protocol of the id, in lower case.
    pub protocol: String,
    /// The id.
    pub id: String,
    /// The reference before, canonical and without user info.
    pub from: String,
    /// The reference after it, likewise.
    pub to: String,
    /// The layer of the definition that decided.
    pub layer: Layer,
    /// Its file, or the glob that found it.
    pub file: String,
    /// The line of the entry, from 1; 0 for a glob.
    pub line: u32,
    /// The line of the rule `location` that the path was checked against.
    pub rule_line: Option<u32>,
}

/// The sources of ids that a resolution follows first (MA-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The built-in protocol of that name, and else registries.
    Ours,
    /// Registries, also those that extend a built-in protocol, and else globs.
    Registered,
    /// Globs where there is one, also in place of a registry's row.
    Globs,
}

/// The target of an id, and where it is registered.
struct Target<'d> {
    reference: ReferenceBuf,
    layer: Layer,
    file: String,
    line: u32,
    place: Option<Place>,
    definition: Option<&'d Definition>,
    only: Option<OnlyMatch>,
}

impl Definitions {
    /// Follows registries until the innermost protocol has none: the query is merged and the
    /// caller's wins; an explicit `@!` or `@?` of the caller wins, a plain `@` takes the registered
    /// prefix. A reference of other protocols comes back as it is.
    ///
    /// # Errors
    /// An id, path or parameter that a definition does not allow, a definition with errors, a
    /// cycle, or a chain beyond the limits.
    pub fn resolve(&self, reference: &Reference<'_>) -> Result<Resolution, ResolveError> {
        self.resolve_by(reference, Way::Ours)
    }

    /// Does the same along another way.
    ///
    /// # Errors
    /// As [`Self::resolve`].
    pub fn resolve_by(
        &self,
        reference: &Reference<'_>,
        way: Way,
    ) -> Result<Resolution, ResolveError> {
        let mut resolution = Resolution {
            reference: reference.to_owned(),
            place: None,
            trail: Vec::new(),
            only: None,
            parameters: Vec::new(),
        };
        loop {
            let current = resolution.reference.as_ref();
            self.check_sound(&current)?;
            let is_first = resolution.trail.is_empty();
            let Some(target) = self.target(&current, is_first, way)? else {
                return Ok(resolution);
            };
            let (next, hop) = self.follow(&target, &current, &resolution.trail)?;
            resolution.reference = next;
            resolution.place = target.place;
            resolution.only = target.only;
            resolution.trail.push(hop);
            let declared = target.definition.map_or(&[][..], |one| &one.parameters);
            take_parameters(&mut resolution.parameters, declared);
        }
    }

    /// Checks that no definition with errors is replaced by one of an earlier layer.
    fn check_sound(&self, reference: &Reference<'_>) -> Result<(), ResolveError> {
        for level in reference.levels() {
            let name = level.protocol().to_ascii_lowercase();
            let Some(broken) = self.broken.get(&name) else { continue };
            let layer = self.known.get(&name).map(|known| known.origin.layer);
            if layer.is_none_or(|layer| layer < broken.origin.layer) {
                return Err(ResolveError::Broken {
                    reference: reference.public(),
                    protocol: name,
                    file: broken.origin.file.clone(),
                    line: broken.line,
                });
            }
        }
        Ok(())
    }

    /// Returns what an id stands for; `None` for a protocol that reads its paths itself.
    fn target(
        &self,
        current: &Reference<'_>,
        is_first: bool,
        way: Way,
    ) -> Result<Option<Target<'_>>, ResolveError> {
        let protocol = current.innermost().protocol().to_ascii_lowercase();
        if RESERVED.contains(&protocol.as_str()) && !(is_first && way != Way::Ours) {
            return Ok(None);
        }
        let id = current.path();
        let by_glob = || self.by_glob(&protocol, id).map(of_glob);
        if way == Way::Globs
            && let Some(target) = by_glob()
        {
            return Ok(Some(target));
        }
        let definition = self.get(&protocol).or_else(|| self.extensions.get(&protocol));
        let missing = match definition.map(|one| registered(one, current)) {
            Some(Ok(target)) => return Ok(Some(target)),
            Some(Err(error)) if !error.is_missing() => return Err(error),
            Some(Err(error)) => Some(error),
            None => None,
        };
        let row = self.rows.get(&protocol).and_then(|rows| rows.get(id));
        if let Some(target) = row.map(|row| of_row(row, current)).transpose()? {
            return Ok(Some(target));
        }
        match (by_glob(), missing) {
            (Some(target), _) => Ok(Some(target)),
            (None, Some(error)) => Err(error),
            (None, None) if self.extends(&protocol) => Err(self.unregistered(&protocol, current)),
            (None, None) => Ok(None),
        }
    }

    /// Returns the reference behind a target, and the step to it.
    fn follow(
        &self,
        target: &Target<'_>,
        current: &Reference<'_>,
        trail: &[Hop],
    ) -> Result<(ReferenceBuf, Hop), ResolveError> {
        let asked = || trail.first().map_or_else(|| current.public(), |hop| hop.from.clone());
        let (id, protocol) = (current.path(), current.innermost().protocol().to_ascii_lowercase());
        let is_back = |hop: &Hop| hop.protocol == protocol && hop.id == id;
        if let Some(first) = trail.iter().position(is_back) {
            let circle = trail.iter().skip(first);
            let mut path: Vec<String> = circle.map(|hop| address(&hop.protocol, &hop.id)).collect();
            path.push(address(&protocol, id));
            return Err(ResolveError::Cycle { reference: asked(), path });
        }
        if trail.len() >= self.limits.registry_steps {
            let limit = self.limits.registry_steps;
            return Err(ResolveError::TooFar { reference: asked(), limit });
        }
        let declared = target.definition.map_or(&[][..], |one| &one.parameters);
        let next = compose(current, &target.reference.as_ref(), declared).map_err(|fault| {
            let (file, line) = (target.file.clone(), target.line);
            ResolveError::Composed { reference: asked(), id: id.to_owned(), file, line, fault }
        })?;
        let hop = Hop {
            protocol,
            id: id.to_owned(),
            from: current.public(),
            to: next.as_ref().public(),
            layer: target.layer,
            file: target.file.clone(),
            line: target.line,
            rule_line: target.definition.and_then(|one| one.location_line),
        };
        Ok((next, hop))
    }
}

/// Adds the parameters that a definition declares, but those that any text takes.
fn take_parameters(known: &mut Vec<Parameter>, declared: &[Parameter]) {
    let common = common_parameters();
    for parameter in declared {
        let is_same = |one: &Parameter| one.name == parameter.name;
        if !common.iter().any(is_same) && !known.iter().any(is_same) {
            known.push(parameter.clone());
        }
    }
}

/// Returns the target of a row of a registry file.
fn of_row<'d>(row: &Row, current: &Reference<'_>) -> Result<Target<'d>, ResolveError> {
    let (file, line) = (row.origin.file.clone(), row.line);
    let Some(reference) = row.reference.clone() else {
        let (reference, id) = (current.public(), current.path().to_owned());
        return Err(ResolveError::BrokenRow { reference, id, file, line });
    };
    let (layer, place) = (row.origin.layer, row.origin.place.clone());
    Ok(Target { reference, layer, file, line, place, definition: None, only: None })
}

/// Returns the target of a glob. Its path starts at the workspace.
fn of_glob<'d>((reference, only): (ReferenceBuf, OnlyMatch)) -> Target<'d> {
    Target {
        reference,
        layer: Layer::Explicit,
        file: format!("the glob {}", only.glob),
        line: 0,
        place: Some(Place::workspace()),
        definition: None,
        only: Some(only),
    }
}

fn address(protocol: &str, id: &str) -> String {
    format!("@{protocol}://{id}")
}

/// Checks the path and the declared parameters of a use as a source.
fn check_use(definition: &Definition, current: &Reference<'_>) -> Result<(), ResolveError> {
    definition.check_path(current.path()).map_err(|mismatch| ResolveError::Location {
        reference: current.public(),
        protocol: definition.name.clone(),
        mismatch,
        file: definition.origin.file.clone(),
        line: definition.location_line.unwrap_or(definition.line),
    })?;
    for parameter in &definition.parameters {
        // What leads to a server is written with `cx.` (REF-14).
        let query = current.query();
        let value = query.get(&parameter.name);
        let checked = match value.or_else(|| query.get(&format!("cx.{}", parameter.name))) {
            Some(value) => check(parameter, &value),
            None if parameter.required && parameter.default.is_none() => {
                Err(ParameterError::Missing { name: parameter.name.clone() })
            }
            None => Ok(()),
        };
        checked.map_err(|fault| ResolveError::Parameter {
            reference: current.public(),
            protocol: definition.name.clone(),
            fault,
        })?;
    }
    Ok(())
}

/// Returns the target of an id in the registry of its protocol's element.
fn registered<'d>(
    definition: &'d Definition,
    current: &Reference<'_>,
) -> Result<Target<'d>, ResolveError> {
    check_use(definition, current)?;
    let (id, protocol) = (current.path().to_owned(), definition.name.clone());
    let reference = || current.public();
    let Some(registry) = &definition.registry else {
        return Err(ResolveError::NoRegistry { reference: reference(), protocol });
    };
    let Origin { layer, file, place } = definition.origin.clone();
    let Some(entry) = registry.get(&id) else {
        let help = near_ids(&id, registry.usable_ids());
        return Err(ResolveError::UnknownId { reference: reference(), protocol, id, file, help });
    };
    let line = entry.line;
    match entry.target(&id) {
        Ok(Some(reference)) => {
            let definition = Some(definition);
            Ok(Target { reference, layer, file, line, place, definition, only: None })
        }
        Ok(None) => Err(ResolveError::BrokenRow { reference: reference(), id, file, line }),
        Err(fault) => Err(ResolveError::Composed { reference: reference(), id, file, line, fault }),
    }
}

/// `current` with its innermost level replaced by `target`. The defaults of `parameters` count
/// where neither of the two gives a value.
pub(super) fn compose(
    current: &Reference<'_>,
    target: &Reference<'_>,
    parameters: &[Parameter],
) -> Result<ReferenceBuf, SyntaxError> {
    let mut text = String::new();
    let depth = current.depth();
    for level in current.levels().take(depth.saturating_sub(1)) {
        push_level(&mut text, level.semantics(), level.protocol());
    }
    let callers = current.innermost().semantics();
    for (index, level) in target.levels().enumerate() {
        let is_replaced = index == 0 && callers != Semantics::Default;
        let semantics = if is_replaced { callers } else { level.semantics() };
        push_level(&mut text, semantics, level.protocol());
    }
    text.push_str("//");
    text.push_str(target.path());
    let mut separator = '?';
    let given = merged(current, target).into_iter().map(str::to_owned);
    for pair in given.chain(defaults(current, target, parameters)) {
        text.push(separator);
        text.push_str(&pair);
        separator = '&';
    }
    ReferenceBuf::parse(text)
}

fn push_level(text: &mut String, semantics: Semantics, protocol: &str) {
    text.push_str(semantics.prefix());
    text.push_str(protocol);
    text.push(':');
}

/// Returns the parameters as written: the registered ones that the caller does not give, then the
/// caller's.
fn merged<'a>(current: &Reference<'a>, target: &Reference<'a>) -> Vec<&'a str> {
    let callers: Vec<_> = current.query().pairs().collect();
    let given = |name: &str| callers.iter().any(|pair| pair.name() == name);
    let kept = target.query().pairs().filter(|pair| !given(&pair.name()));
    kept.chain(callers.iter().copied()).map(|pair| pair.raw()).collect()
}

/// Returns the defaults that hold, as they stand in a query.
fn defaults(
    current: &Reference<'_>,
    target: &Reference<'_>,
    parameters: &[Parameter],
) -> Vec<String> {
    let is_given = |reference: &Reference<'_>, name: &str| {
        reference.query().any(|(given, _)| given == name || given.strip_prefix("cx.") == Some(name))
    };
    let open = parameters
        .iter()
        .filter(|one| !is_given(current, &one.name) && !is_given(target, &one.name));
    open.filter_map(|one| Some(format!("{}={}", encode(&one.name), encode(one.default.as_ref()?))))
        .collect()
}
