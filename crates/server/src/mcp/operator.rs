//! Failures over HTTP: the reason for the operator, a sentence for the client (CA-10).
//!
//! Decision: the text of a failure can hold keys, hosts and paths, so a client gets the meaning of the code and an
//! id, which leads to the line of the operator. What says what is wrong with the client's own
//! arguments is told as it is. Over stdio the client is a program of the same person, who reads all.

use crate::fault::Fault;
use crate::mcp::{codes, said};
use contexture::diagnostic::Codes;
use contexture::knowledge::codes as packs;
use contexture::mcp::codes as servers;
use contexture::reference::codes as references;
use contexture::script::runtime::error::codes as failures;
use contexture::store::masker::Masker;
use contexture::store::stamp::{self, Ids};

/// The key of the id of a run in what is told of a call.
pub(crate) const RUN: &str = "contexture/run";
/// The key of its warnings.
pub(crate) const WARNINGS: &str = "contexture/warnings";

/// The codes of what a client itself did wrong.
const OF_CLIENT: [&str; 4] = [
    codes::BAD_ARGUMENTS.code,
    codes::UNKNOWN_RESOURCE.code,
    codes::CANCELLED.code,
    codes::NOT_FOR_READING.code,
];
/// The beginning of the codes of references that are not written well.
const BAD_REFERENCE: &str = "REF1";
const HELP: &str = "try again later, or tell the operator the id";

/// Whoever serves over HTTP, and reads one line for each failure.
pub(crate) struct Operator {
    tell: Box<dyn Fn(&str) + Send + Sync>,
    masker: Masker,
    ids: Ids,
}

impl Operator {
    /// Creates an operator who is told lines without `secrets`.
    pub(crate) fn new(
        tell: impl Fn(&str) + Send + Sync + 'static,
        secrets: impl IntoIterator<Item = String>,
    ) -> Self {
        let masker = Masker::new(secrets.into_iter().collect::<Vec<_>>());
        Self { tell: Box::new(tell), masker, ids: stamp::system() }
    }

    /// Tells the operator of a failure, and returns what the client may know of it.
    pub(crate) fn conceal(&self, called: &str, fault: Fault) -> Fault {
        if OF_CLIENT.contains(&fault.code.as_str()) || fault.code.starts_with(BAD_REFERENCE) {
            return fault;
        }
        let run = fault.details.get(RUN).and_then(|run| run.as_str());
        let id = run.map_or_else(|| format!("call_{}", self.ids.next().0), str::to_owned);
        self.say(&format!("id={id} {called}: {fault}"));
        let meaning = meaning(&fault.code).unwrap_or("the call failed");
        let meaning = meaning.trim_end_matches('.');
        Fault::new(
            fault.code,
            format!("{meaning}; the operator finds the reason under the id {id}"),
        )
        .with_help(HELP)
        .with("id", id)
    }

    /// Tells the operator of what a call that did not fail warned of.
    pub(crate) fn warned(&self, called: &str, warnings: &serde_json::Value) {
        for warning in warnings.as_array().into_iter().flatten() {
            if let Some(warning) = warning.as_str() {
                self.say(&format!("{called}: warning: {warning}"));
            }
        }
    }

    fn say(&self, line: &str) {
        (self.tell)(&said::line(&self.masker.text(line)));
    }
}

/// Returns what a code means, whatever it is about.
fn meaning(code: &str) -> Option<&'static str> {
    let known = [codes::ALL, references::ALL, packs::ALL, servers::ALL];
    let found = known.iter().find_map(|codes: &Codes| codes.find(code));
    let failure = || failures::CODES.iter().find(|known| known.code == code);
    found.map(|code| code.summary).or_else(|| failure().map(|known| known.meaning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::sync::Arc;

    #[test]
    fn ca_10_client_gets_meaning_and_id_and_operator_the_reason() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines);
        let tell = move |line: &str| kept.lock().push(line.to_owned());
        let operator = Operator::new(tell, ["s3cret-of-mine".to_owned()]);
        let reason = "no connection to 10.0.0.5:8080 with s3cret-of-mine\nin /srv/app";
        let fault = Fault::new("AS9030", reason).with(RUN, "01abc").with("file", "/srv/app/p.as");
        let told = operator.conceal("Asker", fault.with_help("start /srv/app/model"));
        assert_eq!(told.code, "AS9030");
        for part in ["10.0.0.5", "s3cret", "/srv"] {
            let all = format!("{told} {:?}", told.details);
            assert!(!all.contains(part), "{all}");
        }
        assert!(told.message.contains("under the id 01abc"), "{told}");
        let line = lines.lock().remove(0);
        assert!(line.starts_with("id=01abc Asker: error[AS9030]: no connection to 10.0"), "{line}");
        assert!(!line.contains("s3cret") && line.lines().count() == 1, "{line}");
        let own = Fault::of(codes::BAD_ARGUMENTS, "qeury: expected no field");
        assert_eq!(operator.conceal("x", own.clone()), own);
        let unknown = operator.conceal("x", Fault::new("whatever", reason));
        assert!(unknown.message.starts_with("the call failed; the operator"), "{unknown}");
    }
}
