//! From an id to what it stands for (REF-18).

use super::check::{ParameterError, check};
use super::error::{ResolveError, near_ids};
use super::{Definition, Definitions, Layer};
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
    /// Its file.
    pub file: String,
    /// The line of the entry, from 1.
    pub line: u32,
    /// The line of the rule `location` that the path was checked against.
    pub rule_line: Option<u32>,
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
        let mut resolution = Resolution {
            reference: reference.to_owned(),
            place: None,
            trail: Vec::new(),
            parameters: Vec::new(),
        };
        let common = common_parameters();
        loop {
            let current = resolution.reference.as_ref();
            self.check_sound(&current)?;
            let Some(definition) = self.get(current.innermost().protocol()) else {
                return Ok(resolution);
            };
            let (next, hop) = self.follow(definition, &current, &resolution.trail)?;
            resolution.reference = next;
            resolution.place.clone_from(&definition.origin.place);
            resolution.trail.push(hop);
            for parameter in &definition.parameters {
                let is_common = common.iter().any(|known| known.name == parameter.name);
                let is_known =
                    resolution.parameters.iter().any(|known| known.name == parameter.name);
                if !is_common && !is_known {
                    resolution.parameters.push(parameter.clone());
                }
            }
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

    fn follow(
        &self,
        definition: &Definition,
        current: &Reference<'_>,
        trail: &[Hop],
    ) -> Result<(ReferenceBuf, Hop), ResolveError> {
        let asked = || trail.first().map_or_else(|| current.public(), |hop| hop.from.clone());
        check_use(definition, current)?;
        let (id, protocol) = (current.path(), definition.name());
        let is_back = |hop: &Hop| hop.protocol == protocol && hop.id == id;
        if let Some(first) = trail.iter().position(is_back) {
            let circle = trail.iter().skip(first);
            let mut path: Vec<String> = circle.map(|hop| address(&hop.protocol, &hop.id)).collect();
            path.push(address(protocol, id));
            return Err(ResolveError::Cycle { reference: asked(), path });
        }
        if trail.len() >= self.limits.registry_steps {
            let limit = self.limits.registry_steps;
            return Err(ResolveError::TooFar { reference: asked(), limit });
        }
        let (target, line) = target(definition, current)?;
        let file = definition.origin.file.clone();
        let next = compose(current, &target.as_ref(), &definition.parameters).map_err(|fault| {
            ResolveError::Composed {
                reference: asked(),
                id: id.to_owned(),
                file: file.clone(),
                line,
                fault,
            }
        })?;
        let hop = Hop {
            protocol: protocol.to_owned(),
            id: id.to_owned(),
            from: current.public(),
            to: next.as_ref().public(),
            layer: definition.origin.layer,
            file,
            line,
            rule_line: definition.location_line,
        };
        Ok((next, hop))
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

/// Returns the target of a reference's id, and the line that defines it.
fn target<'a>(
    definition: &'a Definition,
    current: &Reference<'_>,
) -> Result<(&'a ReferenceBuf, u32), ResolveError> {
    let (id, protocol) = (current.path().to_owned(), definition.name.clone());
    let Some(registry) = &definition.registry else {
        return Err(ResolveError::NoRegistry { reference: current.public(), protocol });
    };
    let file = definition.origin.file.clone();
    let Some(entry) = registry.get(&id) else {
        let help = near_ids(&id, registry.usable_ids());
        let reference = current.public();
        return Err(ResolveError::UnknownId { reference, protocol, id, file, help });
    };
    let line = entry.line;
    match &entry.reference {
        Some(reference) => Ok((reference, line)),
        None => Err(ResolveError::BrokenRow { reference: current.public(), id, file, line }),
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
