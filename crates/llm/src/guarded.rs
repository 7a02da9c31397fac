//! A provider of the application behind the bounds that built-in ones keep themselves (HO-2).
//!
//! Decision: an added provider may panic or hang. Each of these becomes a typed error here, so that
//! the rest need not know who wrote a provider.

use crate::settings::ProviderSettings;
use contexture_context::{Digest, TokenCounter};
use contexture_core::{
    BoxFuture, CancelToken, ChatCall, LlmError, Provider, Reply, Secret, TextSink, panics,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// A provider whose panics and hangs are errors.
pub struct Guarded {
    inner: Arc<dyn Provider>,
    scheme: String,
    uri: String,
    model: String,
    timeout: Duration,
}

impl Guarded {
    /// Connects to the provider of a scheme and guards it.
    ///
    /// # Errors
    /// The error of `connect`; [`LlmError::BadResponse`] when it panics.
    pub fn connect(
        scheme: &str,
        uri: &str,
        settings: &ProviderSettings,
        connect: impl FnOnce() -> Result<Arc<dyn Provider>, LlmError>,
    ) -> Result<Self, LlmError> {
        let made = catch_unwind(AssertUnwindSafe(|| {
            connect().map(|inner| (inner.model().to_owned(), inner))
        }));
        let (model, inner) =
            made.map_err(|panic| panicked(scheme, &panics::message(&*panic)))??;
        Ok(Self {
            inner,
            scheme: scheme.to_owned(),
            uri: uri.to_owned(),
            model,
            timeout: settings.timeout,
        })
    }

    async fn bounded<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> Result<Reply, LlmError> {
        let limit = call.timeout.unwrap_or(self.timeout);
        let asking = panics::caught(|| self.inner.complete(call, sink, cancel));
        tokio::select! {
            reply = asking => reply.map_err(|message| panicked(&self.scheme, &message))?,
            () = cancel.cancelled() => Err(LlmError::Cancelled),
            () = tokio::time::sleep(limit) => {
                Err(LlmError::Timeout { host: self.scheme.clone(), limit })
            }
        }
    }
}

fn panicked(scheme: &str, message: &str) -> LlmError {
    LlmError::BadResponse {
        provider: scheme.to_owned(),
        message: format!("it panicked: {message}"),
    }
}

impl Provider for Guarded {
    fn uri(&self) -> &str {
        &self.uri
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn tokenizer(&self) -> &'static dyn TokenCounter {
        self.inner.tokenizer()
    }

    fn calls_tools(&self) -> bool {
        self.inner.calls_tools()
    }

    fn secrets(&self) -> Vec<Secret> {
        self.inner.secrets()
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(self.bounded(call, sink, cancel))
    }

    fn complete_known<'a>(
        &'a self,
        call: &'a ChatCall,
        _digest: &'a Digest,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(self.bounded(call, sink, cancel))
    }
}
