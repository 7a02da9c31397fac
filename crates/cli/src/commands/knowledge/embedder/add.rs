//! `contexture knowledge embedder add`: a local model as the embedder (MA-7).

use crate::output::text::sanitized;
use crate::prelude::*;
use crate::support::project;
use contexture::diagnostic::MissingFeature;
use contexture::packs::{RegisterError, register_embedder};

const EXAMPLES: &str = "\
Examples:
  contexture knowledge embedder add models/english
  contexture knowledge embedder add models/english --root . --json

A model is a folder with tokenizer.json, model.safetensors and config.json, in the form of
model2vec. It is read as a check, and named in contexture.toml by `[knowledge] embedder`; the first
search of a pack gives its passages their vectors, or `contexture knowledge index` ahead of it.";

/// Sets a local model as the embedder of the project.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The folder of the model.
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::DirPath)]
    folder: PathBuf,
    /// The project folder [default: the nearest folder with a contexture.toml, else the current
    /// one].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    root: Option<PathBuf>,
    /// Print one JSON object: embedder, model, dimension and file.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = project::here_or(args.root.as_deref())?;
    let made = register_embedder(&project, &args.folder).map_err(|error| refuse(&error, args))?;
    if args.json {
        terminal.print_json(&json!({
            "embedder": made.setting,
            "model": made.model,
            "dimension": made.dimension,
            "file": made.file,
        }))?;
        return Ok(Exit::Done);
    }
    terminal.print_line(&one_line(&format!("{}  {} numbers", made.model, made.dimension)))?;
    terminal.note(&one_line(&format!(
        "`{}` of contexture.toml; `contexture knowledge index` makes the vectors of packs ahead",
        made.setting
    )));
    Ok(Exit::Done)
}

fn refuse(error: &RegisterError, args: &Args) -> Abort {
    let message = sanitized(&error.to_string());
    match error {
        RegisterError::Missing(missing) => {
            CommandError::refused(MissingFeature::CODE, message).help(missing.help())
        }
        RegisterError::NotEditable { file, line } => {
            CommandError::refused("setting_not_written", message)
                .file(file)
                .help(format!("write this under `[knowledge]`: {}", one_line(line)))
        }
        RegisterError::Io { file, .. } => CommandError::failed("setting_not_written", message)
            .file(file)
            .help("make the file writable, or write the setting yourself"),
        _ => CommandError::refused("not_an_embedder", message).file(&args.folder).help(
            "name a folder with tokenizer.json, model.safetensors and config.json, in the form of \
             model2vec",
        ),
    }
    .into()
}
