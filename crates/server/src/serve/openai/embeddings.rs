//! `POST /v1/embeddings`: vectors of texts, from the model that the settings name (WA-8).

use super::error::Failure;
use super::parameters::given;
use crate::serve::app::App;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contexture::config::EmbeddingModel;
use contexture::llm::{Embedded, embed};
use contexture::models::provider_settings;
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The most texts of a request.
const MOST: usize = 2_048;
/// The time that the model may take.
const LIMIT: Duration = Duration::from_secs(60);
/// The parameters that are known; `user` changes nothing.
const KNOWN: [&str; 5] = ["model", "input", "encoding_format", "dimensions", "user"];

/// A request.
#[derive(Debug)]
pub(crate) struct Texts {
    texts: Vec<String>,
    dimensions: Option<u64>,
    is_base64: bool,
}

impl Texts {
    /// Reads a request.
    ///
    /// # Errors
    /// [`Failure`] with the parameter at fault.
    pub(crate) fn read(request: &Value, model: Option<&EmbeddingModel>) -> Result<Self, Failure> {
        let request = request.as_object().ok_or_else(|| Failure::kind_of("body", "an object"))?;
        let name = given(request, "model").and_then(Value::as_str);
        let name = name.ok_or_else(|| Failure::kind_of("model", "the name of a model"))?;
        match model {
            Some(own) if own.name() == name => {}
            Some(own) => {
                let help = format!("the model for embeddings is `{}`", own.name());
                return Err(Failure::no_model(name, Some(help)));
            }
            None => {
                let help = "the server has no model for embeddings; `[serve] embeddings` sets one";
                return Err(Failure::no_model(name, Some(help.to_owned())));
            }
        }
        let unknown =
            |(name, value): &(&String, &Value)| !value.is_null() && !KNOWN.contains(&name.as_str());
        if let Some((name, _)) = request.iter().find(unknown) {
            let message = format!("`{name}` is not a parameter");
            return Err(Failure::param(name, "unknown_parameter", message));
        }
        let dimensions = given(request, "dimensions").map(|value| {
            let dimensions = value.as_u64().filter(|dimensions| *dimensions > 0);
            dimensions.ok_or_else(|| Failure::kind_of("dimensions", "a whole number above 0"))
        });
        let is_base64 = match given(request, "encoding_format").map(Value::as_str) {
            None | Some(Some("float")) => false,
            Some(Some("base64")) => true,
            Some(_) => return Err(Failure::kind_of("encoding_format", "float or base64")),
        };
        Ok(Self { texts: texts(request)?, dimensions: dimensions.transpose()?, is_base64 })
    }
}

fn texts(request: &Map<String, Value>) -> Result<Vec<String>, Failure> {
    let expected = || Failure::kind_of("input", "a text, or a list of 1 to 2048 texts");
    let texts = match given(request, "input") {
        Some(one @ Value::String(_)) => std::slice::from_ref(one),
        Some(Value::Array(all)) if (1..=MOST).contains(&all.len()) => all.as_slice(),
        _ => return Err(expected()),
    };
    let text = |text: &Value| text.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    texts.iter().map(|one| text(one).ok_or_else(expected)).collect()
}

/// Asks the model, and returns the answer in OpenAI's form.
///
/// # Errors
/// A refusal without the words of the model's server, which the log has.
pub(crate) async fn answer(
    app: &App,
    model: &EmbeddingModel,
    asked: Texts,
) -> Result<Value, Refusal> {
    let settings = provider_settings(&app.project);
    let asking = embed(model.uri(), &settings, &asked.texts, asked.dimensions);
    let failed = |reason: String| {
        app.log.info("embeddings_failed", json!({ "model": model.name(), "reason": reason }));
        Refusal::new(ErrorCode::ExecutionFailed, "the model gave no embeddings")
            .suggest("Try again later, or tell the operator.")
    };
    let embedded = match tokio::time::timeout(LIMIT, asking).await {
        Ok(Ok(embedded)) => embedded,
        Ok(Err(error)) => return Err(failed(error.to_string())),
        Err(_) => return Err(failed(format!("no answer within {} s", LIMIT.as_secs()))),
    };
    let Embedded { vectors, tokens } = embedded;
    app.metrics.tokens.add(model.name().to_owned(), "input", tokens);
    let rows = vectors.iter().enumerate().map(|(index, vector)| {
        let written = if asked.is_base64 {
            let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            Value::from(STANDARD.encode(bytes))
        } else {
            json!(vector)
        };
        json!({ "object": "embedding", "index": index, "embedding": written })
    });
    let rows: Vec<Value> = rows.collect();
    Ok(json!({
        "object": "list", "model": model.name(), "data": rows,
        "usage": { "prompt_tokens": tokens, "total_tokens": tokens },
    }))
}
