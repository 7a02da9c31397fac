//! A provider whose requests are admitted before they are sent, and paid for after (CA-4, CA-5), and
//! whose answers are refused beyond `answer_bytes`.
//!
//! Decision: it stands around every provider of a run, so that attempts, rounds of tools, retries
//! and the readings of a plan all go through one gate, also where the answers are recorded ones.

use crate::ledger::{Amount, Excess, Ledger, Spent};
use contexture_context::{Digest, TokenCounter};
use contexture_core::profile::{Money, Profile};
use contexture_core::{
    BoxFuture, CancelToken, ChatCall, LlmError, Provider, Reply, Secret, TextSink, Think,
};
use contexture_prompt::{ContentField, OpenaiContentPart, Usage};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Tokens that a server adds for each message and at the end of a prompt.
const FRAME: u64 = 4;

/// A provider with a profile and an account.
#[derive(Clone)]
pub struct Metered {
    inner: Arc<dyn Provider>,
    /// The model's URI in the program, which its price belongs to.
    uri: String,
    profile: Profile,
    tokenizer: &'static dyn TokenCounter,
    /// What its server said.
    told: Arc<OnceCell<Profile>>,
    ledger: Arc<Ledger>,
    /// The account of a call, beside that of its run.
    own: Option<Arc<Ledger>>,
    answer_bytes: usize,
}

impl Metered {
    /// Creates a provider whose requests are paid from `ledger`, and whose answers have at most
    /// `answer_bytes` bytes.
    #[must_use]
    pub fn new(
        inner: Arc<dyn Provider>,
        uri: &str,
        profile: Profile,
        ledger: Arc<Ledger>,
        answer_bytes: usize,
    ) -> Self {
        let tokenizer = profile.tokenizer.unwrap_or_else(|| inner.tokenizer());
        Self {
            inner,
            uri: uri.to_owned(),
            profile,
            tokenizer,
            told: Arc::default(),
            ledger,
            own: None,
            answer_bytes,
        }
    }

    /// Returns the same provider, which counts what its requests take in `own`, too.
    #[must_use]
    pub fn paid_by(&self, own: Arc<Ledger>) -> Self {
        Self { own: Some(own), ..self.clone() }
    }

    /// Returns the most that a request may take, or why nothing bounds it.
    fn worst(&self, call: &ChatCall, profile: &Profile) -> Result<Amount, LlmError> {
        let limit = |message: String, help: String| LlmError::CostLimit { message, help };
        let settings = format!("[profiles.\"{}\"] of contexture.toml", self.uri);
        let input = self.input(call, profile);
        if profile.media(parts(call)).is_none() {
            return Err(limit(
                format!(
                    "nothing bounds what {} counts for the pictures, sounds and files of the prompt, and a limit is set",
                    self.uri
                ),
                format!(
                    "give `picture`, the most tokens of a picture, under {settings}, or show no sounds and files"
                ),
            ));
        }
        let Some(output) = output(call, profile, &self.uri) else {
            return Err(limit(
                format!("nothing bounds the answer of {}, and a limit is set", self.uri),
                format!("give `max_output` in the `generate`, or under {settings}"),
            ));
        };
        let money = match profile.price {
            Some(price) => price.worst(input, output),
            None if self.ledger.limits().money.is_some() => {
                return Err(limit(
                    format!("the price of {} is not known, and a limit of cost is set", self.uri),
                    format!("give `price_input` and `price_output` under {settings}"),
                ));
            }
            None => Money::ZERO,
        };
        Ok(Amount { tokens: input.saturating_add(output), money, calls: 1 })
    }

    /// Returns the most tokens of a prompt: what it was allowed, or what it has.
    fn input(&self, call: &ChatCall, profile: &Profile) -> u64 {
        let bounded = |input| profile.input(Some(input), call.output_limit()).unwrap_or(input);
        if let Some(most) = call.max_input {
            return bounded(most);
        }
        let counter = self.tokenizer();
        let count = |text: &str| counter.count(text) as u64;
        let messages: u64 = call
            .request
            .messages
            .iter()
            .map(|message| count(&message.text()).saturating_add(FRAME))
            .sum();
        let tools = call.request.tools.iter().flatten();
        let tools: u64 =
            tools.map(|tool| serde_json::to_string(tool).map_or(0, |text| count(&text))).sum();
        let schema = call.schema.as_ref().map_or(0, |hint| count(&hint.schema.to_string()));
        let media = profile.media(parts(call)).unwrap_or_default();
        bounded(messages.saturating_add(tools).saturating_add(schema).saturating_add(media))
    }

    async fn metered<'a>(
        &'a self,
        call: &'a ChatCall,
        digest: Option<&'a Digest>,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> Result<Reply, LlmError> {
        let (most, mut streamed) = (self.answer_bytes, 0_usize);
        let counted = &mut streamed;
        let mut bounded = sink.map(move |sink| {
            move |text: &str| {
                *counted = counted.saturating_add(text.len());
                if *counted <= most {
                    sink(text);
                }
            }
        });
        let reply = loop {
            let mut ticket = self.admit(call).await?;
            let sink = bounded.as_mut().map(|sink| sink as TextSink<'_>);
            let outcome = match digest {
                Some(digest) => self.inner.complete_known(call, digest, sink, cancel).await,
                None => self.inner.complete(call, sink, cancel).await,
            };
            ticket.end(&outcome);
            // What a run asked before it died counts at its worst, and is asked again.
            if !matches!(outcome, Err(LlmError::Uncertain { .. })) {
                break outcome?;
            }
        };
        if bytes_of(&reply).max(streamed) > most {
            return Err(LlmError::TooLarge { provider: self.uri.clone(), limit: most });
        }
        Ok(reply)
    }

