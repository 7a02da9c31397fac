//! A model that is named and never asked: a dry run needs neither its key nor its server (CA-7).

use contexture_core::cancel::CancelToken;
use contexture_core::error::LlmError;
use contexture_core::provider::{BoxFuture, ChatCall, Provider, Reply, TextSink};

/// The stand-in for a model that prompts are built for and not sent to.
#[derive(Debug, Clone)]
pub struct Unconnected {
    uri: String,
    model: String,
}

impl Unconnected {
    /// Creates the stand-in for the model of a URI; `model` is its name at its server.
    #[must_use]
    pub fn new(uri: &str, model: &str) -> Self {
        Self { uri: uri.to_owned(), model: model.to_owned() }
    }
}

impl Provider for Unconnected {
    fn uri(&self) -> &str {
        &self.uri
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn complete<'a>(
        &'a self,
        _call: &'a ChatCall,
        _sink: Option<TextSink<'a>>,
        _cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        let message = format!("{} is not connected: a dry run asks no model", self.uri);
        Box::pin(async move { Err(LlmError::Settings { message }) })
    }
}
