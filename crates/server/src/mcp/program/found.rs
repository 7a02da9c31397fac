//! The programs of a folder.

use super::input::arguments;
use super::run::Program;
use super::runner::Runner;
use crate::fault::Fault;
use crate::mcp::codes;
use contexture::diagnostic::Severity;
use contexture::models::imported;
use contexture::run::CheckReport;
use contexture::script::program::{AgentId, Program as Source};
use contexture::script::syntax::ast::{ConfigKind, Expr, ExprKind, Func, Item};
use rmcp::model::Tool as Definition;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most programs of a folder.
const MOST: usize = 500;
/// The longest tool name that model providers accept.
const NAME: usize = 64;

/// Returns the programs to offer, and the reasons against the others. `taken` are names of other tools.
///
/// # Errors
/// A [`Fault`] when the folder can't be read.
pub(crate) fn discover(
    runner: &Arc<Runner>,
    folder: &Path,
    taken: impl IntoIterator<Item = String>,
) -> Result<(Vec<Program>, Vec<Fault>), Fault> {
    let mut files = files(folder)?;
    let mut notices = Vec::new();
    if files.len() > MOST {
        let message = format!(
            "{} holds {} programs; the first {MOST} by name are looked at",
            folder.display(),
            files.len()
        );
        notices.push(Fault::of(codes::NOT_SERVED, message));
        files.truncate(MOST);
    }
    let mut taken: BTreeSet<String> = taken.into_iter().collect();
    let mut programs = Vec::new();
    for file in files {
        match program(runner, &file, &mut taken) {
            Ok(program) => programs.push(program),
            Err(fault) => notices.push(fault),
        }
    }
    Ok((programs, notices))
}

/// Returns the program files of the folder itself, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let unreadable = |error: std::io::Error| {
        let message = format!("the folder of programs {} can't be read: {error}", folder.display());
        Fault::of(codes::NO_PROGRAMS, message).with_help(
            "give `--programs` a folder that exists; paths are relative to the current one",
        )
    };
    let folder = std::path::absolute(folder).map_err(unreadable)?;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_program = path.extension().is_some_and(|extension| extension == "as");
        if is_program && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn program(
    runner: &Arc<Runner>,
    file: &Path,
    taken: &mut BTreeSet<String>,
) -> Result<Program, Fault> {
    let (source, checked) = contexture::run::load(&runner.project, file)
        .map_err(|error| not_served(file, &error.message, error.help))?;
    if checked.has_errors() {
        return Err(refused(file, &checked));
    }
    let no_main = || {
        let help = "mark its agent `main agent`, or move it out of the folder if it is a library";
        not_served(file, "it has no `main agent`", Some(help.to_owned()))
    };
    let (agent, entry) = main_of(&source).ok_or_else(no_main)?;
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    let name = source.agent(agent).and_then(|agent| agent.name.as_ref());
    let title = name.map_or_else(|| stem.clone(), |name| name.text.clone());
    let tool = free_name(&[&title, &stem], taken);
    let (arguments, input) = arguments(&source, agent, entry);
    let about = description(&source, agent).unwrap_or_else(|| format!("Runs the program {title}."));
    let definition = Definition::new(tool, about, arguments.schema()).with_title(title);
    let runner = Arc::clone(runner);
    let models = imported(&source).map(str::to_owned).collect();
    Ok(Program { definition, file: file.to_owned(), arguments, input, models, runner })
}

/// Returns the main function, if the program declares one.
fn main_of(source: &Source) -> Option<(AgentId, &Func)> {
    let id = source.main_agent(0)?;
    let is_main = match source.agent(id) {
        Some(agent) => agent.main,
        None => source.functions(id).iter().any(|func| func.main),
    };
    let entry = source.entry(id).filter(|_| is_main)?;
    Some((id, entry))
}

/// Returns the description of the agent: its own, else that of its file, else the `///` lines above
/// it.
fn description(source: &Source, id: AgentId) -> Option<String> {
    let own = source.agent(id).and_then(|agent| last_description(&agent.items));
    let file = || last_description(&source.files.first()?.parsed.file.items);
    let written = own.or_else(file).filter(|text| !text.trim().is_empty());
    written.or_else(|| source.agent(id)?.doc.clone())
}

fn last_description(items: &[Item]) -> Option<String> {
    items.iter().rev().find_map(|item| match item {
        Item::Config(config) => match &config.kind {
            // A computed one is known only in a run.
            ConfigKind::Description(Expr { kind: ExprKind::Str(text), .. }) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    })
}

/// Returns the first free name, else the last one with a number.
fn free_name(wanted: &[&str], taken: &mut BTreeSet<String>) -> String {
    let mut names: Vec<String> = wanted.iter().map(|name| plain(name)).collect();
    let last = names.last().cloned().unwrap_or_default();
    names.extend((2..=MOST + 2).map(|number| {
        let number = format!("_{number}");
        let head: String = last.chars().take(NAME - number.len()).collect();
        head + &number
    }));
    let name = names.into_iter().find(|name| !taken.contains(name)).unwrap_or(last);
    taken.insert(name.clone());
    name
}

/// Returns a name that all clients accept: other characters become `u` and their code point.
fn plain(name: &str) -> String {
    let part = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => c.to_string(),
        c => format!("u{:x}", u32::from(c)),
    };
    let name: String = name.chars().map(part).collect::<String>().chars().take(NAME).collect();
    if name.is_empty() { "program".to_owned() } else { name }
}

fn refused(file: &Path, checked: &CheckReport) -> Fault {
    let errors = || checked.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let Some(first) = errors().next() else {
        return not_served(file, "it is refused", None);
    };
    let place = checked.files.iter().find(|source| source.name() == first.file);
    let place = place.or(checked.files.first()).map(|source| {
        let at = source.position(first.span.start);
        format!("{}:{}:{}: ", source.name(), at.line, at.column)
    });
    let more = match errors().count().saturating_sub(1) {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let message = format!("{}{}[{}]{more}", place.unwrap_or_default(), first.message, first.code);
    not_served(file, &message, Some("`contexture check` shows all faults".to_owned()))
}

fn not_served(file: &Path, reason: &str, help: Option<String>) -> Fault {
    let fault =
        Fault::of(codes::NOT_SERVED, format!("{} is not offered: {reason}", file.display()));
    Fault { help, ..fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_16_tool_names_are_valid_and_unique() {
        let mut taken = BTreeSet::from(["load_resource".to_owned()]);
        assert_eq!(free_name(&["Judge", "judge"], &mut taken), "Judge");
        assert_eq!(free_name(&["Judge", "second"], &mut taken), "second");
        assert_eq!(free_name(&["Judge", "second"], &mut taken), "second_2");
        assert_eq!(free_name(&["load_resource"], &mut taken), "load_resource_2");
        assert_eq!(free_name(&["评审 a.b"], &mut taken), "u8bc4u5ba1u20au2eb");
        let long = "x".repeat(200);
        assert_eq!(free_name(&[&long], &mut taken).len(), NAME);
        assert_eq!(free_name(&[&long], &mut taken), format!("{}_2", "x".repeat(62)));
        assert_eq!(free_name(&[""], &mut taken), "program");
    }
}
