//! What this server asks of the engine, over HTTP.

use super::service::SET;
use super::wire::{Begin, Letter};
use contexture::tools::client;
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url, header};
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// The time that an answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The time that a look at the engine may take.
const LOOK: Duration = Duration::from_secs(2);

/// The engine at its addresses.
pub(super) struct EngineClient {
    client: Client,
    ingress: Url,
    admin: Url,
}

/// What is known at the engine of a run that was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Accepted {
    New,
    Known,
    /// It ended there, and its answer is kept.
    Over,
}

/// The reason why the engine does not do what it is asked for.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    #[error("the engine does not answer: {0}")]
    Away(#[from] reqwest::Error),
    #[error("the engine answers with {0}: {1}")]
    Status(StatusCode, String),
    #[error("the engine sends an unexpected answer")]
    Form,
}

impl EngineClient {
    pub(super) fn new(ingress: Url, admin: Url) -> Result<Self, String> {
        let secure = [&ingress, &admin].iter().any(|url| url.scheme() == "https");
        let builder = client::builder(secure).map_err(|error| error.to_string())?;
        let built = builder.no_proxy().timeout(TIMEOUT).build();
        Ok(Self { client: built.map_err(|error| error.to_string())?, ingress, admin })
    }

    /// Reports whether the engine answers.
    pub(super) async fn is_well(&self) -> bool {
        let Some(url) = at(&self.ingress, &["restate", "health"]) else { return false };
        let sent = self.client.get(url).timeout(LOOK).send().await;
        sent.is_ok_and(|answer| answer.status().is_success())
    }

    /// Registers the endpoint of this server, or tells where it is now. Returns its id at the engine.
    pub(super) async fn register(
        &self,
        known: Option<&str>,
        uri: &str,
        key: &str,
    ) -> Result<String, Refused> {
        let headers = json!({ "authorization": format!("Bearer {key}") });
        if let Some(known) = known {
            let url = at(&self.admin, &["deployments", known]).ok_or(Refused::Form)?;
            let body = json!({ "uri": uri, "overwrite": true, "additional_headers": headers });
            match sent(self.client.patch(url), &body).await {
                Ok(_) => return Ok(known.to_owned()),
                Err(Refused::Status(StatusCode::NOT_FOUND, _)) => {}
                Err(refused) => return Err(refused),
            }
        }
        let url = at(&self.admin, &["deployments"]).ok_or(Refused::Form)?;
        let body = json!({ "uri": uri, "force": true, "additional_headers": headers });
        let answer = answer(sent(self.client.post(url), &body).await?).await?;
        let id = answer.get("id").and_then(Value::as_str).ok_or(Refused::Form)?;
        Ok(id.to_owned())
    }

    /// Hands a run over, unless the engine has it.
    pub(super) async fn begin(&self, run: &str, begin: &Begin) -> Result<Accepted, Refused> {
        let url = at(&self.ingress, &[SET, run, "run", "send"]).ok_or(Refused::Form)?;
        let answer = answer(sent(self.client.post(url), begin).await?).await?;
        match answer.get("status").and_then(Value::as_str) {
            Some("Accepted") => Ok(Accepted::New),
            Some("PreviouslyAccepted") => self.known(run).await,
            _ => Err(Refused::Form),
        }
    }

    async fn known(&self, run: &str) -> Result<Accepted, Refused> {
        let path = ["restate", "workflow", SET, run, "output"];
        let url = at(&self.ingress, &path).ok_or(Refused::Form)?;
        let answer = self.client.get(url).send().await?;
        // 470: it has not ended.
        Ok(if answer.status().as_u16() == 470 { Accepted::Known } else { Accepted::Over })
    }

    /// Sends a letter to a run. One that is sent again has no further effect.
    pub(super) async fn tell(&self, run: &str, letter: &Letter) -> Result<(), Refused> {
        let url = at(&self.ingress, &[SET, run, "tell"]).ok_or(Refused::Form)?;
        let request = self.client.post(url).header("idempotency-key", &letter.id);
        sent(request, letter).await.map(drop)
    }
}

fn at(base: &Url, path: &[&str]) -> Option<Url> {
    let mut url = base.clone();
    url.path_segments_mut().ok()?.pop_if_empty().extend(path);
    Some(url)
}

async fn sent(request: RequestBuilder, body: &impl Serialize) -> Result<Response, Refused> {
    let body = serde_json::to_vec(body).map_err(|_| Refused::Form)?;
    let request = request.header(header::CONTENT_TYPE, "application/json").body(body);
    let answer = request.send().await?;
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    let text = answer.text().await.unwrap_or_default();
    Err(Refused::Status(status, text.chars().take(500).collect()))
}

async fn answer(answer: Response) -> Result<Value, Refused> {
    serde_json::from_slice(&answer.bytes().await?).map_err(|_| Refused::Form)
}
