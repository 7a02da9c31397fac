//! What holds of a database beside the suites of the ports: leases, faults, versions.

use super::testing::{fresh, schema, tls, with};
use super::*;
use crate::contexts::{
    Answer, ContextError, ContextStore as _, Key, KeyName, MessageKey, NewMessage, Operation,
    Options, PostgresContexts, Update,
};
use crate::flows::{
    self, FlowJournal as _, FlowStoreError, PostgresJournal, RunHead, RunState, Wait, WaitFilter,
    WaitId, WaitKind, WaitState, Waits as _,
};
use contexture_core::store::journals::Journals as _;
use serde_json::json;

fn contexts(postgres: &Arc<Postgres>) -> PostgresContexts {
    PostgresContexts::open_in(postgres, Options::default()).unwrap()
}

fn journal(postgres: &Arc<Postgres>) -> Arc<PostgresJournal> {
    PostgresJournal::open_in(postgres, flows::Options::default()).unwrap()
}

fn add(id: &str) -> Update {
    let message = json!({"messageId": id, "type": "USER_INPUT", "content": {"text": "你好"}});
    Update::new("ann", "ctx_1", vec![Operation::AddMessage(NewMessage::new(&message).unwrap())])
}

fn sql(postgres: &Postgres, sql: &str) {
    postgres.link.with(|session| session.batch(sql)).unwrap();
}

/// Ends the connections of others, as a restart of the database does.
const CUT: &str =
    "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()
    and application_name = current_setting('application_name')";

/// Makes everybody else's lease run out.
const EXPIRE: &str = "update contexture_servers set expires = clock_timestamp() - interval '1 h'";

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_tables_of_newer_version_are_refused_and_left() {
    let place = schema();
    sql(&with(&place), "insert into contexture_format (version) values (7)");
    let url = std::env::var("CONTEXTURE_POSTGRES").unwrap();
    let address = Address::parse(&format!("{url}{place}"), None).unwrap();
    let error = Postgres::open(address, tls(), &crate::stamp::system()).unwrap_err();
    assert!(matches!(error, PostgresError::Newer { found: 7, known: 2, .. }), "{error}");
    assert!(!error.to_string().contains("secret"), "{error}");
}

/// What a server of format 1 left: a context, a message without an answer, a set, a call that waits.
const FIRST_FORMAT: &str = r#"
    insert into contexture_format (version) values (1);
    insert into contexture_contexts (name, owner, creation, last_update, version, oldest, last_seq,
        messages, cleared_through) values ('ctx_1', 'ann', 1, 1, 1, 0, 1, 1, 0);
    insert into contexture_details (place, metadata, state) values (1, '{}', '{"city":"北京"}');
    insert into contexture_messages (context, seq, version, place, cleared, time, text)
        values (1, 1, 1, 0, 0, 1, '{"messageId":"m1","type":"USER_INPUT","content":{"text":"你好"}}');
    insert into contexture_keys (owner, scope, message_id, digest, context, status, time)
        values ('ann', 'ctx_1', 'm1', decode(repeat('01', 32), 'hex'), 'ctx_1', 0, 1);
    insert into contexture_runs (run, name, owner, steps, started, masked, document)
        values ('run_1', 'a', 'ann', 1, 1, 0, '{}');
    insert into contexture_waits (owner, context, message, call, kind, run, step, client, since,
        expires, state, parked, request)
        values ('ann', 'ctx_1', 'm1', 'c1', 'call', 'run_1', 'a', 'page', 1, 9000000000000, 0, 1, '{}');
