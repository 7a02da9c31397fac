//! The contract of [`FlowJournal`] (FL-11, FL-12).

use crate::store::flows::{
    Ask, ClaimedRun, EndedStep, Entry, Event, Filter, FlowJournal, JournalError, Kept, LONGEST_ID,
    RunHead, RunState, Verdict, Wait, WaitFilter, WaitId, WaitKind, WaitState,
};
use contexture_context::{Label, Trust};
use contexture_protocol::content::Status;
use serde_json::json;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Makes an empty journal.
pub type Make<'m> = dyn Fn() -> Arc<dyn FlowJournal> + 'm;

/// The longest time for a request to reach its run, and for an unawaited write to reach the file.
const SOON: Duration = Duration::from_secs(10);

type Claim = Box<dyn ClaimedRun>;

pub fn wa_11_run_that_only_waits_is_taken_up_once(make: &Make<'_>) {
    let journal = make();
    let text = str::to_owned;
    let (owner, context) = (text("ann"), text("ctx_1"));
    let id = WaitId { owner, context, message: text("m1"), call: text("c1") };
    let wait = Wait {
        id: id.clone(),
        kind: WaitKind::Call,
        run: text("run_1"),
        step: text("a"),
        client: text("page"),
        since_ms: 1,
        expires_ms: 2,
        request: text("{}"),
        answer: None,
        state: WaitState::Open,
        is_parked: false,
        place: 0,
    };
    let (send, receive) = mpsc::channel();
    let opened = send.clone();
    journal.open_wait(wait, Box::new(move |outcome| opened.send(outcome.is_ok()).unwrap()));
    assert!(receive.recv().unwrap());
    let take = || {
        let send = send.clone();
        let done = Box::new(move |taken: Result<bool, _>| send.send(taken.unwrap()).unwrap());
        journal.take_parked("run_1", done);
        receive.recv().unwrap()
    };
    assert!(!take(), "somebody works on it");
    journal.park_waits("run_1", true);
    assert!(take());
    assert!(!take());
    let own = WaitFilter { own: true, ..WaitFilter::default() };
    let found = journal.waits(&own).unwrap();
    assert!(found.len() == 1 && found[0].id == id && !found[0].is_parked, "{found:?}");
}

fn begin(journal: &Arc<dyn FlowJournal>, run: &str) -> Claim {
    journal.begin(&RunHead::new(run, "{\"instructions\": []}")).unwrap()
}

/// Records an event; the receiver gets the result.
fn hand_in(
    journal: &Arc<dyn FlowJournal>,
    run: &str,
    event: &Event<'_>,
) -> Receiver<Result<(), JournalError>> {
    let (send, receive) = mpsc::channel();
    journal.record(run, event, Kept::call(move |result| drop(send.send(result))));
    receive
}

fn record(journal: &Arc<dyn FlowJournal>, run: &str, event: &Event<'_>) {
    hand_in(journal, run, event).recv().unwrap().unwrap();
}

const fn started(id: &str) -> Event<'_> {
    Event::Started { id, action: "echo", attempt: 1, key: "k" }
}

const fn ended(id: &str) -> Event<'_> {
    Event::Ended(EndedStep {
        id,
        status: Status::Completed,
        result: None,
        error: None,
        reason: None,
        execution_time: 1.5,
    })
}

fn finish(journal: &Arc<dyn FlowJournal>, run: &str) {
    record(journal, run, &Event::Finished { status: Status::Completed });
}

/// Returns an entry as `STARTED a`, `ENDED a COMPLETED`, `FINISHED COMPLETED`.
fn told(entry: &Entry) -> String {
    match entry {
        Entry::Started { id, .. } => format!("STARTED {id}"),
        Entry::Labelled { id, label } => format!("LABELLED {id} {}", label.trust),
        Entry::Decided { id, decision } => format!("DECIDED {id} {}", decision["decision"]),
        Entry::Ended(outcome) => format!("ENDED {} {}", outcome.instruction_id, outcome.status),
        Entry::Paused => "PAUSED".to_owned(),
        Entry::Resumed => "RESUMED".to_owned(),
        Entry::Cancelled => "CANCELLED".to_owned(),
        Entry::Settled { id, verdict } => format!("SETTLED {id} {verdict:?}"),
        Entry::Finished { status } => format!("FINISHED {status}"),
    }
}

