use super::*;
use contexture_answer::{Extra, Field, Shape, validate};
use contexture_core::provider::SchemaHint;
use contexture_prompt::{OpenaiChatMessage, OpenaiChatRequest, Role};
use proptest::prelude::*;
use serde_json::json;

const NOTES: &str = "# Cache\n\nThe cache stores rendered pages and API answers, keyed by URL.\nAn entry of the cache expires after ten minutes, or earlier when an editor publishes the page.\nThe cache evicts the least recently used entries when it holds more than 5,000 of them.\nA miss costs about 40 milliseconds, because the page is rendered anew.\n";

const INVOICE: &str = "Northwind Paper GmbH\nInvoice number: NP-2024-0317\nDate: 17 March 2024\nCurrency: EUR\n\nPositions\n- Copy paper A4, quantity 40\n- Envelopes C5, quantity 200\n\nTotal amount: 418.60\nPayment terms: payable within 14 days without deduction.\n";

const MEETING: &str = "产品周会记录\n\n本次会议的主题是新版本发布计划。\n会议决定在十二月三日发布 2.0 版本。\n会议决定推迟移动端的改版，先完成支付接口。\n待办：李雷在周五之前完成支付接口的测试。\n待办：韩梅梅更新用户手册。\n大家讨论了搜索速度的问题。\n";

fn prompt(items: &[(&str, &str)], instruction: &str) -> String {
    let mut text = String::from("Context:\n");
    for (label, item) in items {
        text.push_str(&format!(
            "[{label}]\nsource: {label}\n<untrusted_data trust=\"tool\">\n{}\n</untrusted_data>\n\n",
            item.trim_end()
        ));
    }
    text + "Instruction:\n" + instruction
}

fn call(text: &str, shape: Option<&Shape>) -> ChatCall {
    let messages = vec![
        OpenaiChatMessage::of_text(Role::System, "You are careful."),
        OpenaiChatMessage::of_text(Role::User, text),
    ];
    ChatCall {
        schema: shape.map(|shape| SchemaHint::of_shape(shape, false).into()),
        ..ChatCall::from(OpenaiChatRequest { messages, ..OpenaiChatRequest::default() })
    }
}

fn filled(items: &[(&str, &str)], instruction: &str, fields: Vec<Field>) -> Value {
    let shape = Shape::Object(fields);
    let text = format!("{}\n\n{}", prompt(items, instruction), contexture_answer::contract(&shape));
    serde_json::from_str(&answer(&call(&text, Some(&shape))).unwrap().0).unwrap()
}

#[test]
fn as_24_document_is_summarised_with_sentences_from_it() {
    let fields = vec![
        Field::new("title", Shape::String),
        Field::new("summary", Shape::String).describe("Two sentences."),
        Field::new("key_points", Shape::list(Shape::String)).describe("At most 3 points."),
    ];
    let value = filled(&[("document", NOTES)], "Summarise the document.", fields);
    assert_eq!(value["title"], "Cache");
    let summary = value["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("The cache stores rendered pages and API answers, keyed by URL."),
        "{summary}"
    );
    let points = value["key_points"].as_array().unwrap();
    assert!((2..=3).contains(&points.len()), "{points:?}");
    assert!(points.iter().all(|point| NOTES.contains(point.as_str().unwrap())), "{points:?}");
}

#[test]
fn as_24_facts_numbers_choices_and_records_are_found() {
    let position =
        vec![Field::new("description", Shape::String), Field::new("quantity", Shape::Integer)];
    let fields = vec![
        Field::new("invoice_number", Shape::String),
        Field::new("currency", Shape::one_of(["USD", "EUR"])),
        Field::new("total", Shape::Number).describe("The total amount to pay."),
        Field::new("items", Shape::list(Shape::Object(position)))
            .describe("One entry per position."),
        Field::new("payment_terms", Shape::String).optional(),
        Field::new("discount", Shape::Number).optional(),
    ];
    let value = filled(&[("invoice", INVOICE)], "Extract the invoice.", fields);
    assert_eq!(
        value,
        json!({
            "invoice_number": "NP-2024-0317",
            "currency": "EUR",
            "total": 418.60,
            "items": [
                {"description": "Copy paper A4", "quantity": 40},
                {"description": "Envelopes C5", "quantity": 200}
            ],
            "payment_terms": "payable within 14 days without deduction."
        })
    );
}

