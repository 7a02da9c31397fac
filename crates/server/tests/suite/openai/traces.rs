use super::model::Model;
use super::site::{Site, eventually};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// A collector of traces that takes JSON.
struct Collector {
    url: String,
    taken: Arc<Mutex<Vec<Value>>>,
}

impl Collector {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let taken: Arc<Mutex<Vec<Value>>> = Arc::default();
        let ours = Arc::clone(&taken);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    assert!(stream.read_line(&mut head).unwrap() > 0);
                }
                assert!(head.starts_with("POST /v1/traces "), "{head}");
                let lower = head.to_ascii_lowercase();
                let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "));
                let mut body = vec![0; length.unwrap().parse().unwrap()];
                stream.read_exact(&mut body).unwrap();
                ours.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
                let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
                stream.get_mut().write_all(answer.as_bytes()).unwrap();
            }
        });
        Self { url, taken }
    }

    /// All spans, the first to end first.
    fn spans(&self) -> Vec<Value> {
        let all = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
        let taken = self.taken.lock().unwrap().clone();
        let resources = taken.iter().flat_map(|one| all(one, "resourceSpans"));
        let scopes = resources.flat_map(|one| all(&one, "scopeSpans")).collect::<Vec<_>>();
        scopes.iter().flat_map(|one| all(one, "spans")).collect()
    }

    fn text(&self) -> String {
        Value::Array(self.taken.lock().unwrap().clone()).to_string()
    }
}

fn attribute(span: &Value, name: &str) -> Option<Value> {
    let all = span["attributes"].as_array()?;
    let found = all.iter().find(|one| one["key"] == name)?;
    found["value"].as_object()?.values().next().cloned()
}

async fn site(model: &Model, collector: &Collector, more: &[(&str, &str)]) -> Site {
    let mut vars = vec![
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ("SOME_API_KEY", "a-key-of-the-house"),
    ];
    vars.extend(more);
    Site::with(&model.uri, "", &vars).await
}

