//! Sets whose journal can't be written for a while (FL-11, CP-7).

use crate::ws::client::Client;
use crate::ws::sets::{instructions, of};
use crate::ws::site::{ECHO, Site};
use serde_json::{Value, json};

fn echo(id: &str) -> Value {
    let step = json!({ "instructionId": "a", "action": "echo", "parameters": { "text": "你好" } });
    instructions(id, json!({ "instructions": [step] }))
}

/// Runs SQL in the file of the journal.
fn sql(site: &Site, text: &str) {
    let journal = site.path(".contexture/data/flows.db");
    rusqlite::Connection::open(journal).unwrap().execute_batch(text).unwrap();
}

/// Lets the journal refuse what is inserted into a table, as a disk with a fault does.
fn fail(site: &Site, table: &str) {
    let refuse = "select raise(abort, 'the disk has a fault')";
    sql(site, &format!("create trigger fault before insert on {table} begin {refuse}; end"));
}

fn mend(site: &Site) {
    sql(site, "drop trigger fault");
}

async fn kinds(site: &Site) -> Vec<String> {
    let stored = site.get("/v1/contexts/ctx_1/messages").await;
    let messages = stored["messages"].as_array().unwrap();
    messages.iter().map(|one| one["type"].as_str().unwrap().to_owned()).collect()
}

/// It was stored as FAILED, INTERNAL, for good.
#[tokio::test]
async fn fl_11_set_whose_journal_fails_before_any_step_is_run_when_sent_again() {
    // Its run can't begin, or its first step can't.
    for table in ["runs", "entries"] {
        let site = Site::of(ECHO).await;
        let mut client = Client::new(site.address).await;
        fail(&site, table);
        client.send(&echo("i1")).await;
        let refused = of(&mut client, "ERROR_RESPONSE", "i1").await["content"].clone();
        assert_eq!(refused["errorCode"], "INTERNAL", "{table}: {refused}");
        assert_eq!(refused["recoverable"], true, "{table}: {refused}");
        assert_eq!(kinds(&site).await, ["INSTRUCTION"], "{table}: it has no answer");
        mend(&site);
        client.send(&echo("i1")).await;
        let answer = of(&mut client, "INSTRUCTION_RESPONSE", "i1").await["content"].clone();
        assert_eq!(answer["status"], "COMPLETED", "{table}: {answer}");
        assert_eq!(answer["results"][0]["result"]["text"], "你好", "{table}: {answer}");
        assert_eq!(kinds(&site).await, ["INSTRUCTION", "INSTRUCTION_RESPONSE"], "{table}");
    }
}

#[tokio::test]
async fn fl_11_set_whose_journal_failed_is_run_by_next_server() {
    let mut site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    fail(&site, "entries");
    client.send(&echo("i1")).await;
    of(&mut client, "ERROR_RESPONSE", "i1").await;
    mend(&site);
    site.again().await;
    let mut client = Client::new(site.address).await;
    client.send(&echo("i1")).await;
    let answer = of(&mut client, "INSTRUCTION_RESPONSE", "i1").await["content"].clone();
    assert_eq!(answer["status"], "COMPLETED", "{answer}");
    assert_eq!(kinds(&site).await, ["INSTRUCTION", "INSTRUCTION_RESPONSE"]);
}

/// What only this process knows is told, as the journal can't.
#[tokio::test]
async fn fl_11_step_that_must_not_run_again_keeps_its_result_when_journal_fails_at_its_end() {
    let site = Site::with(ECHO, "[serve]\nactions = [\"file_write\", \"echo\"]\n", None).await;
    let mut client = Client::new(site.address).await;
    sql(
        &site,
        "create trigger fault before insert on entries when new.kind = 1
            begin select raise(abort, 'the disk has a fault'); end",
    );
    let parameters = json!({ "path": "a.txt", "content": "once" });
    let write = json!({ "instructionId": "a", "action": "file_write", "parameters": parameters });
    let then = json!({ "instructionId": "b", "action": "echo", "dependencies": ["a"] });
    client.send(&instructions("i1", json!({ "instructions": [write, then] }))).await;
    let answer = of(&mut client, "INSTRUCTION_RESPONSE", "i1").await["content"].clone();
    assert_eq!(answer["status"], "FAILED", "{answer}");
    assert_eq!(answer["results"][0]["status"], "COMPLETED", "{answer}");
    assert_eq!(answer["results"][1]["error"]["code"], "INTERNAL", "{answer}");
    assert_eq!(std::fs::read_to_string(site.path("a.txt")).unwrap(), "once");
}
