//! Asks a model once: `cargo run -p contexture-llm --example ask -- URI [--schema JSON] [--stream]
//! [--timeout MS] [--max-output N] < prompt`. Prints the answer as one line of JSON; exit 1 when
//! there is none. Times out and streams as the library does, so that it serves as a probe.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

use contexture_llm::{CancelToken, ChatCall, ModelUri, ProviderSettings, SchemaHint, connect};
use contexture_prompt::{OpenaiChatMessage, OpenaiChatRequest, Role};
use std::io::Read;
use std::process::ExitCode;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Vec<String>) -> Outcome<()> {
    let mut arguments = arguments.into_iter();
    let uri: ModelUri = arguments.next().ok_or("a model URI is missing")?.parse()?;
    let mut call = ChatCall::default();
    let mut stream = false;
    let mut cancel_after = None;
    while let Some(option) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{option} needs a value"));
        match option.as_str() {
            "--stream" => stream = true,
            "--schema" => {
                let schema = serde_json::from_str(&value()?)?;
                call.schema = Some(SchemaHint::of_schema("answer", schema).into());
            }
            "--timeout" => call.timeout = Some(Duration::from_millis(value()?.parse()?)),
            "--max-output" => call.max_output = Some(value()?.parse()?),
            "--cancel-after" => cancel_after = Some(Duration::from_millis(value()?.parse()?)),
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    let mut prompt = String::new();
    std::io::stdin().read_to_string(&mut prompt)?;
    call.request = OpenaiChatRequest {
        messages: vec![OpenaiChatMessage::of_text(Role::User, prompt)],
        ..OpenaiChatRequest::default()
    };
    let settings = ProviderSettings::from_vars(|name| std::env::var(name).ok());
    let model = connect(&uri, &settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let cancel = CancelToken::new();
    let began = Instant::now();
    let mut pieces = 0_u64;
    let mut count = |_: &str| pieces += 1;
    let reply = runtime.block_on(async {
        let switch = cancel.clone();
        if let Some(wait) = cancel_after {
            tokio::spawn(async move {
                tokio::time::sleep(wait).await;
                switch.cancel();
            });
        }
        model.complete(&call, stream.then_some(&mut count), &cancel).await
    })?;
    let report = serde_json::json!({
        "text": reply.response.text,
        "finish_reason": reply.response.finish_reason,
        "usage": reply.response.usage,
        "usage_estimated": reply.usage_estimated,
        "warnings": reply.warnings,
        "pieces": pieces,
        "milliseconds": u64::try_from(began.elapsed().as_millis())?,
    });
    println!("{report}");
    Ok(())
}
