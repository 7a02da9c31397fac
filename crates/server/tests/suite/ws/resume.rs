//! Connections that break at any point: nothing is lost, nothing comes twice (CP-6, CP-7, CP-11).

use crate::ws::chance::Chance;
use crate::ws::client::{Client, add, is_end, message, said, set, text};
use crate::ws::site::{Model, Site};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

const WORDS: &[&str] = &["It ", "is ", "sun", "ny ", "in ", "Os", "lo."];
const ROUNDS: u64 = 50;

/// A client as a page has it: it keeps what was not answered, and comes back.
struct Page {
    client: Client,
    session: String,
    seq: u64,
    /// Messages that have no answer yet, in their order.
    open: Vec<(String, Value)>,
    deltas: HashMap<String, String>,
    texts: HashMap<String, String>,
    /// Versions of the context that were told.
    versions: Vec<u64>,
    came_back: usize,
}

impl Page {
    async fn new(site: &Site) -> Self {
        let client = Client::new(site.address).await;
        let session = client.session.clone();
        Self {
            client,
            session,
            seq: 0,
            open: Vec::new(),
            deltas: HashMap::new(),
            texts: HashMap::new(),
            versions: Vec::new(),
            came_back: 0,
        }
    }

    /// Sends a message, or a part of it before the connection breaks.
    async fn send(&mut self, site: &Site, chance: &mut Chance, sent: Value) {
        let id = sent["messageId"].as_str().unwrap().to_owned();
        let frame = text(sent.to_string().as_bytes());
        self.open.push((id, sent));
        if chance.below(6) == 0 {
            let part = chance.below(frame.len());
            let _ = self.client.try_raw(&frame[..part]).await;
            self.come_back(site, chance).await;
        } else if self.client.try_raw(&frame).await.is_err() {
            self.come_back(site, chance).await;
        }
    }

    async fn come_back(&mut self, site: &Site, chance: &mut Chance) {
        self.came_back += 1;
        if chance.below(2) == 0 {
            self.client.nibble(1 + chance.below(200)).await;
        }
        let (client, welcome) = Client::resume(site.address, &self.session, self.seq).await;
        assert_eq!(welcome["sessionId"], *self.session, "the session goes on");
        assert!(welcome["lastSeq"].as_u64().unwrap() >= self.seq);
        let before = std::mem::replace(&mut self.client, client);
        // The server may have to find out by itself that nobody reads there any more.
        if chance.below(2) == 0 {
            before.cut();
        }
        let open: Vec<u8> =
            self.open.iter().flat_map(|(_, sent)| text(sent.to_string().as_bytes())).collect();
        let _ = self.client.try_raw(&open).await;
    }

    /// Takes one message.
    async fn hear(&mut self, site: &Site, chance: &mut Chance) {
        let Some(heard) = self.client.next().await else {
            return self.come_back(site, chance).await;
        };
        // `next` has checked that its number is the next one.
        self.seq = self.client.seq;
        let id = heard["metadata"]["inReplyTo"].as_str().unwrap_or_default().to_owned();
        match heard["type"].as_str().unwrap() {
            "CONTEXT_DELTA" => {
                for change in heard["content"]["changes"].as_array().unwrap() {
                    self.versions.push(change["version"].as_u64().unwrap());
                }
            }
            "MODEL_RESPONSE_DELTA" => {
                let text = heard["content"]["text"].as_str().unwrap();
                let answer = heard["content"]["messageId"].as_str().unwrap();
                let index = usize::try_from(heard["content"]["index"].as_u64().unwrap()).unwrap();
                let so_far = self.deltas.entry(answer.to_owned()).or_default();
                // Who asks again hears the turn from its start.
                if index == 0 {
                    so_far.clear();
                }
                so_far.push_str(text);
            }
            "ERROR_RESPONSE" => panic!("{heard}"),
            _ if is_end(&heard) => {
                if heard["type"] == "MODEL_RESPONSE" {
                    let text = heard["content"]["text"].as_str().unwrap().to_owned();
                    let answer = heard["messageId"].as_str().unwrap();
                    if let Some(deltas) = self.deltas.get(answer) {
                        assert_eq!(*deltas, text, "deltas join to the text");
                    }
                    self.texts.insert(id.clone(), text);
                }
                self.open.retain(|(open, _)| *open != id);
            }
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn cp_6_broken_connections_lose_and_repeat_nothing() {
    let model = Model::saying(WORDS, Duration::from_millis(1)).await;
    let site = Site::asking(&model).await;
    let mut came_back = 0;
    for seed in 0..ROUNDS {
        came_back += round(&site, seed).await;
    }
    assert!(came_back > 100, "{came_back} connections broke");
    assert_eq!(model.asked() as u64, 3 * ROUNDS, "no turn ran twice");
}

async fn round(site: &Site, seed: u64) -> usize {
    let mut chance = Chance::of(seed);
    let context = format!("ctx_{seed}");
    let mut page = Page::new(site).await;
    let created = set("m_created", &context, "made", json!(true));
    page.client.ask(&created).await;
    let hears = message("SUBSCRIBE", "m_subscribe", None, json!({ "contextId": context }));
    page.client.ask(&hears).await;
    page.seq = page.client.seq;
    for n in 0..12 {
        let id = format!("m_{n}");
        let sent = match n % 4 {
            0 => said(&id, Some(&context), "Weather?"),
            1 => set(&id, &context, &format!("k{n}"), json!(n)),
            _ => add(&id, &context, "noted"),
        };
        page.send(site, &mut chance, sent).await;
        for _ in 0..chance.below(4) {
            if !page.open.is_empty() {
                page.hear(site, &mut chance).await;
            }
        }
        if chance.below(5) == 0 {
            page.come_back(site, &mut chance).await;
        }
    }
    while !page.open.is_empty() {
        page.hear(site, &mut chance).await;
        if chance.below(12) == 0 {
            page.come_back(site, &mut chance).await;
        }
    }
    // One version for the first update, nine for the others, two for each of three turns.
    let version = 1 + 9 + 2 * 3;
    while page.versions.last() != Some(&version) {
        page.hear(site, &mut chance).await;
    }
    assert_eq!(page.versions, (2..=version).collect::<Vec<_>>(), "seed {seed}");
    assert_eq!(page.texts.len(), 3);
    assert!(page.texts.values().all(|text| *text == WORDS.concat()));
    let whole = site.get(&format!("/v1/contexts/{context}")).await;
    assert_eq!(whole["version"], version, "seed {seed}");
    assert_eq!(whole["messages"].as_array().unwrap().len(), 12, "seed {seed}");
    page.came_back
}
