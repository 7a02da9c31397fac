//! The port of models.
//!
//! Decision: one object-safe trait with one call. Everything that differs between providers (wire
//! formats, hints they lack) stays behind it; what they could not honour comes back as warnings.

mod canonical;

use crate::cancel::CancelToken;
use crate::error::LlmError;
use crate::profile::Profile;
use crate::secret::Secret;
use contexture_answer::Shape;
use contexture_context::digest::canonical_json;
use contexture_context::tokens::tokenizer_for;
use contexture_context::{Digest, TokenCounter};
use contexture_prompt::{ChatResponse, OpenaiChatRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A future that can be sent between threads and named without generics.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Takes the text of an answer as it comes.
pub type TextSink<'a> = &'a mut (dyn FnMut(&str) + Send);

/// A model that can be asked.
///
/// Calls may run at the same time. Dropping the future ends the call as cancelling does.
pub trait Provider: Send + Sync {
    /// Returns the model's URI without credentials, for records.
    fn uri(&self) -> &str;

    /// Returns the model's name at its server; it picks the tokenizer.
    fn model(&self) -> &str {
        self.uri()
    }

    /// Returns the counter of its tokens; by default the one that its model's name picks. Counters
    /// live as long as the process: keep an own one in a `static`.
    fn tokenizer(&self) -> &'static dyn TokenCounter {
        tokenizer_for(self.model())
    }

    /// Reports whether it can call tools. Built-in tools such as `load_resource` are offered only
    /// then; tools that a program lists are always sent.
    fn calls_tools(&self) -> bool {
        true
    }

    /// Returns the credentials that it sends, which are masked wherever something of a run is
    /// written down (HO-2).
    fn secrets(&self) -> Vec<Secret> {
        Vec::new()
    }

    /// Returns what is known of the model without asking its server.
    fn profile(&self) -> Profile {
        Profile::default()
    }

    /// Returns what is known of the model, asking its server where that can tell. It never takes
    /// long, and never fails: what is not told is absent.
    fn describe(&self) -> BoxFuture<'_, Profile> {
        Box::pin(async { self.profile() })
    }

    /// Asks once. With a `sink` the answer's text is streamed into it, as far as the provider can;
    /// the response holds the whole text either way.
    ///
    /// Needs a tokio runtime with time enabled, and I/O for those that use the network.
    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>>;

    /// Does the same as [`Provider::complete`] for a call whose [`ChatCall::digest`] is `digest`:
    /// a provider that uses digests need not compute it again.
    fn complete_known<'a>(
        &'a self,
        call: &'a ChatCall,
        digest: &'a Digest,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        let _ = digest;
        self.complete(call, sink, cancel)
    }
}

impl<P: Provider + ?Sized> Provider for Arc<P> {
    fn uri(&self) -> &str {
        (**self).uri()
    }

    fn model(&self) -> &str {
        (**self).model()
    }

    fn tokenizer(&self) -> &'static dyn TokenCounter {
        (**self).tokenizer()
    }

    fn calls_tools(&self) -> bool {
        (**self).calls_tools()
    }

    fn secrets(&self) -> Vec<Secret> {
        (**self).secrets()
    }

    fn profile(&self) -> Profile {
        (**self).profile()
    }

    fn describe(&self) -> BoxFuture<'_, Profile> {
        (**self).describe()
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        (**self).complete(call, sink, cancel)
    }

    fn complete_known<'a>(
        &'a self,
        call: &'a ChatCall,
        digest: &'a Digest,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        (**self).complete_known(call, digest, sink, cancel)
    }
}

/// One request to a model: the messages and options in OpenAI's form, and the hints of AS-19.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatCall {
    /// Messages, tools and options. An empty `model` means the provider's own.
    pub request: OpenaiChatRequest,
    /// The schema of the answer, where the provider can enforce one (AS-21).
    pub schema: Option<Arc<SchemaHint>>,
    /// The amount of reasoning.
    pub think: Option<Think>,
    /// Tokens of the answer; wins over the two fields of `request`.
    pub max_output: Option<u64>,
    /// Tokens that the prompt was allowed, as its caller counts them. Not sent, and not part of the
    /// digest.
    pub max_input: Option<u64>,
    /// Time for this call; the provider's own setting when absent. Not part of the digest.
    pub timeout: Option<Duration>,
    /// The place of the call among those of its run. Not sent, and not part of the digest.
    pub key: Option<Arc<str>>,
}

impl From<OpenaiChatRequest> for ChatCall {
    fn from(request: OpenaiChatRequest) -> Self {
        Self { request, ..Self::default() }
    }
}

impl ChatCall {
    /// Returns the most tokens of the answer, whichever field sets it.
    #[must_use]
    pub fn output_limit(&self) -> Option<u64> {
        self.max_output.or(self.request.max_completion_tokens).or(self.request.max_tokens)
    }

    /// Returns everything that the answer depends on except the model, as one JSON object, which
    /// recordings store and compare.
    #[must_use]
    pub fn canonical(&self) -> Value {
        let mut fields = self.options();
        if let Some(schema) = &self.schema {
            fields
                .insert("schema".into(), json!({"schema": schema.schema, "strict": schema.strict}));
        }
        // Messages are plain data; they always become JSON.
        let messages = serde_json::to_value(&self.request.messages).unwrap_or_default();
        fields.insert("messages".into(), messages);
        Value::Object(fields)
    }

