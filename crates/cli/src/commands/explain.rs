//! `contexture explain`: what a code means, of whatever part of the program.

mod words;

use super::Outcome;
use crate::complaint::{Complaint, Exit};
use crate::paint::Paint;
use crate::terminal::Terminal;
use contexture::diagnostic::{Code, Codes, suggestion};
use contexture::flow::codes as flows;
use contexture::knowledge::codes as packs;
use contexture::mcp::codes as servers;
use contexture::prompt::codes as templates;
use contexture::protocol::ErrorCode;
use contexture::reference::codes as references;
use contexture::script::codes;
use contexture::script::runtime::error::codes as failures;
use words::WORDS;

/// Codes that have no registry of their own.
const SETTINGS: &[(&str, &str, &str)] = &[(
    "CFG1001",
    "invalid-settings",
    "contexture.toml has a fault: it is no TOML, or a setting is unknown, of another type or out of \
     range. docs/configuration.md lists all settings.",
)];

const EXAMPLES: &str = "\
Examples:
  contexture explain AS2001
  contexture explain";

/// Explains a code of a diagnostic or failure; without one, lists all codes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The code, such as AS2001, FLOW1004, rate_limited or DEPENDENCY_FAILED.
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Runs `contexture explain`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    match &args.code {
        None => terminal.print(&list(terminal.out))?,
        Some(code) => match explanation(code.trim(), terminal.out) {
            Some(text) => terminal.print(&text)?,
            None => return Err(unknown(code).into()),
        },
    }
    Ok(Exit::Done)
}

fn unknown(code: &str) -> Complaint {
    let upper = code.to_uppercase();
    // `PT1003` is no misspelt `AS1003`: of numbered codes only those of one kind are alike.
    let family = |known: &str| known.trim_end_matches(|sign: char| sign.is_ascii_digit()).len();
    let numbered = family(&upper) < upper.len();
    let (word, known): (_, Vec<&str>) = if numbered {
        let alike = |known: &&str| known.get(..family(known)) == upper.get(..family(&upper));
        (upper.clone(), numbers().map(|(code, _)| code).filter(alike).collect())
    } else if code == upper {
        (upper.clone(), words().map(|(word, _)| word).collect())
    } else {
        (code.to_lowercase(), words().map(|(word, _)| word).collect())
    };
    let help = suggestion(&word, known)
        .unwrap_or_else(|| "`contexture explain` lists all codes".to_owned());
    Complaint::refused("unknown_code", format!("there is no code `{code}`")).help(help)
}

/// All codes with a number, and what they mean in one line.
fn numbers() -> impl Iterator<Item = (&'static str, &'static str)> {
    let checks = codes::ALL.iter().map(|known| (known.code, known.summary));
    let failures = failures::CODES.iter().map(|known| (known.code, known.meaning));
    let templates = templates::ALL.iter().map(|known| (known.code, known.summary));
    let settings = SETTINGS.iter().map(|(code, _, summary)| (*code, *summary));
    let explained = explained().map(|known| (known.code, known.summary));
    checks.chain(failures).chain(templates).chain(explained).chain(settings)
}

/// All codes that are words, and what they mean.
fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    let protocol = ErrorCode::ALL.iter().map(|code| (code.as_str(), code.meaning()));
    WORDS.iter().copied().chain(protocol)
}

/// How what a code stands for is mended, or at least what it means.
pub(crate) fn help_for(code: &str) -> Option<&'static str> {
    match ErrorCode::parse(code) {
        Some(ErrorCode::Cancelled) => None,
        Some(known) => Some(known.remedy()),
        None => {
            let is_it = |known: &str| known.eq_ignore_ascii_case(code);
            let mut all = WORDS.iter().copied().chain(numbers());
            all.find(|(known, _)| is_it(known)).map(|(_, meaning)| meaning)
        }
    }
}

/// The codes that come with an explanation.
fn explained() -> impl Iterator<Item = &'static Code> {
    let server = contexture_server::mcp::codes::ALL;
    let all = [references::ALL, packs::ALL, servers::ALL, flows::ALL, server];
    all.into_iter().flat_map(Codes::iter)
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
        return Some(text(head, known.summary));
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
    // `TIMEOUT` is the protocol's, `timeout` a model's.
    let protocol = |code: ErrorCode| {
        let explained = text(format!("failure[{}]", code.as_str()), code.meaning());
        format!("{explained}\n{}\n", code.remedy())
    };
    if let Some(code) = ErrorCode::parse(asked) {
        return Some(protocol(code));
    }
    let word = words::find(asked);
    word.map(|(word, meaning)| text(format!("failure[{word}]"), meaning))
        .or_else(|| ErrorCode::parse(&code).map(protocol))
}

fn example(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\nExample:\n  {text}\n") }
}
