//! One contract for all providers: the same cases run against the scripted twin and against each
//! wire protocol over a loopback server with canned bodies.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests"
)]

mod support;

use contexture_llm::{
    CancelToken, Canned, ChatCall, Extractive, LlmError, Mock, ModelUri, Provider,
    ProviderSettings, Reply, SchemaHint, Scripted, Secret, connect,
};
use contexture_prompt::{FinishReason, OpenaiChatMessage, OpenaiChatRequest, Role, Usage};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use support::{End, Respond, Server};

const KEY: &str = "sk-contract-0123456789";

/// What a provider meets.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Case {
    Answer,
    Stream,
    BadKey,
    NoModel,
    RateLimit,
    Failure,
    Refused,
    Slow,
}

/// A provider that meets a case.
struct World {
    provider: Arc<dyn Provider>,
    server: Option<Server>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Twin,
    OpenAi,
    Compatible,
    Anthropic,
    Ollama,
}

const KINDS: [Kind; 5] =
    [Kind::Twin, Kind::OpenAi, Kind::Compatible, Kind::Anthropic, Kind::Ollama];
const REMOTE: [Kind; 4] = [Kind::OpenAi, Kind::Compatible, Kind::Anthropic, Kind::Ollama];

impl Kind {
    /// A provider of this kind whose server follows a script.
    async fn scripted(self, script: Vec<Respond>) -> World {
        self.limited(script, 1 << 20).await
    }

    async fn limited(self, script: Vec<Respond>, answer_bytes: usize) -> World {
        let server = Server::start(script).await;
        let at = &server.address;
        let mut settings = ProviderSettings {
            openai_key: Some(Secret::new(KEY)),
            anthropic_key: Some(Secret::new(KEY)),
            answer_bytes,
            ..ProviderSettings::default()
        };
        let uri = match self {
            Self::Twin | Self::Compatible => format!("openai+http://{at}/v1/model-x"),
            Self::OpenAi => {
                settings.openai_base_url = Some(format!("http://{at}/v1/"));
                "openai://model-x".to_owned()
            }
            Self::Anthropic => {
                settings.anthropic_base_url = Some(format!("http://{at}"));
                "anthropic://model-x".to_owned()
            }
            Self::Ollama => format!("ollama://{at}/model-x"),
        };
        let provider = connect(&uri.parse::<ModelUri>().unwrap(), &settings).unwrap();
        World { provider, server: Some(server) }
    }

    async fn world(self, case: Case) -> World {
        if self == Self::Twin {
            return World { provider: Arc::new(twin(case)), server: None };
        }
        self.scripted(vec![self.respond(case)]).await
    }

    fn respond(self, case: Case) -> Respond {
        match case {
            Case::Answer => Respond::json(200, &self.body("Hello", 3, 2)),
            Case::Stream => self.stream(&["Hel", "lo"], 3, 2),
            Case::BadKey => {
                Respond::json(401, &self.fault("authentication_error", &format!("bad key {KEY}")))
            }
            Case::NoModel => {
                Respond::json(404, &self.fault("not_found_error", "model 'model-x' not found"))
            }
            Case::RateLimit => Respond::json(429, &self.fault("rate_limit_error", "slow down"))
                .header("retry-after", "7"),
            Case::Failure => Respond::json(503, &self.fault("api_error", "busy"))
                .header("retry-after-ms", "1500"),
            Case::Refused => Respond::json(
                400,
                &self.fault("invalid_request_error", "the first message is empty"),
            ),
            Case::Slow => Respond::stream([]).ending(End::Silence),
        }
    }

    /// A whole answer.
    fn body(self, text: &str, prompt: u64, completion: u64) -> Value {
        match self {
            Self::Anthropic => json!({
                "id": "id", "type": "message", "model": "model-x", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": text}],
                "usage": {"input_tokens": prompt, "output_tokens": completion}
            }),
            Self::Ollama => json!({
                "model": "model-x", "message": {"role": "assistant", "content": text}, "done": true, "done_reason": "stop",
                "prompt_eval_count": prompt, "eval_count": completion
            }),
            _ => json!({
                "id": "id", "model": "model-x",
                "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
            }),
        }
    }