    /// Returns the digest of [`ChatCall::canonical`]: equal requests have equal digests.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let schema = self.schema.as_deref();
        Digest::of_text(&canonical::text(&self.options(), schema, &self.request.messages))
    }

    /// Returns [`ChatCall::canonical`] without the messages and the schema.
    fn options(&self) -> Map<String, Value> {
        let request = without_messages(&self.request);
        let mut fields = match serde_json::to_value(&request) {
            Ok(Value::Object(fields)) => fields,
            // The request is plain data; it always becomes an object.
            _ => Map::new(),
        };
        fields.remove("messages");
        fields.remove("model");
        if let Some(think) = self.think {
            fields.insert("think".into(), think.as_str().into());
        }
        if let Some(limit) = self.max_output {
            fields.insert("max_output".into(), limit.into());
        }
        fields
    }
}

/// Returns the request without its messages, which are long and not copied.
fn without_messages(request: &OpenaiChatRequest) -> OpenaiChatRequest {
    let OpenaiChatRequest {
        model: _,
        messages: _,
        tools,
        tool_choice,
        parallel_tool_calls,
        temperature,
        top_p,
        max_tokens,
        max_completion_tokens,
        response_format,
        reasoning_effort,
        stream: _,
        stream_options: _,
        seed,
        stop,
        n,
        frequency_penalty,
        presence_penalty,
        extra,
    } = request;
    OpenaiChatRequest {
        model: String::new(),
        messages: Vec::new(),
        tools: tools.clone(),
        tool_choice: tool_choice.clone(),
        parallel_tool_calls: *parallel_tool_calls,
        temperature: *temperature,
        top_p: *top_p,
        max_tokens: *max_tokens,
        max_completion_tokens: *max_completion_tokens,
        response_format: response_format.clone(),
        reasoning_effort: reasoning_effort.clone(),
        stream: None,
        stream_options: None,
        seed: *seed,
        stop: stop.clone(),
        n: *n,
        frequency_penalty: *frequency_penalty,
        presence_penalty: *presence_penalty,
        extra: extra.clone(),
    }
}

/// The schema of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaHint {
    /// A name for providers that want one; letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// JSON Schema.
    pub schema: Value,
    /// The shape it comes from, for providers with a form of schema of their own.
    pub shape: Option<Shape>,
    /// True if fields beyond the schema are refused (AS-21 `strict`).
    pub strict: bool,
    /// The schema as text, and its canonical JSON with its digest: each call needs them.
    text: String,
    canonical: String,
    digest: Digest,
}

impl SchemaHint {
    /// Returns the hint for a shape.
    #[must_use]
    pub fn of_shape(shape: &Shape, strict: bool) -> Self {
        let hint = Self::new("answer".to_owned(), shape.to_json_schema());
        Self { shape: Some(shape.clone()), strict, ..hint }
    }

    /// Returns the hint for a schema that comes from elsewhere.
    #[must_use]
    pub fn of_schema(name: &str, schema: Value) -> Self {
        Self::new(schema_name(name), schema)
    }

    fn new(name: String, schema: Value) -> Self {
        let canonical = canonical_json(&schema);
        let (text, digest) = (schema.to_string(), Digest::of_text(&canonical));
        Self { name, schema, shape: None, strict: false, text, canonical, digest }
    }

    /// Returns the schema as text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the digest of the schema.
    #[must_use]
    pub const fn digest(&self) -> &Digest {
        &self.digest
    }
}

/// Returns the name with all that providers refuse replaced by `_`.
fn schema_name(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().take(64).map(allowed).collect();
    if name.is_empty() { "answer".to_owned() } else { name }
}

/// The amount of reasoning before an answer (AS-19 `think`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Think {
    /// `false`
    Off,
    /// `true`
    On,
    /// `"auto"`
    Auto,
    /// `"low"`
    Low,
    /// `"medium"`
    Medium,
    /// `"high"`
    High,
}

impl Think {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Auto => "auto",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// An answer with remarks on how it came about.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// The answer.
    pub response: ChatResponse,
    /// Hints that could not be honoured, and other remarks for `debug` (AS-19).
    pub warnings: Vec<String>,
    /// True if the usage was counted here because the server reported none.
    pub usage_estimated: bool,
    /// What was sent of the options, where a provider can tell (CA-1).
    pub sent: Option<Sent>,
    /// Requests that the server refused for their form before it took one.
    pub conceded: usize,
    /// True if an earlier life of the run was given it: nobody was asked now.
    pub is_known: bool,
}

/// The options of a request as they were sent, after everything that the server had refused.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sent {
    /// The form in which the schema of the answer was sent, such as `json_schema`; `none` if the
    /// server enforces none. Absent for an answer without a schema.
    pub schema: Option<&'static str>,
    /// The options by the provider's own names.
    pub options: Map<String, Value>,
}

impl From<ChatResponse> for Reply {
    fn from(response: ChatResponse) -> Self {
        Self { response, ..Self::default() }
    }
}
