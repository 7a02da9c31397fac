//! A changed program on the record of a run: which prompts would be others, and what models say to
//! them (IN-10).

use super::Shared;
use super::answers::{Answer, Refused, file, find, mark, read, shortened};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use contexture::llm::CancelToken;
use contexture::observe::Silent;
use contexture::run::{
    Asked, AskedRun, Asking, Checked, Offer, RecheckError, begin, offer, patch, program_of,
};
use serde::Deserialize;
use serde_json::json;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// The longest time of a run that asks.
const LONGEST: Duration = Duration::from_secs(600);

/// The time for which a run may still hold its place once its record has ended.
const ENDING: Duration = Duration::from_secs(1);

/// The longest time in which all prompts of a program are made.
const LONGEST_TRY: Duration = Duration::from_secs(30);

/// The program as it is tried.
#[derive(Deserialize)]
struct Tried {
    text: String,
    /// The model to ask in place of those of the program.
    #[serde(default)]
    model: Option<String>,
    /// The offer that a person has agreed to, where models are to be asked.
    #[serde(default)]
    agreed: Option<Agreed>,
}

/// What a person has agreed to, of an offer.
#[derive(Deserialize)]
struct Agreed {
    models: Vec<String>,
    /// A number, since a browser writes `0.0` as `0`.
    cost: Option<f64>,
    tokens: Option<u64>,
}

impl Agreed {
    fn is_of(&self, offer: &Offer) -> bool {
        self.models == offer.models
            && self.cost.map(f64::to_bits) == offer.cost.map(f64::to_bits)
            && self.tokens == offer.tokens
    }
}

impl Tried {
    fn of(body: &Bytes) -> Result<Self, Refused> {
        serde_json::from_slice(body).map_err(|error| {
            let message = format!("expected `{{\"text\": PROGRAM}}`: {error}");
            Refused::new(StatusCode::BAD_REQUEST, "body_invalid", message)
        })
    }

    fn split(self) -> (Checked, Asking) {
        let model = self.model.filter(|model| !model.trim().is_empty());
        let checked = Checked { text: Some(self.text), ..Checked::default() };
        (checked, Asking { model, ..Asking::default() })
    }
}

impl From<RecheckError> for Refused {
    fn from(error: RecheckError) -> Self {
        let message = error.to_string();
        match error {
            RecheckError::Record(error) => error.into(),
            RecheckError::Part(error) => error.into(),
            RecheckError::NoProgram | RecheckError::Missing { .. } => {
                Self::new(StatusCode::NOT_FOUND, "program_unknown", message)
            }
            RecheckError::Refused(failure) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, failure.code(), message)
            }
            _ => Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message),
        }
    }
}

/// `GET /v1/runs/{run}/program`
pub(super) async fn program(State(shared): State<Shared>, Path(run): Path<String>) -> Answer {
    read(&shared, move |shared| {
        let project = shared.sources.checked()?;
        let id = find(shared, &run)?;
        let found = program_of(project, &*shared.sources.runs, &id)?;
        Ok(json!({ "file": found.name, "text": found.text }))
    })
    .await
}

/// `POST /v1/runs/{run}/recheck`
pub(super) async fn tried(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    body: Bytes,
) -> Answer {
    let tried = Tried::of(&body)?;
    let runtime = Handle::current();
    read(&shared, move |shared| {
        let project = shared.sources.checked()?;
        let (store, id) = (&*shared.sources.runs, find(shared, &run)?);
        let change = match program_of(project, store, &id) {
            Ok(now) => patch(&now.name, &now.text, &tried.text),
            // The text at hand is all that there is of it.
            Err(RecheckError::Missing { program }) => patch(&program, "", &tried.text),
            Err(error) => return Err(error.into()),
        };
        let (checked, asking) = tried.split();
        let asked = Asked { project, store, run: &id, checked: &checked, asking: &asking };
        let (found, offered) = within(&runtime, LONGEST_TRY, &checked.cancel, offer(asked))??;
        let offered = match offered {
            Ok(offer) => json!(offer),
            Err(error) => json!({
                "error": { "code": error.code, "message": error.message, "help": error.help },
            }),
        };
        let mut told = shortened(found.to_json());
        told.get_mut("calls").into_iter().for_each(mark);
        if let Some(fields) = told.as_object_mut() {
            fields.insert("patch".to_owned(), change.into());
            fields.insert("offer".to_owned(), offered);
        }
        Ok(told)
    })
    .await
}

