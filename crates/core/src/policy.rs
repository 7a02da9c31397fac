//! Policy: what an effect may do, by its class and by what influenced it (GU-5, GU-6).
//!
//! Decision: the vocabulary stands here, below all doors, so that tools, servers, flows and the
//! checker mean the same by it. It is pure: whoever performs an effect asks it and obeys.

pub mod paths;

use contexture_context::{Label, Source, Trust};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The class of an effect on the world, from harmless to worst (GU-5).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Reads, and changes nothing.
    Read,
    /// Changes something on this side: a file, a memory.
    Write,
    /// Hands data to another side, or changes something there.
    Send,
    /// Runs code, or does what nobody declared: the class of an unknown tool.
    Execute,
}

impl Class {
    /// The classes that change something.
    pub const EFFECTS: [Self; 3] = [Self::Write, Self::Send, Self::Execute];

    /// Returns the class of a word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Read, Self::Write, Self::Send, Self::Execute]
            .into_iter()
            .find(|class| class.as_str() == word)
    }

    /// Returns its word in settings, lock files and traces.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Send => "send",
            Self::Execute => "execute",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The influence on an effect (GU-5).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Influence {
    /// The label of what decided that it is done: a branch, a loop, or a model's wish.
    pub decision: Label,
    /// The labels of its arguments by name; an argument that the program wrote may be left out.
    pub arguments: Vec<(String, Label)>,
}

impl Influence {
    /// Returns the influence of a model's wish: all of it is as low as what the model saw.
    #[must_use]
    pub fn of_model<'n>(seen: &Label, arguments: impl IntoIterator<Item = &'n String>) -> Self {
        let arguments = arguments.into_iter().map(|name| (name.clone(), seen.clone()));
        Self { decision: seen.clone(), arguments: arguments.collect() }
    }

    /// Returns the label of all of it.
    #[must_use]
    pub fn whole(&self) -> Label {
        let labels = self.arguments.iter().map(|(_, label)| label);
        labels.fold(self.decision.clone(), Label::join)
    }

    /// Returns the influence on an effect whose arguments have one label.
    #[must_use]
    pub fn of_all<'n>(label: &Label, arguments: impl IntoIterator<Item = &'n String>) -> Self {
        Self { decision: Label::default(), ..Self::of_model(label, arguments) }
    }
}

/// Returns the origin of an HTTP address: scheme and host in lower case, and a port that is not the
/// usual one.
///
/// ```
/// use contexture_core::policy::origin;
/// assert_eq!(origin("HTTPS://Api.example.com:443/v1?a").unwrap(), "https://api.example.com");
/// assert_eq!(origin("http://ann:s@[::1]:8080").unwrap(), "http://[::1]:8080");
/// assert_eq!(origin("file://workspace"), None);
/// ```
#[must_use]
pub fn origin(uri: &str) -> Option<String> {
    let (scheme, rest) = uri.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let usual = match &*scheme {
        "http" => ":80",
        "https" => ":443",
        _ => return None,
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.to_ascii_lowercase();
    let host = host.strip_suffix(usual).unwrap_or(&host);
    (!host.is_empty()).then(|| format!("{scheme}://{host}"))
}

/// The answer of a policy to an effect, from mild to strict (GU-6).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is done.
    Allow,
    /// A person is asked first; it is not done where nobody can be asked.
    Ask,
    /// It is not done.
    Deny,
}

impl Verdict {
    /// Returns its word in settings and traces.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An effect that is about to happen (GU-5).
#[derive(Debug, Clone, Copy)]
pub struct Effect<'e> {
    /// Its name in settings and traces: `file.write`, `http.post`, `mcp:mail/send`.
    pub name: &'e str,
    /// Its class.
    pub class: Class,
    /// What had an influence on it.
    pub influence: &'e Influence,
    /// The origin that its arguments are handed to, such as `https://api.example.com`.
    pub origin: Option<&'e str>,
    /// What its tool demands of single arguments, in place of what its class does.
    pub demands: Option<&'e Demands>,
}

