//! The answers of the API (IN-4).

use super::Shared;
use crate::query::{Query, wrong};
use axum::extract::{Path, RawQuery, State};
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use contexture::context::Digest;
use contexture::inspect::{
    self, EventPage, InspectError, Kept, MOST_EVENTS, MOST_TEXT, Outcome, asks_model, described,
};
use contexture::store::runs::{RunEntry, RunError, RunHead, RunId, select};
use contexture_protocol::Refusal;
use serde_json::{Value, json};

/// The most runs of a page.
const RUNS: usize = 1_000;

/// The most bytes of an answer.
pub(super) const LARGEST: usize = 2 << 20;

/// The texts of a diff that are shown, in bytes in all.
const DIFF_TEXTS: usize = 256 << 10;

pub(crate) type Answer = Result<Response, Refused>;

/// A refused request: `{code, message}`. A server with a form of its own finds it in the extensions
/// of the response.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    pub(crate) code: String,
    pub(crate) message: String,
}

impl Refused {
    pub(super) fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        Self { status, code: code.to_owned(), message: message.into() }
    }

    fn missing(code: &str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let body = json!({ "code": self.code, "message": self.message }).to_string();
        let kind = [(header::CONTENT_TYPE, "application/json")];
        let mut response = (self.status, kind, body).into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "query_invalid", refusal.message)
    }
}

impl From<RunError> for Refused {
    fn from(error: RunError) -> Self {
        let status = match error {
            RunError::Unknown { .. } | RunError::None => StatusCode::NOT_FOUND,
            RunError::Ambiguous { .. } => StatusCode::BAD_REQUEST,
            RunError::Newer { .. } => StatusCode::CONFLICT,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.code(), error.to_string())
    }
}

impl From<InspectError> for Refused {
    fn from(error: InspectError) -> Self {
        let message = error.to_string();
        match error {
            InspectError::NoSuchCall { .. } => Self::missing("call_unknown", message),
            InspectError::NothingAsked => {
                Self::new(StatusCode::BAD_REQUEST, "query_invalid", message)
            }
            InspectError::MissingText { .. } => Self::missing("text_missing", message),
            _ => Self::new(StatusCode::INTERNAL_SERVER_ERROR, "run_unreadable", message),
        }
    }
}

/// Does what reads files away from the threads that answer.
pub(super) async fn work<T: Send + 'static>(
    shared: &Shared,
    work: impl FnOnce(&Shared) -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    let shared = shared.clone();
    let done = tokio::task::spawn_blocking(move || work(&shared)).await;
    done.map_err(|error| {
        Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string())
    })?
}

/// Answers with what is read.
pub(super) async fn read(
    shared: &Shared,
    reads: impl FnOnce(&Shared) -> Result<Value, Refused> + Send + 'static,
) -> Answer {
    let body = work(shared, reads).await?.to_string();
    if body.len() > LARGEST {
        let message = format!("the answer has {} bytes, the most are {LARGEST}", body.len());
        return Err(Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "answer_too_large", message));
    }
    Ok(file("application/json", body))
}

/// Answers with a text of a type.
pub(super) fn file(kind: &'static str, text: String) -> Response {
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")];
    (headers, text).into_response()
}

/// Refuses a method that a path does not take.
pub(super) async fn no_such_method(method: Method, uri: Uri) -> Refused {
    let message = format!("`{}` does not take {method}", uri.path());
    Refused::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}

/// The names of the query of runs.
const RUNS_QUERY: [&str; 9] =
    ["limit", "after", "program", "outcome", "model", "since", "until", "q", "failed"];

