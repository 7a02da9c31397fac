//! A provider of models that an application adds: an "echo server" in this process, addressed as
//! `echo://name`. A real one would send the request to its server in `complete`.
//!
//! ```sh
//! cargo run
//! ```

use contexture::llm::{
    BoxFuture, CancelToken, ChatCall, LlmError, Provider, Reply, Secret, TextSink,
};
use contexture::prompt::{ChatResponse, Usage};
use contexture::{Runtime, tokio};
use std::sync::Arc;

/// A model that repeats the last message.
struct Echo {
    uri: String,
    key: Secret,
}

impl Provider for Echo {
    fn uri(&self) -> &str {
        &self.uri
    }

    fn secrets(&self) -> Vec<Secret> {
        vec![self.key.clone()]
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(LlmError::Cancelled);
            }
            let messages = &call.request.messages;
            let text = messages.last().map(|last| last.text().into_owned()).unwrap_or_default();
            if let Some(sink) = sink {
                for word in text.split_inclusive(' ') {
                    sink(word);
                }
            }
            let count = |text: &str| self.tokenizer().count(text) as u64;
            let prompt = messages.iter().map(|message| count(&message.text())).sum();
            let usage = Usage::new(prompt, count(&text));
            Ok(Reply::from(ChatResponse { text, usage, ..ChatResponse::default() }))
        })
    }
}

/// Connects to the model that a URI names: nothing is sent yet, so a missing key is told here.
fn connect(uri: &str) -> Result<Arc<dyn Provider>, LlmError> {
    let key = Secret::new("a key from your own settings");
    Ok(Arc::new(Echo { uri: uri.to_owned(), key }))
}

const PROGRAM: &str = r#"
import llm Own from "echo://small"
main func(input { question string }) {
  model Own
  generate({ input: input.question })
}
"#;

#[tokio::main(flavor = "current_thread", crate = "contexture::tokio")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("own-provider-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("ask.as"), PROGRAM)?;
    let runtime = Runtime::builder(&folder).provider("echo", connect).build()?;
    let question = contexture::serde_json::json!({ "question": "Is anybody there?" });
    let run = runtime.run("ask.as").input(question).await?;
    println!("{}", run.value.as_str().unwrap_or_default());
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(crate = "contexture::tokio")]
    async fn ho_2_example_provider_passes_the_public_suite() {
        contexture::contract::provider(connect("echo://small").unwrap()).await;
    }

    #[test]
    fn ho_2_example_provider_answers_a_program() {
        main().unwrap();
    }
}
