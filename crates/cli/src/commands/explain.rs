//! `contexture explain`: what a diagnostic code means.

use super::Outcome;
use crate::complaint::{Complaint, Exit};
use crate::paint::Paint;
use crate::terminal::Terminal;
use contexture::diagnostic::suggestion;
use contexture::script::codes;
use contexture::script::runtime::error::codes as failures;

const EXAMPLES: &str = "\
Examples:
  contexture explain AS2001
  contexture explain";

/// Explains a diagnostic code; without one, lists all codes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The code, such as AS2001.
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Runs `contexture explain`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    match &args.code {
        None => terminal.print(&list(terminal.out))?,
        Some(code) => match explanation(&code.to_uppercase(), terminal.out) {
            Some(text) => terminal.print(&text)?,
            None => {
                let all = codes::ALL.iter().map(|known| known.code);
                let all = all.chain(failures::CODES.iter().map(|known| known.code));
                // `PT1003` is no misspelt `AS1003`: only codes of one kind are alike.
                let alike = |known: &&str| known.get(..2) == code.to_uppercase().get(..2);
                let help = suggestion(&code.to_uppercase(), all.filter(alike))
                    .unwrap_or_else(|| "`contexture explain` lists all codes".to_owned());
                let message = format!("there is no code `{code}`");
                return Err(Complaint::refused("unknown_code", message).help(help).into());
            }
        },
    }
    Ok(Exit::Done)
}

fn list(paint: Paint) -> String {
    let checks = codes::ALL.iter().map(|known| (known.code, known.summary));
    let failures = failures::CODES.iter().map(|known| (known.code, known.meaning));
    checks.chain(failures).map(|(code, text)| format!("{}  {text}\n", paint.bold(code))).collect()
}

fn explanation(code: &str, paint: Paint) -> Option<String> {
    if let Some(known) = codes::find(code) {
        let head = format!("{}[{}]: {}", known.severity.as_str(), known.code, known.name);
        return Some(format!("{}\n\n{}\n", paint.bold(&head), known.summary));
    }
    let known = failures::find(code)?;
    let head = format!("failure[{}]", known.code);
    let mut text = format!("{}\n\n{}\n", paint.bold(&head), known.meaning);
    if !known.example.is_empty() {
        text.push_str(&format!("\nExample:\n  {}\n", known.example));
    }
    Some(text)
}