/// `POST /v1/runs/{run}/ask`: answers when the run has begun, which goes on by itself.
pub(super) async fn asked(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    body: Bytes,
) -> Answer {
    let tried = Tried::of(&body)?;
    shared.sources.checked()?;
    let permit = tokio::time::timeout(ENDING, Arc::clone(&shared.asking).acquire_owned());
    let permit = permit.await.ok().and_then(Result::ok).ok_or_else(|| {
        let message = "a run that asks a model is under way: one at a time is run from here";
        Refused::new(StatusCode::TOO_MANY_REQUESTS, "run_under_way", message)
    })?;
    let runtime = Handle::current();
    let (begun, told) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        let cancel = CancelToken::new();
        let work = match agreed(&shared, (&run, tried), &runtime, &cancel) {
            Ok(work) => work,
            Err(refused) => {
                drop(permit);
                return drop(begun.send(Err(refused)));
            }
        };
        let id = work.id().map(str::to_owned);
        // The page may have been left: the run is kept anyway.
        let _ = begun.send(Ok(id));
        runtime.block_on(async {
            let mut work = pin!(work.run());
            let ended = async {
                tokio::select! {
                    () = tokio::time::sleep(LONGEST) => {}
                    () = shared.end.cancelled() => {}
                }
            };
            tokio::select! {
                _ = &mut work => {}
                () = ended => {
                    cancel.cancel();
                    work.await;
                }
            }
        });
        drop(permit);
    });
    let id = told.await.map_err(|error| {
        Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string())
    })??;
    Ok(file("application/json", json!({ "run": id }).to_string()))
}

/// Begins a run, if what it may take is what a person has agreed to.
fn agreed(
    shared: &Shared,
    (run, mut tried): (&str, Tried),
    runtime: &Handle,
    cancel: &CancelToken,
) -> Result<AskedRun, Refused> {
    let project = shared.sources.checked()?;
    let (store, id) = (&*shared.sources.runs, find(shared, run)?);
    let agreed = tried.agreed.take();
    let (checked, asking) = tried.split();
    let asked = Asked { project, store, run: &id, checked: &checked, asking: &asking };
    let (_, offered) = within(runtime, LONGEST_TRY, &checked.cancel, offer(asked))??;
    let offer = offered
        .map_err(|error| {
            Refused::new(StatusCode::UNPROCESSABLE_ENTITY, &error.code, error.message)
        })?
        .ok_or_else(|| {
            let message = "no prompt has changed, so nothing is asked";
            Refused::new(StatusCode::CONFLICT, "nothing_changed", message)
        })?;
    if !agreed.is_some_and(|agreed| agreed.is_of(&offer)) {
        let message =
            "expected `agreed` with the models, cost and tokens of the offer as it is now";
        return Err(Refused::new(StatusCode::CONFLICT, "not_agreed", message));
    }
    Ok(begin(asked, &offer, Arc::new(Silent), cancel.clone())?)
}

/// Waits for work that ends when it is cancelled, and refuses what takes longer.
fn within<T>(
    runtime: &Handle,
    longest: Duration,
    cancel: &CancelToken,
    work: impl Future<Output = T>,
) -> Result<T, Refused> {
    let late = cancel.clone();
    let timer = runtime.spawn(async move {
        tokio::time::sleep(longest).await;
        late.cancel();
    });
    let done = runtime.block_on(work);
    timer.abort();
    if cancel.is_cancelled() {
        let message = format!(
            "the program did not end within {} s: expected that it repeats nothing without an end",
            longest.as_secs()
        );
        return Err(Refused::new(StatusCode::UNPROCESSABLE_ENTITY, "recheck_too_long", message));
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::runtime::Runtime;

    #[test]
    fn in_10_program_that_does_not_end_is_refused_after_its_time() {
        let runtime = Runtime::new().unwrap();
        let cancel = CancelToken::new();
        // As a program does that repeats something, and never waits.
        let spins = async {
            while !cancel.is_cancelled() {
                std::thread::yield_now();
            }
        };
        let longest = Duration::from_millis(50);
        let refused = within(runtime.handle(), longest, &cancel, spins).unwrap_err();
        assert_eq!((refused.status.as_u16(), &*refused.code), (422, "recheck_too_long"));
        let ended = within(runtime.handle(), LONGEST_TRY, &CancelToken::new(), async { 7 });
        assert_eq!(ended.unwrap(), 7);
    }
}