    /// One piece of text in a stream.
    fn piece(self, text: &str) -> String {
        match self {
            Self::Anthropic => format!(
                "event: content_block_delta\r\ndata: {}\r\n\r\n",
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
            ),
            Self::Ollama => format!(
                "{}\n",
                json!({"model": "model-x", "message": {"content": text}, "done": false})
            ),
            _ => format!(
                ": ping\n\ndata: {}\n\n",
                json!({"id": "id", "choices": [{"delta": {"content": text}}]})
            ),
        }
    }

    /// The end of a stream.
    fn end(self, prompt: u64, completion: u64) -> String {
        match self {
            Self::Anthropic => {
                let usage = json!({"input_tokens": prompt, "output_tokens": completion});
                let delta = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage});
                format!("data: {delta}\n\ndata: {}\n\n", json!({"type": "message_stop"}))
            }
            Self::Ollama => format!("{}\n", self.body("", prompt, completion)),
            _ => {
                let stop = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
                let usage = json!({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion}});
                format!("data: {stop}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
            }
        }
    }

    fn stream(self, texts: &[&str], prompt: u64, completion: u64) -> Respond {
        let pieces =
            texts.iter().map(|text| self.piece(text)).chain([self.end(prompt, completion)]);
        // Cut where it hurts: in the middle of lines and characters.
        let all: String = pieces.collect();
        let middle = (all.len() / 2..).find(|at| all.is_char_boundary(*at)).unwrap();
        Respond::stream([all[..middle].to_owned(), all[middle..].to_owned()])
    }

    fn fault(self, kind: &str, message: &str) -> Value {
        match self {
            Self::Ollama => json!({"error": message}),
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": kind, "message": message}})
            }
            _ => json!({"error": {"message": message, "type": kind, "code": null}}),
        }
    }
}

fn twin(case: Case) -> Scripted {
    let provider = || "twin".to_owned();
    let wait = Some(Duration::from_secs(7));
    let answer = Canned { usage: Some(Usage::new(3, 2)), ..Canned::text("Hello") };
    let message = "slow down".to_owned();
    Scripted::new([match case {
        Case::Answer | Case::Stream => answer,
        Case::Slow => answer.after(Duration::from_secs(3600)),
        Case::BadKey => {
            Canned::error(LlmError::Auth { provider: provider(), status: 401, message })
        }
        Case::NoModel => Canned::error(LlmError::NoSuchModel {
            status: 404,
            provider: provider(),
            model: "model-x".into(),
            message,
        }),
        Case::RateLimit => Canned::error(LlmError::RateLimited {
            provider: provider(),
            retry_after: wait,
            message,
        }),
        Case::Failure => {
            let retry_after = Some(Duration::from_millis(1500));
            Canned::error(LlmError::Server {
                provider: provider(),
                status: 503,
                retry_after,
                message,
            })
        }
        Case::Refused => {
            Canned::error(LlmError::BadRequest { provider: provider(), status: 400, message })
        }
    }])
}