fn entries(journal: &Arc<dyn FlowJournal>, run: &str) -> Vec<String> {
    journal.entries(run).unwrap().iter().map(told).collect()
}

/// Waits until a run is in a state: a claim that is dropped need not wait for the disk.
fn comes_to(journal: &Arc<dyn FlowJournal>, run: &str, state: RunState) {
    let waits = (0..1_000).any(|_| {
        let is_there = journal.summary(run).unwrap().state == state;
        if !is_there {
            std::thread::sleep(SOON / 1_000);
        }
        is_there
    });
    assert!(waits, "{run} does not come to {state:?}: {:?}", journal.summary(run));
}

/// Returns the requests that a run gets.
fn hears(claim: &Claim) -> Receiver<Ask> {
    let (send, receive) = mpsc::channel();
    let send = Mutex::new(send);
    let asked = move |ask| send.lock().unwrap().send(ask).unwrap_or_default();
    claim.watch(Arc::new(asked)).unwrap();
    receive
}

pub fn fl_11_events_come_back_in_their_order(make: &Make<'_>) {
    let journal = make();
    assert!(journal.entries("run_1").unwrap().is_empty());
    let claim = begin(&journal, "run_1");
    assert_eq!((claim.run(), claim.is_cancelled()), ("run_1", false));
    assert!(claim.entries().unwrap().is_empty());
    let result = json!({"北京": [1.5, null]});
    let (a, b) = (started("a"), started("b"));
    let step = EndedStep {
        id: "a",
        status: Status::Completed,
        result: Some(&result),
        error: None,
        reason: None,
        execution_time: 0.25,
    };
    let page = Label::of("https://a", Trust::Web);
    let label = Event::Labelled { id: "a", label: &page };
    let decision = json!({"effect": "file.write", "decision": "allow"});
    let decided = Event::Decided { id: "a", decision: &decision };
    let events =
        [a, Event::Paused, decided, label, Event::Ended(step), Event::Resumed, b, Event::Cancelled];
    for event in &events {
        record(&journal, "run_1", event);
    }
    let expected = [
        "STARTED a",
        "PAUSED",
        "DECIDED a \"allow\"",
        "LABELLED a web",
        "ENDED a COMPLETED",
        "RESUMED",
        "STARTED b",
        "CANCELLED",
    ];
    assert_eq!(entries(&journal, "run_1"), expected);
    assert_eq!(claim.entries().unwrap(), journal.entries("run_1").unwrap());
    let log = journal.log("run_1").unwrap();
    let Entry::Ended(outcome) = &log[4].entry else { panic!("{:?}", log[4]) };
    assert_eq!(outcome.result.as_ref(), Some(&result));
    assert_eq!(log[3].entry, Entry::Labelled { id: "a".to_owned(), label: page });
    assert!(log.is_sorted_by_key(|line| line.time_us) && log.iter().all(|line| !line.masked));
    assert_eq!(journal.summary("run_1").unwrap().done, 1);
    assert_eq!(journal.document("run_1").unwrap().text, "{\"instructions\": []}");
}

pub fn fl_11_event_of_run_that_is_not_held_is_refused(make: &Make<'_>) {
    let journal = make();
    let refused = hand_in(&journal, "run_1", &started("a")).recv().unwrap();
    assert!(refused.is_err());
    drop(begin(&journal, "run_1"));
    assert!(hand_in(&journal, "run_1", &started("a")).recv().unwrap().is_err());
    assert!(journal.entries("run_1").unwrap().is_empty());
}

