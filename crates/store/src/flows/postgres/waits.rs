//! The rows of waits: calls of front-end tools and questions, until their answers are used (WA-1).

use super::PostgresJournal;
use crate::flows::schema::Outcome;
use crate::flows::seal::{Part, Seal};
use crate::flows::tasks::masked_document;
use crate::postgres::{self, Fault, Session, Value, values};
use contexture_core::store::flows::{
    Answered, FlowStoreError, Wait, WaitFilter, WaitId, WaitKind, WaitState, Waits, WaitsDone,
};
use std::sync::Arc;

const COLUMNS: &str = "owner, context, message, call, kind, run, step, client, since, expires,
    request, answer, state, parked, place";
const IS_ONE: &str = "owner = $1 and call = $2 and context = $3 and message = $4";
/// Ends the rows of a condition.
const END: &str =
    "update contexture_waits set state = 2, parked = 0, request = '', answer = null where";

fn one(id: &WaitId) -> Vec<Value> {
    values![&id.owner, &id.call, &id.context, &id.message]
}

fn read(row: &postgres::Row) -> Result<Wait, Fault> {
    Ok(Wait {
        id: WaitId {
            owner: row.text(0)?,
            context: row.text(1)?,
            message: row.text(2)?,
            call: row.text(3)?,
        },
        kind: WaitKind::parse(&row.text(4)?).unwrap_or(WaitKind::Call),
        run: row.text(5)?,
        step: row.text(6)?,
        client: row.text(7)?,
        since_ms: row.number(8)?,
        expires_ms: row.number(9)?,
        request: row.text(10)?,
        answer: row.some_text(11)?,
        state: WaitState::of(row.place(12)?),
        is_parked: row.is(13)?,
        place: row.number(14)?,
    })
}

/// Returns a wait as it was before it was written.
fn opened(seal: &Seal, wait: Wait) -> Outcome<Wait> {
    let answer = wait.answer.map(|text| seal.open(Part::Wait, text)).transpose()?;
    Ok(Wait { request: seal.open(Part::Wait, wait.request)?, answer, ..wait })
}

fn find(session: &Session, seal: &Seal, id: &WaitId) -> Outcome<Option<Wait>> {
    let sql = format!("select {COLUMNS} from contexture_waits where {IS_ONE}");
    let found = session.row(&sql, one(id)).and_then(|row| row.as_ref().map(read).transpose());
    let found = found.map_err(|fault| fault.told::<FlowStoreError>(&seal.name))?;
    found.map(|wait| opened(seal, wait)).transpose()
}

fn open(
    session: &Session,
    seal: &Seal,
    wait: &Wait,
    (request, token): (&str, &str),
) -> Outcome<Wait> {
    let known = find(session, seal, &wait.id)?;
    if let Some(known) = known.filter(|known| known.state != WaitState::Ended) {
        return Ok(known);
    }
    let WaitId { owner, context, message, call } = &wait.id;
    let added = || {
        session.write(&format!("delete from contexture_waits where {IS_ONE}"), one(&wait.id))?;
        let row = session.write_row(
            "insert into contexture_waits (owner, context, message, call, kind, run, step, client,
             since, expires, state, parked, request, holder)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, $11, $12) returning place",
            values![
                owner,
                context,
                message,
                call,
                wait.kind.as_str(),
                &wait.run,
                &wait.step,
                &wait.client,
                wait.since_ms,
                wait.expires_ms,
                request,
                token
            ],
        )?;
        session.changed_waits();
        row.map_or(Ok(0), |row| row.number(0))
    };
    let place = added().map_err(|fault| fault.told::<FlowStoreError>(&seal.name))?;
    Ok(Wait { place, state: WaitState::Open, is_parked: false, ..wait.clone() })
}

fn answer(session: &Session, seal: &Seal, id: &WaitId, answer: &str) -> Outcome<Answered> {
    let Some(found) = find(session, seal, id)? else { return Ok(Answered::Unknown) };
    if found.state != WaitState::Open {
        return Ok(Answered::Before);
    }
    let sealed = seal.close(Part::Wait, answer)?;
    let sql = "update contexture_waits set state = 1, answer = $2 where place = $1";
    let text = sealed.as_deref().unwrap_or(answer);
    session.changed_waits();
    let kept = session.write(sql, values![found.place, text]);
    kept.map_err(|fault| fault.told::<FlowStoreError>(&seal.name))?;
    let answer = Some(answer.to_owned());
    Ok(Answered::Taken(Box::new(Wait { answer, state: WaitState::Answered, ..found })))
}

/// Gives a run that only waits to `token`, with its message.
fn take(session: &Session, run: &str, token: &str) -> Result<bool, Fault> {
    let sql = "update contexture_waits set parked = 0, holder = $2
        where run = $1 and state < 2 and parked = 1";
    if session.change(sql, values![run, token])? == 0 {
        return Ok(false);
    }
    let sql = "update contexture_runs set holder = $2 where run = $1 and ended is null";
    session.write(sql, values![run, token])?;
    let sql = "update contexture_keys as key set holder = $2 from contexture_waits as wait
        where wait.run = $1 and key.owner = wait.owner and key.message_id = wait.message
        and key.status = 0 and (key.scope = wait.context or key.scope = '')";
    session.write(sql, values![run, token])?;
    Ok(true)
}