fn call() -> ChatCall {
    ChatCall::from(OpenaiChatRequest {
        messages: vec![
            OpenaiChatMessage::of_text(Role::System, "Be brief."),
            OpenaiChatMessage::of_text(Role::User, "Hi"),
        ],
        ..OpenaiChatRequest::default()
    })
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

impl World {
    async fn ask(&self, call: &ChatCall) -> Result<Reply, LlmError> {
        self.provider.complete(call, None, &CancelToken::new()).await
    }

    async fn listen(&self, call: &ChatCall) -> (String, Result<Reply, LlmError>) {
        let mut heard = String::new();
        let outcome = {
            let mut hear = |text: &str| heard.push_str(text);
            self.provider.complete(call, Some(&mut hear), &CancelToken::new()).await
        };
        (heard, outcome)
    }
}

#[test]
fn as_24_every_provider_answers_with_usage() {
    for kind in KINDS {
        let reply = run(async { kind.world(Case::Answer).await.ask(&call()).await }).unwrap();
        assert_eq!(reply.response.text, "Hello", "{kind:?}");
        assert_eq!(reply.response.usage, Usage::new(3, 2), "{kind:?}");
        assert_eq!(reply.response.finish_reason, Some(FinishReason::Stop), "{kind:?}");
        assert!(
            !reply.usage_estimated && reply.warnings.is_empty(),
            "{kind:?}: {:?}",
            reply.warnings
        );
    }
}

#[test]
fn as_23_every_provider_streams_text_and_tells_usage() {
    for kind in KINDS {
        let (heard, outcome) = run(async { kind.world(Case::Stream).await.listen(&call()).await });
        let reply = outcome.unwrap();
        assert_eq!((heard.as_str(), reply.response.text.as_str()), ("Hello", "Hello"), "{kind:?}");
        assert_eq!(reply.response.usage.total_tokens, 5, "{kind:?}");
    }
}

#[test]
fn as_22_every_provider_reports_same_error_kinds() {
    let expected = [
        (Case::BadKey, "auth", None),
        (Case::NoModel, "no_such_model", None),
        (Case::RateLimit, "rate_limited", Some(Duration::from_secs(7))),
        (Case::Failure, "server", Some(Duration::from_millis(1500))),
        (Case::Refused, "bad_request", None),
    ];
    for kind in KINDS {
        for (case, name, wait) in expected {
            let error = run(async { kind.world(case).await.ask(&call()).await }).unwrap_err();
            assert_eq!(
                (error.kind(), error.retry_after()),
                (name, wait),
                "{kind:?} {case:?}: {error}"
            );
            assert!(error.help().is_some(), "{kind:?} {case:?}");
            let shown = format!("{error} {error:?} {:?}", error.help());
            assert!(!shown.contains(KEY), "{kind:?}: the key is shown: {shown}");
            let (heard, streamed) = run(async { kind.world(case).await.listen(&call()).await });
            assert_eq!(
                (heard.as_str(), streamed.unwrap_err().kind()),
                ("", name),
                "{kind:?} {case:?}"
            );
        }
    }
}

#[test]
fn as_19_every_provider_gives_up_when_time_is_up() {
    let hurried = ChatCall { timeout: Some(Duration::from_millis(40)), ..call() };
    for kind in KINDS {
        let (_, outcome) = run(async { kind.world(Case::Slow).await.listen(&hurried).await });
        let error = outcome.unwrap_err();
        assert_eq!((error.kind(), error.is_retryable()), ("timeout", true), "{kind:?}");
        let error = run(async { kind.world(Case::Slow).await.ask(&hurried).await }).unwrap_err();
        assert!(error.to_string().contains("within 40 ms"), "{kind:?}: {error}");
    }
}

#[test]
fn as_22_cancelling_ends_call_and_closes_connection() {
    for kind in KINDS {
        run(async {
            let world = kind.world(Case::Slow).await;
            let cancel = CancelToken::new();
            let switch = cancel.clone();
            let provider = Arc::clone(&world.provider);
            let task = tokio::spawn(async move { provider.complete(&call(), None, &cancel).await });
            if let Some(server) = &world.server {
                while server.seen().is_empty() {
                    tokio::task::yield_now().await;
                }
            }
            switch.cancel();
            assert_eq!(task.await.unwrap(), Err(LlmError::Cancelled), "{kind:?}");
            if let Some(server) = &world.server {
                server.hung_up().await;
            }
        });
    }
}

#[test]
fn as_22_a_call_that_is_cancelled_before_it_begins_sends_nothing() {
    for kind in KINDS {
        run(async {
            let world = kind.world(Case::Answer).await;
            let cancel = CancelToken::new();
            cancel.cancel();
            let outcome = world.provider.complete(&call(), None, &cancel).await;
            assert_eq!(outcome, Err(LlmError::Cancelled), "{kind:?}");
            assert!(world.server.is_none_or(|server| server.seen().is_empty()), "{kind:?}");
        });
    }
}

#[test]
fn as_23_cut_stream_is_error_that_reports_received_length() {
    for kind in REMOTE {
        for end in [End::Whole, End::Cut] {
            // A whole response whose last piece breaks off, and a connection that does.
            let half = kind.piece("Hello");
            let cut = format!("{half}{}", &half[..half.len() / 2]);
            let (heard, outcome) = run(async {
                kind.scripted(vec![Respond::stream([cut]).ending(end)]).await.listen(&call()).await
            });
            let error = outcome.unwrap_err();
            assert_eq!(heard, "Hello", "{kind:?}");
            assert_eq!(error.kind(), "cut_stream", "{kind:?}: {error}");
            assert!(error.to_string().contains("after 5 bytes"), "{kind:?}: {error}");
        }
    }
}

#[test]
fn as_24_bodies_that_are_no_answer_are_errors() {
    let bodies = [
        "",
        "{",
        "null",
        "[]",
        "<html>hello</html>",
        "{\"choices\":3,\"content\":3,\"message\":3}",
    ];
    for kind in REMOTE {
        for body in bodies {
            let respond = Respond::text(200, body).typed("application/json");
            let error =
                run(async { kind.scripted(vec![respond]).await.ask(&call()).await }).unwrap_err();
            assert_eq!(error.kind(), "bad_response", "{kind:?} {body:?}: {error}");
        }
        let respond = Respond::text(502, "<html>Bad gateway</html>");
        let error =
            run(async { kind.scripted(vec![respond]).await.ask(&call()).await }).unwrap_err();
        assert!(error.to_string().contains("HTML page"), "{kind:?}: {error}");
        let moved = Respond::text(301, "").header("location", "http://127.0.0.1:1/");
        let error = run(async { kind.scripted(vec![moved]).await.ask(&call()).await }).unwrap_err();
        assert!(error.to_string().contains("redirects"), "{kind:?}: {error}");
    }
}

#[test]
fn as_24_answer_beyond_limit_is_refused_while_it_arrives() {
    for kind in REMOTE {
        let long = "x".repeat(5000);
        let huge = Respond::json(200, &kind.body(&long, 1, 1));
        let error =
            run(async { kind.limited(vec![huge], 4096).await.ask(&call()).await }).unwrap_err();
        assert_eq!(error.kind(), "too_large", "{kind:?}");
        let endless = Respond::stream([kind.piece(&"x".repeat(500))]).ending(End::Endless);
        let (heard, outcome) =
            run(async { kind.limited(vec![endless], 4096).await.listen(&call()).await });
        assert_eq!(outcome.unwrap_err().kind(), "too_large", "{kind:?}");
        assert!(heard.len() < 70_000, "{kind:?}: {}", heard.len());
        let lines = Respond::stream(["x".repeat(1 << 16)]).ending(End::Endless);
        let (_, outcome) =
            run(async { kind.limited(vec![lines], 4096).await.listen(&call()).await });
        assert_eq!(outcome.unwrap_err().kind(), "too_large", "{kind:?}");
    }
}

#[test]
fn as_24_endless_body_without_answer_ends_at_limit() {
    for kind in [Kind::OpenAi, Kind::Anthropic] {
        let pings = Respond::stream([": ping\n\n".repeat(1000)]).ending(End::Endless);
        let (_, outcome) =
            run(async { kind.limited(vec![pings], 1024).await.listen(&call()).await });
        assert_eq!(outcome.unwrap_err().kind(), "too_large", "{kind:?}");
    }
}

#[test]
fn as_24_missing_server_is_network_error_with_advice() {
    // A port that was just free: bound and released.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for uri in
        [format!("openai+http://127.0.0.1:{port}/v1/m"), format!("ollama://127.0.0.1:{port}/m")]
    {
        let provider = connect(&uri.parse().unwrap(), &ProviderSettings::default()).unwrap();
        let outcome = run(async { provider.complete(&call(), None, &CancelToken::new()).await });
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), "network", "{uri}");
        assert_eq!(
            error.to_string(),
            format!(
                "no connection to 127.0.0.1:{port}: the connection is refused; is a server \
                 running there?"
            )
        );
        assert!(error.help().unwrap().starts_with("start the server"), "{:?}", error.help());
    }
}