pub fn fl_11_events_of_many_threads_are_all_kept(make: &Make<'_>) {
    let journal = make();
    let claims: Vec<Claim> = (0..4).map(|n| begin(&journal, &format!("run_{n}"))).collect();
    std::thread::scope(|scope| {
        for claim in &claims {
            scope.spawn(|| {
                let wait: Vec<_> = (0..50)
                    .map(|n| hand_in(&journal, claim.run(), &started(&n.to_string())))
                    .collect();
                wait.into_iter().for_each(|kept| kept.recv().unwrap().unwrap());
            });
        }
    });
    let expected: Vec<String> = (0..50).map(|n| format!("STARTED {n}")).collect();
    for claim in &claims {
        assert_eq!(entries(&journal, claim.run()), expected);
    }
}

pub fn fl_11_ids_are_given_once(make: &Make<'_>) {
    let journal = make();
    let claim = begin(&journal, "run_1");
    let again = |run: &str| journal.begin(&RunHead::new(run, "{}")).err().map(|error| error.code());
    assert!(
        again("run_1").is_some_and(|code| ["flow_run_exists", "flow_run_held"].contains(&code))
    );
    finish(&journal, "run_1");
    drop(claim);
    assert_eq!(again("run_1"), Some("flow_run_exists"));
    assert_eq!(again(""), Some("flow_run_id"));
    assert_eq!(again(&"x".repeat(LONGEST_ID + 1)), Some("flow_run_id"));
    assert_eq!(again(&"x".repeat(LONGEST_ID)), None);
}

pub fn fl_11_run_has_at_most_one_holder(make: &Make<'_>) {
    let journal = make();
    let claim = begin(&journal, "run_1");
    let refused = journal.claim("run_1").err().unwrap();
    assert_eq!(refused.code(), "flow_run_held");
    assert_eq!(journal.claim("run_2").err().unwrap().code(), "flow_run_not_found");
    drop(claim);
    let held: Vec<Claim> = std::thread::scope(|scope| {
        let claims: Vec<_> = (0..8).map(|_| scope.spawn(|| journal.claim("run_1").ok())).collect();
        claims.into_iter().filter_map(|claim| claim.join().unwrap()).collect()
    });
    assert_eq!(held.len(), 1);
}

pub fn fl_11_released_run_is_claimed_with_past_entries(make: &Make<'_>) {
    let journal = make();
    let claim = begin(&journal, "run_1");
    record(&journal, "run_1", &started("a"));
    record(&journal, "run_1", &ended("a"));
    assert_eq!(journal.summary("run_1").unwrap().state, RunState::Running);
    drop(claim);
    comes_to(&journal, "run_1", RunState::Interrupted);
    let claim = journal.claim("run_1").unwrap();
    let past: Vec<String> = claim.entries().unwrap().iter().map(told).collect();
    assert_eq!(past, ["STARTED a", "ENDED a COMPLETED"]);
    record(&journal, "run_1", &started("b"));
    record(&journal, "run_1", &ended("b"));
    assert_eq!(journal.summary("run_1").unwrap().done, 2);
    assert_eq!(entries(&journal, "run_1").len(), 4);
}

pub fn fl_11_run_that_has_ended_is_not_claimed(make: &Make<'_>) {
    let journal = make();
    let claim = begin(&journal, "run_1");
    finish(&journal, "run_1");
    drop(claim);
    let summary = journal.summary("run_1").unwrap();
    assert_eq!(summary.state, RunState::Ended(Status::Completed));
    assert!(summary.ended_us.is_some_and(|ended| ended >= summary.started_us));
    for refused in [journal.claim("run_1").map(drop), journal.ask("run_1", Ask::Pause).map(drop)] {
        assert_eq!(refused.unwrap_err().code(), "flow_run_ended");
    }
}