#[test]
fn ca_9_number_comes_from_labelled_place_or_not_at_all() {
    let number = |name: &str| Field::new(name, Shape::Number).optional();
    let text = "The cache holds at most 5,000 entries and its size is about 12 MB.\nOrder total: 40.50\nTotal discount: 3\nShipping is included in the total of 263.30, and 1,200 carts were affected.";
    let names = ["entries", "size", "shipping", "total_discount", "carts", "score", "port"];
    let value = filled(&[("notes", text)], "Extract the figures.", names.map(number).into());
    assert_eq!(value, json!({"entries": 5000, "size": 12, "total_discount": 3, "carts": 1200}));
    // Two places that say different things say nothing.
    let twice = "Total: 40\nTotal: 512\n";
    assert_eq!(filled(&[("a", twice)], "Extract.", vec![number("total")]), json!({}));
}

#[test]
fn ca_9_sentence_that_says_all_that_is_asked_is_answer() {
    for (text, question) in [
        ("The cache holds ten pages.", "How many pages does the cache hold?"),
        ("The widget costs 89 euros, VAT included.", "What does the widget cost?"),
    ] {
        let fields = vec![Field::new("answer", Shape::String)];
        assert_eq!(filled(&[("evidence", text)], question, fields)["answer"], text);
    }
}

#[test]
fn ca_9_quoted_earlier_mail_is_not_the_mail() {
    let mail = "From: Ada <ada@shop.example>\nSubject: Order\n\nPlease cancel the order below and send one pump.\nTotal: 263.30\n\nOn Mon, 1 Jan 2024, Bob wrote:\n> Total: 512.00\n> Shipping: 12.00\n> The pump is blue.\n";
    let fields = vec![
        Field::new("total", Shape::Number),
        Field::new("shipping", Shape::Number).optional(),
        Field::new("sender", Shape::String).optional(),
    ];
    assert_eq!(filled(&[("mail", mail)], "Extract the order.", fields), json!({"total": 263.3}));
    assert_eq!(
        answer(&call(&prompt(&[("mail", mail)], "Which colour does the pump have?"), None)),
        Ok((NOTHING_FOUND.to_owned(), false))
    );
}

#[test]
fn ca_9_cut_context_gives_neither_marker_nor_part_of_sentence() {
    let cut = "The server listens on port 78… [clipped: 1014 of 1015 tokens]";
    let answer_of = |text: &str, ask: &str| answer(&call(&prompt(&[("notes", text)], ask), None));
    let nothing = Ok((NOTHING_FOUND.to_owned(), false));
    assert_eq!(answer_of(cut, "Which port does the server listen on?"), nothing);
    assert_eq!(answer_of("… [clipped: 1014 of 1015 tokens]", "Summarise the notes."), nothing);
    assert_eq!(answer_of("</untrusted_data>", "Summarise the notes."), nothing);
    let json = "[\n  \"The server listens on port 7878.… [clipped: 3 of 9 tokens]\",\n  \"The log is… [clipped: 3 of 9 tokens]\"\n]\n… [clipped: 20 of 40 tokens]";
    assert_eq!(
        answer_of(json, "Which port does the server listen on?").unwrap().0,
        "The server listens on port 7878."
    );
    assert_eq!(answer_of(json, "Where is the log?"), nothing);
}

#[test]
fn ca_9_choice_is_made_by_what_the_text_says() {
    let of = |text: &str, name: &str, choices: &[&str]| {
        let field = Field::new(name, Shape::one_of(choices.iter().copied())).optional();
        filled(&[("notes", text)], "Classify.", vec![field]).get(name).cloned()
    };
    let levels = ["low", "medium", "high"];
    assert_eq!(of("TODO: refuse a high quantity", "severity", &levels), None);
    assert_eq!(of("The severity is high.", "severity", &levels), Some(json!("high")));
    assert_eq!(of("Severity: low, not medium", "severity", &levels), None);
    assert_eq!(of("Paid in EUR.", "currency", &["EUR", "USD"]), Some(json!("EUR")));
    assert_eq!(of("Paid in EUR or USD.", "currency", &["EUR", "USD"]), None);
}

#[test]
fn as_24_chinese_is_read_like_any_other_text() {
    let fields = vec![
        Field::new("标题", Shape::String),
        Field::new("主题", Shape::String),
        Field::new("决定", Shape::list(Shape::String)).describe("会议作出的决定"),
        Field::new("待办", Shape::list(Shape::String)).describe("待办事项"),
    ];
    let value = filled(&[("记录", MEETING)], "整理会议的主题、决定和待办事项。", fields);
    assert_eq!(
        value,
        json!({
            "标题": "产品周会记录",
            "主题": "本次会议的主题是新版本发布计划。",
            "决定": ["会议决定在十二月三日发布 2.0 版本。", "会议决定推迟移动端的改版，先完成支付接口。"],
            "待办": ["李雷在周五之前完成支付接口的测试。", "韩梅梅更新用户手册。"]
        })
    );
}

