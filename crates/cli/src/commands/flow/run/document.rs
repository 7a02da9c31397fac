//! The set that is to be run: as it was given, or as a program returned it.

use super::Args;
use crate::commands::run::{Screen, Talk};
use crate::complaint::{Complaint, Stop};
use crate::input;
use crate::terminal::Terminal;
use contexture::Project;
use contexture::flows::{Entry, FlowError, FlowRequest, from_program};
use contexture::llm::CancelToken;
use contexture::run::SetupError;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The code of a program that returned no set in time.
pub(super) const LATE: &str = "flow_program_late";

/// Whether a file is a program that returns a set.
pub(in crate::commands::flow) fn is_program(file: &Path) -> bool {
    file.extension().is_some_and(|end| end.eq_ignore_ascii_case("as"))
}

/// The function that returns the set.
pub(super) fn entry(args: &Args, file: &Path, terminal: &Terminal) -> Result<Entry, Stop> {
    let input = match args.input.as_deref() {
        Some("-") => input::json(&input::stdin("the input", terminal)?, "the input on stdin")?,
        Some(text) => input::json(text, "--input")?,
        None => json!({}),
    };
    let (agent, function) = match args.agent.as_deref() {
        Some(name) => match name.split_once('.') {
            Some((agent, function)) => (Some(agent), Some(function)),
            None => (Some(name), None),
        },
        None => (None, None),
    };
    Ok(Entry {
        program: file.to_owned(),
        agent: agent.filter(|name| !name.is_empty()).map(str::to_owned),
        function: function.map(str::to_owned),
        input,
    })
}

/// Refuses options of programs for a file that is none.
pub(super) fn is_no_program(args: &Args) -> Result<(), Stop> {
    let named = [("--agent", args.agent.is_some()), ("--input", args.input.is_some())];
    match named.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => {
            let message = format!("{option} is for programs, and FILE is a set");
            let help = "a program has a name that ends in .as";
            Err(Complaint::refused("flow_source", message).help(help).into())
        }
    }
}

/// Runs the program for its set, for so long at most.
pub(super) fn returned(
    project: &Project,
    entry: Entry,
    request: FlowRequest,
    timeout: Option<Duration>,
    shown: (&tokio::runtime::Runtime, &CancelToken, Talk, &Terminal),
) -> Result<FlowRequest, FlowError> {
    let (runtime, cancel, talk, terminal) = shown;
    // The program is stopped by a switch of its own, which a signal throws too.
    let stop = CancelToken::new();
    let is_late = Arc::new(AtomicBool::new(false));
    let watch = runtime.spawn({
        let (cancel, stop, is_late) = (cancel.clone(), stop.clone(), Arc::clone(&is_late));
        async move {
            match timeout {
                None => cancel.cancelled().await,
                Some(timeout) => {
                    let waited = tokio::time::timeout(timeout, cancel.cancelled()).await;
                    is_late.store(waited.is_err(), Ordering::Relaxed);
                }
            }
            stop.cancel();
        }
    });
    let screen = Arc::new(Screen::new(*terminal, talk, talk != Talk::Quiet));
    let mut request = request;
    let board = request.progress.replace(Arc::clone(&screen) as _);
    screen.begin();
    let came = runtime.block_on(from_program(project, entry, &request, stop));
    watch.abort();
    screen.clear();
    request.progress = board;
    match (came, timeout) {
        (Err(_), Some(timeout)) if is_late.load(Ordering::Relaxed) => Err(late(timeout)),
        (came, _) => Ok(came?.into_request(request)),
    }
}

/// The program gave no set in time.
fn late(timeout: Duration) -> FlowError {
    let seconds = timeout.as_secs_f64();
    let message = format!("the program returned no set within {seconds} s");
    let help = "give it longer with --timeout, or see what it waits for";
    FlowError::Setup(SetupError { code: LATE.to_owned(), message, help: Some(help.to_owned()) })
}

/// The set with a time-out for the whole, unless its own is shorter.
pub(super) fn limited(document: Vec<u8>, timeout: Duration) -> Vec<u8> {
    // What is no JSON is told by the check.
    let Ok(mut whole) = serde_json::from_slice::<Value>(&document) else { return document };
    let is_wrapped = whole.get("content").is_some();
    let content = if is_wrapped { whole.get_mut("content") } else { Some(&mut whole) };
    let Some(fields) = content.and_then(Value::as_object_mut) else { return document };
    let seconds = timeout.as_secs_f64();
    let is_shorter = |value: &Value| value.as_f64().is_none_or(|own| own <= seconds);
    if fields.get("timeout").is_some_and(is_shorter) {
        return document;
    }
    fields.insert("timeout".to_owned(), json!(seconds));
    whole.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_2_the_shorter_time_of_the_set_and_of_the_command_line_holds() {
        let of = |document: &str, seconds| {
            let bytes = limited(document.as_bytes().to_vec(), Duration::from_secs_f64(seconds));
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(of(r#"{"instructions":[]}"#, 1.5), r#"{"instructions":[],"timeout":1.5}"#);
        assert_eq!(
            of(r#"{"type":"T","content":{"timeout":9}}"#, 2.0),
            r#"{"type":"T","content":{"timeout":2.0}}"#
        );
        for same in [r#"{"timeout":1}"#, r#"{"timeout":"x"}"#, "no json", r#"{"content":1}"#, "[]"]
        {
            assert_eq!(of(same, 2.0), same);
        }
    }
}