pub fn wa_4_ended_run_is_reopened_without_the_ends_that_are_void(make: &Make<'_>) {
    let journal = make();
    let claim = begin(&journal, "run_1");
    let refused = journal.reopen("run_1", &[]).err().unwrap();
    assert_eq!(refused.code(), "flow_run_held");
    for event in [started("a"), ended("a"), started("b"), ended("b")] {
        record(&journal, "run_1", &event);
    }
    journal.ask("run_1", Ask::Cancel).unwrap();
    finish(&journal, "run_1");
    drop(claim);
    let claim = journal.reopen("run_1", &[3]).unwrap();
    assert!(!claim.is_cancelled(), "the request was for the run that ended");
    record(&journal, "run_1", &Event::Settled { id: "b", verdict: Verdict::Again });
    drop(claim);
    comes_to(&journal, "run_1", RunState::Interrupted);
    let summary = journal.summary("run_1").unwrap();
    assert_eq!((summary.done, summary.ended_us), (1, None));
    let claim = journal.claim("run_1").unwrap();
    record(&journal, "run_1", &ended("b"));
    finish(&journal, "run_1");
    drop(claim);
    let summary = journal.summary("run_1").unwrap();
    assert_eq!((summary.done, summary.state), (2, RunState::Ended(Status::Completed)));
    let all = entries(&journal, "run_1");
    assert_eq!(all[4..6], ["FINISHED COMPLETED", "SETTLED b Again"]);
    assert_eq!(journal.reopen("no", &[]).err().unwrap().code(), "flow_run_not_found");
}

pub fn fl_11_run_that_nobody_goes_on_with_is_finished(make: &Make<'_>) {
    let journal = make();
    drop(begin(&journal, "run_1"));
    journal.finish("run_1", Status::Failed).unwrap();
    assert_eq!(journal.summary("run_1").unwrap().state, RunState::Ended(Status::Failed));
    let again = journal.finish("run_1", Status::Completed).unwrap_err();
    assert_eq!(again.code(), "flow_run_ended");
    assert_eq!(journal.finish("no", Status::Failed).unwrap_err().code(), "flow_run_not_found");
}

pub fn fl_11_runs_that_ended_are_forgotten_with_those_within(make: &Make<'_>) {
    let journal = make();
    for run in ["run_1", "run_1/a/1", "run_10", "run_2"] {
        let claim = begin(&journal, run);
        record(&journal, run, &started("a"));
        if run != "run_2" {
            finish(&journal, run);
        }
        drop(claim);
    }
    let asked = ["run_1", "run_2", "no"].map(str::to_owned);
    assert_eq!(journal.forget(&asked).unwrap(), ["run_1"]);
    let left: Vec<String> =
        journal.runs(&Filter::default()).unwrap().into_iter().map(|run| run.run).collect();
    assert_eq!(left, ["run_2", "run_10"]);
    assert_eq!(journal.document("run_1/a/1").unwrap_err().code(), "flow_run_not_found");
    assert!(journal.entries("run_1").unwrap().is_empty());
    drop(begin(&journal, "run_1"));
}

