//! All codes of diagnostics and failures, from whatever part of the product.

use super::code_words::WORDS;
use contexture::diagnostic::{Code, Codes, suggestion};
use contexture::knowledge::codes as packs;
use contexture::mcp::codes as servers;
use contexture::prompt::codes as templates;
use contexture::protocol::ErrorCode;
use contexture::reference::codes as references;
use contexture::script::codes;
use contexture::script::runtime::error::codes as failures;

/// Codes without a registry of their own: code, name and summary.
pub(crate) const SETTINGS: &[(&str, &str, &str)] = &[
    (
        "CFG1001",
        "invalid-settings",
        "contexture.toml is not valid TOML, or a setting is unknown, has the wrong type or is out of range. \
         docs/configuration.md lists all settings.",
    ),
    (
        "EV1001",
        "invalid-tests",
        "A file of tests, or a file of its cases, is not valid: a key or the name of an expectation is unknown, or \
         a value is not of its kind. docs/evals.md lists them all.",
    ),
    (
        "RT1001",
        "unknown-application-tool",
        "A program imports a tool from `rust://`, and the application that runs it has no such tool or method. \
         The command line has none: a Rust program adds them with `Runtime::builder(…).tool(…)`.",
    ),
];

/// Returns all numbered codes with their one-line meaning.
pub(crate) fn numbers() -> impl Iterator<Item = (&'static str, &'static str)> {
    let checks = codes::ALL.iter().map(|known| (known.code, known.summary));
    let failures = failures::CODES.iter().map(|known| (known.code, known.meaning));
    let templates = templates::ALL.iter().map(|known| (known.code, known.summary));
    let settings = SETTINGS.iter().map(|(code, _, summary)| (*code, *summary));
    let explained = explained().map(|known| (known.code, known.summary));
    checks.chain(failures).chain(templates).chain(explained).chain(settings)
}

pub(crate) fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    let protocol = ErrorCode::ALL.iter().map(|code| (code.as_str(), code.meaning()));
    WORDS.iter().copied().chain(protocol)
}

/// Returns the codes that have a long explanation.
pub(crate) fn explained() -> impl Iterator<Item = &'static Code> {
    let all = [
        references::ALL,
        packs::ALL,
        servers::ALL,
        #[cfg(feature = "flow")]
        contexture::flow::codes::ALL,
        #[cfg(feature = "server")]
        contexture_server::mcp::codes::ALL,
    ];
    all.into_iter().flat_map(Codes::iter)
}

/// Returns how to fix an error with this code, or at least what the code means.
pub(crate) fn help_for(code: &str) -> Option<&'static str> {
    match ErrorCode::parse(code) {
        Some(ErrorCode::Cancelled) => None,
        Some(known) => Some(known.remedy()),
        None => {
            let mut all = WORDS.iter().copied().chain(numbers());
            all.find(|(known, _)| known.eq_ignore_ascii_case(code)).map(|(_, meaning)| meaning)
        }
    }
}

/// Suggests a known code for a misspelt one.
pub(crate) fn similar(code: &str) -> Option<String> {
    let upper = code.to_uppercase();
    // `PT1003` is not a misspelt `AS1003`: numbered codes are compared within their prefix.
    let prefix = |known: &str| known.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (word, known): (_, Vec<&str>) = if prefix(&upper) < upper.len() {
        let alike = |known: &&str| known.get(..prefix(known)) == upper.get(..prefix(&upper));
        (upper.clone(), numbers().map(|(code, _)| code).filter(alike).collect())
    } else if code == upper {
        (upper, words().map(|(word, _)| word).collect())
    } else {
        (code.to_lowercase(), words().map(|(word, _)| word).collect())
    };
    suggestion(&word, known)
}
