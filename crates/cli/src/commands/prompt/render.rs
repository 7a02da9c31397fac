//! `contexture prompt render`: renders a template with its variables.

use super::partials;
use super::references::{Loading, Source, folder_of};
use crate::prelude::*;
use contexture::prompt::{
    LocatedError, PromptError, PromptTemplate, PromptTemplateRegistry, TemplateContext,
};

const EXAMPLES: &str = r#"Examples:
  contexture prompt render examples/prompts/greeting.md --vars '{"name":"Ada"}'
  echo '{"name":"Ada"}' | contexture prompt render examples/prompts/greeting.md --vars -
  contexture prompt render examples/prompts/review.md --partials examples/prompts/partials \
    --vars-file examples/prompts/review.json"#;

/// Prints a rendered template.
///
/// Included references, such as `{{> @file://parts/tone.md }}`, are relative to the file that
/// includes them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The template; `-` reads it from stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The variables as a JSON object; `-` reads it from stdin.
    #[arg(long, value_name = "JSON", conflicts_with = "vars_file")]
    vars: Option<String>,
    /// A JSON file with the variables.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    vars_file: Option<PathBuf>,
    /// A folder of partials; the name of a partial is its file name without the extension.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    partials: Option<PathBuf>,
    #[command(flatten)]
    workspace: Workspace,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let vars = variables(args, terminal)?;
    let text = input::text(&args.file, "the template", terminal)?;
    let registry = partials::read(args.partials.as_deref(), &args.file)?;
    let name = args.file.display().to_string();
    let template = PromptTemplate::compile(text.strip_prefix('\u{feff}').unwrap_or(&text))
        .map_err(|error| {
            CommandError::refused("template", format!("{name}: {error}")).file(&args.file)
        })?;
    let failed = |error: LocatedError| error_of(&name, &error, &template, &registry, &vars);
    let wanted = match registry.references(&template).is_empty() {
        true => Vec::new(),
        false => registry.included(&template, &vars).map_err(failed)?,
    };
    let source =
        Source { name: &name, folder: folder_of(&args.file), partials: args.partials.as_deref() };
    let texts = Loading::new(&args.workspace, &args.file, terminal).texts(wanted, source)?;
    let rendered = registry.render_template_with(&template, &vars, &texts).map_err(failed)?;
    terminal.print(&rendered)?;
    Ok(Exit::Done)
}

fn variables(args: &Args, terminal: &Terminal) -> Result<TemplateContext, Abort> {
    let (text, name) = match (&args.vars, &args.vars_file) {
        (Some(dash), _) if dash == "-" => (input::stdin("the variables", terminal)?, "--vars"),
        (Some(text), _) => (text.clone(), "--vars"),
        (None, Some(file)) => (input::text(file, "the variables", terminal)?, "--vars-file"),
        (None, None) => return Ok(TemplateContext::new()),
    };
    // The common JSON reader comes first, as it knows the usual mistakes in a shell.
    let value = input::json(&text, name)?;
    if !value.is_object() {
        let message = format!("{name} must be an object of names and values");
        return Err(CommandError::refused("bad_variables", message)
            .help(r#"such as '{"name":"Ada"}'"#)
            .into());
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    TemplateContext::from_json_str(text)
        .map_err(|error| CommandError::refused("bad_variables", format!("{name}: {error}")).into())
}

fn error_of(
    name: &str,
    error: &LocatedError,
    template: &PromptTemplate,
    registry: &PromptTemplateRegistry,
    vars: &TemplateContext,
) -> Abort {
    let failure = CommandError::failed("template", format!("{name}: {error}"));
    let missing = match &error.error {
        PromptError::VariableNotFound(_) => registry.missing(template, vars).unwrap_or_default(),
        PromptError::PartialNotFound(_) if registry.names().next().is_none() => {
            return failure.help("name the folder of partials with --partials DIR").into();
        }
        _ => Vec::new(),
    };
    match missing.as_slice() {
        [] | [_] => failure.maybe_help(error.error.help()).into(),
        all => failure.help(format!("missing variables: {}", all.join(", "))).into(),
    }
}
