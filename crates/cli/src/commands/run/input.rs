//! The input of a run: JSON, `key=value` pairs or raw text, from arguments, files and stdin (CA-12).

use super::Args;
use crate::prelude::*;
use contexture::Project;
use contexture::run::{InputForm, RunRequest, SetupError, load, load_text};
use contexture::script::runtime::Given;

/// The name of a program that comes from stdin.
const STDIN: &str = "stdin.as";

/// Reads the program from stdin, or from outside the workspace that the command names; `None` for
/// one that the run reads itself.
pub(super) fn program(
    args: &Args,
    project: &Project,
    terminal: &Terminal,
) -> Result<Option<(PathBuf, String)>, Abort> {
    if input::is_stdin(&args.file) {
        if args.input.iter().any(|given| given == "-") {
            let message = "both the program and the input are to come from stdin";
            let help = "give the input as JSON, as `-i key=value`, or in a file";
            return Err(CommandError::refused("bad_usage", message).help(help).into());
        }
        let text = input::stdin("the program", terminal)?;
        return Ok(Some((PathBuf::from(STDIN), text)));
    }
    let is_inside = || {
        let path = args.file.canonicalize().ok()?;
        Some(path.starts_with(project.root.canonicalize().ok()?))
    };
    // One that is not there is refused by the run.
    if args.workspace.workspace.is_none() || is_inside().unwrap_or(true) {
        return Ok(None);
    }
    let text = input::text(&args.file, "the program", terminal)?;
    // Its own imports are found beside it.
    let path = std::path::absolute(&args.file).unwrap_or_else(|_| PathBuf::from(STDIN));
    Ok(Some((path, text)))
}

/// Returns the input of a request, in the form that its entry takes.
pub(super) fn of(
    args: &Args,
    project: &Project,
    request: &RunRequest,
    terminal: &Terminal,
) -> Result<Given, Abort> {
    let form = || form(project, request);
    Ok(match (args.input.as_slice(), &args.input_file) {
        ([], Some(file)) => {
            let text = input::text(file, "the input", terminal)?;
            input::json_text(text, &input::name_of(file))?.into()
        }
        ([], None) => json!({}).into(),
        ([only], _) if only == "-" => from_stdin(&form()?, terminal)?,
        ([only], _) if pair(only).is_none() => input::json(only, "--input")?.into(),
        (all, _) => form()?.of_pairs(pairs(all, terminal)?)?.into(),
    })
}

/// Returns the form of the input; a program with faults is refused by the run.
fn form(project: &Project, request: &RunRequest) -> Result<InputForm, SetupError> {
    let (program, _) = match &request.text {
        Some(text) => load_text(project, &request.program, text)?,
        None => load(project, &request.program)?,
    };
    Ok(InputForm::of(&program, request))
}

/// Reads the input from stdin: a JSON object or string, or the raw text of the one string that the
/// entry takes.
fn from_stdin(form: &InputForm, terminal: &Terminal) -> Result<Given, Abort> {
    let text = input::stdin("the input", terminal)?;
    let Some(raw) = form.of_text(&text) else {
        return Ok(input::json_text(text, "the input on stdin")?.into());
    };
    let read: Option<Value> = serde_json::from_str(&text).ok();
    // Where an object is taken, an object that fits is the input itself.
    let read = read
        .filter(|read| read.is_string() == raw.is_string())
        .filter(|read| read.is_string() || read.is_object())
        .map(Given::from)
        .filter(|read| form.check(read).is_ok());
    Ok(read.unwrap_or_else(|| raw.into()))
}

/// Splits `key=value` at the first `=`; `None` for JSON and anything else.
fn pair(given: &str) -> Option<(&str, &str)> {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|sign| sign.is_alphanumeric() || "_-".contains(sign))
    };
    given.split_once('=').filter(|(name, _)| is_name(name))
}

fn pairs(all: &[String], terminal: &Terminal) -> Result<Vec<(String, String)>, Abort> {
    let mut pairs = Vec::new();
    for given in all {
        let Some((name, value)) = pair(given) else {
            let message = format!("`{given}` is not `key=value`, and the input has several parts");
            let help = "give one JSON value alone, or each field as `-i key=value`";
            return Err(CommandError::refused("bad_usage", message).help(help).into());
        };
        let value = match value.strip_prefix('@') {
            Some(file) => input::text(Path::new(file), "the input", terminal)?,
            None => value.to_owned(),
        };
        pairs.push((name.to_owned(), value));
    }
    Ok(pairs)
}
