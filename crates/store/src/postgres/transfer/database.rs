//! A database, as it is read and as an empty one is filled.

use super::tables::{NUMBERED, Table};
use super::{Outcome, Side, TransferError};
use crate::contexts::Sealer;
use crate::flows::{Part, Seal};
use crate::postgres::writer::Kind;
use crate::postgres::{Address, Fault, Link, PostgresError, Session, Value, tables, values};
use std::sync::Arc;
use tokio_rustls::rustls::ClientConfig;

/// The number of rows that are read at a time.
const PAGE: usize = 500;
/// A copy takes as long as it takes, and waits for its other side.
const PATIENT: &str = "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0";
/// What an empty database has no rows in, each with the word for its rows.
const EMPTY: [(&str, &str); 6] = [
    ("contexts", "contexts"),
    ("keys", "answers to messages"),
    ("runs", "runs of sets"),
    ("waits", "waits"),
    ("journals", "journals of turns"),
    ("texts where text <> ''", "tokens"),
];

/// A transaction of a database, beside which no server writes.
pub(super) struct Moment {
    name: Arc<str>,
    session: Session,
    seal: Seal,
    /// Holds the runtime of the connection.
    _link: Link,
}

impl Moment {
    /// Begins to read.
    pub(super) fn reading(place: DatabasePlace) -> Outcome<Self> {
        let (link, session) = place.connect()?;
        let moment = Self::of(link, session, place.sealer);
        let found = tables::version(&moment.session);
        match moment.explain(found)? {
            tables::KNOWN => {}
            0 => return Err(TransferError::Nothing(moment.name.to_string())),
            found => {
                let (name, known) = (moment.name.to_string(), tables::KNOWN);
                return Err(TransferError::Format { name, found, known });
            }
        }
        moment.explain(moment.session.begin_reading())?;
        moment.alone()?;
        Ok(moment)
    }

    /// Begins to fill an empty database.
    pub(super) fn writing(place: DatabasePlace) -> Outcome<Self> {
        let (link, session) = place.connect()?;
        tables::ready(&session, &link.name)?;
        let moment = Self::of(link, session, place.sealer);
        moment.explain(moment.session.batch("begin"))?;
        moment.alone()?;
        for (table, what) in EMPTY {
            let sql = format!("select 1::bigint from contexture_{table} limit 1");
            if moment.explain(moment.session.row(&sql, Vec::new()))?.is_some() {
                return Err(TransferError::NotEmpty { name: moment.name.to_string(), what });
            }
        }
        Ok(moment)
    }

    fn of(link: Link, session: Session, sealer: Option<Arc<dyn Sealer>>) -> Self {
        let name = Arc::clone(&link.name);
        Self { seal: Seal { sealer, name: Arc::clone(&name) }, name, session, _link: link }
    }

    /// Refuses a database that a server works on, and keeps one from beginning.
    fn alone(&self) -> Outcome<()> {
        let sql = "select 1::bigint from contexture_servers
            where is_server = 1 and expires > clock_timestamp() limit 1";
        let mut is_used = self.explain(self.session.row(sql, Vec::new()))?.is_some();
        for kind in [Kind::Contexts, Kind::Flows] {
            let lock = kind.lock();
            let sql = format!(
                "select pg_try_advisory_xact_lock({lock}, hashtext(current_schema()))::int::bigint"
            );
            let row = self.explain(self.session.row(&sql, Vec::new()))?;
            is_used |= !self.explain(row.map_or(Ok(false), |row| row.is(0)))?;
        }
        match is_used {
            true => Err(TransferError::InUse(self.name.to_string())),
            false => Ok(()),
        }
    }

    fn explain<T>(&self, outcome: Result<T, Fault>) -> Outcome<T> {
        outcome.map_err(|fault| failed(&self.name, &fault))
    }

    /// Keeps what was added.
    pub(super) fn finish(self) -> Outcome<()> {
        self.explain(self.session.batch("commit")).map(drop)
    }

    /// Calls `take` with the rows of a query.
    fn rows(
        &self,
        query: &str,
        cursor: &str,
        take: &mut dyn FnMut(Vec<Value>) -> Outcome<()>,
    ) -> Outcome<()> {
        let declare = format!("declare {cursor} no scroll cursor for {query}");
        self.explain(self.session.batch(&declare))?;
        let fetch = format!("fetch {PAGE} from {cursor}");
        loop {
            let rows = self.explain(self.session.rows(&fetch, Vec::new()))?;
            let count = rows.len();
            for row in rows {
                take(self.explain(row.values())?)?;
            }
            if count < PAGE {
                break;
            }
        }
        self.explain(self.session.batch(&format!("close {cursor}"))).map(drop)
    }

