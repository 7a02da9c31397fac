//! The port of rerankers: texts in the order of their relevance to a question (HO-2, MA-7).
//!
//! Decision: [`rerank`] is how the port is called, as [`crate::embedder::embed`] is for embedders.

use crate::panics;
use crate::provider::BoxFuture;
use std::time::Duration;

/// The relevance of texts, in their order.
pub type Relevance = Result<Vec<f32>, RerankError>;

/// A model that reads a question together with a text, and says how relevant the text is.
///
/// Calls may run at the same time. Dropping the future ends the call; a future must not block its
/// thread.
pub trait Reranker: Send + Sync {
    /// Returns the id of the model.
    fn id(&self) -> &str;

    /// Returns a number for each text, in their order: greater is more relevant. Numbers of one call
    /// are compared with each other alone.
    fn rerank<'a>(&'a self, question: &'a str, texts: &'a [String]) -> BoxFuture<'a, Relevance>;
}

/// The reason why texts have no order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RerankError {
    /// The model failed.
    #[error("{0}")]
    Failed(String),
    /// There is not one number for each text.
    #[error("expected the relevance of {expected} texts, found {found}")]
    Count {
        /// The number of texts.
        expected: usize,
        /// The number of numbers.
        found: usize,
    },
    /// A number is NaN or infinite.
    #[error("a relevance is not a finite number")]
    NotFinite,
    /// The reranker panicked.
    #[error("the reranker panicked: {0}")]
    Panicked(String),
    /// The reranker took too long.
    #[error("the reranker did not answer within {} ms", .0.as_millis())]
    Timeout(Duration),
}

/// Returns the relevance of each text, within that time.
///
/// # Errors
/// [`RerankError`] when the reranker fails, panics, takes too long, or returns something else than
/// one finite number for each text.
pub async fn rerank(
    reranker: &dyn Reranker,
    question: &str,
    texts: &[String],
    limit: Duration,
) -> Relevance {
    let call = panics::caught(|| reranker.rerank(question, texts));
    let answer = tokio::time::timeout(limit, call).await;
    let relevance =
        answer.map_err(|_| RerankError::Timeout(limit))?.map_err(RerankError::Panicked)??;
    if relevance.len() != texts.len() {
        return Err(RerankError::Count { expected: texts.len(), found: relevance.len() });
    }
    if !relevance.iter().all(|number| number.is_finite()) {
        return Err(RerankError::NotFinite);
    }
    Ok(relevance)
}

/// A reranker for tests: a text is as relevant as it has different words of the question.
#[derive(Debug, Clone, Copy, Default)]
pub struct InMemoryReranker;

impl Reranker for InMemoryReranker {
    fn id(&self) -> &'static str {
        "in-memory"
    }

    fn rerank<'a>(&'a self, question: &'a str, texts: &'a [String]) -> BoxFuture<'a, Relevance> {
        let words = |text: &str| -> std::collections::BTreeSet<String> {
            let text = text.to_lowercase();
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        };
        let wanted = words(question);
        let shared = |text: &String| words(text).intersection(&wanted).count();
        let relevance =
            texts.iter().map(|text| f32::from(u16::try_from(shared(text)).unwrap_or(u16::MAX)));
        let relevance = relevance.collect();
        Box::pin(async move { Ok(relevance) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(50);

    /// A reranker that does something else.
    struct Odd<F>(F);

    impl<F: Fn() -> BoxFuture<'static, Relevance> + Send + Sync> Reranker for Odd<F> {
        fn id(&self) -> &'static str {
            "odd"
        }

        fn rerank<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Relevance> {
            (self.0)()
        }
    }

    fn ask(reranker: &dyn Reranker) -> Relevance {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let texts = ["The port is 7878.".to_owned(), "A refund takes a month.".to_owned()];
        runtime.block_on(rerank(reranker, "Which port?", &texts, LIMIT))
    }

    fn returns(relevance: Relevance) -> Relevance {
        ask(&Odd(move || {
            let relevance = relevance.clone();
            Box::pin(async move { relevance }) as BoxFuture<'static, Relevance>
        }))
    }

    #[test]
    fn ma_7_reranker_gives_one_finite_number_for_each_text_or_typed_error() {
        assert_eq!(ask(&InMemoryReranker), Ok(vec![1.0, 0.0]));
        assert_eq!(returns(Ok(vec![-2.0, 8.5])), Ok(vec![-2.0, 8.5]));
        let count = RerankError::Count { expected: 2, found: 1 };
        assert_eq!(returns(Ok(vec![1.0])), Err(count));
        assert_eq!(returns(Ok(vec![1.0, f32::NAN])), Err(RerankError::NotFinite));
        let failed = RerankError::Failed("no model".to_owned());
        assert_eq!(returns(Err(failed.clone())), Err(failed));
    }

    #[test]
    fn ma_7_reranker_that_panics_or_hangs_gives_typed_error() {
        let panics = Odd(|| -> BoxFuture<'static, Relevance> { panic!("no\nmodel") });
        assert_eq!(ask(&panics), Err(RerankError::Panicked("no model".to_owned())));
        let hangs = Odd(|| Box::pin(std::future::pending()) as BoxFuture<'static, Relevance>);
        assert_eq!(ask(&hangs), Err(RerankError::Timeout(LIMIT)));
    }

    #[cfg(feature = "contract")]
    #[test]
    fn ma_7_in_memory_reranker_passes_contract() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(crate::contract::reranker(&InMemoryReranker));
    }
}
