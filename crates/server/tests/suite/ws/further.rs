//! Types of messages that are registered (CP-4).

use crate::ws::client::{Client, message};
use crate::ws::site::{ECHO, Site};
use contexture_protocol::extension::Extension;
use contexture_protocol::{Body, ErrorCode, Refusal, Violation};
use contexture_server::serve::handler::{Asked, Handler};
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::Arc;

/// Votes, which are counted elsewhere.
struct Votes(&'static str);

fn check(content: &Value) -> Vec<Violation> {
    if content["for"].is_string() {
        return Vec::new();
    }
    let (expected, found) = ("a text".to_owned(), content["for"].to_string());
    vec![Violation { pointer: "/for".to_owned(), expected, found }]
}

impl Handler for Votes {
    fn extension(&self) -> Extension {
        Extension {
            name: self.0.to_owned(),
            meaning: "A vote.".to_owned(),
            schema: json!({ "type": "object", "required": ["for"] }),
            check: Arc::new(check),
        }
    }

    fn answer(&self, asked: Asked) -> Pin<Box<dyn Future<Output = Result<Body, Refusal>> + Send>> {
        Box::pin(async move {
            let Body::Other { content, .. } = &asked.message.body else { unreachable!() };
            if content["for"] == "nobody" {
                return Err(Refusal::new(ErrorCode::ExecutionFailed, "nobody stands"));
            }
            let content = json!({ "counted": content["for"], "owner": &*asked.owner });
            Ok(Body::Other { kind: "VOTE_COUNTED".to_owned(), content })
        })
    }
}

#[tokio::test]
async fn cp_4_registered_type_is_checked_and_answered_by_handler() {
    let site = Site::set_up(ECHO, |settings| settings.handlers.push(Arc::new(Votes("VOTE")))).await;
    let mut client = Client::new(site.address).await;
    let vote = |id: &str, content: Value| message("VOTE", id, Some("ctx_1"), content);
    let counted = client.ask(&vote("a", json!({ "for": "Ann" }))).await;
    assert_eq!(counted["type"], "VOTE_COUNTED");
    assert_eq!(counted["content"], json!({ "counted": "Ann", "owner": "local" }));
    assert_eq!(counted["contextId"], "ctx_1");
    let refused = client.ask(&vote("b", json!({ "for": 5 }))).await;
    assert_eq!(refused["content"]["errorCode"], "VALIDATION_FAILED");
    assert!(refused["content"].to_string().contains("/content/for"), "{refused}");
    let failed = client.ask(&vote("c", json!({ "for": "nobody" }))).await;
    assert_eq!(failed["content"]["errorCode"], "EXECUTION_FAILED");
    let unknown = client.ask(&message("BALLOT", "d", None, json!({}))).await;
    assert_eq!(unknown["content"]["errorCode"], "UNKNOWN_TYPE");
    let (status, over_http) = site.post(&vote("e", json!({ "for": "Bob" }))).await;
    assert_eq!((status, &over_http["content"]["counted"]), (200, &json!("Bob")));
    assert_eq!(site.get("/v1/schemas/VOTE").await["required"], json!(["for"]));
    let listed = site.get("/v1/schemas").await;
    assert!(listed.to_string().contains("/v1/schemas/VOTE"), "{listed}");
}

#[test]
fn cp_4_used_type_name_can_not_be_registered() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fault = |name: &'static str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("app.as"), ECHO).unwrap();
        let vars = [("HOME", folder.path().display().to_string())];
        let project =
            contexture::Project::open(folder.path(), contexture::Environment::of(vars)).unwrap();
        let mut settings =
            contexture_server::serve::Settings::new(project, vec![folder.path().join("app.as")]);
        settings.handlers.push(Arc::new(Votes(name)));
        runtime.block_on(async { contexture_server::serve::Serve::open(settings).err().unwrap() })
    };
    assert!(fault("USER_INPUT").message.contains("USER_INPUT"));
    assert!(fault("vote").message.contains("upper-case"));
}
