//! Options that several commands take.

use crate::output::error::{Abort, CommandError};
use contexture::diagnostic::suggestion;
use contexture::knowledge::Allowance;
use contexture::llm::{Ledger, SpendLimit};
use contexture::models::{Replacements, StandIn};
use contexture::ports::policy::Class;
use contexture::ports::profile::Money;
use contexture::servers;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The models that a command chooses for programs (CA-7).
#[derive(Debug, clap::Args)]
pub(crate) struct Models {
    /// The default model, also in place of all models that the program names, such as
    /// openai://gpt-4o-mini, ollama://localhost:11434/llama3.2 or builtin://extractive; NAME=URI
    /// replaces only the one that the program imports as NAME. May be repeated.
    #[arg(id = "models", long = "model", value_name = "[NAME=]URI", help_heading = "Model")]
    given: Vec<ModelArgument>,
}

/// The recording of a server's model answers.
#[derive(Debug, clap::Args)]
pub(crate) struct Recorded {
    /// Record all model answers in a file, for --replay.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "replay", help_heading = "Model")]
    pub(crate) record: Option<PathBuf>,
    /// Answer from a recorded file; a request that it does not contain is an error.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Model")]
    replay: Option<PathBuf>,
}

impl Recorded {
    /// Returns what answers in place of models.
    pub(crate) fn stand_in(&self) -> StandIn {
        stand_in(self.replay.as_deref(), None)
    }
}

/// One value of `--model`.
#[derive(Debug, Clone)]
enum ModelArgument {
    Default(String),
    Named(String, String),
}

impl std::str::FromStr for ModelArgument {
    type Err = std::convert::Infallible;

    /// Reads a value. No URI begins with a name and `=`, as its scheme ends in `:`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
        let named = text.split_once('=').map(|(name, uri)| (name.trim(), uri.trim()));
        Ok(match named.filter(|(name, _)| !name.is_empty() && name.chars().all(is_part)) {
            Some((name, uri)) => Self::Named(name.to_owned(), uri.to_owned()),
            None => Self::Default(text.to_owned()),
        })
    }
}

impl Models {
    /// Returns the model for all, and those in place of single ones.
    pub(crate) fn chosen(&self, of_several: bool) -> Result<(Option<String>, Replacements), Abort> {
        let mut default: Option<String> = None;
        let mut models = Replacements { of_several, ..Replacements::default() };
        for given in &self.given {
            let (before, uri, what) = match given {
                ModelArgument::Default(uri) => (default.replace(uri.clone()), uri, "the default"),
                ModelArgument::Named(name, uri) => {
                    (models.by_name.insert(name.clone(), uri.clone()), uri, name.as_str())
                }
            };
            if let Some(before) = before.filter(|before| before != uri) {
                let message = format!("--model names two models for {what}: {before} and {uri}");
                let help = "give each one once: `--model URI`, `--model NAME=URI`";
                return Err(CommandError::refused("bad_usage", message).help(help).into());
            }
        }
        Ok((default, models))
    }
}

/// What a command may spend on models (CA-5).
#[derive(Debug, clap::Args)]
pub(crate) struct Spend {
    /// Refuse a model call before it is sent when what it may cost at worst does not fit in what is
    /// left of this many dollars.
    #[arg(long, value_name = "DOLLARS", value_parser = super::values::dollars, allow_negative_numbers = true, help_heading = "Model")]
    max_cost: Option<Money>,
    /// Refuse a model call before it is sent when the tokens that it may take do not fit in what is
    /// left of this many, prompts and answers together, such as 200k.
    #[arg(long, value_name = "N", value_parser = super::values::tokens, allow_negative_numbers = true, help_heading = "Model")]
    max_tokens: Option<u64>,
}

impl Spend {
    pub(crate) const fn limit(&self) -> SpendLimit {
        SpendLimit { money: self.max_cost, tokens: self.max_tokens, calls: None }
    }

    /// Returns the account of several runs together, if there is a limit.
    pub(crate) fn account(&self) -> Option<Arc<Ledger>> {
        let limit = self.limit();
        (limit != SpendLimit::default()).then(|| Arc::new(Ledger::new(limit, None)))
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Permissions {
    /// Allow reading this knowledge pack in this state, such as acme@sha256:0123456789ab; an error
    /// about a pack names its digest. It holds for this command. May be repeated.
    #[arg(long, value_name = "NAME@DIGEST", help_heading = "Permissions")]
    pub(crate) allow_pack: Vec<Allowance>,
    /// Allow using this MCP server of the project as contexture.toml describes it now, such as
    /// fs@sha256:0123456789ab; an error about a server names its digest. May be repeated.
    #[arg(long, value_name = "NAME@DIGEST", help_heading = "Permissions")]
    pub(crate) allow_server: Vec<Allowance>,
    /// Allow effects of these classes although something below the user had an influence on them,
    /// unless the policy of the project denies them: write, send, execute.
    #[arg(long, value_name = "CLASSES", value_delimiter = ',', value_parser = class, help_heading = "Permissions")]
    pub(crate) yes_to: Vec<Class>,
}

pub(crate) fn class(word: &str) -> Result<Class, String> {
    let known = Class::parse(word.trim()).filter(|class| *class != Class::Read);
    known.ok_or_else(|| {
        let known = Class::EFFECTS.map(Class::as_str);
        suggestion(word, known).unwrap_or_else(|| format!("expected {}", known.join(", ")))
    })
}

impl Permissions {
    /// Returns the permission to use MCP servers.
    pub(crate) fn servers(&self) -> servers::Consent {
        servers::Consent { allow: self.allow_server.clone(), ..servers::Consent::default() }
    }
}

/// Returns what answers in place of a model, given `--replay` and `--mock`.
pub(crate) fn stand_in(replay: Option<&Path>, mock: Option<&Option<PathBuf>>) -> StandIn {
    match (replay, mock) {
        (Some(recording), _) => StandIn::Replay(recording.to_owned()),
        (None, Some(Some(answers))) => StandIn::Answers(answers.clone()),
        (None, Some(None)) => StandIn::Mock,
        (None, None) => StandIn::None,
    }
}
