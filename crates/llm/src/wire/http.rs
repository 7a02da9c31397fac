//! The edge: sends the requests of a protocol and reads the answers, within times and limits.
//!
//! Decision: `reqwest` over rustls with ring, verified by the system's certificates, and no other
//! feature. The client is built at the first call, because reading certificates takes longer than
//! a program without a model call should.

use super::json::excerpt;
use super::openai::OpenAi;
use super::refusal::failure;
use super::stream::{PieceTooLong, Pieces};
use super::{Flow, Header, Parts, Plan, Refusal, Wire, connection, describe, retry_after};
use crate::embed::Embedded;
use crate::settings::ProviderSettings;
use contexture_context::tokens::tokenizer_for;
use contexture_core::Secret;
use contexture_core::cancel::CancelToken;
use contexture_core::error::LlmError;
use contexture_core::model_uri::is_loopback;
use contexture_core::profile::Profile;
use contexture_core::provider::{BoxFuture, ChatCall, Provider, Reply, TextSink};
use contexture_prompt::{ChatResponse, FinishReason, Usage};
use contexture_tools::address::Reach;
use contexture_tools::client::{self, ClientError};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{ClientBuilder, Response, Url};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// Bytes of a refusal that are read.
const REFUSAL_BYTES: usize = 64 << 10;

/// Bytes on the wire for one byte of answer text: each token of a stream comes in a frame of some
/// hundred bytes.
const STREAM_OVERHEAD: usize = 128;

/// Bytes of what a server says of its models.
const DESCRIPTION_BYTES: usize = 4 << 20;

/// Time for what a server says of its model.
const INQUIRY_TIME: Duration = Duration::from_secs(1);

/// The most times a request is sent again with fewer options.
const CONCESSIONS: usize = 8;

/// A provider that is reached over HTTP.
pub(crate) struct HttpProvider<W> {
    wire: W,
    uri: String,
    model: String,
    base: String,
    host: String,
    tls: bool,
    loopback: bool,
    secrets: Vec<Secret>,
    settings: ProviderSettings,
    /// The warnings of every answer.
    remarks: Vec<String>,
    client: OnceCell<reqwest::Client>,
    plan: Mutex<Plan>,
}

impl<W: Wire> HttpProvider<W> {
    /// Creates a provider at `base`, a URL that has been checked by [`check_base`].
    pub(crate) fn new(
        wire: W,
        uri: String,
        model: &str,
        base: &str,
        settings: &ProviderSettings,
    ) -> Self {
        let secrets = [&settings.openai_key, &settings.anthropic_key, &settings.anthropic_token];
        let host = host_of(base).to_owned();
        Self {
            wire,
            uri,
            model: model.to_owned(),
            base: base.to_owned(),
            loopback: is_loopback(&host),
            host,
            tls: base.starts_with("https:"),
            secrets: secrets.into_iter().flatten().cloned().collect(),
            settings: settings.clone(),
            remarks: Vec::new(),
            client: OnceCell::new(),
            plan: Mutex::new(Plan::default()),
        }
    }

    /// Adds a remark to every answer.
    pub(crate) fn remark(mut self, remark: Option<String>) -> Self {
        self.remarks.extend(remark);
        self
    }

    async fn run(
        &self,
        call: &ChatCall,
        mut sink: Option<TextSink<'_>>,
    ) -> Result<Reply, LlmError> {
        let client = self.client.get_or_try_init(|| async { self.build_client() }).await?;
        let model = if call.request.model.is_empty() { &self.model } else { &call.request.model };
        let mut plan = *self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        for conceded in 0..CONCESSIONS {
            let parts = self.wire.request(call, plan, sink.is_some())?;
            let (warnings, sent) = (parts.warnings.clone(), parts.sent());
            let path = path_of(&parts.url);
            let response = self.send(client, parts).await?;
            let status = response.status();
            if status.is_success() {
                *self.plan.lock().unwrap_or_else(PoisonError::into_inner) = plan;
                let answer = self.read(call, response, &mut sink).await?;
                return Ok(Reply {
                    sent: Some(sent),
                    conceded,
                    ..self.reply(call, answer, warnings)
                });
            }
            let retry_after = wait_asked(&response);
            let body = self.refusal_text(response).await;
            let status = status.as_u16();
            let refusal = Refusal { status, retry_after, body: &body, model };
            match self.wire.concede(call, plan, &refusal) {
                Some(next) => plan = next,
                None => return Err(self.refused(&refusal, path)),
            }
        }
        Err(self.bad(format!("the server refused the request in {CONCESSIONS} forms")))
    }

