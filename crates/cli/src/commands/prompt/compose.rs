//! `contexture prompt compose`: messages from a YAML list (PT-8 to PT-10).

use super::compose_entry::{self, Fault, Reader};
use super::references::{Loading, folder_of};
use crate::prelude::*;
use contexture::llm::ModelUri;
use contexture::prompt::{OpenaiChatMessage, PromptComposer, validate_messages};

const EXAMPLES: &str = "\
Examples:
  contexture prompt compose examples/prompts/chat.yaml
  contexture prompt compose examples/prompts/chat.yaml --model gpt-4o-mini

The file is a list of messages. Each has a `role` and one of `text`, `template` (with `vars`),
`template_file` (with `vars`) or `parts`, and optionally `name`, `tool_call_id` and `tool_calls`:

  - role: system
    text: You are brief.
  - role: user
    name: ada
    template: Say hello to {{name}}.
    vars: { name: Bob }
  - role: user
    parts:
      - What is in this picture?
      - image_url: https://example.com/cat.png
      - input_audio: { data: AAAA, format: wav }
      - template: Answer in {{language}}.
        vars: { language: French }
  - role: assistant
    tool_calls:
      - id: call_1
        type: function
        function: { name: weather, arguments: '{\"city\": \"Oslo\"}' }
  - role: tool
    tool_call_id: call_1
    text: Snow.

Templates may include references, `{{> @file://parts/tone.md }}`, relative to the folder of the
`template_file` or of the list.";

const MESSAGE_HELP: &str = "`contexture prompt compose --help` describes lists of messages";

/// Prints the messages of a YAML list as JSON, with --model the whole request.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The list of messages; `-` reads it from stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Print the request to this model, given by name or URI, instead of the messages.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    #[command(flatten)]
    workspace: Workspace,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let text = input::text(&args.file, "the messages", terminal)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let messages = messages(text, args, terminal)?;
    let composer = PromptComposer::from_messages(messages);
    let value = match &args.model {
        Some(model) => serde_json::to_value(composer.build_request(name_of(model))),
        None => serde_json::to_value(composer.build()),
    };
    let value = value.map_err(|error| {
        Abort::from(CommandError::failed("not_serialisable", error.to_string()))
    })?;
    terminal.print_pretty(&value)?;
    Ok(Exit::Done)
}

/// Returns the name of a model at its server, given its name or URI.
fn name_of(model: &str) -> String {
    let uri = model.contains("://").then(|| model.parse::<ModelUri>().ok()).flatten();
    uri.map_or_else(|| model.to_owned(), |uri| uri.model().to_owned())
}

fn messages(text: &str, args: &Args, terminal: &Terminal) -> Result<Vec<OpenaiChatMessage>, Abort> {
    let name = args.file.display();
    let list = contexture::format::yaml(text).map_err(|fault| {
        CommandError::refused("not_yaml", format!("{name} is not YAML: {fault}")).help(MESSAGE_HELP)
    })?;
    let Value::Array(entries) = list else {
        let kind = if list.is_object() { "an object" } else { "no list" };
        let message = format!("{name} contains {kind}, expected a list of messages");
        let help = "begin each message with `- role: …`";
        return Err(CommandError::refused("not_messages", message).help(help).into());
    };
    let loading = Loading::new(&args.workspace, &args.file, terminal);
    let mut messages = Vec::with_capacity(entries.len());
    for (index, entry) in entries.into_iter().enumerate() {
        let name = format!("{name}: message {index}");
        let reader = Reader { name: &name, folder: folder_of(&args.file), loading: &loading };
        messages.push(compose_entry::message(entry, &reader).map_err(|fault| {
            match fault {
                Fault::Reference(stop) => stop,
                Fault::Rendering { words, help } => {
                    CommandError::failed("template", format!("{name}: {words}"))
                        .maybe_help(help)
                        .into()
                }
                Fault::Entry(words) => {
                    CommandError::refused("not_messages", format!("{name}: {words}"))
                        .help(MESSAGE_HELP)
                        .into()
                }
            }
        })?);
    }
    validate_messages(&messages).map_err(|error| {
        CommandError::refused("message_sequence", format!("{name}: {error}"))
            .help(error.help().unwrap_or("`contexture explain PT4001` explains the rules"))
    })?;
    Ok(messages)
}