#[test]
fn as_24_each_protocol_uses_own_path_and_key_header() {
    for (kind, path, header) in [
        (Kind::OpenAi, "/v1/chat/completions", format!("authorization: bearer {KEY}")),
        (Kind::Compatible, "/v1/chat/completions", format!("authorization: bearer {KEY}")),
        (Kind::Anthropic, "/v1/messages", format!("x-api-key: {KEY}")),
        (Kind::Ollama, "/api/chat", "content-type: application/json".to_owned()),
    ] {
        let world = run(async {
            let world = kind.world(Case::Answer).await;
            world.ask(&call()).await.unwrap();
            world
        });
        let seen = world.server.unwrap().seen();
        assert_eq!((seen.len(), seen[0].path.as_str()), (1, path), "{kind:?}");
        assert!(seen[0].head.contains(&header), "{kind:?}: {}", seen[0].head);
        assert_eq!(seen[0].body["model"], "model-x", "{kind:?}");
    }
}

#[test]
fn as_21_a_server_that_knows_another_form_of_schema_is_met_half_way() {
    let complaint =
        "1 validation error: {'loc': ('body', 'response_format', 'type'), 'input': 'json_schema'}";
    let kind = Kind::Compatible;
    let script = vec![
        Respond::json(500, &kind.fault("internal_server_error", complaint)),
        Respond::json(200, &kind.body("{}", 1, 1)),
        Respond::json(200, &kind.body("{}", 1, 1)),
    ];
    let schema = SchemaHint::of_schema("a", json!({"type": "object", "properties": {}}));
    let asked = ChatCall { schema: Some(schema.into()), ..call() };
    let seen = run(async {
        let world = kind.scripted(script).await;
        world.ask(&asked).await.unwrap();
        world.ask(&asked).await.unwrap();
        world.server.unwrap().seen()
    });
    let forms: Vec<_> =
        seen.iter().map(|seen| seen.body["response_format"]["type"].clone()).collect();
    assert_eq!(forms, ["json_schema", "json_object", "json_object"]);
    assert_eq!(seen[2].body["response_format"]["schema"]["type"], "object");
}

