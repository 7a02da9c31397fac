//! The clients that announced their tools, of all processes: who runs a tool may be connected elsewhere.
//!
//! Decision: one whose server is gone is away like one that lost its connection, and may come back to
//! another server: it is kept for a while. They are only read again when one of them changed.

use super::session::{Fault, Session};
use super::{Link, values};
use std::sync::Arc;

/// A client that announced itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announced {
    /// The id of its session.
    pub session: String,
    /// Its owner.
    pub owner: String,
    /// What it announced, as JSON.
    pub capabilities: String,
    /// True if it is a service that registered its tools.
    pub is_service: bool,
    /// True if it is connected.
    pub is_here: bool,
}

/// Stores clients of a process that came or changed, and removes sessions that ended.
pub(super) fn put(
    link: &Link,
    token: &Arc<str>,
    changed: &[Announced],
    ended: &[String],
) -> Result<(), Fault> {
    link.with(|session| {
        session.batch("begin")?;
        let put = written(session, token, changed, ended);
        let tell = format!("select pg_notify('{}', '{token} clients'); commit", link.channel);
        session.batch(if put.is_ok() { &tell } else { "rollback" })?;
        put
    })
}

fn written(
    session: &Session,
    token: &Arc<str>,
    changed: &[Announced],
    ended: &[String],
) -> Result<(), Fault> {
    let own = "select from contexture_servers where token = $1";
    session.row(own, values![token])?.ok_or(Fault::Fenced)?;
    session.write("delete from contexture_clients where until < clock_timestamp()", Vec::new())?;
    for id in ended {
        let sql = "delete from contexture_clients where session = $1 and holder = $2";
        session.write(sql, values![id, token])?;
    }
    for one in changed {
        session.write(
            "insert into contexture_clients (holder, session, owner, capabilities, service, here)
             values ($1, $2, $3, $4, $5, $6) on conflict (session) do update
             set capabilities = $4, service = $5, here = $6",
            values![
                token,
                &one.session,
                &one.owner,
                &one.capabilities,
                one.is_service,
                one.is_here
            ],
        )?;
    }
    session.answered()
}

/// Notes that the clients of processes are away that are gone.
pub(super) fn left(session: &Session) -> Result<(), Fault> {
    let sql = "update contexture_clients set here = 0, until = clock_timestamp() + interval '5 min'
        where until is null and holder not in (select token from contexture_servers)";
    session.write(sql, Vec::new())
}

/// Returns the clients of other processes, in the order in which they came.
pub(super) fn of_others(session: &Session, token: &Arc<str>) -> Result<Vec<Announced>, Fault> {
    let sql = "select session, owner, capabilities, service, here from contexture_clients
        where holder <> $1 and (until is null or until > clock_timestamp()) order by place";
    let rows = session.rows(sql, values![token])?;
    let read = |row: &super::Row| {
        Ok(Announced {
            session: row.text(0)?,
            owner: row.text(1)?,
            capabilities: row.text(2)?,
            is_service: row.is(3)?,
            is_here: row.is(4)?,
        })
    };
    rows.iter().map(read).collect()
}