    fn reply(
        &self,
        call: &ChatCall,
        mut response: ChatResponse,
        mut warnings: Vec<String>,
    ) -> Reply {
        if response.model.is_empty() {
            response.model.clone_from(&self.model);
        }
        let usage_estimated = response.usage.total_tokens == 0;
        if usage_estimated {
            response.usage = estimate(&self.model, call, &response);
            warnings.push("the server told no usage: tokens were counted here".to_owned());
        }
        if response.finish_reason == Some(FinishReason::Length) {
            let limit = call.output_limit().map_or_else(
                || "the provider's limit of tokens".to_owned(),
                |limit| format!("`max_output` of {limit} tokens"),
            );
            warnings.push(format!("the answer was cut by {limit}"));
        }
        warnings.extend(self.remarks.iter().cloned());
        Reply { response, warnings, usage_estimated, ..Reply::default() }
    }

    fn build_client(&self) -> Result<reqwest::Client, LlmError> {
        let fault = |error: ClientError| LlmError::Settings {
            message: format!("the HTTP client can't be set up: {error}"),
        };
        // It follows no redirect: a key must not go to another host.
        let builder = match &self.settings.private_hosts {
            Some(listed) => client::guarded(self.tls, self.reach(listed)?),
            None if self.loopback => client::builder(self.tls).map(ClientBuilder::no_proxy),
            None => client::builder(self.tls),
        };
        let builder = builder.map_err(fault)?.connect_timeout(self.settings.connect_timeout);
        client::build(builder).map_err(fault)
    }

    /// Returns the addresses that the server may have when only those hosts may be private.
    fn reach(&self, listed: &[String]) -> Result<Reach, LlmError> {
        let fault = |message: String| LlmError::Settings { message };
        let url = Url::parse(&self.base).map_err(|error| fault(error.to_string()))?;
        let Some(host) = url.host() else { return Ok(Reach::Public) };
        let port = url.port_or_known_default().unwrap_or_default();
        Reach::public_or_named(&host, port, listed).map_err(|refused| {
            fault(format!(
                "{refused}: if this is meant, add the host to `network.allow_private` in \
                 contexture.toml"
            ))
        })
    }

    async fn send(&self, client: &reqwest::Client, parts: Parts) -> Result<Response, LlmError> {
        let body = serde_json::to_vec(&parts.body)
            .map_err(|error| self.bad(format!("the request is not JSON: {error}")))?;
        let mut request = match parts.body {
            serde_json::Value::Null => client.get(&parts.url),
            _ => client.post(&parts.url).header(CONTENT_TYPE, "application/json").body(body),
        };
        for (name, value) in parts.headers {
            request = request.header(name, header(value)?);
        }
        request.send().await.map_err(|error| self.network(&error))
    }

    /// Sends a request that no option of can be left out, and returns the JSON of the answer.
    async fn ask(&self, parts: Parts) -> Result<serde_json::Value, LlmError> {
        let client = self.client.get_or_try_init(|| async { self.build_client() }).await?;
        let path = path_of(&parts.url);
        let response = self.send(client, parts).await?;
        let status = response.status();
        if !status.is_success() {
            let (retry_after, status) = (wait_asked(&response), status.as_u16());
            let body = self.refusal_text(response).await;
            let refusal = Refusal { status, retry_after, body: &body, model: &self.model };
            return Err(self.refused(&refusal, path));
        }
        let body = self.body(response, self.settings.answer_bytes).await?;
        serde_json::from_slice(&body).map_err(|error| self.bad(format!("it is not JSON: {error}")))
    }

    fn refused(&self, refusal: &Refusal<'_>, path: String) -> LlmError {
        match failure(self.wire.provider(), refusal) {
            LlmError::BadRequest { status: status @ (404 | 405), .. } => {
                LlmError::NoSuchPath { host: self.host.clone(), path, status }
            }
            error => error,
        }
    }

    /// Asks the server what it knows of its model; what it does not tell is absent.
    async fn inquire(&self) -> Result<Profile, LlmError> {
        let client = self.client.get_or_try_init(|| async { self.build_client() }).await?;
        let mut known = Profile::default();
        for parts in self.wire.inquiries() {
            let Ok(response) = self.send(client, parts).await else { continue };
            if response.status().is_success() {
                let body = self.body(response, DESCRIPTION_BYTES).await.unwrap_or_default();
                let body = serde_json::from_slice(&body).unwrap_or_default();
                known = known.or(describe::profile(&body, &self.model));
            }
            if known.window.is_some() {
                break;
            }
        }
        Ok(known)
    }