    fn refused(&self, excess: Excess) -> LlmError {
        let help = match excess {
            Excess::Calls(_) => "raise the limit",
            _ => "raise the limit, or lower `max_input` and `max_output`",
        };
        let message = format!("the next request to {} {excess}", self.uri);
        LlmError::CostLimit { message, help: help.to_owned() }
    }

    async fn admit<'a>(&'a self, call: &'a ChatCall) -> Result<Ticket<'a>, LlmError> {
        let limits = self.ledger.limits();
        let mut profile = self.profile();
        let mut reserved = None;
        if limits.tokens.is_some() || limits.money.is_some() {
            if output(call, &profile, &self.uri).is_none() {
                profile = self.describe().await;
            }
            reserved = Some(self.worst(call, &profile)?);
        } else if limits.calls.is_some() {
            reserved = Some(Amount { calls: 1, ..Amount::default() });
        }
        if let Some(worst) = reserved {
            self.ledger.reserve(worst).map_err(|excess| self.refused(excess))?;
        }
        Ok(Ticket { provider: self, call, profile, reserved, is_open: true })
    }
}

/// Returns the size of an answer.
fn bytes_of(reply: &Reply) -> usize {
    let response = &reply.response;
    let calls = response.tool_calls.iter().map(|call| call.function.arguments.len());
    let reasoning = response.reasoning.as_deref().map_or(0, str::len);
    response.text.len() + reasoning + calls.sum::<usize>()
}

/// Returns the parts of all messages.
fn parts(call: &ChatCall) -> impl Iterator<Item = &OpenaiContentPart> {
    let contents = call.request.messages.iter().filter_map(|message| message.content.as_ref());
    contents.flat_map(|content| match content {
        ContentField::Array(parts) => parts.as_slice(),
        ContentField::Text(_) => &[],
    })
}

/// Returns the most tokens of an answer.
fn output(call: &ChatCall, profile: &Profile, uri: &str) -> Option<u64> {
    // Anthropic counts the reasoning beside the limit of the answer.
    let thinks = call.think.is_some_and(|think| think != Think::Off);
    let is_beside = thinks && uri.starts_with("anthropic:");
    profile.output(call.output_limit().filter(|_| !is_beside))
}

/// A request that was admitted. One that is dropped before its end counts at its worst case.
struct Ticket<'a> {
    provider: &'a Metered,
    call: &'a ChatCall,
    profile: Profile,
    reserved: Option<Amount>,
    is_open: bool,
}

impl Ticket<'_> {
    fn end(&mut self, outcome: &Result<Reply, LlmError>) {
        self.is_open = false;
        match outcome {
            Ok(reply) if reply.is_known => self.settle(Spent::Before(
                self.cost(reply.response.usage),
                self.profile.price.is_some(),
            )),
            Ok(reply) => self.settle(Spent::Known(
                self.cost(reply.response.usage),
                self.profile.price.is_some(),
            )),
            Err(error) if error.is_free() => self.settle(Spent::Nothing),
            Err(_) => self.lose(),
        }
    }

    fn cost(&self, usage: Usage) -> Amount {
        let tokens = usage.prompt_tokens.saturating_add(usage.completion_tokens);
        let money = self.profile.price.map(|price| price.of(usage)).unwrap_or_default();
        Amount { tokens, money, calls: 1 }
    }

    fn lose(&self) {
        let (provider, call) = (self.provider, self.call);
        // A limit of calls alone reserves no tokens.
        let worst = self.reserved.filter(|worst| worst.tokens > 0).unwrap_or_else(|| {
            let output = output(call, &self.profile, &provider.uri).unwrap_or_default();
            self.cost(Usage::new(provider.input(call, &self.profile), output))
        });
        self.settle(Spent::Lost(worst, self.profile.price.is_some()));
    }

    fn settle(&self, spent: Spent) {
        self.provider.ledger.settle(self.reserved.unwrap_or_default(), spent);
        if let Some(own) = &self.provider.own {
            own.settle(Amount::default(), spent);
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if self.is_open {
            self.lose();
        }
    }
}

impl Provider for Metered {
    fn uri(&self) -> &str {
        self.inner.uri()
    }

    fn model(&self) -> &str {
        self.inner.model()
    }

    fn tokenizer(&self) -> &'static dyn TokenCounter {
        self.tokenizer
    }

    fn calls_tools(&self) -> bool {
        self.inner.calls_tools()
    }

    fn secrets(&self) -> Vec<Secret> {
        self.inner.secrets()
    }

    fn profile(&self) -> Profile {
        let told = self.told.get().copied().unwrap_or_default();
        self.profile.or(told).or(self.inner.profile())
    }

    fn describe(&self) -> BoxFuture<'_, Profile> {
        Box::pin(async {
            self.told.get_or_init(|| self.inner.describe()).await;
            self.profile()
        })
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(self.metered(call, None, sink, cancel))
    }

    fn complete_known<'a>(
        &'a self,
        call: &'a ChatCall,
        digest: &'a Digest,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(self.metered(call, Some(digest), sink, cancel))
    }
}
