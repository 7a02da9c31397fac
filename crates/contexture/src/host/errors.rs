//! The errors of what a host calls, as programs see them.

use crate::packs::PacksError;
#[cfg(feature = "knowledge")]
use contexture_knowledge::resolve::RankError;
use contexture_llm::{AskError, LlmError};
use contexture_mcp::McpError;
use contexture_prompt::FinishReason;
use contexture_reference::LoadError;
use contexture_script::host::HostError;
use contexture_store::memory::MemoryError;
use contexture_tools::{FileError, ToolError};
use serde_json::json;

pub(super) fn of_file(error: FileError) -> HostError {
    HostError::new(error.code(), error.to_string()).with_help(error.help())
}

pub(super) fn of_load(error: &LoadError) -> HostError {
    HostError { help: error.help.clone(), ..HostError::new(error.code, error.to_string()) }
}

pub(super) fn of_memory(error: &MemoryError) -> HostError {
    HostError::new(error.code(), error.to_string()).with_help(error.help())
}

pub(super) fn of_model(error: &LlmError) -> HostError {
    let cancelled = matches!(error, LlmError::Cancelled);
    let details = error.status().map(|status| json!({ "status": status }));
    let failure = HostError::new(error.kind(), error.to_string());
    HostError { help: error.help(), details, cancelled, ..failure }
}

pub(super) fn of_packs(error: PacksError) -> HostError {
    HostError { help: error.help, ..HostError::new(error.code, error.message) }
}

pub(super) fn of_prompt(error: impl ToString) -> HostError {
    HostError::new("prompt_too_large", error.to_string())
}

/// Returns the error of texts that can't be searched for a question.
#[cfg(feature = "knowledge")]
pub(super) fn of_search(source: &str, error: &RankError) -> HostError {
    let message = format!("nothing can be selected from `{source}`: {error}");
    let help = "select from fewer files or records, or make a knowledge pack of them";
    HostError::new("search_failed", message).with_help(help)
}

pub(super) fn of_server(error: McpError) -> HostError {
    let failure = HostError::new(error.code(), error.to_string());
    HostError { help: error.help(), details: error.details(), ..failure }
}

pub(super) fn of_tool(error: ToolError) -> HostError {
    HostError { help: error.help, ..HostError::new(error.code, error.message) }
}

pub(super) fn ask_error(error: &AskError) -> HostError {
    match error {
        AskError::Provider { error, .. } => of_model(error),
        AskError::Unusable { error: fault, text, report } => {
            let attempts = report.attempts.len();
            let details = json!({ "errors": fault.errors(), "answer": text, "attempts": attempts });
            let failure = HostError::new(error.kind(), error.to_string());
            HostError { help: error.help(), details: Some(details), ..failure }
        }
        AskError::Ended { text, max_output, report, .. } => {
            let attempts = report.attempts.len();
            let last = report.attempts.last();
            let tokens = last.map_or(0, |attempt| attempt.usage.completion_tokens);
            let finish = last.and_then(|attempt| attempt.finish_reason.as_ref());
            let details = json!({
                "answer": text, "attempts": attempts, "max_output": max_output, "tokens": tokens,
                "finish_reason": finish.map(FinishReason::as_str),
            });
            let failure = HostError::new(error.kind(), error.to_string());
            HostError { help: error.help(), details: Some(details), ..failure }
        }
        AskError::Left { .. } => {
            HostError { cancelled: true, ..HostError::new(error.kind(), error.to_string()) }
        }
        error => HostError::new(error.kind(), error.to_string()),
    }
}