    async fn read(
        &self,
        call: &ChatCall,
        response: Response,
        sink: &mut Option<TextSink<'_>>,
    ) -> Result<ChatResponse, LlmError> {
        let limit = self.settings.answer_bytes;
        if let Some(sink) = sink
            && !is_plain_json(&response, self.wire.framing())
        {
            return self.read_stream(call, response, limit, &mut **sink).await;
        }
        let body = self.body(response, limit).await?;
        let value = serde_json::from_slice(&body).map_err(|error| {
            let seen = excerpt(&String::from_utf8_lossy(&body));
            self.bad(format!("expected JSON ({error}), got {seen}"))
        })?;
        let answer = self.wire.response(call, &value)?;
        if let Some(sink) = sink
            && !answer.text.is_empty()
        {
            sink(&answer.text);
        }
        Ok(answer)
    }

    async fn read_stream(
        &self,
        call: &ChatCall,
        mut response: Response,
        limit: usize,
        sink: TextSink<'_>,
    ) -> Result<ChatResponse, LlmError> {
        let mut decoder = self.wire.decoder(call);
        let mut pieces = Pieces::new(self.wire.framing(), limit.saturating_add(REFUSAL_BYTES));
        let (mut heard, mut said) = (0_usize, 0_usize);
        let mut sink = |text: &str| {
            said = said.saturating_add(text.len());
            sink(text);
        };
        'stream: loop {
            let chunk = match self.chunk(&mut response).await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(error) => return Err(self.broken(error, said)),
            };
            heard = heard.saturating_add(chunk.len());
            if heard > limit.saturating_mul(STREAM_OVERHEAD) {
                return Err(self.too_large());
            }
            for piece in pieces.feed(&chunk).map_err(|PieceTooLong(_)| self.too_large())? {
                if decoder.piece(&piece, &mut sink)? == Flow::Done {
                    break 'stream;
                }
            }
            if decoder.held() > limit {
                return Err(self.too_large());
            }
        }
        for piece in pieces.finish().map_err(|PieceTooLong(_)| self.too_large())? {
            // What is left at the end may be half a piece: whether the answer is whole is decided
            // below.
            let _ = decoder.piece(&piece, &mut sink);
        }
        decoder.finish()
    }

    /// Returns the next bytes of a body that has begun.
    async fn chunk(&self, response: &mut Response) -> Result<Option<Vec<u8>>, LlmError> {
        let idle = self.settings.idle_timeout;
        match timeout(idle, response.chunk()).await {
            Ok(Ok(chunk)) => Ok(chunk.map(Vec::from)),
            Ok(Err(error)) => Err(self.network(&error)),
            Err(_) => Err(LlmError::Timeout { host: self.host.clone(), limit: idle }),
        }
    }

    async fn body(&self, mut response: Response, limit: usize) -> Result<Vec<u8>, LlmError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk(&mut response).await? {
            if body.len().saturating_add(chunk.len()) > limit {
                return Err(self.too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Returns the text of a refusal, shortened and without keys; empty if it can't be read.
    async fn refusal_text(&self, mut response: Response) -> String {
        let mut body = Vec::new();
        while let Ok(Some(chunk)) = self.chunk(&mut response).await {
            body.extend_from_slice(&chunk);
            if body.len() >= REFUSAL_BYTES {
                body.truncate(REFUSAL_BYTES);
                break;
            }
        }
        let text = String::from_utf8_lossy(&body).into_owned();
        self.secrets.iter().fold(text, |text, secret| secret.mask(&text))
    }

    fn network(&self, error: &reqwest::Error) -> LlmError {
        if error.is_timeout() {
            let limit = self.settings.connect_timeout;
            return LlmError::Timeout { host: self.host.clone(), limit };
        }
        let (host, message) = (self.host.clone(), connection::why(error, &self.host));
        match error.is_connect() {
            true => LlmError::Network { host, message },
            false => LlmError::Disconnected { host, message },
        }
    }

    /// Returns the error of a connection that broke: after text of the answer, the answer broke off.
    fn broken(&self, error: LlmError, received: usize) -> LlmError {
        match error {
            LlmError::Disconnected { .. } if received > 0 => {
                LlmError::CutStream { provider: self.wire.provider().to_owned(), received }
            }
            error => error,
        }
    }

    fn bad(&self, message: String) -> LlmError {
        LlmError::BadResponse { provider: self.wire.provider().to_owned(), message }
    }

    fn too_large(&self) -> LlmError {
        let limit = self.settings.answer_bytes;
        LlmError::TooLarge { provider: self.wire.provider().to_owned(), limit }
    }
}

impl<W: Wire> Provider for HttpProvider<W> {
    fn uri(&self) -> &str {
        &self.uri
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn describe(&self) -> BoxFuture<'_, Profile> {
        Box::pin(async {
            // A server of one's own is reached without encryption; others are in the table.
            if self.tls {
                return Profile::default();
            }
            let told = timeout(INQUIRY_TIME, self.inquire()).await;
            told.ok().and_then(Result::ok).unwrap_or_default()
        })
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(async move {
            let limit = call.timeout.unwrap_or(self.settings.timeout);
            // Whichever branch is not taken is dropped, and with it the connection.
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(LlmError::Cancelled),
                outcome = timeout(limit, self.run(call, sink)) => outcome.unwrap_or_else(|_| {
                    Err(LlmError::Timeout { host: self.host.clone(), limit })
                }),
            }
        })
    }
}

impl HttpProvider<OpenAi> {
    /// Asks for the vectors of texts.
    pub(crate) async fn embed(
        &self,
        texts: &[String],
        dimensions: Option<u64>,
    ) -> Result<Embedded, LlmError> {
        let answer = self.ask(self.wire.embeddings(texts, dimensions)).await?;
        super::openai::vectors(&answer, texts.len()).map_err(|message| self.bad(message))
    }

    /// Asks for the relevance of texts to a question.
    pub(crate) async fn rerank(
        &self,
        question: &str,
        texts: &[String],
    ) -> Result<Vec<f32>, LlmError> {
        let answer = self.ask(super::rerank::request(&self.wire, question, texts)).await?;
        super::rerank::relevance(&answer, texts.len()).map_err(|message| self.bad(message))
    }
}

fn header(value: Header) -> Result<HeaderValue, LlmError> {
    let (text, secret) = match value {
        Header::Plain(text) => (text.to_owned(), false),
        Header::Bearer(token) => (format!("Bearer {}", token.expose()), true),
        Header::Key(key) => (key.expose().to_owned(), true),
    };
    let mut header = HeaderValue::from_str(&text).map_err(|_| LlmError::Settings {
        message: "the key holds characters that no key has (a line end, a quote?)".to_owned(),
    })?;
    header.set_sensitive(secret);
    Ok(header)
}

fn wait_asked(response: &Response) -> Option<Duration> {
    let text = |name: &str| response.headers().get(name)?.to_str().ok();
    retry_after::retry_after(text, SystemTime::now())
}

/// Reports whether a server answered a request for a stream with one whole body.
fn is_plain_json(response: &Response, framing: super::Framing) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    framing == super::Framing::Events
        && kind.is_some_and(|kind| kind.starts_with("application/json"))
}

