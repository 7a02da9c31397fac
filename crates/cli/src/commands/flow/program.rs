//! Sets that programs return.

use super::run_args::Args;
use super::set_file::LATE;
use crate::output::progress::{ProgressDisplay, Verbosity};
use crate::prelude::*;
use crate::support::asker::PersonAtTerminal;
use contexture::Project;
use contexture::flows::{Entry, FlowError, FlowRequest, from_program};
use contexture::llm::CancelToken;
use contexture::run::SetupError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Returns the function that returns the set.
pub(super) fn entry(args: &Args, file: &Path, terminal: &Terminal) -> Result<Entry, Abort> {
    let input = match args.input.as_deref() {
        Some(text) => input::json_option(text, "--input", terminal)?,
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

pub(super) fn reject_options(args: &Args) -> Result<(), Abort> {
    let named = [("--agent", args.agent.is_some()), ("--input", args.input.is_some())];
    match named.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => {
            let message = format!("{option} applies to programs, but FILE is a set");
            let help = "the name of a program ends in .as";
            Err(CommandError::refused("flow_source", message).help(help).into())
        }
    }
}

/// Runs the program for its set, at most for `timeout`.
pub(super) fn returned(
    project: &Project,
    entry: Entry,
    request: FlowRequest,
    timeout: Option<Duration>,
    context: (&tokio::runtime::Runtime, &CancelToken, Verbosity, &Terminal),
) -> Result<FlowRequest, FlowError> {
    let (runtime, cancel, verbosity, terminal) = context;
    // The program has a cancel token of its own, which a signal cancels, too.
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
    let screen =
        Arc::new(ProgressDisplay::new(*terminal, verbosity, verbosity != Verbosity::Quiet));
    let mut request = request;
    let board = request.progress.replace(Arc::clone(&screen) as _);
    let person = PersonAtTerminal::of(terminal, Arc::clone(&screen) as _);
    let person_at_board = std::mem::replace(&mut request.run.permission, person);
    screen.begin();
    let came = runtime.block_on(from_program(project, entry, &request, stop));
    watch.abort();
    screen.clear();
    request.progress = board;
    request.run.permission = person_at_board;
    match (came, timeout) {
        (Err(_), Some(timeout)) if is_late.load(Ordering::Relaxed) => Err(late(timeout)),
        (came, _) => Ok(came?.into_request(request)),
    }
}

/// Returns the error about a program that returned no set in time.
fn late(timeout: Duration) -> FlowError {
    let seconds = timeout.as_secs_f64();
    let message = format!("the program returned no set within {seconds} s");
    let help = "raise --timeout, or check what the program waits for";
    FlowError::Setup(SetupError { code: LATE.to_owned(), message, help: Some(help.to_owned()) })
}

/// Adds a timeout to a set, unless its own is shorter.
pub(super) fn limited(document: Vec<u8>, timeout: Duration) -> Vec<u8> {
    // The check reports invalid JSON.
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
    fn fl_2_shorter_timeout_of_set_and_command_line_applies() {
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