/// The lowest trust levels of arguments, by their names.
pub type Demands = BTreeMap<String, Trust>;

/// The rules of a project and of a run (GU-6).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// The verdict on influenced effects of a class; without one a person is asked. `Deny` is
    /// refused whatever the influence.
    pub classes: BTreeMap<Class, Verdict>,
    /// The rules of single tools.
    pub tools: BTreeMap<String, Rule>,
    /// True if files of the workspace are the user's own word.
    pub trusts_workspace: bool,
    /// The classes that the person who started the run said yes to: nobody is asked about these.
    pub yes_to: Vec<Class>,
    /// The verdicts of the program on classes: the stricter one holds, of them and of all the others.
    pub narrowed: Narrowed,
}

/// The verdicts of a program or an agent on classes.
pub type Narrowed = BTreeMap<Class, Verdict>;

/// The rule of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rule {
    /// The verdict, in place of that of its class.
    pub verdict: Option<Verdict>,
    /// The class, in place of the one that the tool says.
    pub class: Option<Class>,
    /// The lowest trust level of the decision and of each argument, if it is not the user's.
    pub integrity: Option<Trust>,
    /// The same for arguments by name.
    pub arguments: Demands,
    /// Origins that may receive data with restricted readers.
    pub readers: BTreeSet<String>,
    /// The reason why the tool's results count as the user's word.
    pub validates: Option<String>,
}

/// The word of a tool that validates what it is given (GU-4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validation {
    /// The name of the tool in settings.
    pub tool: String,
    /// The reason why its results count as the user's word.
    pub reason: String,
}

impl Validation {
    /// Returns the step that it is on the way from a source.
    #[must_use]
    pub fn way(&self) -> String {
        format!("{} validated \"{}\"", self.tool, self.reason)
    }

    /// Lets up a label, to the user's word.
    #[must_use]
    pub fn up(&self, label: Label) -> Label {
        label.released(&self.way(), Trust::User)
    }

    /// Returns the record of it: what the label was before.
    #[must_use]
    pub fn record(&self, before: &Label) -> Value {
        json!({
            "reason": self.reason, "tool": self.tool,
            "trust": before.trust, "sources": before.sources,
        })
    }
}

impl Rule {
    fn demands(&self) -> bool {
        self.verdict.is_some() || self.integrity.is_some() || !self.arguments.is_empty()
    }
}

/// The decision about an effect, with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The class that it was judged as: a request that carries data is `send`.
    pub class: Class,
    /// What had an influence that the effect's demands exclude.
    pub influence: Vec<Influenced>,
    /// What would have had one, had a program, a person or a tool not let it up: the last step of the
    /// way says which.
    pub let_up: Vec<Influenced>,
    /// True if it would be asked about, had the person who started the run not said yes before.
    pub is_yes: bool,
}

/// A source that had an influence on an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Influenced {
    /// Its name.
    pub source: String,
    /// Its trust level.
    pub trust: Trust,
    /// The way from it to the effect: answers, then the argument or the decision.
    pub path: Vec<String>,
}

impl fmt::Display for Influenced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        self.path.iter().try_for_each(|step| write!(f, " → {step}"))
    }
}

impl Policy {
    /// Decides about an effect.
    #[must_use]
    pub fn decide(&self, effect: &Effect<'_>) -> Decision {
        let rule = self.tools.get(effect.name);
        let said = rule.and_then(|rule| rule.class).unwrap_or(effect.class);
        let effect = &Effect { class: said, ..*effect };
        let (integrity, let_up) = self.below(effect, rule);
        let disclosed = disclosed(effect, rule);
        // The server of a tool knows what it reads; a request says it in its address.
        let is_request = effect.origin.is_some_and(|origin| !origin.starts_with("mcp:"));
        let is_leak = !disclosed.is_empty() || is_request && !integrity.is_empty();
        let class = match effect.class {
            Class::Read if effect.origin.is_some() && is_leak => Class::Send,
            class => class,
        };
        let mut influence: Vec<Influenced> = integrity;
        for one in disclosed {
            if !influence.contains(&one) {
                influence.push(one);
            }
        }
        let verdict = self.verdict(class, rule, !influence.is_empty());
        let is_yes = verdict == Verdict::Ask && self.yes_to.contains(&class);
        let verdict = if is_yes { Verdict::Allow } else { verdict };
        Decision { verdict, class, influence, let_up, is_yes }
    }