fn estimate(model: &str, call: &ChatCall, response: &ChatResponse) -> Usage {
    let counter = tokenizer_for(model);
    let count = |text: &str| counter.count(text) as u64;
    let prompt = call.request.messages.iter().map(|message| count(&message.text())).sum();
    let reasoning = response.reasoning.as_deref().map_or(0, count);
    let calls: u64 = response.tool_calls.iter().map(|call| count(&call.function.arguments)).sum();
    Usage::new(prompt, count(&response.text) + reasoning + calls)
}

/// Returns the host and port of a URL.
fn host_of(base: &str) -> &str {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default()
}

/// Returns a base URL without what must not be in it and without slashes at the end.
pub(crate) fn check_base(name: &str, base: &str) -> Result<String, LlmError> {
    let fault = |problem: &str| LlmError::Settings { message: format!("{name} {problem}") };
    let base = base.trim().trim_end_matches('/');
    let url = Url::parse(base).map_err(|error| fault(&format!("is not a URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(fault("must begin with http:// or https:// and name a host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(fault("must not hold a user or password"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(fault("must not hold a query or fragment"));
    }
    Ok(base.to_owned())
}

/// Returns the path of a URL, without its query.
fn path_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/");
    path.split(['?', '#']).next().unwrap_or("/").to_owned()
}
