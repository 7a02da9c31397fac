//! `contexture prompt compose`: messages from a YAML list (PT-8 to PT-10).

mod entry;

use super::references::{Loading, Scope, folder_of};
use crate::commands::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::input;
use crate::terminal::Terminal;
use contexture::llm::ModelUri;
use contexture::prompt::{OpenaiChatMessage, PromptComposer, validate_messages};
use entry::{Fault, Reader};
use serde_json::Value;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture prompt compose examples/prompts/chat.yaml
  contexture prompt compose examples/prompts/chat.yaml --model gpt-4o-mini

The file is a list of messages. Each has a `role` and one of `text`, `template` (with `vars`),
`template_file` (with `vars`) or `parts`; further `name`, `tool_call_id` and `tool_calls`:

  - role: system
    text: You are brief.
  - role: user
    name: ada
    template: Say hello to {{name}}.
    vars: { name: Bob }

Templates may include references, `{{> @file://parts/tone.md }}`; those of `template_file` start
in its folder, others in that of the list.";

const MESSAGE_HELP: &str = "`contexture prompt compose --help` shows what a list of messages holds";

/// Prints the messages of a YAML list as JSON, or with --model the whole request.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The list of messages; `-` reads it from stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Print the request to this model instead of the messages alone: its name, or its URI.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    #[command(flatten)]
    scope: Scope,
}

/// Runs `contexture prompt compose`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let text = input::text(&args.file, "the messages", terminal)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let messages = messages(text, args, terminal)?;
    let composer = PromptComposer::from_messages(messages);
    let value = match &args.model {
        Some(model) => serde_json::to_value(composer.build_request(name_of(model))),
        None => serde_json::to_value(composer.build()),
    };
    let value = value
        .map_err(|error| Stop::from(Complaint::failed("not_serialisable", error.to_string())))?;
    terminal.print_pretty(&value)?;
    Ok(Exit::Done)
}

/// The name of a model at its server, given the name or the model's URI.
fn name_of(model: &str) -> String {
    let uri = model.contains("://").then(|| model.parse::<ModelUri>().ok()).flatten();
    uri.map_or_else(|| model.to_owned(), |uri| uri.model().to_owned())
}

fn messages(text: &str, args: &Args, terminal: &Terminal) -> Result<Vec<OpenaiChatMessage>, Stop> {
    let name = args.file.display();
    let list = contexture::format::yaml(text).map_err(|fault| {
        Complaint::refused("not_yaml", format!("{name} is not YAML: {fault}")).help(MESSAGE_HELP)
    })?;
    let Value::Array(entries) = list else {
        let kind = if list.is_object() { "an object" } else { "no list" };
        let message = format!("{name} holds {kind}; a list of messages is expected");
        let help = "begin each message with `- role: …`";
        return Err(Complaint::refused("not_messages", message).help(help).into());
    };
    let loading = Loading::new(&args.scope, &args.file, terminal);
    let mut messages = Vec::with_capacity(entries.len());
    for (index, entry) in entries.into_iter().enumerate() {
        let name = format!("{name}: message {index}");
        let reader = Reader { name: &name, folder: folder_of(&args.file), loading: &loading };
        messages.push(entry::message(entry, &reader).map_err(|fault| match fault {
            Fault::Reference(stop) => stop,
            Fault::Rendering { words, help } => {
                let complaint = Complaint::failed("template", format!("{name}: {words}"));
                Complaint { help, ..complaint }.into()
            }
            Fault::Entry(words) => {
                let complaint = Complaint::refused("not_messages", format!("{name}: {words}"));
                complaint.help(MESSAGE_HELP).into()
            }
        })?);
    }
    validate_messages(&messages).map_err(|error| {
        let complaint = Complaint::refused("message_sequence", format!("{name}: {error}"));
        complaint.help(error.help().unwrap_or("`contexture explain PT4001` tells the rules"))
    })?;
    Ok(messages)
}
