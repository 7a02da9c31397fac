//! The meaning of refusals, as far as protocols agree.

use super::json::{excerpt, text};
use super::{Plan, Refusal};
use contexture_core::error::LlmError;
use contexture_core::provider::ChatCall;
use serde_json::Value;

/// A refusal's body, taken apart.
pub(crate) struct Complaint {
    /// The words for a person.
    pub(crate) message: String,
    /// `error.code` and `error.type`, in lower case.
    pub(crate) codes: [String; 2],
    /// The whole message in lower case, to look for words in.
    pub(crate) haystack: String,
}

/// Reads `{"error": {"message", "type", "code", "param"}}`, `{"error": "…"}`, `{"detail": …}` and
/// plain text.
pub(crate) fn complaint(body: &str) -> Complaint {
    let parsed: Value = serde_json::from_str(body).unwrap_or_default();
    let candidates = ["/error/message", "/error", "/message", "/detail", "/0/error/message"];
    let found = candidates.iter().map(|at| text(&parsed, at)).find(|text| !text.is_empty());
    let message = match found {
        Some(message) => excerpt(message),
        None if body.trim().is_empty() => "no reason given".to_owned(),
        None if body.trim_start().starts_with('<') => {
            "an HTML page came instead of JSON".to_owned()
        }
        None => excerpt(body),
    };
    let code = |at| text(&parsed, at).to_ascii_lowercase();
    let haystack = format!("{} {}", body, text(&parsed, "/error/param")).to_lowercase();
    Complaint { message, codes: [code("/error/code"), code("/error/type")], haystack }
}

/// The words of servers for a prompt that is too long for the model.
const OVERFLOWS: &[&str] = &[
    "context length",
    "context size",
    "context window",
    "exceed context limit",
    "prompt is too long",
    "maximum number of tokens",
];

/// The codes of servers for a prompt that their filter does not let through.
const FILTERS: &[&str] = &["content_filter", "content_policy_violation", "moderation_blocked"];

/// Returns the error that a status means, with the words of the body.
pub(crate) fn failure(provider: &str, refusal: &Refusal<'_>) -> LlmError {
    let Complaint { message, codes, haystack } = complaint(refusal.body);
    let provider = provider.to_owned();
    let status = refusal.status;
    let retry_after = refusal.retry_after;
    let coded = |words: &[&str]| codes.iter().any(|code| words.contains(&code.as_str()));
    if status == 402
        || coded(&["insufficient_quota", "billing_error"])
        || haystack.contains("credit balance is too low")
    {
        return LlmError::Quota { provider, status, message };
    }
    if status < 500 && coded(FILTERS) {
        return LlmError::Filtered { provider, status, message };
    }
    if matches!(status, 400 | 413 | 422 | 500)
        && (coded(&["context_length_exceeded", "exceed_context_size_error"])
            || OVERFLOWS.iter().any(|words| haystack.contains(words)))
    {
        return LlmError::WindowOverflow { provider, status: Some(status), message };
    }
    let no_model =
        coded(&["model_not_found"]) || (status == 404 && message.to_lowercase().contains("model"));
    match status {
        401 | 403 => LlmError::Auth { provider, status, message },
        _ if no_model => {
            LlmError::NoSuchModel { provider, status, model: refusal.model.to_owned(), message }
        }
        429 => LlmError::RateLimited { provider, retry_after, message },
        408 | 409 | 500..=599 => LlmError::Server { provider, status, retry_after, message },
        300..=399 => LlmError::BadResponse {
            provider,
            message: format!("the address redirects (status {status}); name the final one"),
        },
        _ => LlmError::BadRequest { provider, status, message },
    }
}

/// Returns a plan without the option that a refusal complains about, if it complains about one that
/// was sent. Validation faults come as 400 or 422, and from some servers as 500.
pub(crate) fn concede(
    call: &ChatCall,
    plan: Plan,
    refusal: &Refusal<'_>,
    schema_words: &[&str],
    schema_steps: u8,
) -> Option<Plan> {
    let Complaint { haystack, .. } = complaint(refusal.body);
    let faulty = matches!(refusal.status, 400 | 404 | 422 | 501)
        || (refusal.status == 500 && haystack.contains("validation error"));
    if !faulty {
        return None;
    }
    let says = |words: &[&str]| words.iter().any(|word| haystack.contains(word));
    let schema = call.schema.is_some() && plan.schema_step < schema_steps;
    let limited = call.output_limit().is_some();
    let next = if schema && says(schema_words) {
        Plan { schema_step: plan.schema_step + 1, ..plan }
    } else if says(&["stream_options", "include_usage"]) {
        Plan { no_stream_usage: true, ..plan }
    } else if limited && says(&["max_tokens", "max_completion_tokens"]) && !plan.other_max_tokens {
        Plan { other_max_tokens: true, ..plan }
    } else if call.request.temperature.is_some() && says(&["temperature"]) {
        Plan { no_temperature: true, ..plan }
    } else if call.think.is_some() && says(&["reasoning", "thinking", "think", "effort"]) {
        Plan { no_think: true, ..plan }
    } else {
        plan
    };
    (next != plan).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(status: u16, body: &str) -> &'static str {
        failure("x", &Refusal { status, retry_after: None, body, model: "m" }).kind()
    }

    #[test]
    fn ca_1_prompt_that_filter_refuses_with_status_is_filtered() {
        let azure = r#"{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#;
        assert_eq!(kind_of(400, azure), "CONTENT_FILTERED");
        let other = r#"{"error":{"code":"invalid_value","message":"no such content_filter"}}"#;
        assert_eq!(kind_of(400, other), "bad_request");
    }

    #[test]
    fn ca_3_account_without_balance_has_no_quota() {
        let body = r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}"#;
        assert_eq!(kind_of(402, body), "quota");
        assert_eq!(kind_of(402, ""), "quota");
    }

    #[test]
    fn ca_4_refusal_of_a_prompt_that_is_too_long_names_max_input() {
        let bodies = [
            r#"{"error":{"code":400,"message":"the request exceeds the available context size. try increasing it","type":"exceed_context_size_error","n_ctx":4096}}"#,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}"#,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            r#"{"error":"input length and `max_tokens` exceed context limit"}"#,
        ];
        for body in bodies {
            let refusal = Refusal { status: 400, retry_after: None, body, model: "m" };
            let error = failure("x", &refusal);
            assert_eq!(error.kind(), "window_overflow", "{body}");
            assert!(error.help().is_some_and(|help| help.contains("`max_input`")));
            assert!(error.is_free());
        }
        let refusal =
            Refusal { status: 404, retry_after: None, body: "context length", model: "m" };
        assert_ne!(failure("x", &refusal).kind(), "window_overflow");
    }
}