#[test]
fn as_24_question_gets_sentence_that_answers_it() {
    let items = [("user question", "When does an entry expire?"), ("notes", NOTES)];
    let fields = vec![
        Field::new("answer", Shape::String),
        Field::new("done", Shape::Boolean).describe("Whether the notes hold the answer."),
        Field::new("search", Shape::String).describe("One word to search for next."),
    ];
    let value = filled(&items, "Answer the user question from the notes.", fields.clone());
    let expected = "An entry of the cache expires after ten minutes, or earlier when an editor publishes the page.";
    assert_eq!(value["answer"], expected);
    assert_eq!(value["done"], true);
    let other = [("user question", "Which port does the server listen on?"), ("notes", NOTES)];
    let fields = fields.into_iter().map(|field| field.optional()).collect();
    let value = filled(&other, "Answer the user question from the notes.", fields);
    assert_eq!((&value["answer"], &value["done"]), (&Value::Null, &json!(false)));
    assert!(value["search"].is_string());
    let free = prompt(&[("notes", NOTES)], "When does an entry expire?");
    assert_eq!(answer(&call(&free, None)).unwrap().0, expected);
}

#[test]
fn ca_9_who_is_answered_by_sentence_that_begins_with_name() {
    let notes =
        "Use 20 g of citric acid in a litre of water.\nAnna has the key to the store room.\n";
    let asked = prompt(&[("notes", notes)], "Who has the key to the store room?");
    assert_eq!(answer(&call(&asked, None)).unwrap().0, "Anna has the key to the store room.");
    let nobody =
        "Use 20 g of citric acid in a litre of water.\nThe key to the store room is lost.\n";
    let asked = prompt(&[("notes", nobody)], "Who has the key to the store room?");
    assert_eq!(answer(&call(&asked, None)).unwrap().0, "nothing found");
}

#[test]
fn as_24_json_items_are_quoted_by_their_texts() {
    let hits = json!([
        {"path": "a.md", "line": 3, "text": "The server listens on port 7878."},
        {"path": "b.md", "line": 9, "text": "The logger writes one line per request."}
    ]);
    let hits = serde_json::to_string_pretty(&hits).unwrap();
    let place = vec![Field::new("path", Shape::String), Field::new("line", Shape::Integer)];
    let fields = vec![
        Field::new("answer", Shape::String),
        Field::new("port", Shape::Integer),
        Field::new("places", Shape::list(Shape::Object(place))),
    ];
    let value = filled(&[("hits", &hits)], "Which port does the server listen on?", fields);
    assert_eq!(
        value,
        json!({
            "answer": "The server listens on port 7878.",
            "port": 7878,
            "places": [{"path": "a.md", "line": 3}, {"path": "b.md", "line": 9}]
        })
    );
}

#[test]
fn as_24_report_is_accepted_if_notes_support_it() {
    let fields = || {
        vec![Field::new("accepted", Shape::Boolean), Field::new("gaps", Shape::list(Shape::String))]
    };
    let good = r#"{"text": "An entry of the cache expires after ten minutes."}"#;
    let bad = r#"{"text": "An entry of the cache is kept since elephants remember every page."}"#;
    let instruction = "Is every statement of the report supported by the notes?";
    let judge = |report| filled(&[("report", report), ("notes", NOTES)], instruction, fields());
    assert_eq!(judge(good), json!({"accepted": true, "gaps": []}));
    assert_eq!(judge(bad)["accepted"], false);
}

#[test]
fn ca_9_required_field_without_support_is_named_and_optional_one_left_out() {
    let nested = Shape::Object(vec![Field::new("x", Shape::String)]);
    let fields = vec![
        Field::new("text", Shape::String),
        Field::new("n", Shape::Integer),
        Field::new("list", Shape::list(Shape::String)),
        Field::new("kind", Shape::one_of(["a", "other"])),
        Field::new("o", nested),
        Field::new("maybe", Shape::String).optional(),
        Field::new("errors", Shape::list(Shape::String)),
    ];
    let asked = |shape: &Shape| answer(&call("Instruction:\nSay hello.", Some(shape)));
    let missing = asked(&Shape::Object(fields)).unwrap_err();
    assert_eq!(missing, ["text", "n", "list", "kind", "o.x"]);
    assert_eq!(asked(&Shape::String).unwrap_err(), ["the answer"]);
    let optional = Shape::Object(vec![Field::new("maybe", Shape::String).optional()]);
    assert_eq!(asked(&optional), Ok(("{}".to_owned(), false)));
    assert_eq!(answer(&call("", None)), Ok((NOTHING_FOUND.to_owned(), false)));
}

