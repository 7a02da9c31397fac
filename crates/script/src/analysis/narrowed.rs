//! What a program forbids itself (GU-6).
//!
//! Decision: at the top of a file it holds for the whole run, whoever calls what: a reader of the file
//! sees it at once, and no function is called outside of it. At the top of an agent it holds for all
//! that is done while the agent runs, by whatever it calls.

use super::Checker;
use crate::codes;
use crate::program::Program;
use crate::syntax::ast::{Agent, Config, ConfigKind, Item, Name, Text};
use contexture_core::policy::{Class, Verdict};
use contexture_diagnostic::{Diagnostic, suggestion};

/// The verdicts that a program may give.
const VERDICTS: [Verdict; 2] = [Verdict::Ask, Verdict::Deny];

impl<'p> Checker<'p, '_> {
    pub(super) fn policy(&mut self, config: &'p Config, class: &'p Name, verdict: &'p Text) {
        let items = self.program.files.get(self.file).map(|file| &file.parsed.file.items);
        let is_own = |item: &Item| matches!(item, Item::Config(own) if std::ptr::eq(own, config));
        let is_at_top = |item: &Item| match item {
            Item::Agent(agent) => agent.items.iter().any(is_own),
            item => is_own(item),
        };
        if !items.is_some_and(|items| items.iter().any(is_at_top)) {
            let fault = codes::BAD_POLICY.at(config.span, "`policy` in a function");
            let help =
                "move it to the top of the file, where it holds for the whole run, or of an agent";
            self.push(fault.with_help(help));
            return;
        }
        faults(class, verdict).into_iter().for_each(|fault| self.push(fault));
    }
}

/// Returns what is wrong with a class and a verdict.
pub(crate) fn faults(class: &Name, verdict: &Text) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    if class_of(class).is_none() {
        let known = Class::EFFECTS.map(Class::as_str);
        let help = suggestion(&class.text, known)
            .unwrap_or_else(|| "the classes are write, send and execute".to_owned());
        let message = format!("`{}` is not a class of effects", class.text);
        faults.push(codes::BAD_POLICY.at(class.span, message).with_help(help));
    }
    if verdict_of(verdict).is_none() {
        let known = VERDICTS.map(Verdict::as_str);
        let (message, help) = match verdict.value.as_str() {
            "allow" => (
                "a program can't widen the policy of its project".to_owned(),
                "write \"ask\" or \"deny\"; [policy] in contexture.toml allows".to_owned(),
            ),
            other => (
                format!("`{other}` is not a verdict of a program"),
                suggestion(other, known)
                    .unwrap_or_else(|| "the verdicts are \"ask\" and \"deny\"".to_owned()),
            ),
        };
        faults.push(codes::BAD_POLICY.at(verdict.span, message).with_help(help));
    }
    faults
}

fn class_of(name: &Name) -> Option<Class> {
    // What may be read is a matter of imports and grants.
    Class::EFFECTS.into_iter().find(|class| class.as_str() == name.text)
}

fn verdict_of(text: &Text) -> Option<Verdict> {
    VERDICTS.into_iter().find(|verdict| verdict.as_str() == text.value)
}

/// Returns what the files of a program forbid: what one of them says holds for the whole run.
pub(crate) fn of(program: &Program) -> impl Iterator<Item = (Class, Verdict)> {
    program.files.iter().flat_map(|file| of_items(&file.parsed.file.items))
}

/// Returns what an agent forbids itself.
pub(crate) fn of_agent(agent: &Agent) -> impl Iterator<Item = (Class, Verdict)> {
    of_items(&agent.items)
}

/// Returns what the items of a file forbid.
pub(crate) fn of_items(items: &[Item]) -> impl Iterator<Item = (Class, Verdict)> {
    items.iter().filter_map(said)
}

fn said(item: &Item) -> Option<(Class, Verdict)> {
    match item {
        Item::Config(config) => of_config(config),
        _ => None,
    }
}

/// Returns what a line forbids.
pub(crate) fn of_config(config: &Config) -> Option<(Class, Verdict)> {
    match &config.kind {
        ConfigKind::Policy { class, verdict } => Some((class_of(class)?, verdict_of(verdict)?)),
        _ => None,
    }
}
