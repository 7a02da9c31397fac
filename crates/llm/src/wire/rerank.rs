//! The form of servers that rank texts, which Cohere, Jina and vLLM have in common (MA-7).

use super::Parts;
use super::openai::OpenAi;
use serde_json::{Value, json};

/// Returns the request for the relevance of texts.
pub(super) fn request(wire: &OpenAi, question: &str, texts: &[String]) -> Parts {
    let body = json!({
        "model": wire.model,
        "query": question,
        "documents": texts,
        "top_n": texts.len(),
    });
    wire.post("rerank", body)
}

/// Reads the relevance of so many texts, which come in any order.
pub(super) fn relevance(answer: &Value, count: usize) -> Result<Vec<f32>, String> {
    let rows = answer.get("results").and_then(Value::as_array);
    let rows = rows.ok_or("it has no list `results`")?;
    if rows.len() != count {
        return Err(format!("{count} texts were to be ranked, and {} came", rows.len()));
    }
    let mut relevance = vec![None; count];
    for row in rows {
        let index =
            row.get("index").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
        let score = row.get("relevance_score").cloned().unwrap_or_default();
        let score = serde_json::from_value::<f32>(score).ok();
        match (index.and_then(|index| relevance.get_mut(index)), score) {
            (Some(place @ None), Some(score)) => *place = Some(score),
            _ => return Err(format!("its result {row} can't be used")),
        }
    }
    Ok(relevance.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture_core::Secret;

    #[test]
    fn ma_7_ranking_is_asked_for_in_the_common_form() {
        let wire = OpenAi {
            name: "host".into(),
            base: "https://host/v1".into(),
            key: Some(Secret::new("sk-secret-key")),
            model: "org/ranker".into(),
            official: false,
        };
        let parts = request(&wire, "Which port?", &["a".to_owned(), "b".to_owned()]);
        assert_eq!(parts.url, "https://host/v1/rerank");
        let body = json!({
            "model": "org/ranker", "query": "Which port?", "documents": ["a", "b"], "top_n": 2
        });
        assert_eq!(parts.body, body);
        assert_eq!(parts.headers.len(), 1);
        assert!(!format!("{parts:?}").contains("sk-secret-key"));
    }

    #[test]
    fn ma_7_results_come_in_the_order_of_the_texts_or_are_refused() {
        let row = |index: i64, score: Value| json!({ "index": index, "relevance_score": score });
        let read = |rows: Vec<Value>| relevance(&json!({ "results": rows }), 2);
        let ranked = vec![row(1, json!(0.9)), row(0, json!(-3))];
        assert_eq!(read(ranked), Ok(vec![-3.0, 0.9]));
        for (rows, reason) in [
            (vec![row(0, json!(1))], "2 texts were to be ranked, and 1 came"),
            (vec![row(0, json!(1)), row(0, json!(1))], "can't be used"),
            (vec![row(0, json!(1)), row(2, json!(1))], "can't be used"),
            (vec![row(0, json!(1)), row(-1, json!(1))], "can't be used"),
            (vec![row(0, json!(1)), row(1, json!("high"))], "can't be used"),
        ] {
            let error = read(rows).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        assert_eq!(relevance(&json!({}), 2), Err("it has no list `results`".to_owned()));
    }
}