    /// Calls `take` with the texts that servers share.
    pub(super) fn texts(&self, take: &mut dyn FnMut(&str, &str) -> Outcome<()>) -> Outcome<()> {
        let sql = "select name, text from contexture_texts where text <> '' order by name";
        self.rows(sql, "texts", &mut |row| match row.as_slice() {
            [Value::Text(name), Value::Text(text)] => take(name, text),
            _ => Ok(()),
        })
    }

    pub(super) fn put_text(&self, name: &str, text: &str) -> Outcome<()> {
        let sql = "insert into contexture_texts (name, version, text) values ($1, 1, $2)
            on conflict (name) do update set version = contexture_texts.version + 1, text = $2";
        self.explain(self.session.write(sql, values![name, text]))
    }

    /// Calls `take` with each line of each journal, opened.
    pub(super) fn journals(&self, take: &mut dyn FnMut(&str, &str) -> Outcome<()>) -> Outcome<()> {
        let sql = "select run, text from contexture_lines order by run, number";
        self.rows(sql, "lines", &mut |row| match row.as_slice() {
            [Value::Text(run), Value::Text(line)] => {
                take(run, &self.seal.open(Part::Journal, line.to_string())?)
            }
            _ => Ok(()),
        })
    }

    /// Adds a journal, which is nobody's.
    pub(super) fn put_journal(&self, run: &str) -> Outcome<()> {
        let sql = "insert into contexture_journals (run, holder) values ($1, '')";
        self.explain(self.session.write(sql, values![run]))
    }

    pub(super) fn put_line(&self, run: &str, line: &str) -> Outcome<()> {
        let sealed = self.seal.close(Part::Journal, line)?;
        let line = sealed.as_deref().unwrap_or(line);
        let sql = "insert into contexture_lines (run, text) values ($1, $2)";
        self.explain(self.session.write(sql, values![run, line]))
    }
}

fn failed(name: &str, fault: &Fault) -> TransferError {
    PostgresError::Failed { name: name.to_owned(), reason: fault.to_string() }.into()
}

/// The way to a database.
pub struct DatabasePlace {
    /// Its address.
    pub address: Address,
    /// TLS of a connection to it.
    pub tls: ClientConfig,
    /// The seal of the journals of turns.
    pub sealer: Option<Arc<dyn Sealer>>,
}

impl DatabasePlace {
    fn connect(&self) -> Outcome<(Link, Session)> {
        let link = Link::to(self.address.clone(), self.tls.clone())?;
        let session = link.connect().and_then(|session| {
            session.batch(PATIENT)?;
            Ok(session)
        });
        match session {
            Ok(session) => Ok((link, session)),
            Err(fault) => Err(failed(&link.name, &fault)),
        }
    }
}

impl Side for Moment {
    fn each(&self, table: &Table, take: &mut dyn FnMut(Vec<Value>) -> Outcome<()>) -> Outcome<()> {
        let (name, columns) = (table.name, table.columns.join(", "));
        let query = format!("select {columns} from contexture_{name} {}", table.rest);
        self.rows(&query, &format!("{name}_{}", table.rest.len()), take)
    }

    fn last_places(&self) -> Outcome<Vec<i64>> {
        let last = |name: &str| {
            let sql = format!(
                "select coalesce(pg_sequence_last_value(pg_get_serial_sequence(
                 'contexture_{name}', 'place')::regclass), 0)"
            );
            let row = self.explain(self.session.row(&sql, Vec::new()))?;
            self.explain(row.map_or(Ok(0), |row| row.place(0)))
        };
        NUMBERED.into_iter().map(|(_, name, _)| last(name)).collect()
    }

    fn put(&self, table: &Table, row: Vec<Value>) -> Outcome<()> {
        let (name, columns) = (table.name, table.columns.join(", "));
        let numbers: Vec<String> =
            (1..=table.columns.len()).map(|number| format!("${number}")).collect();
        let sql = format!(
            "insert into contexture_{name} ({columns}) overriding system value values ({})",
            numbers.join(", ")
        );
        self.explain(self.session.write(&sql, row))
    }

    fn go_on_after(&self, places: &[i64]) -> Outcome<()> {
        for ((_, name, _), place) in NUMBERED.into_iter().zip(places) {
            let sql =
                format!("select setval(pg_get_serial_sequence('contexture_{name}', 'place'), $1)");
            if *place > 0 {
                self.explain(self.session.row(&sql, values![*place]))?;
            }
        }
        Ok(())
    }
}
