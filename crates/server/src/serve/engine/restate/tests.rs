//! Hosted runs without an engine.

use super::drive::LetterName;
use super::hosted::Hosted;
use super::wire::{Attempt, End};
use contexture::flows::Labels;
use contexture_flow::Set;
use contexture_flow::action::{ActionInfo, ActionKind, Registry};
use contexture_flow::check::{Earlier, Plan, check};
use contexture_flow::journal::{Entry, Volatile};
use contexture_flow::machine::{Change, Machine, Settings};
use contexture_flow::run::Options;
use contexture_protocol::Limits;
use serde_json::{Map, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const SET: &str = r#"{"instructions": [
    {"instructionId": "send", "action": "send"},
    {"instructionId": "look", "action": "look"}]}"#;

struct Site {
    journal: Arc<Volatile>,
    acted: Arc<AtomicUsize>,
    plan: Arc<Plan>,
    actions: Arc<Registry>,
}

impl Site {
    fn new() -> Self {
        let acted = Arc::new(AtomicUsize::new(0));
        let mut actions = Registry::default();
        for (name, kind) in [("send", ActionKind::Operation), ("look", ActionKind::Query)] {
            let acted = Arc::clone(&acted);
            actions.add(name, ActionInfo::of(kind), move |_| {
                let acted = Arc::clone(&acted);
                async move { Ok(json!(acted.fetch_add(1, Ordering::SeqCst))) }
            });
        }
        let set = Set::parse(SET.as_bytes(), &Limits::FILE).unwrap();
        let plan = Arc::new(check(set, &actions, &Earlier::default()).unwrap());
        Self { journal: Arc::default(), acted, plan, actions: Arc::new(actions) }
    }

    fn host(&self, entries: &[Entry], waiting: &[&str]) -> Arc<Hosted> {
        let journal = Arc::clone(&self.journal) as _;
        let options = Options { run: "run_1".to_owned(), journal, ..Options::default() };
        let work = (Arc::clone(&self.plan), Arc::clone(&self.actions) as _, options);
        let waiting = waiting.iter().map(|step| (*step).to_owned()).collect();
        Hosted::new(7, work, Labels::kept(&[]), (entries, waiting)).0
    }
}

fn attempt(step: u32, name: &str) -> Attempt {
    Attempt {
        run: "run_1".to_owned(),
        step,
        name: name.to_owned(),
        parameters: Map::new(),
        attempt: 1,
        key: String::new(),
        runtime: None,
    }
}

fn begun(id: &str) -> Entry {
    let (id, action) = (id.to_owned(), id.to_owned());
    Entry::Started { id, action, attempt: 1, key: String::new() }
}

async fn end(hosted: &Arc<Hosted>, step: u32, name: &str) -> End {
    let mut end = hosted.attempt(attempt(step, name));
    let end = end.wait_for(Option::is_some).await.unwrap().clone();
    (*end.unwrap()).clone()
}

fn code(end: &End) -> String {
    match end {
        End::Failed { failure, .. } => {
            contexture_flow::action::ActionFailure::from(failure.clone()).code
        }
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn wa_12_call_that_is_made_again_attaches_to_its_attempt() {
    let site = Site::new();
    let hosted = site.host(&[], &[]);
    let (first, second) = tokio::join!(end(&hosted, 0, "send"), end(&hosted, 0, "send"));
    assert!(matches!((&first, &second), (End::Completed { .. }, End::Completed { .. })));
    assert_eq!(site.acted.load(Ordering::SeqCst), 1);
    assert_eq!(site.journal.lines("run_1").len(), 1, "its start, once and before it acts");
}

#[tokio::test]
async fn wa_12_attempt_of_earlier_server_is_uncertain_unless_it_may_repeat() {
    let site = Site::new();
    let hosted = site.host(&[begun("send"), begun("look")], &[]);
    assert_eq!(code(&end(&hosted, 0, "send").await), "OUTCOME_UNCERTAIN");
    assert_eq!(site.acted.load(Ordering::SeqCst), 0);
    assert!(matches!(end(&hosted, 1, "look").await, End::Completed { .. }));
    // What waited for a person did nothing yet.
    let hosted = site.host(&[begun("send")], &["send"]);
    assert!(matches!(end(&hosted, 0, "send").await, End::Completed { .. }));
}

#[tokio::test]
async fn wa_12_run_is_left_only_if_all_it_awaits_waits() {
    let site = Site::new();
    let hosted = site.host(&[], &[]);
    hosted.awaits((0, 1));
    assert!(!hosted.park(1), "its call has not come yet");
    end(&hosted, 0, "send").await;
    assert!(!hosted.park(1), "it has ended, and the machine does not know it");
    hosted.forget((0, 1));
    assert!(!hosted.park(0));
}

#[tokio::test]
async fn wa_12_change_that_journal_has_is_not_recorded_again() {
    let site = Site::new();
    let machine = Machine::new(Arc::clone(&site.plan), Settings::default());
    let hosted = site.host(&[Entry::Paused], &[]);
    hosted.record(&machine, Change::Paused, 0);
    assert_eq!(site.journal.lines("run_1").len(), 0);
    for _ in 0..2 {
        hosted.record(&machine, Change::Resumed, 1);
        hosted.record(&machine, Change::Ended { step: 0, attempt: 1 }, 2);
    }
    assert_eq!(hosted.settled().await, None);
    assert_eq!(site.journal.lines("run_1").len(), 2);
}

#[test]
fn wa_12_letters_have_names_in_their_order() {
    let first = LetterName::first();
    assert_eq!((first.get(), first.next().next().get()), ("letter-0", "letter-2"));
}