"#;

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_tables_of_first_format_are_upgraded_with_all_that_they_hold() {
    let place = schema();
    let old = with("");
    let schema = place.rsplit("%3D").next().unwrap();
    let first = format!(
        "begin; set local search_path = {schema};
         create table contexture_format (version bigint not null);
         {}; {FIRST_FORMAT} commit",
        tables::STEPS[0]
    );
    sql(&old, &first);
    let postgres = with(&place);
    let left = postgres.join().unwrap();
    assert_eq!((ids(&left), &left.runs), (vec![("m1", true)], &vec!["run_1".to_owned()]));
    let (contexts, journal) = (contexts(&postgres), journal(&postgres));
    let key = Key { owner: "ann", context: "ctx_1" };
    assert_eq!(contexts.state(key).unwrap().value, json!({"city": "北京"}));
    contexts.apply(queued("m2")).unwrap();
    assert_eq!(contexts.messages(key, 0, 10).unwrap().messages.len(), 2);
    let waits = journal.waits(&WaitFilter { own: true, ..WaitFilter::default() }).unwrap();
    assert_eq!(waits.len(), 1, "the call waits, and is this server's");
    let formats = "select count(*) from contexture_format where version in (1, 2)";
    let row = postgres.link.with(|session| session.row(formats, Vec::new())).unwrap().unwrap();
    assert_eq!(row.place(0).unwrap(), 2);
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_that_is_not_there_is_told_without_password() {
    let address = Address::parse("postgres://ann:geheim@127.0.0.1:1/app", None).unwrap();
    let error = Postgres::open(address, tls(), &crate::stamp::system()).unwrap_err().to_string();
    assert!(error.starts_with("postgres://ann@127.0.0.1:1/app: "), "{error}");
    assert!(error.contains("can't be reached") && !error.contains("geheim"), "{error}");
}

fn queued(id: &str) -> Update {
    let key = MessageKey { message_id: id.to_owned(), digest: [1; 32], answer: Answer::Queued };
    Update { key: Some(key), ..add(id) }
}

fn name(id: &str) -> KeyName {
    KeyName { context_id: Some("ctx_1".to_owned()), message_id: id.to_owned() }
}

fn ids(left: &Left) -> Vec<(&str, bool)> {
    left.pending.iter().map(|one| (&*one.key.message_id, one.has_begun)).collect()
}

/// Takes over what `other` left, whose lease runs out though it is renewed.
fn taken(awake: &Postgres) -> Left {
    loop {
        awake.link.with(|session| session.change(EXPIRE, Vec::new())).unwrap();
        let left = awake.take_over().unwrap();
        if !left.pending.is_empty() || !left.runs.is_empty() {
            return left;
        }
    }
}

/// Reports whether a connection holds the lock of the lease of a server.
fn holds_lock(postgres: &Postgres) -> bool {
    let sql = "select from pg_locks where locktype = 'advisory' and objsubid = 2
        and objid::bigint = hashtext($1)::bigint & 4294967295";
    let row = postgres.link.with(|session| session.row(sql, values![postgres.token()]));
    row.unwrap().is_some()
}

/// Otherwise a server that begins on a busy machine would count as gone before it has its lock.
#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_lease_has_its_lock_as_soon_as_its_row() {
    let place = schema();
    for _ in 0..5 {
        assert!(holds_lock(&with(&place)));
    }
}