/// `GET /v1/runs?limit&after&program&outcome&model&since&until&q&failed`
pub(super) async fn runs(State(shared): State<Shared>, RawQuery(query): RawQuery) -> Answer {
    let query = Query::parse(query.as_deref(), &RUNS_QUERY)?;
    let (limit, failed) = (query.limit(RUNS)?, query.flag("failed")?);
    let text = |name: &str| query.text(name).filter(|text| !text.is_empty()).map(str::to_owned);
    let (after, program) = (text("after"), text("program"));
    let (model, words) = (text("model"), text("q"));
    let asked = text("outcome").map(|asked| {
        Outcome::parse(&asked).map_err(|expected| wrong("outcome", &expected, &asked))
    });
    let asked = asked.transpose()?;
    let time = |name: &str| query.number(name).map(|ms| ms.map(|ms| ms.saturating_mul(1_000)));
    let (since, until) = (time("since")?, time("until")?);
    read(&shared, move |shared| {
        let has_words = |entry: &RunEntry| {
            words.as_ref().is_none_or(|words| {
                entry.program.contains(words)
                    || RunId::parse(&entry.run)
                        .is_some_and(|id| shared.sources.runs.mentions(&id, words).unwrap_or(false))
            })
        };
        let wanted = |entry: &RunEntry| {
            after.as_ref().is_none_or(|after| entry.run < *after)
                && program.as_ref().is_none_or(|program| entry.program.ends_with(program))
                && asked.is_none_or(|asked| asked.is_of(entry))
                && model.as_ref().is_none_or(|model| asks_model(entry, model))
                && since.is_none_or(|since| entry.start_us.is_some_and(|at| at >= since))
                && until.is_none_or(|until| entry.start_us.is_some_and(|at| at < until))
                && (!failed || entry.is_failed())
                && has_words(entry)
        };
        let list = shared.sources.runs.list(&wanted, limit)?;
        let next = list.entries.last().filter(|_| list.more).map(|last| last.run.clone());
        let runs: Vec<Value> = list.entries.iter().map(described).collect();
        Ok(json!({ "runs": runs, "next": next, "notes": list.notes }))
    })
    .await
}

/// `GET /v1/runs/{run}`
pub(super) async fn run(State(shared): State<Shared>, Path(run): Path<String>) -> Answer {
    read(&shared, move |shared| Ok(inspect::head(&*shared.sources.runs, &find(shared, &run)?)?))
        .await
}

/// `GET /v1/runs/{run}/events?parent&after&limit`
pub(super) async fn events(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Query::parse(query.as_deref(), &["parent", "after", "limit"])?;
    let page = EventPage {
        parent: query.number("parent")?,
        after: query.number("after")?,
        limit: query.limit(MOST_EVENTS)?,
    };
    read(&shared, move |shared| {
        let id = find(shared, &run)?;
        let store = &*shared.sources.runs;
        Ok(shared.outlines.with(store, &id, |outline| outline.page(store, &id, page))?)
    })
    .await
}

/// `GET /v1/runs/{run}/calls/{call}`
pub(super) async fn call(
    State(shared): State<Shared>,
    Path((run, call)): Path<(String, String)>,
) -> Answer {
    read(&shared, move |shared| {
        let (head, number) = call_of(shared, &run, &call)?;
        let kept = Kept { store: &*shared.sources.runs, log: &head.log };
        let mut value = inspect::call(kept, number).map_err(|error| error.counted(head.calls))?;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("calls".to_owned(), head.calls.into());
        }
        Ok(value)
    })
    .await
}

/// `GET /v1/runs/{run}/calls/{call}/prompt`
pub(super) async fn prompt(
    State(shared): State<Shared>,
    Path((run, call)): Path<(String, String)>,
) -> Answer {
    read(&shared, move |shared| {
        let (head, number) = call_of(shared, &run, &call)?;
        let kept = Kept { store: &*shared.sources.runs, log: &head.log };
        Ok(inspect::prompt(kept, number).map_err(|error| error.counted(head.calls))?)
    })
    .await
}