#[test]
fn as_19_hint_that_server_refuses_is_left_out_with_warning() {
    let kind = Kind::OpenAi;
    let complaint =
        json!({"error": {"message": "Unsupported value: 'temperature'", "param": "temperature"}});
    let script = vec![Respond::json(400, &complaint), Respond::json(200, &kind.body("ok", 1, 1))];
    let mut warm = call();
    warm.request.temperature = Some(0.7);
    let (reply, seen) = run(async {
        let world = kind.scripted(script).await;
        (world.ask(&warm).await.unwrap(), world.server.unwrap().seen())
    });
    assert_eq!(
        (seen[0].body["temperature"].as_f64(), seen[1].body.get("temperature")),
        (Some(0.7), None)
    );
    assert_eq!(
        reply.warnings,
        ["`temperature` was left out: this model or server does not know it"]
    );
}

#[test]
fn as_23_a_server_without_usage_or_streams_is_still_understood() {
    let plain = Respond::json(
        200,
        &json!({"choices": [{"message": {"content": "Hello"}, "finish_reason": "length"}]}),
    );
    let (heard, outcome) =
        run(async { Kind::Compatible.scripted(vec![plain]).await.listen(&call()).await });
    let reply = outcome.unwrap();
    assert_eq!((heard.as_str(), reply.usage_estimated), ("Hello", true));
    assert!(reply.response.usage.total_tokens > 0 && reply.response.model == "model-x");
    assert_eq!(reply.warnings.len(), 2, "{:?}", reply.warnings);
}

#[test]
fn as_24_settings_hide_keys_and_bad_addresses_are_refused() {
    let settings =
        ProviderSettings { openai_key: Some(Secret::new(KEY)), ..ProviderSettings::default() };
    assert!(!format!("{settings:?}").contains(KEY));
    let none = ProviderSettings::default();
    let kind =
        |uri: &str, settings: &ProviderSettings| match connect(&uri.parse().unwrap(), settings) {
            Ok(_) => "connected",
            Err(error) => error.kind(),
        };
    assert_eq!(kind("openai://gpt-4o", &none), "auth");
    assert_eq!(kind("anthropic://claude", &none), "auth");
    assert_eq!(kind("openai://gpt-4o", &settings), "connected");
    assert_eq!(kind("ollama://m", &none), "connected");
    assert_eq!(kind("default", &none), "settings");
    assert_eq!(kind("replay:/no/such/file", &none), "recording");
    for base in ["nonsense", "ftp://host/v1", "https://me:pw@host/v1", "https://host/v1?key=1"] {
        let settings = ProviderSettings { openai_base_url: Some(base.into()), ..settings.clone() };
        assert_eq!(kind("openai://gpt-4o", &settings), "settings", "{base}");
    }
}

#[test]
fn ho_2_built_in_providers_pass_public_suite() {
    run(async {
        contexture_core::contract::provider(Arc::new(Extractive::new())).await;
        contexture_core::contract::provider(Arc::new(Mock::new())).await;
        for kind in KINDS {
            let script = vec![
                kind.stream(&["Hello", " there"], 3, 2),
                kind.respond(Case::Answer),
                kind.respond(Case::Answer),
            ];
            let world = kind.scripted(script).await;
            contexture_core::contract::provider(Arc::clone(&world.provider)).await;
        }
    });
}