fn slow(text: &str) -> String {
    json!({ "model": "Slow", "messages": [{ "role": "user", "content": text }] }).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_20_turns_are_traced_with_genai_conventions() {
    let (model, collector) = (Model::fast().await, Collector::new());
    let site = site(&model, &collector, &[]).await;
    let headers = [("traceparent", PARENT)];
    let path = "/v1/chat/completions";
    let answer = site.send("POST", path, &headers, &slow("a-key-of-the-house, please")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    site.ended().await.unwrap();

    let spans = collector.spans();
    let names: Vec<&str> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["chat slow", "invoke_agent Slow"]);
    let (chat, agent) = (&spans[0], &spans[1]);
    assert_eq!((&agent["traceId"], &chat["traceId"]), (&json!(TRACE), &json!(TRACE)));
    assert_eq!(agent["parentSpanId"], "00f067aa0ba902b7");
    assert_eq!(chat["parentSpanId"], agent["spanId"]);
    for (span, name, value) in [
        (agent, "gen_ai.operation.name", json!("invoke_agent")),
        (agent, "gen_ai.agent.name", json!("Slow")),
        (agent, "gen_ai.usage.input_tokens", json!("7")),
        (chat, "gen_ai.operation.name", json!("chat")),
        (chat, "gen_ai.provider.name", json!("openai")),
        (chat, "gen_ai.request.model", json!("slow")),
        (chat, "gen_ai.usage.output_tokens", json!("3")),
    ] {
        assert_eq!(attribute(span, name), Some(value), "{name}: {span}");
    }
    let text = collector.text();
    assert!(text.contains("service.name") && text.contains("contexture"), "{text}");
    assert!(!text.contains("please") && !text.contains("one two three"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_20_texts_are_traced_only_on_request_and_without_secrets() {
    let (model, collector) = (Model::fast().await, Collector::new());
    let capture = [("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")];
    let site = site(&model, &collector, &capture).await;
    let path = "/v1/chat/completions";
    site.send("POST", path, &[], &slow("a-key-of-the-house, please")).await;
    site.ended().await.unwrap();
    let spans = collector.spans();
    let agent = spans.iter().find(|span| span["name"] == "invoke_agent Slow").unwrap();
    let read = |name: &str| attribute(agent, name).unwrap().as_str().unwrap().to_owned();
    let input: Value = serde_json::from_str(&read("gen_ai.input.messages")).unwrap();
    assert_eq!(input[0]["parts"][0]["content"], "•••, please");
    let output: Value = serde_json::from_str(&read("gen_ai.output.messages")).unwrap();
    assert_eq!(output[0]["parts"][0]["content"], "one two three");
    assert!(!collector.text().contains("a-key-of-the-house"));
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_19_sensitive_texts_are_not_traced() {
    let (model, collector) = (Model::fast().await, Collector::new());
    let vars = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true"),
        ("FIELD_KEY", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
    ];
    let config =
        "[serve.sensitive]\nmessages = [\"USER_INPUT:content.text\"]\nkey_env = \"FIELD_KEY\"\n";
    let site = Site::with(&model.uri, config, &vars).await;
    let answer = site.send("POST", "/v1/chat/completions", &[], &slow("my diagnosis")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = Site::said("m1", "their diagnosis").to_string();
    site.send("POST", "/v1/messages", &[], &body).await;
    site.ended().await.unwrap();
    let text = collector.text();
    assert!(text.contains("•••") && text.contains("gen_ai.input.messages"), "{text}");
    assert!(!text.contains("diagnosis"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_17_error_has_trace_of_turn() {
    let (model, collector) = (Model::fast().await, Collector::new());
    let intent = "[[serve.intents]]\nname = \"b\"\ncontains = [\"break\"]\nagent = \"Broken\"\n";
    let vars = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
    ];
    let site = Site::with(&model.uri, intent, &vars).await;
    let body = Site::said("m1", "break").to_string();
    let answer = site.send("POST", "/v1/messages", &[], &body).await.json();
    let trace = answer["content"]["details"]["traceId"].as_str().unwrap().to_owned();
    let mut message = Site::said("m2", "break");
    message["metadata"] = json!({ "traceparent": PARENT });
    let answer = site.send("POST", "/v1/messages", &[], &message.to_string()).await.json();
    assert_eq!(answer["content"]["details"]["traceId"], TRACE, "{answer}");
    site.ended().await.unwrap();
    let spans = collector.spans();
    let traces: Vec<&Value> = spans.iter().map(|span| &span["traceId"]).collect();
    assert_eq!(traces, [&json!(trace), &json!(TRACE)]);
    assert_eq!(attribute(&spans[0], "error.type"), Some(json!("EXECUTION_FAILED")));
    assert_eq!(spans[0]["status"]["code"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_20_missing_collector_delays_nobody_and_is_counted() {
    let model = Model::fast().await;
    let vars = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")];
    let site = Site::with(&model.uri, "", &vars).await;
    let answer = site.send("POST", "/v1/chat/completions", &[], &slow("x")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    eventually("the failure is counted", async || {
        let page = site.get("/metrics").await.body;
        page.contains("contexture_trace_exports_total{outcome=\"failed\"}")
    })
    .await;
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_17_trace_without_collector_is_that_of_sender() {
    let intent = "[[serve.intents]]\nname = \"b\"\ncontains = [\"break\"]\nagent = \"Broken\"\n";
    let site = Site::with("", intent, &[("OTEL_SDK_DISABLED", "true")]).await;
    let body = Site::said("m1", "break").to_string();
    let headers = [("traceparent", PARENT)];
    let answer = site.send("POST", "/v1/messages", &headers, &body).await.json();
    assert_eq!(answer["content"]["details"]["traceId"], TRACE, "{answer}");
    // What is refused before a turn begins belongs to it too.
    let mut message = Site::said("m1", "something else");
    message["metadata"] = json!({ "traceparent": PARENT });
    let answer = site.send("POST", "/v1/messages", &[], &message.to_string()).await.json();
    assert_eq!(answer["content"]["errorCode"], "MESSAGE_ID_CONFLICT", "{answer}");
    assert_eq!(answer["content"]["details"]["traceId"], TRACE, "{answer}");
    site.ended().await.unwrap();
}
