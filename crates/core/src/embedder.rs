//! The port of embedders: texts as vectors, so that texts of one meaning are found by it (HO-2).
//!
//! Decision: [`embed`] is how the port is called. It turns a panic, a hang and vectors that cannot
//! be compared into typed errors, so that no caller has to.

use crate::panics;
use crate::provider::BoxFuture;
use std::time::Duration;

/// The vectors of a batch, in the order of its texts.
pub type Vectors = Result<Vec<Vec<f32>>, EmbedError>;

/// A model that turns texts into vectors.
///
/// Calls may run at the same time. Dropping the future ends the call; a future must not block its
/// thread.
pub trait Embedder: Send + Sync {
    /// Returns the id of the model. Vectors are kept by it: under one id a text has one vector.
    fn id(&self) -> &str;

    /// Returns how many numbers a vector has.
    fn dimension(&self) -> usize;

    /// Returns a vector for each text, in their order.
    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Vectors>;
}

/// The reason why texts have no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The model failed.
    #[error("{0}")]
    Failed(String),
    /// There is not one vector for each text.
    #[error("expected {expected} vectors, found {found}")]
    Count {
        /// The number of texts.
        expected: usize,
        /// The number of vectors.
        found: usize,
    },
    /// A vector has another dimension than the embedder declares.
    #[error("expected vectors of {expected} numbers, found one of {found}")]
    Dimension {
        /// The declared dimension.
        expected: usize,
        /// The dimension of the vector.
        found: usize,
    },
    /// A vector holds NaN or an infinite number.
    #[error("a vector holds a number that is not finite")]
    NotFinite,
    /// The embedder panicked.
    #[error("the embedder panicked: {0}")]
    Panicked(String),
    /// The embedder took too long.
    #[error("the embedder did not answer within {} ms", .0.as_millis())]
    Timeout(Duration),
}

/// Returns a vector for each text, within that time.
///
/// # Errors
/// [`EmbedError`] when the embedder fails, panics, takes too long, or returns something else than
/// one vector of its dimension, of finite numbers, for each text.
pub async fn embed(embedder: &dyn Embedder, texts: &[String], limit: Duration) -> Vectors {
    let call = panics::caught(|| embedder.embed(texts));
    let answer = tokio::time::timeout(limit, call).await;
    let vectors =
        answer.map_err(|_| EmbedError::Timeout(limit))?.map_err(EmbedError::Panicked)??;
    if vectors.len() != texts.len() {
        return Err(EmbedError::Count { expected: texts.len(), found: vectors.len() });
    }
    let expected = embedder.dimension();
    for vector in &vectors {
        if vector.len() != expected {
            return Err(EmbedError::Dimension { expected, found: vector.len() });
        }
        if !vector.iter().all(|number| number.is_finite()) {
            return Err(EmbedError::NotFinite);
        }
    }
    Ok(vectors)
}

/// An embedder for tests: words of one meaning share a dimension, which counts them in a text.
#[derive(Debug, Clone, Default)]
pub struct InMemoryEmbedder {
    meanings: Vec<Vec<String>>,
}

impl InMemoryEmbedder {
    /// Returns an embedder of these meanings, each a list of words in lower case.
    #[must_use]
    pub fn new<const N: usize>(meanings: [&[&str]; N]) -> Self {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self { meanings: meanings.into_iter().map(words).collect() }
    }
}

impl Embedder for InMemoryEmbedder {
    fn id(&self) -> &'static str {
        "in-memory"
    }

    fn dimension(&self) -> usize {
        self.meanings.len()
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Vectors> {
        let vector = |text: &String| {
            let text = text.to_lowercase();
            let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
            let count = |meaning: &Vec<String>| {
                let is_of = |word: &&&str| meaning.iter().any(|known| known == *word);
                f32::from(u16::try_from(words.iter().filter(is_of).count()).unwrap_or(u16::MAX))
            };
            self.meanings.iter().map(count).collect()
        };
        let vectors = texts.iter().map(vector).collect();
        Box::pin(async move { Ok(vectors) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(50);

    /// An embedder of two numbers that does something else.
    struct Odd<F>(F);

    impl<F: Fn() -> BoxFuture<'static, Vectors> + Send + Sync> Embedder for Odd<F> {
        fn id(&self) -> &'static str {
            "odd"
        }

        fn dimension(&self) -> usize {
            2
        }

        fn embed<'a>(&'a self, _texts: &'a [String]) -> BoxFuture<'a, Vectors> {
            (self.0)()
        }
    }

    fn ask(embedder: &dyn Embedder) -> Vectors {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(embed(embedder, &["a".to_owned(), "b".to_owned()], LIMIT))
    }

    fn returns(vectors: Vec<Vec<f32>>) -> Vectors {
        ask(&Odd(move || {
            let vectors = vectors.clone();
            Box::pin(async move { Ok(vectors) }) as BoxFuture<'static, Vectors>
        }))
    }

    #[test]
    fn ho_2_vectors_that_cannot_be_compared_are_typed_errors() {
        let good = vec![1.0, -2.5];
        assert_eq!(returns(vec![good.clone(); 2]), Ok(vec![good.clone(); 2]));
        let count = EmbedError::Count { expected: 2, found: 1 };
        assert_eq!(returns(vec![good.clone()]), Err(count));
        let dimension = EmbedError::Dimension { expected: 2, found: 3 };
        assert_eq!(returns(vec![good.clone(), vec![1.0; 3]]), Err(dimension));
        for number in [f32::NAN, f32::INFINITY] {
            assert_eq!(returns(vec![good.clone(), vec![0.0, number]]), Err(EmbedError::NotFinite));
        }
    }

    #[test]
    fn ho_2_embedder_that_fails_panics_or_hangs_gives_typed_error() {
        let failed = EmbedError::Failed("no model".to_owned());
        let told = failed.clone();
        let fails = Odd(move || {
            let told = told.clone();
            Box::pin(async move { Err(told) }) as BoxFuture<'static, Vectors>
        });
        assert_eq!(ask(&fails), Err(failed));
        let at_once = Odd(|| -> BoxFuture<'static, Vectors> { panic!("no\nmodel") });
        assert_eq!(ask(&at_once), Err(EmbedError::Panicked("no model".to_owned())));
        let later = Odd(|| {
            let vectors = async || -> Vectors { panic!("later") };
            Box::pin(async move { vectors().await }) as BoxFuture<'static, Vectors>
        });
        assert_eq!(ask(&later), Err(EmbedError::Panicked("later".to_owned())));
        let hangs = Odd(|| Box::pin(std::future::pending()) as BoxFuture<'static, Vectors>);
        assert_eq!(ask(&hangs), Err(EmbedError::Timeout(LIMIT)));
    }

    #[cfg(feature = "contract")]
    #[test]
    fn ho_2_in_memory_embedder_passes_contract() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let embedder = InMemoryEmbedder::new([&["refund", "money"], &["port"]]);
        runtime.block_on(crate::contract::embedder(&embedder));
    }
}
