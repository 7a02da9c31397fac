//! What is wrong with a message or the server itself, in the right words (CP-2, CP-17, CP-20).

use crate::ws::client::message;
use crate::ws::site::{ECHO, Site};
use serde_json::json;

async fn ready(site: &Site) -> (u16, String) {
    // An answer holds for a second.
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    let head =
        format!("GET /readyz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", site.address);
    site.http(&head).await
}

#[tokio::test]
async fn cp_20_server_that_can_not_write_is_not_ready() {
    let site = Site::of(ECHO).await;
    assert_eq!(ready(&site).await.0, 200);
    let obstacle = site.path(".contexture/data/.writable");
    std::fs::create_dir_all(obstacle.join("full")).unwrap();
    let (status, body) = ready(&site).await;
    assert_eq!(status, 503, "{body}");
    assert!(body.contains("no room") && !body.contains("contexture/data"), "{body}");
    std::fs::remove_dir_all(&obstacle).unwrap();
    assert_eq!(ready(&site).await.0, 200, "it comes back by itself");
}

const SHOWN: &str = r#"
main func(input { text string, attachments list }) {
  use input.attachments as files
  generate({ input: input.text })
}
"#;

#[tokio::test]
async fn cp_17_unreadable_attachment_is_error_of_message() {
    let site = Site::of(SHOWN).await;
    let attached = |id: &str, urls: &[&str]| {
        let all: Vec<_> = urls.iter().map(|url| json!({ "type": "FILE", "url": url })).collect();
        message("USER_INPUT", id, Some("ctx_1"), json!({ "text": "What?", "attachments": all }))
    };
    let good = "data:,The%20port%20is%207878.";
    for (id, urls, pointer) in [
        ("m1", vec![good, "file:///etc/passwd"], "/content/attachments/1/url"),
        ("m2", vec!["a.txt"], "/content/attachments/0/url"),
        ("m3", vec![good, "data:text/plain;base64,%%%"], "/content/attachments/1/url"),
        ("m4", vec!["http://127.0.0.1:1/none.txt"], "/content/attachments/0/url"),
        ("m5", vec!["http://169.254.169.254/latest"], "/content/attachments/0/url"),
        ("m6", vec!["https://none.invalid/a.txt"], "/content/attachments/0/url"),
        ("m7", vec!["data:application/octet-stream;base64,AAEC"], "/content/attachments/0"),
    ] {
        let (status, answer) = site.post(&attached(id, &urls)).await;
        assert_eq!(status, 422, "{urls:?}: {answer}");
        assert_eq!(answer["content"]["errorCode"], "VALIDATION_FAILED", "{answer}");
        let violation = &answer["content"]["details"]["violations"][0];
        assert_eq!(violation["pointer"], pointer, "{answer}");
    }
    let (status, answer) = site.post(&attached("m8", &[good; 33])).await;
    assert_eq!((status, &answer["content"]["errorCode"]), (413, &json!("TOO_LARGE")), "{answer}");
    let (status, answer) = site.post(&attached("m9", &[good])).await;
    assert_eq!(status, 200, "{answer}");
    assert!(answer["content"]["text"].as_str().unwrap().contains("7878"), "{answer}");
}