/// `GET /v1/texts/{run}/{digest}?offset&limit`
pub(super) async fn text(
    State(shared): State<Shared>,
    Path((run, digest)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Query::parse(query.as_deref(), &["offset", "limit"])?;
    let offset = query.count("offset", usize::MAX)?.unwrap_or_default();
    let limit = query.count("limit", MOST_TEXT)?.unwrap_or(MOST_TEXT).max(1);
    read(&shared, move |shared| {
        let id = find(shared, &run)?;
        let digest: Digest = digest
            .parse()
            .map_err(|_| Refused::missing("text_missing", format!("`{digest}` is not a digest")))?;
        Ok(inspect::text_part(&*shared.sources.runs, &id, &digest, (offset, limit))?)
    })
    .await
}

/// `GET /v1/diff/{left}/{right}?words`: without `words`, what `trace diff --json` prints.
pub(super) async fn diff(
    State(shared): State<Shared>,
    Path((left, right)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Answer {
    let with_words = Query::parse(query.as_deref(), &["words"])?.flag("words")?;
    read(&shared, move |shared| {
        let store = &*shared.sources.runs;
        let left = store.head(&find(shared, &left)?, 1..=u64::MAX)?.log;
        let right = store.head(&find(shared, &right)?, 1..=u64::MAX)?.log;
        let calls = inspect::diff(Kept { store, log: &left }, Kept { store, log: &right });
        let mut calls = shortened(json!(calls));
        if with_words {
            mark(&mut calls);
        }
        Ok(json!({ "left": left.id.as_str(), "right": right.id.as_str(), "calls": calls }))
    })
    .await
}

/// Adds the words that differ to each part of which both texts are shown.
pub(super) fn mark(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let text = |name: &str| fields.get(name).and_then(Value::as_str);
            let words = text("left").zip(text("right")).and_then(|(l, r)| inspect::words(l, r));
            if let Some(words) = words {
                fields.insert("words".to_owned(), json!(words));
            }
            for name in ["layers", "items"] {
                fields.get_mut(name).into_iter().for_each(mark);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mark),
        _ => {}
    }
}

/// Returns a diff with as many of its texts as an answer has room for.
pub(super) fn shortened(mut value: Value) -> Value {
    let mut room = DIFF_TEXTS;
    shorten(&mut value, &mut room);
    value
}

/// Leaves out the texts of a diff that find no room; those that are shown are whole.
fn shorten(value: &mut Value, room: &mut usize) {
    match value {
        Value::Object(fields) => {
            for name in ["left", "right"] {
                let Some(Value::String(text)) = fields.get(name) else { continue };
                match room.checked_sub(text.len()) {
                    Some(rest) => *room = rest,
                    None => {
                        let bytes = text.len();
                        fields.insert(name.to_owned(), Value::Null);
                        fields.insert(format!("{name}_bytes"), bytes.into());
                    }
                }
            }
            fields.values_mut().for_each(|field| shorten(field, room));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, room)),
        _ => {}
    }
}

/// `GET /v1/why?run&call&label`
pub(super) async fn why(State(shared): State<Shared>, RawQuery(query): RawQuery) -> Answer {
    let query = Query::parse(query.as_deref(), &["run", "call", "label"])?;
    let needed = |name: &str| {
        query.text(name).map(str::to_owned).ok_or_else(|| {
            let message = format!("the query has no `{name}`: expected run, call and label");
            Refused::new(StatusCode::BAD_REQUEST, "query_invalid", message)
        })
    };
    let (run, call, label) = (needed("run")?, needed("call")?, needed("label")?);
    read(&shared, move |shared| {
        let (head, number) = call_of(shared, &run, &call)?;
        let store = &*shared.sources.runs;
        let kept = Kept { store, log: &head.log };
        let found = shared.outlines.with(store, &head.log.id, |outline| {
            Ok(inspect::why_not(kept, outline, number, &label))
        })?;
        Ok(json!(found.map_err(|error| error.counted(head.calls))?))
    })
    .await
}

/// Finds a run by its id or as the command line names one, such as `latest`.
pub(super) fn find(shared: &Shared, run: &str) -> Result<RunId, Refused> {
    Ok(select(&*shared.sources.runs, run)?)
}

/// Reads the head of a run with one call.
fn call_of(shared: &Shared, run: &str, call: &str) -> Result<(RunHead, u64), Refused> {
    let id = find(shared, run)?;
    let number: u64 = call.parse().map_err(|_| {
        Refused::missing("call_unknown", format!("`{call}` is not the number of a call, from 1"))
    })?;
    Ok((shared.sources.runs.head(&id, number..=number)?, number))
}
