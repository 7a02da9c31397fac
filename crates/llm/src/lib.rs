//! Model providers, record and replay, and the ask-and-check loop of Contexture.
//!
//! One port, [`Provider`], stands between the program and whatever answers: OpenAI and servers that
//! speak its protocol, Anthropic, Ollama, the extractive model built in, placeholders, or a
//! recording.
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
pub mod cancel;
mod connect;
pub mod cycle;
pub mod error;
mod exchange;
pub mod extractive;
mod file;
pub mod mock;
pub mod provider;
pub mod record;
pub mod replay;
pub mod retry;
pub mod scripted;
mod secret;
mod settings;
pub mod tools;
pub mod uri;
mod wire;

pub use ask::{Answer, Ask, AskError, AskEvent, AskObserver, Attempt, Report, Retried, ask};
pub use cancel::CancelToken;
pub use connect::connect;
pub use cycle::{LlmConfig, LlmCycle};
pub use error::LlmError;
pub use extractive::Extractive;
pub use mock::Mock;
pub use provider::{BoxFuture, ChatCall, Provider, Reply, SchemaHint, TextSink, Think};
pub use record::{Recorder, Recording};
pub use replay::{Replay, ReplayMiss};
pub use retry::RetryPolicy;
pub use scripted::{Canned, CannedOutcome, Scripted};
pub use secret::Secret;
pub use settings::ProviderSettings;
pub use tools::{ToolExecutor, ToolOutcome};
pub use uri::{ModelUri, UriError};
