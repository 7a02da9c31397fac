//! One request with its retries: what the ask-and-check loop and the cycle have in common.

use crate::retry::RetryPolicy;
use contexture_context::Digest;
use contexture_core::cancel::CancelToken;
use contexture_core::error::LlmError;
use contexture_core::provider::{ChatCall, Provider, Reply, TextSink};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// The parameters of sending.
#[derive(Clone, Copy)]
pub(crate) struct Exchange<'a> {
    pub(crate) provider: &'a dyn Provider,
    pub(crate) cancel: &'a CancelToken,
    pub(crate) retry: RetryPolicy,
    /// The deadline of the whole, and the time that was allowed for it.
    pub(crate) deadline: Option<(Instant, Duration)>,
}

/// A callback for a failure that is tried again, with the wait before.
pub(crate) type OnRetry<'a> = &'a mut (dyn FnMut(&LlmError, Duration) + Send);

/// Returns a number from 0 to 1 that callers do not share: the keys of a hasher are drawn by chance.
fn chance() -> f64 {
    let drawn = RandomState::new().build_hasher().finish() >> 32;
    f64::from(u32::try_from(drawn).unwrap_or_default()) / f64::from(u32::MAX)
}

impl<'a> Exchange<'a> {
    /// Returns the deadline for a time that begins now; none if it is beyond all clocks.
    pub(crate) fn until(timeout: Option<Duration>) -> Option<(Instant, Duration)> {
        timeout.and_then(|limit| Some((Instant::now().checked_add(limit)?, limit)))
    }

    /// Sends a call until it is answered, refused for good, or time is up. Its digest is passed on
    /// where it is known.
    pub(crate) async fn send(
        &self,
        call: &mut ChatCall,
        digest: Option<&Digest>,
        mut sink: Option<TextSink<'_>>,
        on_retry: OnRetry<'_>,
    ) -> Result<Reply, LlmError> {
        let own_timeout = call.timeout;
        let mut tried = 0;
        loop {
            call.timeout = match self.left()? {
                Some(left) => Some(own_timeout.map_or(left, |own| own.min(left))),
                None => own_timeout,
            };
            let mut spoken = false;
            let outcome = match &mut sink {
                Some(sink) => {
                    let mut hear = |text: &str| {
                        spoken = true;
                        sink(text);
                    };
                    self.once(call, digest, Some(&mut hear)).await
                }
                None => self.once(call, digest, None).await,
            };
            let given = std::mem::replace(&mut call.timeout, own_timeout);
            let error = match outcome {
                Ok(reply) => return Ok(reply),
                Err(error) => self.for_the_whole(error, given, own_timeout),
            };
            // Text that was passed on can't be taken back, so a second answer must not follow it.
            let wait = self.retry.wait(&error, tried, chance()).filter(|_| !spoken);
            let in_time = |wait: &Duration| {
                self.left().is_ok_and(|left| left.is_none_or(|left| *wait < left))
            };
            let Some(wait) = wait.filter(in_time) else { return Err(error) };
            on_retry(&error, wait);
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Err(LlmError::Cancelled),
                () = sleep(wait) => {}
            }
            tried += 1;
        }
    }

    /// Sends once, within the deadline whatever the provider does.
    async fn once<'b>(
        &'b self,
        call: &'b ChatCall,
        digest: Option<&'b Digest>,
        sink: Option<TextSink<'b>>,
    ) -> Result<Reply, LlmError> {
        self.within(match digest {
            Some(digest) => self.provider.complete_known(call, digest, sink, self.cancel),
            None => self.provider.complete(call, sink, self.cancel),
        })
        .await?
    }

    /// Runs work until it is done, cancelled, or out of time.
    pub(crate) async fn within<T>(&self, work: impl Future<Output = T>) -> Result<T, LlmError> {
        let bounded = async {
            match self.deadline {
                Some((deadline, limit)) => {
                    timeout_at(deadline, work).await.map_err(|_| self.timed_out(limit))
                }
                None => Ok(work.await),
            }
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(LlmError::Cancelled),
            outcome = bounded => outcome,
        }
    }

    /// Returns the time that is left, if it is bounded.
    fn left(&self) -> Result<Option<Duration>, LlmError> {
        let Some((deadline, limit)) = self.deadline else { return Ok(None) };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(self.timed_out(limit)) } else { Ok(Some(left)) }
    }

    /// Turns a time-out of the rest of the time into one of the whole time that was allowed.
    fn for_the_whole(
        &self,
        error: LlmError,
        given: Option<Duration>,
        own: Option<Duration>,
    ) -> LlmError {
        match (error, self.deadline) {
            (LlmError::Timeout { host, limit }, Some((_, whole)))
                if Some(limit) == given && given != own =>
            {
                LlmError::Timeout { host, limit: whole }
            }
            (error, _) => error,
        }
    }

    fn timed_out(&self, limit: Duration) -> LlmError {
        LlmError::Timeout { host: self.provider.uri().to_owned(), limit }
    }
}
