//! Traces for OpenTelemetry, with the conventions for generative AI (CP-20).
//!
//! Enabled by the standard variables: `OTEL_EXPORTER_OTLP_ENDPOINT` or
//! `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, or `OTEL_TRACES_EXPORTER=otlp`. Texts are not part of the
//! traces unless `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is `true`.
//!
//! Decision: the OpenTelemetry library, as it defines variables, sampling, batching and encoding;
//! only its traces. Spans go to a queue that a thread of the library empties: an
//! answer never waits for a collector, and a full queue drops spans.

mod spans;

pub(crate) use spans::{TurnSpan, finish_reasons, name as model_name, usage};

use super::metrics::Metrics;
use super::otlp::{ENDPOINT, endpoint, wrong};
use super::parent::Parent;
use crate::fault::Fault;
use contexture::store::masker::Masker;
use contexture::tools::client::tls;
use contexture::turn::Conversation;
use contexture::{Environment, Project};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData};
use spans::Export;
use std::sync::Arc;
use std::time::Duration;

const PROTOCOLS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
const TIMEOUTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"];
const CAPTURE: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
/// The default timeout of an export in milliseconds.
const PATIENCE: u64 = 10_000;

/// The export of spans, if enabled.
#[derive(Clone, Default)]
pub(crate) struct Telemetry(Option<Arc<Export>>);

impl Telemetry {
    /// Sets up the export from the environment.
    ///
    /// # Errors
    /// A [`Fault`] for an invalid setting.
    pub(crate) fn open(project: &Project, metrics: &Arc<Metrics>) -> Result<Self, Fault> {
        let environment = &project.environment;
        let Some(endpoint) = endpoint(environment)? else { return Ok(Self::default()) };
        let exporter = exporter(environment, &endpoint)?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(Counted { exporter, metrics: Arc::clone(metrics) })
            .with_resource(resource(environment))
            .build();
        let captured = environment
            .get(CAPTURE)
            .is_some_and(|value| value.eq_ignore_ascii_case("true"))
            .then(|| masker(project));
        let tracer = provider.tracer("contexture");
        Ok(Self(Some(Arc::new(Export { provider, tracer, captured }))))
    }

    /// Starts the span of a turn.
    pub(crate) fn turn(
        &self,
        agent: &str,
        parent: Option<&Parent>,
        conversation: &Conversation,
    ) -> TurnSpan {
        TurnSpan::begin(self.0.as_ref(), agent, parent, conversation)
    }

    /// Exports the remaining spans; blocks for a moment.
    pub(crate) fn close(&self) {
        if let Some(export) = &self.0 {
            // There is nowhere to report a failure.
            let _ = export.provider.shutdown();
        }
    }
}

/// An exporter that counts exports, as failures are not visible elsewhere.
struct Counted {
    exporter: SpanExporter,
    metrics: Arc<Metrics>,
}

impl std::fmt::Debug for Counted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Counted").field(&self.exporter).finish()
    }
}

impl opentelemetry_sdk::trace::SpanExporter for Counted {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let outcome = self.exporter.export(batch).await;
        self.metrics.exports.count(if outcome.is_ok() { "ok" } else { "failed" }, "");
        outcome
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

/// Creates what sends spans to an endpoint.
///
/// # Errors
/// A [`Fault`] for an invalid setting.
pub(crate) fn exporter(environment: &Environment, endpoint: &str) -> Result<SpanExporter, Fault> {
    SpanExporter::builder()
        .with_http()
        .with_http_client(client(environment, endpoint)?)
        .with_protocol(protocol(environment)?)
        .with_endpoint(endpoint)
        .build()
        .map_err(|error| wrong(ENDPOINT, &error.to_string()))
}

fn protocol(environment: &Environment) -> Result<Protocol, Fault> {
    let named = PROTOCOLS.iter().find_map(|name| Some((*name, environment.get(name)?)));
    match named {
        None | Some((_, "http/protobuf")) => Ok(Protocol::HttpBinary),
        Some((_, "http/json")) => Ok(Protocol::HttpJson),
        Some((name, other)) => {
            let expected = "expected `http/protobuf` or `http/json`";
            Err(wrong(name, &format!("{expected}, found `{other}`")))
        }
    }
}

/// Creates the HTTP client, which has its own thread.
fn client(environment: &Environment, endpoint: &str) -> Result<reqwest::blocking::Client, Fault> {
    let millis = match TIMEOUTS.iter().find_map(|name| Some((*name, environment.get(name)?))) {
        None => PATIENCE,
        Some((name, value)) => {
            let number = value.parse::<u64>().ok().filter(|number| *number > 0);
            number.ok_or_else(|| wrong(name, &format!("expected milliseconds, found `{value}`")))?
        }
    };
    let failed = |error: &dyn std::fmt::Display| wrong(ENDPOINT, &error.to_string());
    let tls = tls(endpoint.starts_with("https:")).map_err(|error| failed(&error))?;
    let builder = reqwest::blocking::Client::builder()
        .tls_backend_preconfigured(tls)
        .timeout(Duration::from_millis(millis))
        .redirect(reqwest::redirect::Policy::none());
    // It has a runtime, which must not be created inside another one.
    let built = std::thread::spawn(move || builder.build()).join();
    let built = built.map_err(|_| wrong(ENDPOINT, "the HTTP client can't be set up"))?;
    built.map_err(|error| failed(&error))
}

/// Returns the resource: the variables may name it differently.
pub(crate) fn resource(environment: &Environment) -> Resource {
    let attributes = environment.get("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let is_named = environment.get("OTEL_SERVICE_NAME").is_some()
        || attributes.split(',').any(|one| one.trim_start().starts_with("service.name="));
    let version = opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let builder = Resource::builder().with_attribute(version);
    if is_named { builder.build() } else { builder.with_service_name("contexture").build() }
}

/// Creates the masker for variables with secret names and for declared secrets.
fn masker(project: &Project) -> Masker {
    let words = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSPHRASE", "CREDENTIAL"];
    let is_secret = |name: &str| {
        let name = name.to_ascii_uppercase();
        words.iter().any(|word| name.contains(word))
    };
    let vars = project.environment.vars().iter().filter(|(name, _)| is_secret(name));
    let masker = Masker::new(vars.map(|(_, value)| value.clone()));
    masker.add(contexture::servers::secrets(project));
    masker
}

impl std::fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Telemetry").field(&self.0.is_some()).finish()
    }
}

#[cfg(test)]
mod tests;
