//! The contract of [`Embedder`].

use crate::embedder::{Embedder, embed};
use std::time::Duration;

/// The time that a batch of the suite may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Checks an embedder: its id and dimension, and that every text has one vector of that dimension,
/// the same alone and in a batch, whatever the text is.
///
/// # Panics
/// At the first breach, with a sentence that names it.
pub async fn embedder(embedder: &dyn Embedder) {
    let (id, dimension) = (embedder.id().to_owned(), embedder.dimension());
    assert!(!id.trim().is_empty() && !id.contains('\n'), "the id {id:?} is not a line");
    assert!(dimension > 0, "`{id}` has vectors without numbers");
    assert_eq!(vectors(embedder, &[]).await, Vec::<Vec<f32>>::new(), "no texts have no vectors");
    let texts: Vec<String> = odd_texts().into();
    let batch = vectors(embedder, &texts).await;
    assert_eq!(
        vectors(embedder, &texts).await,
        batch,
        "`{id}`: a second call gives something else"
    );
    for (text, vector) in texts.iter().zip(&batch) {
        let alone = vectors(embedder, std::slice::from_ref(text)).await;
        let first = alone.first().map(Vec::as_slice).unwrap_or_default();
        // Batches may be padded, which costs the last digits.
        let far = first.iter().zip(vector).any(|(one, other)| (one - other).abs() > 1e-3);
        let start: String = text.chars().take(20).collect();
        assert!(!far, "`{id}`: {start:?} has another vector alone than in a batch");
    }
    assert_eq!(embedder.id(), id, "the id of `{id}` changes");
    assert_eq!(embedder.dimension(), dimension, "the dimension of `{id}` changes");
}

async fn vectors(embedder: &dyn Embedder, texts: &[String]) -> Vec<Vec<f32>> {
    match embed(embedder, texts, LIMIT).await {
        Ok(vectors) => vectors,
        Err(error) => panic!("`{}` on {} texts: {error}", embedder.id(), texts.len()),
    }
}

fn odd_texts() -> [String; 5] {
    ["The server listens on a port.", "", "\u{0}\n\t", "价格是十二欧元。", &"long ".repeat(4_000)]
        .map(str::to_owned)
}
