//! The contract of [`Reranker`].

use crate::reranker::{Reranker, rerank};
use std::time::Duration;

/// The time that a call of the suite may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Checks a reranker: its id, that every text has one finite number whatever the text is, that the
/// same call gives the same order, and that a text which answers the question goes before one that
/// has nothing to do with it, wherever the two are.
///
/// # Panics
/// At the first breach, with a sentence that names it.
pub async fn reranker(reranker: &dyn Reranker) {
    let id = reranker.id().to_owned();
    assert!(!id.trim().is_empty() && !id.contains('\n'), "the id {id:?} is not a line");
    assert_eq!(relevance(reranker, &[]).await, Vec::<f32>::new(), "no texts have no relevance");
    let texts: Vec<String> =
        ["", ANSWER, "\u{0}\n\t", OTHER, &"long ".repeat(4_000)].map(str::to_owned).into();
    let first = relevance(reranker, &texts).await;
    assert_eq!(relevance(reranker, &texts).await, first, "`{id}`: a second call differs");
    for texts in [[ANSWER, OTHER], [OTHER, ANSWER]] {
        let numbers = relevance(reranker, &texts.map(str::to_owned)).await;
        let of = |wanted: &str| {
            let place = texts.iter().position(|text| *text == wanted);
            place.and_then(|place| numbers.get(place)).copied()
        };
        assert!(of(ANSWER) > of(OTHER), "`{id}`: what answers does not go first in {texts:?}");
    }
    assert_eq!(reranker.id(), id, "the id of `{id}` changes");
}

const QUESTION: &str = "On which port does the server listen?";
const ANSWER: &str = "The server listens on port 7878.";
const OTHER: &str = "Zebrafish eat twice a day.";

async fn relevance(reranker: &dyn Reranker, texts: &[String]) -> Vec<f32> {
    match rerank(reranker, QUESTION, texts, LIMIT).await {
        Ok(relevance) => relevance,
        Err(error) => panic!("`{}` on {} texts: {error}", reranker.id(), texts.len()),
    }
}
