//! The sales example of the protocol's document, section 9.2: what a user asks, the instructions
//! that run for it, and the report that answers (FL-3).

use crate::test_project::TestProject;
use contexture::protocol::content::Status;
use contexture::protocol::{Body, Limits, Message};
use sales_report::answer;
use serde_json::{Value, json};

const NOW: &str = "2025-12-01T14:00:30Z";
const ASKED: &str = include_str!("../../../../../crates/protocol/tests/examples/9_2_1.jsonc");
const INSTRUCTIONS: &str =
    include_str!("../../../../../crates/protocol/tests/examples/9_2_2.jsonc");
const ANSWERED: &str = include_str!("../../../../../crates/protocol/tests/examples/9_2_3.jsonc");

/// Where the document's SQL is MySQL's, the example's is SQLite's.
const LAST_30_DAYS: (&str, &str) =
    ("DATE_SUB(CURDATE(), INTERVAL 30 DAY)", "date('2025-12-01', '-30 days')");

/// An example of the document, without its comments.
fn document(text: &str) -> Value {
    let code = text.lines().map(|line| line.split_once(" // ").map_or(line, |(code, _)| code));
    serde_json::from_str(&code.collect::<String>()).unwrap()
}

fn message(value: &Value) -> Message {
    Message::parse(value.to_string().as_bytes(), &Limits::WIRE).unwrap()
}

fn report(message: Message) -> String {
    let Body::ModelResponse(response) = message.body else { panic!("{message:?}") };
    response.text.unwrap()
}

#[tokio::test]
async fn fl_3_user_who_asks_for_the_report_gets_the_messages_of_the_document() {
    let project = TestProject::new();
    let asked = message(&document(ASKED));
    let [instruction, response] = answer(&project.open(), &asked, NOW).await.unwrap();

    let source = document(INSTRUCTIONS);
    let instruction = instruction.to_value();
    for field in ["contextId", "type", "sender"] {
        assert_eq!(instruction[field], source[field], "{field}");
    }
    // Before the document's four steps, one makes the database that they read.
    let (ours, theirs) = (&instruction["content"], &source["content"]);
    assert_eq!(ours["instructions"][0]["action"], "database_create");
    assert_eq!(ours["instructions"][1]["instructionId"], "inst_101");
    assert_eq!(ours["instructions"][1]["action"], "QUERY_DATA");
    let all = theirs["instructions"].as_array().unwrap();
    assert_eq!(ours["instructions"].as_array().unwrap()[2..], all[1..]);
    assert_eq!(ours["timeout"], theirs["timeout"]);

    let source = document(ANSWERED);
    let answered = response.to_value();
    assert_eq!(
        (&answered["type"], &answered["contextId"]),
        (&source["type"], &source["contextId"])
    );
    assert_eq!(answered["content"]["finishReason"], source["content"]["finishReason"]);
    let headings = |text: &str| {
        text.lines()
            .map(|line| line.split(' ').next().unwrap())
            .filter(|mark| mark.starts_with('#'))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let text = report(response);
    assert_eq!(headings(&text), headings(source["content"]["text"].as_str().unwrap()));
    assert!(text.contains("- Total revenue: 253774.50\n"), "{text}");
}

#[tokio::test]
async fn fl_3_set_of_the_document_runs_as_it_is_written() {
    let project = TestProject::new();
    let asked = message(&document(ASKED));
    // Makes the database, the only one in the folder: the document's query names none.
    let [_, first] = answer(&project.open(), &asked, NOW).await.unwrap();
    let (mysql, sqlite) = LAST_30_DAYS;
    let set = document(&INSTRUCTIONS.replace(mysql, sqlite));
    let done = project.run(set).await;
    assert_eq!(done.status(), Status::Completed, "{}", done.to_value());
    assert_eq!(done.outcome(3).unwrap().result.unwrap(), json!({"report": report(first)}));
}

#[tokio::test]
async fn fl_3_report_without_sales_to_read_is_an_error_that_names_the_step() {
    let project = TestProject::new();
    rusqlite::Connection::open(project.path("sales.db"))
        .unwrap()
        .execute_batch("create table other (a)")
        .unwrap();
    let asked = message(&document(ASKED));
    let error = answer(&project.open(), &asked, NOW).await.unwrap_err().to_string();
    assert!(error.contains("`inst_101` failed") && error.contains("sales"), "{error}");
}
