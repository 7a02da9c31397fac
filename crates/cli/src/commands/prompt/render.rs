//! `contexture prompt render`: a template with its variables filled in, and nothing else.

use super::library;
use super::references::{Loading, Scope, Source, folder_of};
use crate::commands::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::input;
use crate::terminal::Terminal;
use contexture::prompt::{
    LocatedError, PromptError, PromptTemplate, PromptTemplateRegistry, TemplateContext,
};
use std::path::PathBuf;

const EXAMPLES: &str = r#"Examples:
  contexture prompt render examples/prompts/greeting.md --vars '{"name":"Ada"}'
  echo '{"name":"Ada"}' | contexture prompt render examples/prompts/greeting.md --vars -
  contexture prompt render examples/prompts/review.md --partials examples/prompts/partials \
    --vars-file examples/prompts/review.json"#;

/// Prints a rendered template.
///
/// What it includes by reference, such as `{{> @file://parts/tone.md }}`, is loaded relative to the
/// file that holds it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The template; `-` reads it from stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The variables as a JSON object; `-` reads it from stdin.
    #[arg(long, value_name = "JSON", conflicts_with = "vars_file")]
    vars: Option<String>,
    /// The variables from a JSON file.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    vars_file: Option<PathBuf>,
    /// A folder of partials; each has the name of its file without the extension.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    partials: Option<PathBuf>,
    #[command(flatten)]
    scope: Scope,
}

/// Runs `contexture prompt render`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let vars = variables(args, terminal)?;
    let text = input::text(&args.file, "the template", terminal)?;
    let registry = library::read(args.partials.as_deref(), &args.file)?;
    let name = args.file.display().to_string();
    let template = PromptTemplate::compile(text.strip_prefix('\u{feff}').unwrap_or(&text))
        .map_err(|error| {
            Complaint::refused("template", format!("{name}: {error}")).file(&args.file)
        })?;
    let failed = |error: LocatedError| failure(&name, &error, &template, &registry, &vars);
    let wanted = match registry.references(&template).is_empty() {
        true => Vec::new(),
        false => registry.included(&template, &vars).map_err(failed)?,
    };
    let source =
        Source { name: &name, folder: folder_of(&args.file), partials: args.partials.as_deref() };
    let texts = Loading::new(&args.scope, &args.file, terminal).texts(wanted, source)?;
    let rendered = registry.render_template_with(&template, &vars, &texts).map_err(failed)?;
    terminal.print(&rendered)?;
    Ok(Exit::Done)
}

fn variables(args: &Args, terminal: &Terminal) -> Result<TemplateContext, Stop> {
    let (text, name) = match (&args.vars, &args.vars_file) {
        (Some(dash), _) if dash == "-" => (input::stdin("the variables", terminal)?, "--vars"),
        (Some(text), _) => (text.clone(), "--vars"),
        (None, Some(file)) => (input::text(file, "the variables", terminal)?, "--vars-file"),
        (None, None) => return Ok(TemplateContext::new()),
    };
    // Said first by the common reader of JSON, which knows how people mistype it in a shell.
    let value = input::json(&text, name)?;
    if !value.is_object() {
        let message = format!("{name} must be an object of names and values");
        return Err(Complaint::refused("bad_variables", message)
            .help(r#"such as '{"name":"Ada"}'"#)
            .into());
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    TemplateContext::from_json_str(text)
        .map_err(|error| Complaint::refused("bad_variables", format!("{name}: {error}")).into())
}

fn failure(
    name: &str,
    error: &LocatedError,
    template: &PromptTemplate,
    registry: &PromptTemplateRegistry,
    vars: &TemplateContext,
) -> Stop {
    let complaint = Complaint::failed("template", format!("{name}: {error}"));
    let missing = match &error.error {
        PromptError::VariableNotFound(_) => registry.missing(template, vars).unwrap_or_default(),
        PromptError::PartialNotFound(_) if registry.names().next().is_none() => {
            return complaint.help("give the folder of partials with --partials DIR").into();
        }
        _ => Vec::new(),
    };
    match missing.as_slice() {
        [] | [_] => match error.error.help() {
            Some(help) => complaint.help(help).into(),
            None => complaint.into(),
        },
        all => complaint.help(format!("missing altogether: {}", all.join(", "))).into(),
    }
}
