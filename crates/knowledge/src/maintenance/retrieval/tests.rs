use super::*;
use crate::resolve::Embedding;
use crate::support::Place;
use contexture_context::tokens::O200K_BASE;
use std::sync::Arc;

fn run(questions: &str) -> Result<RetrievalRun, MaintenanceError> {
    run_with(Resolver::new(&O200K_BASE, None), questions)
}

fn run_with(resolver: Resolver, questions: &str) -> Result<RetrievalRun, MaintenanceError> {
    let place = Place::new();
    place.pack("project/.agents/knowledge/acme");
    let wiki = "project/.agents/knowledge/acme/wiki";
    let tea = "# Tea\n\n## Brewing\n\nPour water of *80 degrees* on the leaves.\n";
    place.write(&format!("{wiki}/tea.md"), tea);
    let price = "# Price\n\nA tin costs 12 euros.\n\n# Delivery\n\nWithin two days.\n";
    place.write(&format!("{wiki}/price.md"), price);
    let pack = place.discover().open("acme").unwrap();
    let file = place.write("questions.json", questions);
    eval_retrieval(&resolver, &O200K_BASE, &pack, &file)
}

#[test]
fn ma_8_gain_of_embedder_is_reported_beside_words_alone() {
    let questions = r#"{ "pack_name": "acme", "language": "en", "budget": 300, "questions": [
        { "id": "a", "kind": "paraphrase", "query": "When will my parcel arrive?",
          "answers": ["two days"] },
        { "id": "b", "kind": "off-topic", "query": "Which football club won the cup?" } ] }"#;
    let count = |text: &String, words: [&str; 2]| {
        f32::from(u8::from(words.iter().any(|word| text.contains(word))))
    };
    let embedding = Embedding::new("twin", move |texts: Vec<String>| {
        let vector = |text| vec![count(text, ["parcel", "Delivery"]), count(text, ["tin", "Tea"])];
        Ok(texts.iter().map(vector).collect())
    });
    let resolver = Resolver::new(&O200K_BASE, None).with_embedding(Arc::new(embedding));
    let found = run_with(resolver, questions).unwrap();
    for row in &found.rows {
        let (own, words) = (row.resolver.answer_recall, row.words.unwrap().answer_recall);
        let wanted = if row.name.as_deref() == Some("off-topic") { (1.0, 1.0) } else { (1.0, 0.0) };
        assert_eq!((own, words), wanted, "{row:?}");
    }
    assert!(found.ok);
    let by_words = run(questions).unwrap();
    assert!(!serde_json::to_string(&by_words).unwrap().contains("\"words\":{"));
}

#[test]
fn ma_8_recall_is_reported_by_kind_and_language_beside_bare_bm25() {
    let found = run(r#"{ "pack_name": "acme", "language": "en", "budget": 300, "questions": [
        { "id": "a", "kind": "words", "query": "How hot is the water for brewing tea?",
          "answers": ["80 degrees"] },
        { "id": "b", "kind": "words", "query": "What does a tin cost?", "answers": ["12  Euros"] },
        { "id": "c", "kind": "paraphrase", "query": "When will the parcel arrive?",
          "answers": ["two days"] },
        { "id": "d", "kind": "off-topic", "query": "Which football club won the cup?" } ] }"#)
    .unwrap();
    let row = |by: &str, name: Option<&str>| {
        found.rows.iter().find(|row| row.by == by && row.name.as_deref() == name).unwrap()
    };
    let all = row("all", None);
    assert_eq!((all.questions, all.resolver.answer_recall), (3, 0.6667));
    assert_eq!(row("kind", Some("words")).resolver.section_recall, 1.0);
    assert_eq!(row("kind", Some("words")).bm25.answer_recall, 1.0);
    assert_eq!(row("kind", Some("paraphrase")).resolver.answer_recall, 0.0);
    assert_eq!(row("kind", Some("off-topic")).resolver.answer_recall, 1.0);
    assert_eq!(row("language", Some("en")).questions, 3);
    assert!(all.resolver.tokens > 0.0 && all.resolver.tokens <= 300.0);
    let missed: Vec<(&str, &[String])> =
        found.missed.iter().map(|one| (&*one.id, &*one.lacks)).collect();
    assert_eq!(missed, [("c", ["two days".to_owned()].as_slice())]);
    assert!(!found.ok);
}

#[test]
fn ma_8_question_whose_answer_is_not_in_pack_is_error() {
    let question = |answer: &str| {
        format!(
            r#"{{ "pack_name": "acme", "questions": [
                {{ "id": "a", "kind": "words", "query": "tea", "answers": ["{answer}"] }} ] }}"#
        )
    };
    let error = run(&question("99 degrees")).unwrap_err().to_string();
    assert!(error.contains("question `a`: the pack has no text `99 degrees`"), "{error}");
    assert!(run(&question("80 degrees").replace("acme", "other")).is_err());
    assert!(run("{}").is_err());
}
