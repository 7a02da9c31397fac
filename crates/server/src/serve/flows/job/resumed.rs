//! A set that is taken up again: from its journal, with what its steps wait for (FL-11, WA-1).

use super::answering::noted;
use super::{Checked, Job, Start, Unanswered, set_of};
use crate::serve::exchange::failure::{is_passing, refusal};
use crate::serve::exchange::results::unkept;
use crate::serve::flows::answer::Ended;
use crate::serve::flows::clients::Clients;
use crate::serve::flows::earlier::earlier;
use crate::serve::flows::journal::UnfinishedRun;
use contexture::flows::{FlowRequest, Labels};
use contexture::store::flows::{FlowStoreError, Wait, WaitFilter};
use contexture_flow::Set;
use contexture_flow::check::Report as Warnings;
use contexture_flow::journal::Entry;
use contexture_protocol::content::Outcome;
use contexture_protocol::{ErrorCode, Message, Refusal};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

impl Job {
    pub(in crate::serve::flows) async fn resume(
        self,
        run: Option<UnfinishedRun>,
        entries: Vec<Entry>,
    ) {
        let Some(set) = set_of(&self.message) else { return };
        match run {
            Some(run) if run.is_ended => {
                let answer = self.answer_again(&run.run, &set, entries).await;
                self.close(answer).await;
            }
            run => {
                let id = run.as_ref().map(|run| run.run.clone());
                let id = id.unwrap_or_else(|| self.app.maker.id("run"));
                let answer = self.resumed((&id, run.is_some()), set, entries).await;
                self.over(&id, answer).await;
            }
        }
    }

    /// Answers for a run that has ended without a stored answer.
    async fn answer_again(
        &self,
        run: &str,
        set: &Set,
        entries: Vec<Entry>,
    ) -> Result<Message, Refusal> {
        self.keep_ack().await;
        let clients = Clients::new(self.forwarder(), run, set);
        self.labels.get_or_init(|| Labels::kept(&entries));
        let ended = Ended::read(set, entries);
        let telling = self.telling(set.steps.len());
        let message = self.answered((run, ended), &clients, telling).await?;
        Ok(noted(message, run, &Warnings::default()))
    }

    async fn resumed(
        &self,
        (run, was_begun): (&str, bool),
        set: Set,
        entries: Vec<Entry>,
    ) -> Result<Option<Message>, Unanswered> {
        let earlier = earlier(&self.app, &self.owner, &self.context, &set).await;
        let mut earlier = earlier.map_err(|error| match is_passing(&error) {
            true => Unanswered::Unkept(refusal(error, Some(&self.context))),
            false => Unanswered::Refused(refusal(error, Some(&self.context))),
        })?;
        self.hear(&mut earlier);
        let (waits, begun_ms) = self.waits(run).await?;
        let now = self.app.now();
        let start = Start {
            resume: was_begun.then(|| run.to_owned()),
            ended: entries.iter().filter_map(ended).collect(),
            is_paused: is_paused(&entries),
            waiting: waits.iter().map(|wait| wait.step.clone()).collect(),
            // The time of a set that only waited goes on; that of another begins anew.
            elapsed: match waits.is_empty() {
                true => Duration::ZERO,
                false => Duration::from_millis(now.saturating_sub(begun_ms)),
            },
        };
        let clients = || Clients::new(self.forwarder(), run, &set);
        // An action that is no longer known is a tool of a client that is not back yet.
        let gone = match self.checked(&set, clients(), earlier.clone()) {
            Ok(_) => Vec::new(),
            Err(refused) => unknown(&set, &refused),
        };
        let mut clients = clients().returning(gone);
        if !waits.is_empty() {
            clients = clients.going_on(waits, &set, begun_ms);
        }
        // The settings may have changed.
        let mut checked: Checked = self.checked(&set, clients, earlier)?;
        if start.resume.is_some() {
            // The stored document is used.
            checked.request = FlowRequest { document: Vec::new(), ..checked.request };
        }
        self.work(run, checked, start).await
    }

    /// Reads what the steps of a run wait for, and when it began.
    async fn waits(&self, run: &str) -> Result<(Vec<Wait>, u64), Unanswered> {
        let (journal, run) = (Arc::clone(self.app.calls.journal()), run.to_owned());
        let read = move || {
            let waits =
                journal.waits(&WaitFilter { run: Some(run.clone()), ..Default::default() })?;
            let begun =
                if waits.is_empty() { 0 } else { journal.summary(&run)?.started_us / 1_000 };
            Ok((waits, begun))
        };
        let read = tokio::task::spawn_blocking(read).await;
        let read = read.unwrap_or(Err(FlowStoreError::Closed));
        read.map_err(|error| Unanswered::Unkept(unkept(&self.app, &error)))
    }
}

/// Returns the actions that a refusal names as unknown.
fn unknown(set: &Set, refused: &Refusal) -> Vec<String> {
    let diagnostics = refused.details.get("diagnostics").and_then(Value::as_array);
    let mut names = Vec::new();
    for fault in diagnostics.into_iter().flatten() {
        let code = fault.get("code").and_then(Value::as_str).and_then(ErrorCode::parse);
        let path = fault.get("path").and_then(Value::as_str).unwrap_or_default();
        let place = path.split('/').nth(3).and_then(|place| place.parse::<usize>().ok());
        let is_unknown = code == Some(ErrorCode::UnknownAction);
        if let Some(step) = place.filter(|_| is_unknown).and_then(|place| set.steps.get(place)) {
            names.push(step.action.clone());
        }
    }
    names
}

fn ended(entry: &Entry) -> Option<Outcome> {
    match entry {
        Entry::Ended(outcome) => Some((**outcome).clone()),
        _ => None,
    }
}

/// Reports whether the run was paused when it was interrupted.
fn is_paused(entries: &[Entry]) -> bool {
    let mut steered = entries.iter().rev().filter_map(|entry| match entry {
        Entry::Paused => Some(true),
        Entry::Resumed => Some(false),
        _ => None,
    });
    steered.next().unwrap_or_default()
}
