//! Copies in every direction, of a place in which something waits.

use super::*;
use crate::contexts::{
    Answer, ContextStore, Key, MessageKey, NewMessage, Operation, Options, PostgresContexts,
    SqliteContexts, Update,
};
use crate::flows::{
    self, FlowJournal, PostgresJournal, RunHead, SqliteJournal, Wait, WaitFilter, WaitId, WaitKind,
};
use crate::postgres::testing::{schema, tls, with};
use crate::postgres::{Address, Postgres};
use contexture_core::store::journals::Journals as _;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Arc, mpsc};
use tempfile::TempDir;

/// What a folder keeps beside its files, in memory.
#[derive(Default)]
struct Kept {
    texts: Vec<(String, String)>,
    journals: BTreeMap<String, Vec<String>>,
}

impl Beside for Kept {
    fn texts(&self) -> Result<Vec<(String, String)>, String> {
        Ok(self.texts.clone())
    }

    fn put_text(&mut self, name: &str, text: &str) -> Result<(), String> {
        self.texts.push((name.to_owned(), text.to_owned()));
        Ok(())
    }

    fn journals(&self) -> Result<Vec<String>, String> {
        Ok(self.journals.keys().cloned().collect())
    }

    fn journal(&self, run: &str) -> Result<Vec<String>, String> {
        Ok(self.journals.get(run).cloned().unwrap_or_default())
    }

    fn put_line(&mut self, run: &str, line: &str) -> Result<(), String> {
        self.journals.entry(run.to_owned()).or_default().push(line.to_owned());
        Ok(())
    }
}

fn files(folder: &TempDir) -> Files {
    let path = |name: &str| folder.path().join(name);
    Files { contexts: path("contexts.db"), flows: path("flows.db") }
}

fn place(parameters: &str) -> DatabasePlace {
    let url = std::env::var("CONTEXTURE_POSTGRES").unwrap();
    let address = Address::parse(&format!("{url}{parameters}"), None).unwrap();
    DatabasePlace { address, tls: tls(), sealer: None }
}

fn update(context: &str, change: Vec<Operation>) -> Update {
    Update::new("ann", context, change)
}

fn message(id: &str) -> Operation {
    let message = json!({"messageId": id, "type": "USER_INPUT", "content": {"text": "你好 \u{1}"}});
    Operation::AddMessage(NewMessage::new(&message).unwrap())
}

fn state(path: &str, value: serde_json::Value) -> Operation {
    Operation::UpdateState { path: path.parse().unwrap(), value }
}

/// Contexts with a history each: cleared, compacted, deleted, with a message that waits for its answer.
fn fill(contexts: &dyn ContextStore) {
    let apply = |update: Update| drop(contexts.apply(update).unwrap());
    for id in ["ctx_1", "ctx_2", "ctx_3"] {
        apply(update(id, vec![message("m1"), state("city", json!("北京"))]));
        apply(update(id, vec![message("m2")]));
        apply(update(id, vec![state("units", json!({"metric": true}))]));
    }
    let key = |context| Key { owner: "ann", context };
    contexts.compact(key("ctx_1"), 2).unwrap();
    apply(update("ctx_2", vec![Operation::ClearHistory { before: None }]));
    apply(update(
        "ctx_2",
        vec![message("m3"), Operation::RemoveState { path: "city".parse().unwrap() }],
    ));
    contexts.delete(key("ctx_3")).unwrap();
    let waits =
        MessageKey { message_id: "m9".to_owned(), digest: [7; 32], answer: Answer::Pending };
    apply(Update { key: Some(waits), ..update("ctx_1", vec![message("m9")]) });
}

fn runs(journal: &dyn FlowJournal) {
    drop(journal.begin(&RunHead::new("run_1", "{\"a\": 1}")).unwrap());
    drop(journal.begin(&RunHead::new("run_2", "{}")).unwrap());
    journal.finish("run_2", contexture_protocol::content::Status::Completed).unwrap();
    journal.forget(&["run_2".to_owned()]).unwrap();
    let (send, received) = mpsc::channel();
    let wait = Wait {
        id: WaitId {
            owner: "ann".to_owned(),
            context: "ctx_1".to_owned(),
            message: "m9".to_owned(),
            call: "call_1".to_owned(),
        },
        kind: WaitKind::Call,
        run: "run_1".to_owned(),
        step: "a".to_owned(),
        client: "page".to_owned(),
        since_ms: 1,
        expires_ms: 9_000_000_000_000,
        request: "{\"x\": 1}".to_owned(),
        answer: None,
        state: flows::WaitState::Open,
        is_parked: false,
        place: 0,
    };
    journal.open_wait(wait, Box::new(move |opened| send.send(opened.map(drop)).unwrap()));
    received.recv().unwrap().unwrap();
}

/// All that can be seen of contexts: exports, changes, owners, keys.
fn seen(contexts: &dyn ContextStore) -> String {
    let mut seen = String::new();
    for head in contexts.list("ann", None, 10).unwrap().contexts {
        let key = Key { owner: "ann", context: &head.context_id };
        let mut out = Vec::new();
        contexts.export(key, &mut out).unwrap();
        seen += &String::from_utf8(out).unwrap();
        let changes = contexts.changes(key, head.oldest, 100).unwrap();
        seen += &format!("{head:?} {changes:?}\n");
    }
    let pending = contexts.pending().unwrap();
    seen + &format!("{:?}", pending.iter().map(|one| &one.key.message_id).collect::<Vec<_>>())
}