    /// Returns the word of a tool for its results, by its own reason or that of the project's rule.
    #[must_use]
    pub fn validation(&self, tool: &str, own: Option<&str>) -> Option<Validation> {
        let rule = self.tools.get(tool).and_then(|rule| rule.validates.as_deref());
        let reason = rule.or(own)?.to_owned();
        Some(Validation { tool: tool.to_owned(), reason })
    }

    /// Returns the trust level of a file of the workspace that a reader gives another.
    #[must_use]
    pub fn of_workspace(&self, trust: Trust) -> Trust {
        match trust {
            Trust::Resource | Trust::Tool if self.trusts_workspace => Trust::User,
            trust => trust,
        }
    }

    /// Returns the policy with verdicts of a program, which only make it stricter.
    #[must_use]
    pub fn narrowed(mut self, verdicts: impl IntoIterator<Item = (Class, Verdict)>) -> Self {
        narrow(&mut self.narrowed, verdicts);
        self
    }

    fn verdict(&self, class: Class, rule: Option<&Rule>, is_influenced: bool) -> Verdict {
        let of_class = self.classes.get(&class).copied();
        let of_tool = rule.and_then(|rule| rule.verdict);
        let of_program = self.narrowed.get(&class).copied();
        if [of_class, of_tool, of_program].contains(&Some(Verdict::Deny)) {
            return Verdict::Deny;
        }
        // Reading is free, unless a rule demands something of it.
        let is_free = class == Class::Read && !rule.is_some_and(Rule::demands);
        if is_free || !is_influenced {
            return Verdict::Allow;
        }
        let of_project = of_tool.or(of_class).unwrap_or(Verdict::Ask);
        of_program.map_or(of_project, |own| own.max(of_project))
    }

    /// Returns the sources below what the effect demands of its decision and its arguments, and those
    /// that were let up.
    fn below(
        &self,
        effect: &Effect<'_>,
        rule: Option<&Rule>,
    ) -> (Vec<Influenced>, Vec<Influenced>) {
        let of_page = |label: &Label, least: Option<Trust>| own_words(effect.name, label, least);
        let Influence { decision, arguments } = effect.influence;
        let least = rule.and_then(|rule| rule.integrity);
        let (mut found, mut let_up) = (Vec::new(), Vec::new());
        let mut judge = |label: &Label, least: Option<Trust>, place: &str| {
            if !is_below(label, least) {
                if label.is_of_low_sources() {
                    name(&mut let_up, label, least, place);
                }
            } else if !of_page(label, least) {
                name(&mut found, label, least, place);
            }
        };
        if sinks::minds_decision(effect.name) {
            judge(decision, least, effect.name);
        }
        for (argument, label) in arguments {
            let own = rule.and_then(|rule| rule.arguments.get(argument)).copied().or(least);
            let own = own.or_else(|| effect.demands?.get(argument).copied());
            if own.is_some() || sinks::names(effect.name, effect.class, argument) {
                let place = match argument.as_str() {
                    "" => effect.name.to_owned(),
                    argument => format!("{}.{argument}", effect.name),
                };
                judge(label, own, &place);
            }
        }
        (found, let_up)
    }
}

/// Adds verdicts, of which the stricter one holds.
pub fn narrow(known: &mut Narrowed, verdicts: impl IntoIterator<Item = (Class, Verdict)>) {
    for (class, verdict) in verdicts {
        let own = known.entry(class).or_insert(verdict);
        *own = verdict.max(*own);
    }
}

