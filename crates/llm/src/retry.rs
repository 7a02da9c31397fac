//! The rule for trying again after a provider's failure, as a pure function (AS-22, PT-12).

use contexture_core::error::LlmError;
use std::time::Duration;

/// The rule for trying again, and the waits.
///
/// ```
/// use contexture_llm::{LlmError, RetryPolicy};
/// use std::time::Duration;
/// let limited = |retry_after| LlmError::RateLimited {
///     provider: "openai".into(),
///     retry_after,
///     message: String::new(),
/// };
/// let policy = RetryPolicy::back_off(2, Duration::from_secs(30));
/// assert_eq!(policy.wait(&limited(Some(Duration::from_secs(2))), 0, 0.5), Some(Duration::from_secs(2)));
/// assert_eq!(policy.wait(&limited(None), 1, 1.0), Some(Duration::from_secs(1)));
/// assert_eq!(policy.wait(&limited(None), 2, 1.0), None);
/// assert_eq!(RetryPolicy::never().wait(&limited(None), 0, 1.0), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The most retries.
    pub times: u32,
    /// The longest single wait; a provider that asks for more fails at once.
    pub max_wait: Duration,
}

/// The longest wait before the first retry, when the provider asks for none.
const FIRST: Duration = Duration::from_millis(500);

impl RetryPolicy {
    /// Returns a policy that tries nothing again.
    #[must_use]
    pub const fn never() -> Self {
        Self { times: 0, max_wait: Duration::ZERO }
    }

    /// Returns a policy that tries again what may succeed later, after `Retry-After` or else a wait
    /// that begins with up to half a second and doubles (AS-22, PT-12, CA-2).
    #[must_use]
    pub const fn back_off(times: u32, max_wait: Duration) -> Self {
        Self { times, max_wait }
    }

    /// Returns the wait before the next try, after `tried` retries; `None` means give up. `chance`
    /// from 0 to 1 spreads the tries of many callers: it decides about the second half of a wait
    /// that the provider did not ask for.
    #[must_use]
    pub fn wait(&self, error: &LlmError, tried: u32, chance: f64) -> Option<Duration> {
        if tried >= self.times || !error.is_retryable() {
            return None;
        }
        match error.retry_after() {
            Some(asked) => Some(asked).filter(|asked| *asked <= self.max_wait),
            None => {
                let doubled = FIRST.saturating_mul(2_u32.saturating_pow(tried.min(16)));
                let half = doubled.min(self.max_wait) / 2;
                Some(half + half.mul_f64(chance.clamp(0.0, 1.0)))
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
    fn as_22_wait_that_provider_asks_for_is_kept_up_to_bound() {
        let policy = RetryPolicy::back_off(3, Duration::from_secs(30));
        assert_eq!(policy.wait(&server(Some(0)), 0, 1.0), Some(Duration::ZERO));
        assert_eq!(policy.wait(&server(Some(31)), 0, 1.0), None);
        assert_eq!(policy.wait(&server(Some(2)), 2, 1.0), Some(Duration::from_secs(2)));
        assert_eq!(policy.wait(&server(Some(2)), 3, 1.0), None);
    }

    #[test]
    fn ca_2_wait_doubles_up_to_bound_and_is_spread_over_its_second_half() {
        let policy = RetryPolicy::back_off(9, Duration::from_secs(3));
        let waits = |chance| -> Vec<_> {
            (0..5).filter_map(|tried| policy.wait(&server(None), tried, chance)).collect()
        };
        assert_eq!(waits(1.0), [500, 1000, 2000, 3000, 3000].map(Duration::from_millis));
        assert_eq!(waits(0.0), [250, 500, 1000, 1500, 1500].map(Duration::from_millis));
    }

    #[test]
    fn ca_2_broken_connection_and_timeout_are_tried_again_and_refused_one_is_not() {
        let policy = RetryPolicy::back_off(1, Duration::from_secs(3));
        let (host, message) = (String::from("x"), String::new());
        let (provider, second) = (String::from("x"), Duration::from_secs(1));
        for (error, again) in [
            (LlmError::Disconnected { host: host.clone(), message: message.clone() }, true),
            (LlmError::Timeout { host: host.clone(), limit: second }, true),
            (LlmError::CutStream { provider: provider.clone(), received: 0 }, true),
            (LlmError::CutStream { provider: provider.clone(), received: 1 }, false),
            (LlmError::Network { host, message: message.clone() }, false),
            (LlmError::Auth { provider, status: 401, message }, false),
        ] {
            assert_eq!(policy.wait(&error, 0, 1.0).is_some(), again, "{error}");
        }
    }
}
