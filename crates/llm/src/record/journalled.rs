//! A provider whose answers stand in the journal of a run.

use super::Journal;
use contexture_context::Digest;
use contexture_core::Secret;
use contexture_core::cancel::CancelToken;
use contexture_core::error::LlmError;
use contexture_core::profile::Profile;
use contexture_core::provider::{BoxFuture, ChatCall, Provider, Reply, TextSink};
use std::sync::Arc;

/// A provider that answers from a journal as far as that goes, and then itself.
///
/// An answer belongs to the place of its call, not to its text: what a prompt shows may have changed
/// since, and what was answered is not asked again.
pub struct Journalled {
    provider: Arc<dyn Provider>,
    journal: Journal,
    /// True if the provider gives scripted answers in order, which it goes on with at the right one.
    keeps_pace: bool,
}

impl Journalled {
    /// Keeps the answers of `provider`.
    #[must_use]
    pub fn new(provider: Arc<dyn Provider>, journal: Journal, keeps_pace: bool) -> Self {
        Self { provider, journal, keeps_pace }
    }

    async fn answer<'a>(
        &'a self,
        call: &'a ChatCall,
        digest: Digest,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> Result<Reply, LlmError> {
        let key = call.key.as_deref().unwrap_or_default();
        if let Some(past) = self.journal.take(key) {
            if self.keeps_pace {
                // Its answer is known already.
                let _ = self.provider.complete(call, None, cancel).await;
            }
            let Some(known) = past.into_reply() else {
                return Err(LlmError::Uncertain { model: self.uri().to_owned() });
            };
            let reply = Reply { is_known: true, ..known? };
            if let Some(sink) = sink.filter(|_| !reply.response.text.is_empty()) {
                sink(&reply.response.text);
            }
            return Ok(reply);
        }
        let _under_way = self.journal.under_way();
        let seq = self.journal.ask(key, self.uri(), &digest)?;
        let outcome = self.provider.complete(call, sink, cancel).await;
        if !matches!(outcome, Err(LlmError::Cancelled)) {
            self.journal.answered(seq, (key, self.uri()), (call, &digest), &outcome)?;
        }
        outcome
    }
}

impl Provider for Journalled {
    fn uri(&self) -> &str {
        self.provider.uri()
    }

    fn model(&self) -> &str {
        self.provider.model()
    }

    fn calls_tools(&self) -> bool {
        self.provider.calls_tools()
    }

    fn secrets(&self) -> Vec<Secret> {
        self.provider.secrets()
    }

    fn profile(&self) -> Profile {
        self.provider.profile()
    }

    fn describe(&self) -> BoxFuture<'_, Profile> {
        self.provider.describe()
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(self.answer(call, call.digest(), sink, cancel))
    }

    fn complete_known<'a>(
        &'a self,
        call: &'a ChatCall,
        digest: &'a Digest,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(self.answer(call, digest.clone(), sink, cancel))
    }
}