#[test]
fn as_19_max_output_is_kept_to() {
    let shape = Shape::Object(vec![
        Field::new("summary", Shape::String),
        Field::new("points", Shape::list(Shape::String)),
    ]);
    let mut call = call(&prompt(&[("notes", NOTES)], "Summarise."), Some(&shape));
    for limit in [200, 80, 50, 30, 15, 3, 0] {
        call.max_output = Some(limit);
        let (text, cut) = answer(&call).unwrap();
        let tokens = tokenizer_for(URI).count(&text) as u64;
        assert!(tokens <= limit, "{tokens} > {limit}: {text}");
        assert_eq!(cut, limit < 8, "{limit}: {text}");
        assert!(cut || serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    }
}

#[test]
fn as_30_same_call_has_same_answer() {
    let shape = Shape::Object(vec![Field::new("tags", Shape::list(Shape::String))]);
    let call = call(&prompt(&[("notes", NOTES)], "Name the topics."), Some(&shape));
    assert_eq!(answer(&call), answer(&call));
}

fn shapes() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::String),
        Just(Shape::Number),
        Just(Shape::Integer),
        Just(Shape::Boolean),
        Just(Shape::Json),
        Just(Shape::List(None)),
        Just(Shape::one_of(["low", "high"])),
    ];
    let field = prop_oneof![
        Just("title"),
        Just("key_points"),
        Just("items"),
        Just("total"),
        Just("名"),
        Just("tags")
    ];
    leaf.prop_recursive(3, 12, 4, move |inner| {
        let fields = prop::collection::vec((field.clone(), inner.clone(), any::<bool>()), 0..4);
        prop_oneof![
            inner.prop_map(Shape::list),
            fields.prop_map(|fields| {
                let mut seen = std::collections::HashSet::new();
                let fields = fields.into_iter().filter(|(name, ..)| seen.insert(*name));
                Shape::Object(
                    fields
                        .map(|(name, shape, optional)| Field {
                            optional,
                            ..Field::new(name, shape)
                        })
                        .collect(),
                )
            }),
        ]
    })
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[A-Z][a-z ]{3,40}[.!?:]",
        "[ -~\n]{0,40}",
        "\\PC{0,20}",
        Just("\n# Heading\n".to_owned()),
        Just("\n- item, 3\n| a | b |\n|---|---|\n| 1 | two words |\n".to_owned()),
        Just("会议决定发布。待办：完成测试！".to_owned()),
        Just("```\ncode\n".to_owned()),
        Just("{\"a\": [1, \"Some text here.\"]}".to_owned()),
        Just("Total: 1,200.50\n".to_owned()),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn as_24_any_prompt_gets_answer_of_requested_shape(text in texts(), instruction in texts(), shape in shapes(), laid_out in any::<bool>()) {
        let text = if laid_out { prompt(&[("notes", &text)], &instruction) } else { text };
        let Ok((answer, _)) = answer(&call(&text, Some(&shape))) else { return Ok(()) };
        let value: Value = serde_json::from_str(&answer).unwrap();
        let faults = validate(&value, &shape, Extra::Kept, 9);
        prop_assert!(faults.is_empty(), "{shape}: {value}: {faults:?}");
    }

    #[test]
    fn as_24_every_text_of_answer_comes_from_context(text in texts(), instruction in "[a-z ]{0,30}") {
        let shape = Shape::Object(vec![Field::new("title", Shape::String), Field::new("points", Shape::list(Shape::String))]);
        let Ok((answer, _)) = answer(&call(&prompt(&[("notes", &text)], &instruction), Some(&shape))) else { return Ok(()) };
        let value: Value = serde_json::from_str(&answer).unwrap();
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        // A JSON item is quoted by the texts in it, which escape what JSON escapes.
        let context = flat(&text) + " " + &flat(&text.replace("\\\"", "\""));
        let points = value["points"].as_array().unwrap().iter().chain([&value["title"]]);
        for said in points.filter_map(Value::as_str) {
            // A point that was wrapped inside a list or a quotation loses the marks of its lines.
            let found = said.split(' ').all(|word| context.contains(word));
            prop_assert!(found, "{said:?} of {text:?}");
        }
    }
}