impl PostgresJournal {
    /// Executes a statement; `done` is called when what it wrote is durable.
    fn change_waits(&self, sql: String, values: Vec<Value>, is_urgent: bool, done: WaitsDone<()>) {
        let name = Arc::clone(&self.seal.name);
        let change = move |session: &Session| {
            session.changed_waits();
            session.write(&sql, values.clone()).map_err(|fault| fault.told(&name))
        };
        self.post(is_urgent, change, done);
    }
}

impl Waits for PostgresJournal {
    fn open_wait(&self, wait: Wait, done: WaitsDone<Wait>) {
        let seal = self.seal.clone();
        let masked = masked_document(&self.options.masker, &wait.request).into_owned();
        let request = match seal.close(Part::Wait, &masked) {
            Ok(sealed) => sealed.unwrap_or(masked),
            Err(error) => return done(Err(error)),
        };
        let token = Arc::clone(self.postgres.token());
        self.post(true, move |session| open(session, &seal, &wait, (&request, &token)), done);
    }

    fn answer_wait(&self, id: &WaitId, text: &str, done: WaitsDone<Answered>) {
        let (seal, id) = (self.seal.clone(), id.clone());
        let text = masked_document(&self.options.masker, text).into_owned();
        self.post(true, move |session| answer(session, &seal, &id, &text), done);
    }

    fn end_wait(&self, id: &WaitId, done: WaitsDone<()>) {
        self.change_waits(format!("{END} {IS_ONE}"), one(id), true, done);
    }

    fn end_waits(&self, run: &str, done: WaitsDone<()>) {
        self.change_waits(format!("{END} run = $1 and state < 2"), values![run], false, done);
    }

    fn park_waits(&self, run: &str, is_parked: bool) {
        let sql = "update contexture_waits set parked = $2 where run = $1 and state < 2";
        self.change_waits(sql.to_owned(), values![run, is_parked], false, Box::new(drop));
    }

    fn take_parked(&self, run: &str, done: WaitsDone<bool>) {
        let (name, run) = (Arc::clone(&self.seal.name), run.to_owned());
        let token = Arc::clone(self.postgres.token());
        let take =
            move |session: &Session| take(session, &run, &token).map_err(|fault| fault.told(&name));
        self.post(true, take, done);
    }

    fn forget_waits(&self, before_ms: u64) {
        let sql = "delete from contexture_waits where state = 2 and expires < $1";
        self.change_waits(sql.to_owned(), values![before_ms], false, Box::new(drop));
    }

    fn waits(&self, filter: &WaitFilter) -> Result<Vec<Wait>, FlowStoreError> {
        let limit = if filter.limit == 0 { usize::MAX } else { filter.limit };
        let (mut wanted, mut values) =
            (vec!["place > $2".to_owned()], values![limit, filter.after]);
        let texts = [
            ("owner", &filter.owner),
            ("context", &filter.context),
            ("message", &filter.message),
            ("call", &filter.call),
            ("client", &filter.client),
            ("run", &filter.run),
        ];
        for (column, text) in texts {
            if let Some(text) = text {
                values.push(text.into());
                wanted.push(format!("{column} = ${}", values.len()));
            }
        }
        if filter.run.is_some() {
            wanted.push("state < 2".to_owned());
        }
        // Written out, so that the indexes of one state serve.
        wanted.extend(filter.state.map(|state| format!("state = {}", state.number())));
        if filter.parked {
            wanted.push("parked = 1".to_owned());
        }
        if filter.own {
            values.push(self.postgres.token().into());
            wanted.push(format!("holder = ${}", values.len()));
        }
        if let Some(expired) = filter.expired_ms {
            values.push(expired.into());
            wanted.push(format!("expires <= ${}", values.len()));
        }
        let sql = format!(
            "select {COLUMNS} from contexture_waits where {} order by place limit $1",
            wanted.join(" and ")
        );
        let found: Vec<Wait> =
            self.read(|session| session.rows(&sql, values.clone())?.iter().map(read).collect())?;
        found.into_iter().map(|wait| opened(&self.seal, wait)).collect()
    }

    fn parked_runs(&self) -> Result<Vec<(String, String, String, String)>, FlowStoreError> {
        let sql = "select distinct owner, context, message, run from contexture_waits
            where state = 0 and parked = 1 and holder = $1
            and run not in (select run from contexture_waits where state = 1)";
        self.read(|session| {
            let rows = session.rows(sql, values![self.postgres.token()])?;
            let row =
                |row: &postgres::Row| Ok((row.text(0)?, row.text(1)?, row.text(2)?, row.text(3)?));
            rows.iter().map(row).collect()
        })
    }

    fn open_waits(&self) -> Result<Vec<(String, u64)>, FlowStoreError> {
        let sql = "select owner, count(*) from contexture_waits where state = 0 group by owner";
        self.read(|session| {
            let rows = session.rows(sql, Vec::new())?;
            rows.iter().map(|row| Ok((row.text(0)?, row.number(1)?))).collect()
        })
    }
}
