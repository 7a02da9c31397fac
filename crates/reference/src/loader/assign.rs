//! Which level takes which parameter (REF-3, REF-14).
//!
//! From the inside out each level takes what it declares; what is left goes to the innermost level
//! that takes anything, and is else an error that names what could have been taken. For http and
//! https the server is that level, but for `cx.NAME`, which is always ours.

use crate::text::{COMMON, common_parameters};
use contexture_core::reference::{Parameter, Parameters};
use contexture_diagnostic::suggestion;

/// The parameters of one level, as its protocol declares them.
#[derive(Debug, Clone, Default)]
pub(super) struct Declared<'d> {
    pub(super) name: &'d str,
    pub(super) parameters: &'d [Parameter],
    /// True if it takes what nobody declares.
    pub(super) open: bool,
    /// True if what is not ours belongs to the address.
    pub(super) passes_on: bool,
    /// True if they are those of a definition, not of a program.
    pub(super) documents: bool,
}

impl Declared<'_> {
    fn declares(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|one| one.name == name && !self.leaves(name))
    }

    /// Reports whether a parameter is only documentation: a definition may name one that any text
    /// takes, but `line` stays the lines of the text, whatever stands around it.
    fn leaves(&self, name: &str) -> bool {
        self.documents && COMMON.contains(&name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given<'q> {
    /// As written, with the value.
    pub(super) raw: &'q str,
    pub(super) name: String,
    pub(super) value: String,
}

/// The parameters of each level, innermost first, and those of the whole reference.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Assigned {
    pub(super) levels: Vec<Parameters>,
    /// `encoding`, `line` and `max`, by name.
    pub(super) common: Parameters,
}

/// The reason why a parameter can't be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Untaken {
    pub(super) message: String,
    pub(super) help: String,
}

/// Returns what a protocol takes of a reference without a query; `None` when it needs a parameter.
pub(super) fn defaults(declared: &[Parameter]) -> Option<Parameters> {
    let mut defaults = Parameters::default();
    for parameter in declared {
        match &parameter.default {
            Some(default) => {
                defaults.taken.insert(parameter.name.clone(), default.clone());
            }
            None if parameter.required => return None,
            None => {}
        }
    }
    Some(defaults)
}

/// Gives the parameters of a query to the levels of a reference, innermost first.
pub(super) fn assign(levels: &[Declared<'_>], given: &[Given<'_>]) -> Result<Assigned, Untaken> {
    let mut assigned = Assigned {
        levels: vec![Parameters::default(); levels.len()],
        common: Parameters::default(),
    };
    let server = levels.first().is_some_and(|level| level.passes_on);
    let mut passed_on = Vec::new();
    for parameter in given {
        let ours = parameter.name.strip_prefix("cx.").filter(|_| server);
        let claimed = server
            && ours.is_none()
            && given.iter().any(|other| other.name.strip_prefix("cx.") == Some(&*parameter.name));
        let name = ours.unwrap_or(&parameter.name);
        // Beside a server, plain names are ours only where the source itself declares them.
        let reach = if server && ours.is_none() { 1 } else { levels.len() };
        if claimed || !take(&mut assigned, levels, reach, name, &parameter.value)? {
            if !server || ours.is_some() {
                return Err(unknown(levels, name));
            }
            passed_on.push(parameter.raw);
        }
    }
    if let (true, Some(first)) = (!passed_on.is_empty(), assigned.levels.first_mut()) {
        first.passed_on = Some(passed_on.join("&"));
    }
    fill(&mut assigned, levels)?;
    Ok(assigned)
}

/// Reports whether somebody took it.
fn take(
    assigned: &mut Assigned,
    levels: &[Declared<'_>],
    reach: usize,
    name: &str,
    value: &str,
) -> Result<bool, Untaken> {
    for (index, level) in levels.iter().enumerate().take(reach) {
        let Some(parameter) = level.declares(name) else {
            continue;
        };
        check(parameter, value, level.name)?;
        // What a definition on the way declares has no level of its own.
        return Ok(put(assigned.levels.get_mut(index), name, value));
    }
    if let Some(parameter) = common_parameters().iter().find(|parameter| parameter.name == name) {
        check(parameter, value, "any text")?;
        return Ok(put(Some(&mut assigned.common), name, value));
    }
    let open = levels.iter().take(reach).position(|level| level.open);
    Ok(open.is_some_and(|index| put(assigned.levels.get_mut(index), name, value)))
}

fn put(parameters: Option<&mut Parameters>, name: &str, value: &str) -> bool {
    parameters.is_some_and(|parameters| {
        parameters.taken.insert(name.to_owned(), value.to_owned());
        true
    })
}

fn check(parameter: &Parameter, value: &str, level: &str) -> Result<(), Untaken> {
    crate::definition::check(parameter, value).map_err(|fault| Untaken {
        message: format!("`{}={value}` of {level}: {fault}", parameter.name),
        help: parameter.description.clone(),
    })
}

/// Defaults are filled in; what is required must be there.
fn fill(assigned: &mut Assigned, levels: &[Declared<'_>]) -> Result<(), Untaken> {
    let server = levels.first().is_some_and(|level| level.passes_on);
    for (index, (level, given)) in levels.iter().zip(&mut assigned.levels).enumerate() {
        for parameter in level.parameters.iter().filter(|one| !level.leaves(&one.name)) {
            if given.taken.contains_key(&parameter.name) {
                continue;
            }
            if let Some(default) = &parameter.default {
                given.taken.insert(parameter.name.clone(), default.clone());
            } else if parameter.required {
                return Err(missing(level.name, parameter, server && index > 0));
            }
        }
    }
    Ok(())
}

/// `prefixed`: a plain name would go to the server.
fn missing(level: &str, parameter: &Parameter, prefixed: bool) -> Untaken {
    let Parameter { name, description, .. } = parameter;
    let prefix = if prefixed { "cx." } else { "" };
    Untaken {
        message: format!("`{level}` needs the parameter `{name}`"),
        help: format!("add `{prefix}{name}=…` to the query: {description}"),
    }
}

fn unknown(levels: &[Declared<'_>], name: &str) -> Untaken {
    let mut names: Vec<&str> = Vec::new();
    for parameter in levels.iter().flat_map(|level| level.parameters).chain(common_parameters()) {
        if !names.contains(&parameter.name.as_str()) {
            names.push(&parameter.name);
        }
    }
    let listed: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let near = suggestion(name, names.iter().copied());
    let near = near.map_or(String::new(), |near| format!("{near} "));
    Untaken {
        message: format!("no level takes the parameter `{name}`"),
        help: format!("{near}It takes {}", listed.join(", ")),
    }
}
