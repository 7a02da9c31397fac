//! `database_create`: a new SQLite file from an SQL script.

use super::error::SqlError;
use super::guard::{self, Guard, Purpose, Stop};
use super::place::Source;
use super::query::{self, LONGEST_SECONDS};
use crate::failure::{blocking, invalid, of_file, of_tool};
use crate::settings::Limits;
use crate::shape::{Shape, seconds, text, text_if, text_of, type_of};
use contexture_flow::action::{ActionCall, ActionFailure, ActionInfo, ActionKind, Class, Registry};
use contexture_tools::{FileError, ToolError};
use rusqlite::{Connection, MAIN_DB};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Bytes of a page, as SQLite makes them.
const PAGE: usize = 4_096;

pub(super) fn register(registry: &mut Registry, source: Source) {
    let script = json!({"type": ["string", "array"], "items": {"type": "string"}});
    let info = Shape::new("Makes an SQLite file of the workspace from an SQL script, if it is not there yet, and returns {database, created}. One that is there is left as it is.")
        .needs("database", text(), "the SQLite file to make, relative to the workspace")
        .takes("script", script, "the SQL statements, as a text or as a list of lines")
        .takes("file", text(), "a file of SQL statements in the workspace, in place of `script`")
        .takes("timeout", seconds(LONGEST_SECONDS), "seconds that the script may take")
        .of(ActionKind::Operation)
        .with_class(Class::Write);
    let info = ActionInfo { idempotent: true, ..info };
    registry.add("database_create", info, move |call| {
        let source = source.clone();
        async move { create(source, call).await }
    });
}

async fn create(source: Source, call: ActionCall) -> Result<Value, ActionFailure> {
    // Dropped when nobody waits any more, which ends the work.
    let stop = Stop::default();
    let stopped = stop.flag();
    blocking(move || {
        let place = source.workspace.resolve(text_of(&call, "database")?).map_err(of_file)?;
        let told = |created: bool| json!({"database": place.as_str(), "created": created});
        let script = script(&source, &call)?;
        let allowed = query::allowed(&call, source.limits.query)?;
        if source.workspace.has(&place) {
            source.workspace.require_regular(&place).map_err(of_file)?;
            return Ok(told(false));
        }
        let bytes = build(&script, &source.limits, allowed, stopped)?;
        Ok(told(source.workspace.create(&place, &bytes).map_err(of_file)?))
    })
    .await
}

/// Returns the script of a call: its text or a file's.
fn script(source: &Source, call: &ActionCall) -> Result<String, ActionFailure> {
    let script = call.parameters.get("script").filter(|value| !value.is_null());
    match (script, text_if(call, "file")?) {
        (Some(script), None) => lines(script),
        (None, Some(file)) => {
            let path = source.workspace.resolve(file).map_err(of_file)?;
            let most = source.limits.database_bytes as u64;
            source.workspace.read_text(&path, most).map_err(of_script)
        }
        (None, None) => Err(invalid("expected `script` or `file`, found neither")),
        (Some(_), Some(_)) => Err(invalid("expected `script` or `file`, found both")),
    }
}

/// Returns the failure of a script that can't be read; no setting raises its limit.
fn of_script(error: FileError) -> ActionFailure {
    match error {
        FileError::TooLarge { .. } => of_tool(
            ToolError::new(error.code(), error.to_string()).with_help("split it into several"),
        ),
        _ => of_file(error),
    }
}

fn lines(script: &Value) -> Result<String, ActionFailure> {
    let unfit = |value: &Value| {
        let found = type_of(value);
        invalid(format!("`script`: expected SQL as a text or a list of texts, found {found}"))
    };
    match script {
        Value::String(text) => Ok(text.clone()),
        Value::Array(lines) => {
            let lines: Result<Vec<&str>, _> =
                lines.iter().map(|line| line.as_str().ok_or_else(|| unfit(line))).collect();
            Ok(lines?.join("\n"))
        }
        other => Err(unfit(other)),
    }
}

/// Returns the bytes of the database that a script makes.
fn build(
    script: &str,
    limits: &Limits,
    allowed: Duration,
    stopped: Arc<AtomicBool>,
) -> Result<Vec<u8>, SqlError> {
    if script.contains('\0') {
        return Err(SqlError::Value("the script has a NUL character: take it out".to_owned()));
    }
    let before = |error| SqlError::of(error, false, allowed);
    let mut connection = Connection::open_in_memory().map_err(before)?;
    let pages = (limits.database_bytes / PAGE).max(1);
    connection
        .query_row(&format!("pragma max_page_count = {pages}"), [], |_| Ok(()))
        .map_err(before)?;
    let guard =
        Guard::set(&mut connection, Purpose::Create, limits, allowed, stopped).map_err(before)?;
    connection.execute_batch(script).map_err(|error| guard.explain(error))?;
    if !connection.is_autocommit() {
        return Err(SqlError::Sqlite(
            "the script leaves a transaction open: end it with COMMIT".to_owned(),
        ));
    }
    guard::release(&mut connection).map_err(before)?;
    let things = "select count(*) from sqlite_schema";
    if connection.query_row(things, [], |row| row.get::<_, i64>(0)).map_err(before)? == 0 {
        let message = "the script makes no table: expected CREATE TABLE";
        return Err(SqlError::Sqlite(message.to_owned()));
    }
    let bytes = connection.serialize(MAIN_DB).map_err(before)?;
    Ok(bytes.to_vec())
}
