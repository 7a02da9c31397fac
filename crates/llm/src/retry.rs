//! The rule for trying again after a provider's failure, as a pure function (AS-22, PT-12).

use contexture_core::error::LlmError;
use std::time::Duration;

/// The rule for trying again, and the waits.
///
/// ```
/// use contexture_llm::{LlmError, RetryPolicy};
/// use std::time::Duration;
/// let error = LlmError::RateLimited {
///     provider: "openai".into(),
///     retry_after: Some(Duration::from_secs(2)),
///     message: String::new(),
/// };
/// let policy = RetryPolicy::on_request(2, Duration::from_secs(30));
/// assert_eq!(policy.wait(&error, 0), Some(Duration::from_secs(2)));
/// assert_eq!(policy.wait(&error, 2), None);
/// assert_eq!(RetryPolicy::never().wait(&error, 0), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The most retries.
    pub times: u32,
    /// The longest single wait; a provider that asks for more fails at once.
    pub max_wait: Duration,
    /// The wait when the provider asks for none; doubled each time. `None` means that only a
    /// provider that asks for a wait is tried again.
    pub back_off: Option<Duration>,
    /// True if time-outs are tried again.
    pub on_timeout: bool,
}

impl RetryPolicy {
    /// Returns a policy that tries nothing again.
    #[must_use]
    pub const fn never() -> Self {
        Self { times: 0, max_wait: Duration::ZERO, back_off: None, on_timeout: false }
    }

    /// Returns a policy that tries 429 and 5xx with a `Retry-After` again after it (AS-22).
    #[must_use]
    pub const fn on_request(times: u32, max_wait: Duration) -> Self {
        Self { times, max_wait, back_off: None, on_timeout: false }
    }

    /// Returns a policy that tries 429, 5xx and time-outs again, after `Retry-After` or else a wait
    /// that begins with half a second and doubles (PT-12).
    #[must_use]
    pub const fn back_off(times: u32, max_wait: Duration) -> Self {
        let first = Duration::from_millis(500);
        Self { times, max_wait, back_off: Some(first), on_timeout: true }
    }

    /// Returns the wait before the next try, after `tried` retries; `None` means give up.
    #[must_use]
    pub fn wait(&self, error: &LlmError, tried: u32) -> Option<Duration> {
        if tried >= self.times || !error.is_retryable() {
            return None;
        }
        if matches!(error, LlmError::Timeout { .. }) && !self.on_timeout {
            return None;
        }
        match error.retry_after() {
            Some(asked) => Some(asked).filter(|asked| *asked <= self.max_wait),
            None => {
                let factor = 2_u32.saturating_pow(tried.min(16));
                self.back_off.map(|first| first.saturating_mul(factor).min(self.max_wait))
            }
        }
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::never()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(retry_after: Option<u64>) -> LlmError {
        LlmError::Server {
            provider: "x".into(),
            status: 503,
            retry_after: retry_after.map(Duration::from_secs),
            message: String::new(),
        }
    }

    #[test]
    fn as_22_only_provider_that_requests_wait_is_retried() {
        let policy = RetryPolicy::on_request(3, Duration::from_secs(30));
        assert_eq!(policy.wait(&server(Some(0)), 0), Some(Duration::ZERO));
        assert_eq!(policy.wait(&server(Some(31)), 0), None);
        assert_eq!(policy.wait(&server(None), 0), None);
        let auth = LlmError::Auth { provider: "x".into(), message: String::new() };
        assert_eq!(policy.wait(&auth, 0), None);
    }

    #[test]
    fn pt_12_back_off_doubles_up_to_bound_and_covers_timeouts() {
        let policy = RetryPolicy::back_off(9, Duration::from_secs(3));
        let waits: Vec<_> = (0..5).filter_map(|tried| policy.wait(&server(None), tried)).collect();
        assert_eq!(waits, [500, 1000, 2000, 3000, 3000].map(Duration::from_millis));
        let timeout = LlmError::Timeout { host: "x".into(), limit: Duration::from_secs(1) };
        assert_eq!(policy.wait(&timeout, 0), Some(Duration::from_millis(500)));
        assert_eq!(RetryPolicy::on_request(9, Duration::MAX).wait(&timeout, 0), None);
        assert_eq!(policy.wait(&server(Some(2)), 8), Some(Duration::from_secs(2)));
        assert_eq!(policy.wait(&server(Some(2)), 9), None);
    }
}