/// Reports whether all that is below a trust level are a side's own words, which it is given back: a
/// tool of a front end what tools of the front end gave, and a tool of an MCP server what the model
/// read about the server's tools.
fn own_words(effect: &str, label: &Label, least: Option<Trust>) -> bool {
    let server = effect.split_once('/').map(|(server, _)| server);
    let server = server.filter(|server| server.starts_with(SERVER));
    let is_own = |source: &Source| {
        let name = source.source.as_str();
        let is_back = match server {
            Some(server) => name == server,
            None => effect.starts_with(FRONTEND) && name.starts_with(FRONTEND),
        };
        is_back && source.path.is_empty()
    };
    let mut low = label.sources.iter().filter(|one| one.trust > least.unwrap_or(Trust::Model));
    !label.more && label.trust <= Trust::Tool && low.clone().count() > 0 && low.all(is_own)
}

/// The beginning of the names of tools of MCP servers.
const SERVER: &str = "mcp:";

/// The beginning of the names of front-end tools.
pub const FRONTEND: &str = "frontend:";

/// Reports whether a label is below a trust level; the user's is the default.
fn is_below(label: &Label, least: Option<Trust>) -> bool {
    least.map_or_else(|| label.is_below_user(), |least| label.trust > least)
}

/// Adds the sources of a label that are below a trust level, each once.
fn name(found: &mut Vec<Influenced>, label: &Label, least: Option<Trust>, place: &str) {
    let mut add = |one: Influenced| {
        if !found.contains(&one) {
            found.push(one);
        }
    };
    let low = |source: &&Source| least.unwrap_or(Trust::Model) < source.trust;
    for Source { source, trust, path } in label.sources.iter().filter(low) {
        let path = path.iter().cloned().chain([place.to_owned()]).collect();
        add(Influenced { source: source.clone(), trust: *trust, path });
    }
    if label.more || !label.sources.iter().any(|source| low(&source)) {
        let source = match label.trust {
            _ if label.more => "many sources",
            Trust::User => "the input",
            Trust::Model => "an answer",
            _ => "an unnamed source",
        };
        let path = vec![place.to_owned()];
        add(Influenced { source: source.to_owned(), trust: label.trust, path });
    }
}

/// Returns the sources of arguments whose readers exclude the origin that they are handed to.
fn disclosed(effect: &Effect<'_>, rule: Option<&Rule>) -> Vec<Influenced> {
    let is_reader = |label: &Label| {
        label.readers.is_everyone()
            || effect.origin.is_some_and(|origin| {
                label.readers.include(origin)
                    || rule.is_some_and(|rule| rule.readers.contains(origin))
            })
    };
    let leaves = effect.origin.is_some() || matches!(effect.class, Class::Send | Class::Execute);
    if !leaves {
        return Vec::new();
    }
    let mut found = Vec::new();
    let kept = effect.influence.arguments.iter().filter(|(_, label)| !is_reader(label));
    for (argument, label) in kept {
        name(&mut found, label, Some(Trust::Program), &format!("{}.{argument}", effect.name));
    }
    found
}

/// The demands of the built-in tools on their arguments (GU-5).
mod sinks {
    use super::Class;

    /// Reports whether it matters who decided that a tool is called. Memories keep the labels of
    /// what they are given, so that nothing is gained by a detour through them.
    pub(super) fn minds_decision(tool: &str) -> bool {
        !tool.starts_with("memory.")
    }

    /// Reports whether an argument of a tool decides what is done, and not only with what.
    pub(super) fn names(tool: &str, class: Class, argument: &str) -> bool {
        match tool.split_once('.') {
            Some(("file", "write" | "patch")) => argument == "path",
            Some(("file", _)) => class != Class::Read,
            Some(("http", _)) => matches!(argument, "url" | "headers"),
            Some(("memory" | "env" | "sh", _)) => false,
            None if tool == "file_write" => argument == "path",
            None if tool.starts_with("http_") => argument != "body" && argument != "timeout",
            // Of a tool that others define, every argument may.
            _ => class != Class::Read,
        }
    }
}

#[cfg(test)]
mod tests;