/// A cut connection is replaced by the renewal that notices it, and not by the one after that.
#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_lease_takes_its_lock_again_after_its_connection_was_cut() {
    let place = schema();
    let (postgres, other) = (with(&place), with(&place));
    postgres.join().unwrap();
    for _ in 0..3 {
        let cut = "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
            and objsubid = 2 and objid::bigint = hashtext($1)::bigint & 4294967295";
        postgres.link.with(|session| session.change(cut, values![postgres.token()])).unwrap();
        while holds_lock(&postgres) {}
        while !holds_lock(&postgres) {}
        assert_eq!(other.take_over().unwrap().servers, 0, "who has its lock is there");
    }
    assert!(!postgres.is_lost());
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_process_without_its_connection_is_gone_before_its_lease_is_over() {
    let place = schema();
    let (first, second) = (with(&place), with(&place));
    first.join().unwrap();
    // A process of which nothing is left but its row, and one that slept through a renewal.
    let killed = "insert into contexture_servers (token, is_server, expires)
        values ('killed', 1, clock_timestamp() + interval '1 s')";
    sql(&second, killed);
    let slept = "update contexture_servers set expires = clock_timestamp() + interval '1 s'
        where token = $1";
    second.link.with(|session| session.change(slept, values![first.token()])).unwrap();
    assert_eq!(second.take_over().unwrap().servers, 1);
    assert!(contexts(&first).apply(queued("m1")).is_ok(), "who has its lock is there");
    // One that has renewed its lease just now may be about to connect again.
    let fresh = killed.replace("'1 s'", "'3 s'").replace("'killed'", "'fresh'");
    sql(&second, &fresh);
    assert_eq!(second.take_over().unwrap().servers, 0);
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_has_several_servers_at_a_time() {
    let place = schema();
    let (first, second) = (with(&place), with(&place));
    assert!(ids(&first.join().unwrap()).is_empty());
    contexts(&first).apply(queued("m1")).unwrap();
    assert!(ids(&second.join().unwrap()).is_empty());
    assert!(ids(&second.take_over().unwrap()).is_empty(), "the first one lives");
    drop(first);
    assert_eq!(ids(&second.take_over().unwrap()), [("m1", false)]);
    assert!(ids(&second.take_over().unwrap()).is_empty(), "it is taken once");
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_process_without_lease_writes_nothing_more() {
    let place = schema();
    let (asleep, awake) = (with(&place), with(&place));
    let (old, runs) = (contexts(&asleep), journal(&asleep));
    asleep.join().unwrap();
    old.apply(queued("m1")).unwrap();
    assert!(old.begin("ann", &name("m1")).unwrap());
    let claim = runs.begin(&RunHead::new("run_1", "{}")).unwrap();
    let mut lines = runs.place("run_2").create().unwrap();
    lines.append("{}\n").unwrap();
    lines.sync().unwrap();
    awake.join().unwrap();
    assert!(matches!(journal(&awake).claim("run_1"), Err(FlowStoreError::Held { .. })));
    assert!(journal(&awake).place("run_2").open().is_err(), "it is another one's");
    let left = taken(&awake);
    assert_eq!(ids(&left), [("m1", true)]);
    assert_eq!((left.runs, left.journals), (vec!["run_1".to_owned()], vec!["run_2".to_owned()]));
    let error = old.apply(add("m2")).unwrap_err();
    assert!(error.to_string().contains("lease"), "{error}");
    assert!(matches!(runs.begin(&RunHead::new("run_3", "{}")), Err(FlowStoreError::Io { .. })));
    lines.append("{}\n").unwrap();
    assert!(lines.sync().unwrap_err().to_string().contains("lease"));
    let new = contexts(&awake);
    new.apply(add("m2")).unwrap();
    let key = Key { owner: "ann", context: "ctx_1" };
    assert_eq!(new.messages(key, 0, 10).unwrap().messages.len(), 2);
    let theirs = journal(&awake);
    let taken = theirs.claim("run_1").unwrap();
    assert_eq!(theirs.summary("run_1").unwrap().state, RunState::Running);
    let (bytes, _) = journal(&awake).place("run_2").open().unwrap();
    assert_eq!(bytes, b"{}\n");
    drop((claim, taken));
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_messages_of_context_begin_in_order_over_servers() {
    let place = schema();
    let (one, other) = (contexts(&with(&place)), contexts(&with(&place)));
    one.apply(queued("m1")).unwrap();
    other.apply(queued("m2")).unwrap();
    other.apply(Update { context_id: Some("ctx_2".to_owned()), ..queued("m3") }).unwrap();
    assert!(!other.begin("ann", &name("m2")).unwrap());
    let elsewhere = KeyName { context_id: Some("ctx_2".to_owned()), ..name("m3") };
    assert!(other.begin("ann", &elsewhere).unwrap(), "another context does not wait");
    assert!(one.begin("ann", &name("m1")).unwrap());
    one.answer("ann", name("m1"), "{}".to_owned()).unwrap();
    assert!(other.begin("ann", &name("m2")).unwrap());
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_set_that_waits_is_taken_by_one_process() {
    let place = schema();
    let (one, other) = (journal(&with(&place)), journal(&with(&place)));
    drop(one.begin(&RunHead::new("run_1", "{}")).unwrap());
    let wait = Wait {
        id: WaitId {
            owner: "ann".to_owned(),
            context: "ctx_1".to_owned(),
            message: "m1".to_owned(),
            call: "c1".to_owned(),
        },
        kind: WaitKind::Call,
        run: "run_1".to_owned(),
        step: "a".to_owned(),
        client: "page".to_owned(),
        since_ms: 1,
        expires_ms: 2,
        request: "{}".to_owned(),
        answer: None,
        state: WaitState::Open,
        is_parked: false,
        place: 0,
    };
    let (send, receive) = std::sync::mpsc::channel();
    let opened = send.clone();
    one.open_wait(wait, Box::new(move |outcome| opened.send(outcome.is_ok()).unwrap()));
    assert!(receive.recv().unwrap());
    let take = |from: &Arc<PostgresJournal>| {
        let send = send.clone();
        from.take_parked("run_1", Box::new(move |outcome| send.send(outcome.unwrap()).unwrap()));
        receive.recv().unwrap()
    };
    assert!(!take(&other), "somebody works on it");
    one.park_waits("run_1", true);
    let own = WaitFilter { own: true, ..WaitFilter::default() };
    assert_eq!((one.waits(&own).unwrap().len(), other.waits(&own).unwrap().len()), (1, 0));
    while one.parked_runs().unwrap().is_empty() {}
    assert!(take(&other));
    assert!(!take(&one));
    assert_eq!((one.waits(&own).unwrap().len(), other.waits(&own).unwrap().len()), (0, 1));
    assert!(matches!(one.claim("run_1"), Err(FlowStoreError::Held { .. })));
    drop(other.claim("run_1").unwrap());
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_process_hears_what_others_change() {
    let place = schema();
    let (one, other) = (with(&place), with(&place));
    let (tell, heard) = std::sync::mpsc::channel();
    one.listen(Arc::new(move |notice| tell.send(notice).unwrap()));
    assert_eq!(heard.recv().unwrap(), Notice::All, "it may have missed something");
    assert!(one.is_heard());
    contexts(&one).apply(add("m1")).unwrap();
    let incarnation = contexts(&other).apply(add("m2")).unwrap().incarnation;
    assert_eq!(heard.recv().unwrap(), Notice::Contexts(vec![incarnation]));
    sql(
        &other,
        "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %'",
    );
    assert_eq!(heard.recv().unwrap(), Notice::All);
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_connection_that_is_cut_is_opened_anew() {
    let postgres = with(&format!("{}&application_name=cut", schema()));
    let store = contexts(&postgres);
    for number in 0..20 {
        store.apply(add(&format!("m{number}"))).unwrap();
        sql(&postgres, CUT);
    }
    let head = store.head(Key { owner: "ann", context: "ctx_1" }).unwrap();
    assert_eq!((head.version, head.messages), (20, 20));
    store.check_seals().unwrap();
    store.check().unwrap();
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_update_that_fails_takes_no_other_along() {
    let postgres = fresh();
    let store = contexts(&postgres);
    store.apply(add("m0")).unwrap();
    // One of them fails in the database itself, and breaks the transaction of all.
    sql(
        &postgres,
        "alter table contexture_messages add constraint odd check (text not like '%geheim%')",
    );
    let (send, receive) = std::sync::mpsc::channel();
    for number in 1..50 {
        let id = if number == 20 { "geheim".to_owned() } else { format!("m{number}") };
        let send = send.clone();
        store.submit(add(&id), Box::new(move |outcome| send.send((number, outcome)).unwrap()));
    }
    drop(send);
    for (number, outcome) in receive {
        match outcome {
            Ok(_) => assert_ne!(number, 20),
            Err(error) => {
                assert_eq!(number, 20, "{error}");
                assert!(matches!(error, ContextError::Io { .. }), "{error}");
            }
        }
    }
    let head = store.head(Key { owner: "ann", context: "ctx_1" }).unwrap();
    assert_eq!((head.version, head.messages), (49, 49));
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_that_takes_no_writes_is_told() {
    let place = schema();
    drop(with(&place));
    let url = std::env::var("CONTEXTURE_POSTGRES").unwrap();
    let place = format!("{place}%20-cdefault_transaction_read_only%3Don");
    let address = Address::parse(&format!("{url}{place}"), None).unwrap();
    let error = Postgres::open(address, tls(), &crate::stamp::system()).unwrap_err().to_string();
    assert!(error.contains("takes no writes now"), "{error}");
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_that_is_too_slow_is_told() {
    let place = schema();
    let (postgres, other) = (with(&place), with(&place));
    let store = contexts(&postgres);
    store.apply(add("m1")).unwrap();
    // Somebody holds what the update needs.
    let holder = other.link.connect().unwrap();
    holder.batch("set idle_in_transaction_session_timeout = 0; begin").unwrap();
    holder.batch("lock table contexture_messages in access exclusive mode").unwrap();
    let error = store.apply(add("m2")).unwrap_err();
    assert!(matches!(error, ContextError::Busy(_)), "{error}");
    holder.batch("rollback").unwrap();
    store.apply(add("m2")).unwrap();
    assert_eq!(store.head(Key { owner: "ann", context: "ctx_1" }).unwrap().messages, 2);
}

#[test]
#[ignore = "needs the database that CONTEXTURE_POSTGRES names"]
fn wa_11_postgres_text_is_changed_by_one_at_a_time() {
    let place = schema();
    let postgres = with(&place);
    assert_eq!((postgres.text("t").unwrap(), postgres.text_version("t").unwrap()), (None, 0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let other = with(&place);
            scope.spawn(move || {
                for _ in 0..5 {
                    let add = |text: &str| Ok::<_, PostgresError>(((), Some(format!("{text}中"))));
                    other.change_text("t", add).unwrap();
                }
            });
        }
    });
    assert_eq!(postgres.text("t").unwrap(), Some((20, "中".repeat(20))));
    let refused: Result<(), _> = postgres.change_text("t", |_| Err(PostgresError::Address("x")));
    assert_eq!(refused, Err(PostgresError::Address("x")));
    let seen = postgres.change_text("t", |text| Ok::<_, PostgresError>((text.len(), None)));
    assert_eq!((seen, postgres.text_version("t")), (Ok(60), Ok(20)));
}
