//! Keeps a run in a store of one's own, and lists what is there: `cargo run -- FOLDER`.

use contexture_core::context::{Digest, TRACE_VERSION, TraceEvent, TraceKind, manifest::Blob};
use contexture_core::store::runs::RunStore;
use contexture_store::stamp;
use own_store::JsonLines;
use serde_json::json;
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("give a folder for the runs")?;
    let store: Arc<dyn RunStore> = Arc::new(JsonLines::new(folder.into(), stamp::system()));

    let run = store.begin(Arc::default())?;
    let text = "What the model saw.";
    let digest = Digest::of_text(text);
    run.keep(&[Blob { digest: digest.clone(), text: text.to_owned() }])?;
    run.append(&TraceEvent {
        v: TRACE_VERSION,
        id: 1,
        parent: None,
        kind: TraceKind::Run,
        start_us: stamp::system().now_us(),
        duration_us: Some(1_500),
        data: json!({"program": "hello.as", "prompt": digest.to_string()}),
    })?;

    for id in store.ids()? {
        let summary = store.summary(&id)?;
        println!("{id}  {}  {} bytes", summary.data["program"], summary.bytes);
    }
    let kept = store.text(run.id(), &digest)?;
    println!("{}", kept.unwrap_or_default());
    Ok(())
}
