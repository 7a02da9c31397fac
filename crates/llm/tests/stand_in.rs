//! The built-in model, held to questions and forms over documents that others wrote (CA-9).
//!
//! A third of the cases was held out while the model was worked on; both figures must hold.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    missing_docs,
    reason = "tests"
)]

use contexture_answer::{Field, Shape};
use contexture_llm::extractive::NOTHING_FOUND;
use contexture_llm::{CancelToken, ChatCall, Extractive, LlmError, Provider, SchemaHint};
use contexture_prompt::{OpenaiChatMessage, OpenaiChatRequest, Role};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A question, or a form, over one document.
#[derive(Deserialize)]
struct Case {
    on: String,
    ask: String,
    /// The fields of a form, with their types; without it the question is one of its own.
    #[serde(default)]
    form: Option<BTreeMap<String, String>>,
    right: Value,
}

#[derive(Default, Debug, Clone, Copy)]
struct Tally {
    right: usize,
    abstained: usize,
    wrong: usize,
    answerable: usize,
}

impl Tally {
    fn add(&mut self, said: Option<&str>, right: &Value) -> &'static str {
        self.answerable += usize::from(!right.is_null());
        let given = said.map(|said| said.split_whitespace().collect::<Vec<_>>().join(" "));
        let parts = right.as_array().map(Vec::as_slice).unwrap_or_default();
        let part = |part: &Value| part.as_str().unwrap().replace('\n', " ");
        match given {
            None => {
                self.abstained += 1;
                "abstained"
            }
            Some(said)
                if said.len() <= 600 && parts.iter().any(|one| said.contains(&part(one))) =>
            {
                self.right += 1;
                "right"
            }
            Some(_) => {
                self.wrong += 1;
                "WRONG"
            }
        }
    }

    fn wrong_share(self) -> f64 {
        self.wrong as f64 / (self.right + self.abstained + self.wrong) as f64
    }
}

fn document(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = folder.join("tests/stand_in/documents").join(name);
    let path = if own.exists() { own } else { folder.join("../..").join(name) };
    std::fs::read_to_string(path).unwrap()
}

fn answer(case: &Case, shape: Option<&Shape>) -> Result<String, LlmError> {
    let text = format!(
        "Context:\n[document]\nsource: documents/{}\n<untrusted_data trust=\"tool\">\n{}\n</untrusted_data>\n\nInstruction:\n{}",
        case.on,
        document(&case.on).trim_end(),
        case.ask
    );
    let request = OpenaiChatRequest {
        messages: vec![OpenaiChatMessage::of_text(Role::User, text)],
        ..OpenaiChatRequest::default()
    };
    let schema = shape.map(|shape| SchemaHint::of_shape(shape, false).into());
    let call = ChatCall { schema, ..ChatCall::from(request) };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let reply = runtime.block_on(Extractive::new().complete(&call, None, &CancelToken::new()))?;
    Ok(reply.response.text)
}

fn ask(case: &Case, tally: &mut Tally, shown: bool) {
    let shape = Shape::Object(vec![Field::new("answer", Shape::String)]);
    let shaped = match answer(case, Some(&shape)) {
        Ok(text) => Some(serde_json::from_str::<Value>(&text).unwrap()["answer"].clone()),
        Err(LlmError::NothingSupports { fields }) => {
            assert_eq!(fields, ["answer"]);
            None
        }
        Err(error) => panic!("{error}"),
    };
    let said = shaped.as_ref().map(|said| said.as_str().unwrap());
    // Without a shape the same question has the same answer.
    let plain = answer(case, None).unwrap();
    assert_eq!(plain == NOTHING_FOUND, said.is_none(), "{}: {plain}", case.ask);
    let outcome = tally.add(said, &case.right);
    if shown {
        println!("{outcome}: {} | {} | {said:?}", case.on, case.ask);
    }
}

fn fill(case: &Case, form: &BTreeMap<String, String>, tally: &mut Tally, shown: bool) {
    let of = |(name, kind): (&String, &String)| {
        let shape = match kind.as_str() {
            "number" => Shape::Number,
            "integer" => Shape::Integer,
            _ => Shape::String,
        };
        Field::new(name, shape).optional()
    };
    let shape = Shape::Object(form.iter().map(of).collect());
    let value: Value = serde_json::from_str(&answer(case, Some(&shape)).unwrap()).unwrap();
    for name in form.keys() {
        let said = value.get(name).map(|said| match said {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let outcome = tally.add(said.as_deref(), &case.right[name]);
        if shown {
            println!("{outcome}: {} | {name} | {said:?}", case.on);
        }
    }
}

#[test]
fn ca_9_questions_over_real_documents_are_answered_rightly_or_not_at_all() {
    let cases = include_str!("stand_in/questions.jsonl").lines();
    let cases: Vec<Case> = cases.map(|line| serde_json::from_str(line).unwrap()).collect();

    let mut tallies = [Tally::default(); 2];
    for (number, case) in cases.iter().enumerate() {
        // Every third case is held out, and not shown either.
        let is_held_out = number % 3 == 2;
        let tally = &mut tallies[usize::from(is_held_out)];
        match &case.form {
            Some(form) => fill(case, form, tally, !is_held_out),
            None => ask(case, tally, !is_held_out),
        }
    }
    let [seen, held_out] = tallies;
    println!("seen: {seen:?}\nheld out: {held_out:?}");
    let whole = Tally {
        right: seen.right + held_out.right,
        abstained: seen.abstained + held_out.abstained,
        wrong: seen.wrong + held_out.wrong,
        answerable: seen.answerable + held_out.answerable,
    };
    assert!(cases.len() >= 60, "{}", cases.len());
    assert!(whole.wrong_share() <= 0.1, "{whole:?}");
    assert!(held_out.wrong_share() <= 0.1, "{held_out:?}");
    for tally in [whole, held_out] {
        assert!(tally.right * 2 >= tally.answerable, "{tally:?}");
    }
}
