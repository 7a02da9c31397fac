//! The trace context of a request (W3C Trace Context).

use axum::http::HeaderMap;
use contexture_protocol::Message;
use serde_json::Value;

const HEADER: &str = "traceparent";

/// A span of the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parent {
    trace: u128,
    span: u64,
    flags: u8,
}

impl Parent {
    /// Parses `00-<trace>-<span>-<flags>`; other forms are ignored.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('-');
        let mut part = |length: usize| {
            let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            parts.next().filter(|part| part.len() == length && part.bytes().all(is_hex))
        };
        let (version, trace, span, flags) = (part(2)?, part(32)?, part(16)?, part(2)?);
        // Later versions may have more fields.
        if version == "ff" || (version == "00" && parts.next().is_some()) {
            return None;
        }
        let trace = u128::from_str_radix(trace, 16).ok().filter(|id| *id != 0)?;
        let span = u64::from_str_radix(span, 16).ok().filter(|id| *id != 0)?;
        let flags = u8::from_str_radix(flags, 16).ok()?;
        Some(Self { trace, span, flags })
    }

    pub(crate) fn of_headers(headers: &HeaderMap) -> Option<Self> {
        Self::parse(headers.get(HEADER)?.to_str().ok()?)
    }

    pub(crate) fn of_message(message: &Message) -> Option<Self> {
        Self::parse(message.meta(HEADER).and_then(Value::as_str)?)
    }

    pub(crate) fn trace_id(&self) -> String {
        format!("{:032x}", self.trace)
    }

    /// Returns the trace, the span and the flags.
    #[cfg(feature = "otel")]
    pub(super) const fn ids(self) -> (u128, u64, u8) {
        (self.trace, self.span, self.flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    #[test]
    fn cp_17_trace_context_of_sender_is_used() {
        let text = format!("00-{TRACE}-00f067aa0ba902b7-01");
        let parent = Parent::parse(&text).unwrap();
        assert_eq!(parent.trace_id(), TRACE);
        assert_eq!(parent.flags, 1);
        assert_eq!(
            Parent::parse(&format!("01-{TRACE}-00f067aa0ba902b7-00-more")).unwrap().trace_id(),
            TRACE
        );
    }

    #[test]
    fn cp_17_invalid_trace_context_is_ignored() {
        let zeros = "0".repeat(32);
        for text in [
            "",
            "00",
            "00-é-00f067aa0ba902b7-01",
            &format!("00-{zeros}-00f067aa0ba902b7-01"),
            &format!("00-{TRACE}-0000000000000000-01"),
            &format!("ff-{TRACE}-00f067aa0ba902b7-01"),
            &format!("00-{TRACE}-00f067aa0ba902b7-01-more"),
            &format!("00-{}-00f067aa0ba902b7-01", TRACE.to_uppercase()),
            &format!("00-{TRACE}-00f067aa0ba902b7-"),
        ] {
            assert_eq!(Parent::parse(text), None, "{text}");
        }
    }
}
