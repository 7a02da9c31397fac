//! Several clients change one context at the same time and come to the same end (CP-11).

use crate::ws::chance::Chance;
use crate::ws::client::{Client, add, message, set};
use crate::ws::site::{ECHO, Site};
use contexture_protocol::StatePath;
use serde_json::{Value, json};

const CLIENTS: usize = 4;
const ROUNDS: u64 = 12;
const OPERATIONS: usize = 40;

/// What a client knows of a context from deltas alone.
#[derive(Debug, Clone, PartialEq)]
struct Copy {
    version: u64,
    state: Value,
    messages: Vec<String>,
}

impl Copy {
    fn take(&mut self, content: &Value) {
        for change in content["changes"].as_array().unwrap() {
            let version = change["version"].as_u64().unwrap();
            assert!(version == self.version || version == self.version + 1, "a gap: {change}");
            self.version = version;
            let path = || change["path"].as_str().unwrap().parse::<StatePath>().unwrap();
            match change["op"].as_str().unwrap() {
                "UPDATE_STATE" => {
                    path().set(&mut self.state, change["value"].clone()).unwrap();
                }
                "REMOVE_STATE" => drop(path().remove(&mut self.state).unwrap()),
                "ADD_MESSAGE" => {
                    let id = change["message"]["messageId"].as_str().unwrap();
                    self.messages.push(id.to_owned());
                }
                "CLEAR_HISTORY" => self.messages.clear(),
                other => panic!("{other}"),
            }
        }
        assert_eq!(content["version"], self.version);
    }
}

fn operation(chance: &mut Chance, id: &str, context: &str, known: u64) -> Value {
    let names = ["a", "b", "a.x", "b.y", "list", "deep.er.still"];
    let name = names[chance.below(names.len())];
    let mut update = match chance.below(10) {
        0..4 => set(id, context, name, json!(chance.below(1_000))),
        4 => set(id, context, name, json!({ "x": chance.below(10) })),
        5 => message(
            "CONTEXT_UPDATE",
            id,
            Some(context),
            json!({ "operation": "REMOVE_STATE", "path": name }),
        ),
        6 => message("CONTEXT_UPDATE", id, Some(context), json!({ "operation": "CLEAR_HISTORY" })),
        _ => add(id, context, "said"),
    };
    // Some say what they have seen: what is stale is merged or refused.
    if chance.below(2) == 0 {
        update["content"]["baseVersion"] = json!(known);
    }
    update
}

#[tokio::test]
async fn cp_11_concurrent_clients_converge_by_deltas() {
    let site = Site::of(ECHO).await;
    let mut refused = 0;
    for seed in 0..ROUNDS {
        refused += round(&site, seed).await;
    }
    assert!(refused > 0, "some updates do conflict");
}

async fn round(site: &Site, seed: u64) -> usize {
    let mut chance = Chance::of(seed);
    let context = format!("ctx_{seed}");
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        clients.push((
            Client::new(site.address).await,
            Copy { version: 1, state: json!({}), messages: Vec::new() },
        ));
    }
    let created = set("created", &context, "made", json!(true));
    clients[0].0.ask(&created).await;
    for (client, copy) in &mut clients {
        copy.state = json!({ "made": true });
        let hears =
            message("SUBSCRIBE", "hears", None, json!({ "contextId": context, "since": 1 }));
        assert_eq!(client.ask(&hears).await["type"], "ACK");
    }
    let (mut open, mut refused) = ([0; CLIENTS], 0);
    for n in 0..OPERATIONS {
        let who = chance.below(CLIENTS);
        let update =
            operation(&mut chance, &format!("{who}_{n}"), &context, clients[who].1.version);
        clients[who].0.send(&update).await;
        open[who] += 1;
        let listens = chance.below(CLIENTS);
        if open[listens] > 0 && chance.below(2) == 0 {
            refused += hear(&mut clients[listens], &mut open[listens]).await;
        }
    }
    for (one, open) in clients.iter_mut().zip(&mut open) {
        while *open > 0 {
            refused += hear(one, open).await;
        }
    }
    let whole = site.get(&format!("/v1/contexts/{context}")).await;
    let ids = whole["messages"].as_array().unwrap().iter();
    let end = Copy {
        version: whole["version"].as_u64().unwrap(),
        state: whole["state"].clone(),
        messages: ids.map(|one| one["messageId"].as_str().unwrap().to_owned()).collect(),
    };
    for (n, one) in clients.iter_mut().enumerate() {
        while one.1.version < end.version {
            hear(one, &mut 0).await;
        }
        assert_eq!(one.1, end, "seed {seed}, client {n}");
    }
    refused
}