pub fn fl_12_runs_are_listed_newest_first(make: &Make<'_>) {
    let journal = make();
    let head = |run, owner, context, name| RunHead {
        owner,
        context,
        name,
        steps: 3,
        started_us: 7,
        ..RunHead::new(run, "{}")
    };
    let first = journal.begin(&head("a", "ann", Some("c1"), "one")).unwrap();
    let _second = journal.begin(&head("b", "bob", Some("c1"), "two")).unwrap();
    let _third = journal.begin(&head("c", "ann", None, "one")).unwrap();
    finish(&journal, "a");
    drop(first);
    let ids = |filter: Filter| -> Vec<String> {
        journal.runs(&filter).unwrap().into_iter().map(|run| run.run).collect()
    };
    let all = Filter::default;
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(ids(all()), ["c", "b", "a"]);
    assert_eq!(ids(Filter { limit: 2, ..all() }), ["c", "b"]);
    assert_eq!(ids(Filter { before: some("c"), limit: 1, ..all() }), ["b"]);
    assert_eq!(ids(Filter { before: some("c"), owner: some("ann"), ..all() }), ["a"]);
    assert!(ids(Filter { before: some("nosuch"), ..all() }).is_empty());
    assert_eq!(ids(Filter { owner: some("ann"), ..all() }), ["c", "a"]);
    assert_eq!(ids(Filter { context: some("c1"), ..all() }), ["b", "a"]);
    assert_eq!(
        ids(Filter { name: some("one"), owner: some("ann"), unfinished: true, ..all() }),
        ["c"]
    );
    let unfinished = journal.unfinished(None).unwrap();
    assert_eq!(unfinished.iter().map(|run| run.run.as_str()).collect::<Vec<_>>(), ["c", "b"]);
    assert_eq!(journal.unfinished(Some("ann")).unwrap().len(), 1);
    let run = journal.summary("b").unwrap();
    let said = (run.owner.as_str(), run.context.as_deref(), run.name.as_str());
    assert_eq!(said, ("bob", Some("c1"), "two"));
    assert_eq!((run.steps, run.started_us, run.ended_us, run.done), (3, 7, None, 0));
    assert_eq!(journal.summary("no").unwrap_err().code(), "flow_run_not_found");
}

pub fn fl_12_request_reaches_holder(make: &Make<'_>) {
    let journal = make();
    let claim = begin(&journal, "run_1");
    let _other = begin(&journal, "run_2");
    let heard = hears(&claim);
    assert!(journal.ask("run_1", Ask::Pause).unwrap());
    assert_eq!(heard.recv_timeout(SOON), Ok(Ask::Pause));
    assert_eq!(journal.summary("run_1").unwrap().state, RunState::Paused);
    assert!(journal.ask("run_1", Ask::Resume).unwrap());
    assert_eq!(heard.recv_timeout(SOON), Ok(Ask::Resume));
    assert_eq!(journal.summary("run_1").unwrap().state, RunState::Running);
    assert!(journal.ask("run_1", Ask::Cancel).unwrap());
    assert_eq!(heard.recv_timeout(SOON), Ok(Ask::Cancel));
    assert_eq!(journal.summary("run_2").unwrap().state, RunState::Running);
    assert_eq!(journal.ask("no", Ask::Pause).unwrap_err().code(), "flow_run_not_found");
}

pub fn fl_12_cancel_before_claim_counts(make: &Make<'_>) {
    let journal = make();
    drop(begin(&journal, "run_1"));
    comes_to(&journal, "run_1", RunState::Interrupted);
    assert!(!journal.ask("run_1", Ask::Cancel).unwrap());
    assert!(!journal.ask("run_1", Ask::Resume).unwrap());
    let claim = journal.claim("run_1").unwrap();
    assert!(claim.is_cancelled());
    assert_eq!(hears(&claim).recv_timeout(SOON), Ok(Ask::Cancel));
    drop(begin(&journal, "run_2"));
    comes_to(&journal, "run_2", RunState::Interrupted);
    assert!(!journal.ask("run_2", Ask::Pause).unwrap());
    let claim = journal.claim("run_2").unwrap();
    assert!(!claim.is_cancelled());
    assert_eq!(journal.summary("run_2").unwrap().state, RunState::Running);
}

pub fn fl_12_note_is_listed_and_told_to_nobody(make: &Make<'_>) {
    let journal = make();
    let claim = begin(&journal, "run_1");
    let heard = hears(&claim);
    journal.note("run_1", Ask::Pause);
    journal.note("no", Ask::Pause);
    // What is written after it is durable after it.
    record(&journal, "run_1", &started("a"));
    assert_eq!(journal.summary("run_1").unwrap().state, RunState::Paused);
    journal.note("run_1", Ask::Resume);
    record(&journal, "run_1", &started("b"));
    assert_eq!(journal.summary("run_1").unwrap().state, RunState::Running);
    assert!(heard.recv_timeout(Duration::from_millis(500)).is_err());
}
