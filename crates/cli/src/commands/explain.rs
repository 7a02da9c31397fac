//! `contexture explain`: the meaning of a code.

use crate::prelude::*;
use crate::support::code_words;
use crate::support::codes::{SETTINGS, explained, numbers, similar, words};
use contexture::prompt::codes as templates;
use contexture::protocol::ErrorCode;
use contexture::script::codes;
use contexture::script::runtime::error::codes as failures;

const EXAMPLES: &str = "\
Examples:
  contexture explain AS2001
  contexture explain";

/// Explains the code of a diagnostic or failure; without a code, lists all codes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The code, such as AS2001, FLOW1004, rate_limited or DEPENDENCY_FAILED.
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    match &args.code {
        None => terminal.print(&list(terminal.out))?,
        Some(code) => match explanation(code.trim(), terminal.out) {
            Some(text) => terminal.print(&text)?,
            None => return Err(unknown(code).into()),
        },
    }
    Ok(Exit::Done)
}

fn unknown(code: &str) -> CommandError {
    let help = similar(code).unwrap_or_else(|| "`contexture explain` lists all codes".to_owned());
    CommandError::refused("unknown_code", format!("unknown code `{code}`")).help(help)
}

fn list(paint: Paint) -> String {
    let all = numbers().chain(words());
    all.map(|(code, text)| format!("{}  {text}\n", paint.bold(code))).collect()
}

fn explanation(asked: &str, paint: Paint) -> Option<String> {
    let code = asked.to_uppercase();
    let text = |head: String, text: &str| format!("{}\n\n{text}\n", paint.bold(&head));
    if let Some(known) = codes::find(&code) {
        let head = format!("{}[{}]: {}", known.severity.as_str(), known.code, known.name);
        let page = codes::page(known.code).map(page).unwrap_or_default();
        return Some(text(head, known.summary) + &page);
    }
    if let Some(known) = failures::find(&code) {
        let explained = text(format!("failure[{}]", known.code), known.meaning);
        return Some(explained + &example(known.example));
    }
    if let Some(known) = templates::find(&code) {
        let explained = text(format!("template[{}]: {}", known.code, known.name), known.summary);
        return Some(format!("{explained}\n{}\n{}", known.explanation, example(known.example)));
    }
    if let Some(known) = explained().find(|known| known.code == code) {
        let head = format!("{}[{}]: {}", known.severity.as_str(), known.code, known.name);
        return Some(format!("{}\n{}\n", text(head, known.summary), known.explanation));
    }
    if let Some((code, name, summary)) = SETTINGS.iter().find(|(known, ..)| *known == code) {
        return Some(text(format!("error[{code}]: {name}"), summary));
    }
    // `TIMEOUT` is a code of the protocol, `timeout` one of models.
    let protocol = |code: ErrorCode| {
        let explained = text(format!("failure[{}]", code.as_str()), code.meaning());
        format!("{explained}\n{}\n", code.remedy())
    };
    if let Some(code) = ErrorCode::parse(asked) {
        return Some(protocol(code));
    }
    let word = code_words::find(asked);
    word.map(|(word, meaning)| text(format!("failure[{word}]"), meaning))
        .or_else(|| ErrorCode::parse(&code).map(protocol))
}

fn page(page: &codes::Page) -> String {
    let indented =
        |program: &str| program.lines().fold(String::new(), |all, line| all + "  " + line + "\n");
    let (example, better) = (indented(page.example), indented(page.better));
    format!("\n{}\n\nExample:\n{example}\nProbably meant:\n{better}", page.explanation)
}

fn example(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\nExample:\n  {text}\n") }
}