fn seen_of_runs(journal: &dyn FlowJournal) -> String {
    let runs = journal.runs(&flows::Filter::default()).unwrap();
    let waits = journal.waits(&WaitFilter::default()).unwrap();
    let document = journal.document("run_1").unwrap();
    format!("{runs:?} {waits:?} {document:?} {:?}", journal.log("run_1").unwrap())
}

fn in_folder(files: &Files) -> (SqliteContexts, Arc<SqliteJournal>) {
    let contexts = SqliteContexts::open(&files.contexts, Options::default()).unwrap();
    let journal = SqliteJournal::open(&files.flows, "flows.db", flows::Options::default());
    (contexts, journal.unwrap())
}

fn in_database(postgres: &Arc<Postgres>) -> (PostgresContexts, Arc<PostgresJournal>) {
    let contexts = PostgresContexts::open_in(postgres, Options::default()).unwrap();
    (contexts, PostgresJournal::open_in(postgres, flows::Options::default()).unwrap())
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_copy_from_folder_over_two_databases_and_back_is_equal() {
    let (first, last) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (contexts, journal) = in_folder(&files(&first));
    fill(&contexts);
    runs(&*journal);
    let before = (seen(&contexts), seen_of_runs(&*journal));
    drop((contexts, journal));
    let mut kept = Kept::default();
    kept.put_text("tokens.json", "{}").unwrap();
    kept.put_line("run_9", "{\"key\":\"1\"}").unwrap();
    kept.put_line("run_9", "{\"key\":\"2\"}").unwrap();

    let (one, other) = (schema(), schema());
    let copied = into_database(&files(&first), &kept, place(&one)).unwrap();
    let counts = (copied.contexts, copied.runs, copied.waits, copied.journals);
    assert_eq!(counts, (2, 1, 1, 1), "{copied:?}");
    assert_eq!(between(place(&one), place(&other)).unwrap(), copied);
    {
        let postgres = with(&other);
        let (contexts, journal) = in_database(&postgres);
        assert_eq!((seen(&contexts), seen_of_runs(&*journal)), before);
        let left = postgres.join().unwrap();
        let pending: Vec<_> = left.pending.iter().map(|one| &*one.key.message_id).collect();
        assert_eq!(
            (pending, left.runs, left.journals),
            (vec!["m9"], vec!["run_1".to_owned()], vec!["run_9".to_owned()])
        );
        let (bytes, _) = journal.place("run_9").open().unwrap();
        assert_eq!(bytes, b"{\"key\":\"1\"}\n{\"key\":\"2\"}\n");
        assert!(matches!(between(place(&other), place(&schema())), Err(TransferError::InUse(_))));
        postgres.leave().unwrap();
    }
    let mut back = Kept::default();
    assert_eq!(into_files(place(&other), &files(&last), &mut back).unwrap(), copied);
    assert_eq!((&back.texts, &back.journals), (&kept.texts, &kept.journals));
    let (contexts, journal) = in_folder(&files(&last));
    assert_eq!((seen(&contexts), seen_of_runs(&*journal)), before);
    // Places of what was removed are not given again.
    let new = contexts.apply(update("ctx_4", vec![message("m1")])).unwrap();
    assert_eq!(new.incarnation, 4);
    drop(contexts);
    assert!(crate::contexts::verify(&files(&last).contexts).unwrap().is_whole());
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_copy_into_database_that_holds_something_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(in_folder(&files(&folder)));
    let parameters = schema();
    fill(&in_database(&with(&parameters)).0);
    let refused = into_database(&files(&folder), &Kept::default(), place(&parameters));
    let Err(error @ TransferError::NotEmpty { what: "contexts", .. }) = refused else {
        panic!("{refused:?}");
    };
    assert!(error.help().contains("empty database"));
    assert!(seen(&in_database(&with(&parameters)).0).contains("\"contextId\":\"ctx_1\""));
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_copy_that_breaks_off_leaves_database_empty() {
    let folder = tempfile::tempdir().unwrap();
    let (contexts, _) = in_folder(&files(&folder));
    fill(&contexts);
    drop(contexts);
    /// A folder whose journals can't be read.
    struct Broken;
    impl Beside for Broken {
        fn texts(&self) -> Result<Vec<(String, String)>, String> {
            Ok(Vec::new())
        }
        fn put_text(&mut self, _: &str, _: &str) -> Result<(), String> {
            Ok(())
        }
        fn journals(&self) -> Result<Vec<String>, String> {
            Err("no journals today".to_owned())
        }
        fn journal(&self, _: &str) -> Result<Vec<String>, String> {
            Ok(Vec::new())
        }
        fn put_line(&mut self, _: &str, _: &str) -> Result<(), String> {
            Ok(())
        }
    }
    let parameters = schema();
    let error = into_database(&files(&folder), &Broken, place(&parameters)).unwrap_err();
    assert_eq!(error, TransferError::Beside("no journals today".to_owned()));
    assert_eq!(
        into_database(&files(&folder), &Kept::default(), place(&parameters)).unwrap().contexts,
        2
    );
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_copy_from_database_without_tables_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let parameters = schema();
    let refused = into_files(place(&parameters), &files(&folder), &mut Kept::default());
    assert!(matches!(refused, Err(TransferError::Nothing(_))), "{refused:?}");
}