/// Takes one message; whether it refuses an update.
async fn hear((client, copy): &mut (Client, Copy), open: &mut usize) -> usize {
    let heard = client.message().await;
    match heard["type"].as_str().unwrap() {
        "CONTEXT_DELTA" => copy.take(&heard["content"]),
        "ACK" => *open -= 1,
        "ERROR_RESPONSE" => {
            *open -= 1;
            let code = heard["content"]["errorCode"].as_str().unwrap();
            assert!(matches!(code, "VERSION_CONFLICT" | "VALIDATION_FAILED"), "{heard}");
            return usize::from(code == "VERSION_CONFLICT");
        }
        other => panic!("{other}"),
    }
    0
}

#[tokio::test]
async fn cp_11_stale_update_is_merged_or_refused_with_conflict() {
    let site = Site::of(ECHO).await;
    let mut client = Client::new(site.address).await;
    let based = |id: &str, path: &str, base: u64| {
        let mut update = set(id, "ctx_1", path, json!(id));
        update["content"]["baseVersion"] = json!(base);
        update
    };
    client.ask(&set("a", "ctx_1", "user.name", json!("Ann"))).await;
    client.ask(&set("b", "ctx_1", "user.age", json!(40))).await;
    assert_eq!(client.ask(&based("c", "city", 1)).await["content"]["version"], 3, "merged");
    let refused = client.ask(&based("d", "user", 1)).await;
    assert_eq!(refused["content"]["errorCode"], "VERSION_CONFLICT", "{refused}");
    let details = &refused["content"]["details"];
    assert_eq!(details["version"], 3);
    let conflicts = details["conflicts"].as_array().unwrap();
    assert_eq!(conflicts.len(), 1);
    assert_eq!((&conflicts[0]["path"], &conflicts[0]["version"]), (&json!("user.age"), &json!(2)));
    let refused = client.ask(&based("e", "x", 99)).await;
    assert_eq!(refused["content"]["errorCode"], "VALIDATION_FAILED", "of the future: {refused}");
    let foreign = message("SUBSCRIBE", "f", None, json!({ "contextId": "ctx_none" }));
    assert_eq!(client.ask(&foreign).await["content"]["errorCode"], "CONTEXT_NOT_FOUND");
    let ahead = message("SUBSCRIBE", "g", None, json!({ "contextId": "ctx_1", "since": 99 }));
    assert_eq!(client.ask(&ahead).await["content"]["errorCode"], "VALIDATION_FAILED");
}

#[tokio::test]
async fn cp_11_changes_follow_subscribe_without_gap() {
    const AT_ONCE: u64 = 20;
    let site = Site::of(ECHO).await;
    let mut reader = Client::new(site.address).await;
    let mut writer = Client::new(site.address).await;
    writer.ask(&set("first", "ctx_1", "n", json!(0))).await;
    let mut last = 1;
    for round in 0..60 {
        // They take effect while the subscription begins.
        for n in 0..AT_ONCE {
            writer.send(&set(&format!("u{round}_{n}"), "ctx_1", "n", json!(n))).await;
        }
        last += AT_ONCE;
        let id = format!("s{round}");
        reader.send(&message("SUBSCRIBE", &id, None, json!({ "contextId": "ctx_1" }))).await;
        let first = reader.message().await;
        assert_eq!((&first["type"], &first["metadata"]["inReplyTo"]), (&json!("ACK"), &json!(id)));
        let mut version = first["content"]["version"].as_u64().unwrap();
        while version < last {
            let delta = reader.message().await;
            assert_eq!(delta["metadata"]["inReplyTo"], id, "{delta}");
            for change in delta["content"]["changes"].as_array().unwrap() {
                assert_eq!(change["version"], version + 1, "{delta}");
                version += 1;
            }
        }
        let end = format!("e{round}");
        let ended = message("UNSUBSCRIBE", &end, None, json!({ "contextId": "ctx_1" }));
        assert_eq!(reader.ask(&ended).await["type"], "ACK");
        for _ in 0..AT_ONCE {
            assert_eq!(writer.message().await["type"], "ACK");
        }
    }
}
