//! A file that fails at every point of a transaction, and tasks that panic: all who wait hear of it.

use super::*;

impl<E> Beside<E> for () {}
use crate::sqlite::file_error;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug, Clone, PartialEq)]
enum Fault {
    Closed,
    Panicked,
    TooMany(usize, usize),
    Own(u32),
    Busy(String),
    Full(String),
    Foreign { path: String, reason: &'static str },
    Newer { path: String, found: i64, known: i64 },
    Damaged { path: String, reason: String },
    Io { path: String, reason: String },
}

file_error!(Fault, Self::Closed, Self::Panicked, Self::Full);

/// A writer of a table in memory; a row below 0 lets its commit fail.
fn writer(most_waiting: usize) -> WriterThread<Fault> {
    let connection = Connection::open_in_memory().unwrap();
    let tables = "pragma foreign_keys = on; create table parents (n integer primary key);
        insert into parents values (0);
        create table rows (n integer, parent integer default 0
            references parents deferrable initially deferred);";
    connection.execute_batch(tables).unwrap();
    let refuse =
        move |tasks, bytes| (tasks >= most_waiting).then_some(Fault::TooMany(tasks, bytes));
    WriterThread::start(connection, ("test", "memory".into()), Box::new(refuse), ()).unwrap()
}

fn add(connection: &Connection, n: i64) -> Result<i64, Fault> {
    let parent = n.min(0);
    let done = connection.execute("insert into rows values (?1, ?2)", [n, parent]);
    done.map(|_| n).map_err(|error| Fault::of_sqlite("memory", &error))
}

fn rows(writer: &WriterThread<Fault>) -> Vec<i64> {
    let read = |connection: &Connection| {
        let mut rows = connection.prepare("select n from rows order by n").unwrap();
        let rows = rows.query_map([], |row| row.get(0)).unwrap();
        Ok(rows.map(Result::unwrap).collect())
    };
    writer.write(read).unwrap()
}

type Job = Box<dyn Fn(&Connection) -> Result<i64, Fault> + Send>;

/// Hands in works at once, as one transaction; returns what came of each.
fn together(writer: &WriterThread<Fault>, works: Vec<Job>) -> Vec<Result<i64, Fault>> {
    let (send, receive) = mpsc::channel();
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let holds = move |_: &Connection| Ok(gate.lock().unwrap().recv().is_ok());
    writer.post(true, holds, drop);
    for (place, work) in works.into_iter().enumerate() {
        let send = send.clone();
        writer.post(true, work, move |outcome| send.send((place, outcome)).unwrap());
    }
    drop((open, send));
    let outcomes: Vec<_> = receive.iter().collect();
    assert!(outcomes.is_sorted_by_key(|(place, _)| *place), "they are finished in their order");
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

#[test]
fn cp_12_panic_in_task_fails_only_that_task() {
    let writer = writer(1_000);
    let outcomes = together(
        &writer,
        vec![
            Box::new(|connection| add(connection, 1)),
            Box::new(|_| panic!("before it wrote, in a test")),
            Box::new(|connection| {
                add(connection, 2)?;
                panic!("after it wrote, in a test")
            }),
            Box::new(|connection| add(connection, 3)),
        ],
    );
    assert_eq!(outcomes, [Ok(1), Err(Fault::Panicked), Err(Fault::Panicked), Ok(3)]);
    writer.post(true, |connection| add(connection, 4), |_| panic!("in a callback, in a test"));
    assert_eq!(writer.write(|connection| add(connection, 5)), Ok(5));
    assert_eq!(rows(&writer), [1, 3, 4, 5]);
}

#[test]
fn cp_12_task_that_fails_after_writing_leaves_nothing() {
    let writer = writer(1_000);
    let outcomes = together(
        &writer,
        vec![
            Box::new(|connection| add(connection, 1)),
            Box::new(|connection| add(connection, 2).and(Err(Fault::Own(7)))),
            Box::new(|_| Err(Fault::Own(8))),
            Box::new(|connection| add(connection, 3)),
        ],
    );
    assert_eq!(outcomes, [Ok(1), Err(Fault::Own(7)), Err(Fault::Own(8)), Ok(3)]);
    assert_eq!(rows(&writer), [1, 3]);
}

#[test]
fn cp_12_commit_that_fails_is_tried_again_for_each() {
    let writer = writer(1_000);
    let outcomes = together(
        &writer,
        vec![
            Box::new(|connection| add(connection, 1)),
            Box::new(|connection| add(connection, -1)),
            Box::new(|connection| add(connection, 2)),
        ],
    );
    let reason = "FOREIGN KEY constraint failed".to_owned();
    let refused = Fault::Io { path: "memory".to_owned(), reason };
    assert_eq!(outcomes, [Ok(1), Err(refused), Ok(2)]);
    assert_eq!(rows(&writer), [1, 2]);
}

#[test]
fn cp_12_file_that_can_not_be_written_any_more_fails_all_who_wait() {
    let writer = writer(1_000);
    writer.write(|connection| add(connection, 1)).unwrap();
    let breaks = |connection: &Connection| {
        connection.pragma_update(None, "query_only", true).unwrap();
        Ok(0)
    };
    let adds = |n| -> Job { Box::new(move |connection| add(connection, n)) };
    let outcomes = together(&writer, vec![Box::new(breaks), adds(2), adds(3)]);
    assert_eq!(outcomes[0], Ok(0));
    for outcome in &outcomes[1..] {
        let Err(Fault::Io { reason, .. }) = outcome else { panic!("{outcome:?}") };
        assert!(reason.ends_with("attempt to write a readonly database"), "{reason}");
    }
    let refused = writer.write(|connection| add(connection, 4)).unwrap_err();
    assert!(matches!(refused, Fault::Io { .. }), "{refused:?}");
}

#[test]
fn cp_12_transaction_that_task_rolls_back_is_retried() {
    let writer = writer(1_000);
    let tried = Arc::new(AtomicUsize::new(0));
    let times = Arc::clone(&tried);
    let gives_up = move |connection: &Connection| {
        times.fetch_add(1, Ordering::SeqCst);
        connection.execute_batch("rollback").unwrap();
        Err(Fault::Own(1))
    };
    let outcomes = together(
        &writer,
        vec![
            Box::new(|connection| add(connection, 1)),
            Box::new(gives_up),
            Box::new(|connection| add(connection, 2)),
        ],
    );
    assert_eq!(outcomes, [Ok(1), Err(Fault::Own(1)), Ok(2)]);
    assert_eq!((rows(&writer), tried.load(Ordering::SeqCst)), (vec![1, 2], 2));
}

#[test]
fn cp_12_more_than_may_wait_is_refused_at_once() {
    let writer = writer(0);
    assert_eq!(writer.write(|_| Ok(())), Err(Fault::TooMany(0, 0)));
}

#[test]
fn cp_12_dropped_writer_finishes_submitted_tasks() {
    let writer = writer(1_000);
    let (send, receive) = mpsc::channel();
    for n in 0..250 {
        let send = send.clone();
        let is_urgent = n % 2 == 0;
        writer.post(
            is_urgent,
            move |connection| add(connection, n),
            move |outcome| {
                send.send(outcome).unwrap();
            },
        );
    }
    drop((writer, send));
    assert_eq!(receive.iter().collect::<Vec<_>>(), (0..250).map(Ok).collect::<Vec<_>>());
}
