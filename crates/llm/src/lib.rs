//! Model providers, record and replay, and the ask-and-check loop of Contexture.
//!
//! One port, [`Provider`], stands between the program and whatever answers: OpenAI and servers that
//! speak its protocol, Anthropic, Ollama, the extractive model built in, placeholders, or a
//! recording.
//!
//! The feature `http` (on by default) adds the providers over HTTP.
//!
//! Decision: the wire is at the edge. What a request means in a provider's protocol, what an answer
//! or a refusal means, when to try again: all that is pure and tested with literals; one module
//! sends bytes.
//!
//! ```
//! use contexture_llm::{CancelToken, ChatCall, ModelUri, ProviderSettings, connect};
//! use contexture_prompt::{OpenaiChatMessage, OpenaiChatRequest, Role};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let uri: ModelUri = "builtin://extractive".parse()?;
//! let model = connect(&uri, &ProviderSettings::default())?;
//! let text = "The server listens on port 7878. It logs to stderr.\n\nWhich port?";
//! let messages = vec![OpenaiChatMessage::of_text(Role::User, text)];
//! let call = ChatCall::from(OpenaiChatRequest { messages, ..Default::default() });
//! let reply = model.complete(&call, None, &CancelToken::new()).await?;
//! assert_eq!(reply.response.text, "The server listens on port 7878.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod ask;
mod connect;
pub mod cycle;
mod embed;
mod exchange;
pub mod extractive;
mod file;
mod guarded;
pub mod ledger;
mod metered;
pub mod mock;
pub mod record;
pub mod replay;
mod rerank;
pub mod retry;
pub mod scripted;
mod settings;
pub mod tools;
mod unconnected;
#[cfg(feature = "http")]
mod wire;
#[cfg(not(feature = "http"))]
mod wire_missing;

pub use ask::{
    Answer, Ask, AskError, AskEvent, AskObserver, Attempt, Ended, Report, Retried, Verify, ask,
};
pub use connect::connect;
pub use contexture_core::{
    BoxFuture, CancelToken, ChatCall, LlmError, ModelUri, Provider, ReplayMiss, Reply, SchemaHint,
    Secret, TextSink, Think, UriError, cancel, error, model_uri, provider,
};
pub use cycle::{LlmConfig, LlmCycle};
pub use embed::{Embedded, embed};
pub use extractive::Extractive;
pub use guarded::Guarded;
pub use ledger::{Ledger, SpendLimit};
pub use metered::Metered;
pub use mock::Mock;
pub use record::{Call, Journal, JournalFile, Journalled, Past, Recorder, Recording, UnderWay};
pub use replay::Replay;
pub use rerank::rerank;
pub use retry::RetryPolicy;
pub use scripted::{Canned, CannedOutcome, Scripted};
pub use settings::ProviderSettings;
pub use tools::{ToolExecutor, ToolOutcome};
pub use unconnected::Unconnected;
