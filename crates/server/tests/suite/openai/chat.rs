use super::model::Model;
use super::site::{Site, eventually, until};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

fn asked(model: &str, more: Value) -> Value {
    let mut asked = json!({ "model": model, "messages": [{ "role": "user", "content": "Go" }] });
    for (name, value) in more.as_object().unwrap() {
        asked[name] = value.clone();
    }
    asked
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_5_agents_are_models() {
    let site = Site::new().await;
    let all = site.get("/v1/models").await.json();
    let names: Vec<&str> =
        all["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(
        (all["object"].as_str(), names),
        (Some("list"), vec!["Echo", "Slow", "Where", "Writer", "Broken"])
    );
    assert_eq!(site.get("/v1/models/Slow").await.json()["object"], "model");
    let none = site.get("/v1/models/Slo").await;
    assert_eq!(
        (none.status, none.json()["error"]["code"].as_str()),
        (404, Some("model_not_found"))
    );
    let message = none.json()["error"]["message"].to_string();
    assert!(message.contains("`Slow`"), "{message}");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_5_chat_returns_whole_answer() {
    let model = Model::fast().await;
    let site = Site::with(&model.uri, "", &[]).await;
    let answer = site.chat(asked("Slow", json!({}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = answer.json();
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(answer["model"], "Slow");
    assert_eq!(answer["choices"][0]["message"]["content"], "one two three");
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    let usage = json!({ "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 });
    assert_eq!(answer["usage"], usage);
    let contexts = site.get("/v1/contexts").await.json();
    assert_eq!(contexts["contexts"], json!([]), "nothing is kept");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_5_chat_streams_role_pieces_reason_usage_and_done() {
    let model = Model::new().await;
    let site = Site::with(&model.uri, "", &[]).await;
    let wanted = json!({ "stream": true, "stream_options": { "include_usage": true } });
    let body = asked("Slow", wanted).to_string();
    let mut stream = site.begin("POST", "/v1/chat/completions", &[], &body).await;
    model.gate.add_permits(1);
    // What is said is there before the rest may be said.
    let first = until(&mut stream, "one ").await;
    assert!(first.contains("text/event-stream"), "{first}");
    model.gate.add_permits(2);
    let rest = until(&mut stream, "[DONE]").await;
    let whole = first + &rest;
    let chunks: Vec<Value> = whole
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .collect();
    let deltas: Vec<&Value> = chunks.iter().map(|chunk| &chunk["choices"][0]["delta"]).collect();
    assert_eq!(deltas[0]["role"], "assistant");
    let text: String = deltas.iter().filter_map(|delta| delta["content"].as_str()).collect();
    assert_eq!(text, "one two three");
    let reasons: Vec<&str> =
        chunks.iter().filter_map(|one| one["choices"][0]["finish_reason"].as_str()).collect();
    assert_eq!(reasons, ["stop"]);
    let last = chunks.last().unwrap();
    assert_eq!((&last["choices"], &last["usage"]["total_tokens"]), (&json!([]), &json!(10)));
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_5_history_and_attachments_reach_agent() {
    let site = Site::new().await;
    let answer = site
        .chat(json!({ "model": "Echo", "messages": [
            { "role": "developer", "content": "Be kind." },
            { "role": "user", "content": [
                { "type": "text", "text": "See" },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,AA==" } },
            ] },
            { "role": "assistant", "content": null, "tool_calls": [] },
            { "role": "tool", "tool_call_id": "1", "content": "7" },
            { "role": "assistant", "content": [{ "type": "refusal", "refusal": "No." }] },
            { "role": "user", "content": [
                { "type": "text", "text": "北京" },
                { "type": "input_audio", "input_audio": { "data": "AA==", "format": "mp3" } },
            ] },
            { "role": "system", "content": "Now." },
        ] }))
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = answer.json();
    assert_eq!(answer["choices"][0]["message"]["content"], "北京");
    let value = &answer["contexture"]["value"];
    assert_eq!(
        value["messages"],
        json!([
            { "role": "system", "text": "Be kind." },
            { "role": "user", "text": "See\n\n[image]" },
            { "role": "tool", "text": "7" },
            { "role": "model", "text": "No." },
            { "role": "system", "text": "Now." },
        ])
    );
    assert_eq!(value["attachments"][0]["type"], "AUDIO");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_5_unsupported_parameters_are_refused() {
    let site = Site::new().await;
    let cases = [
        ("n", json!({ "n": 2 })),
        ("tools[0].function", json!({ "tools": [{ "type": "function" }] })),
        ("tools", json!({ "tools": [{ "type": "function", "function": { "name": "f" } }] })),
        ("tool_choice", json!({ "tool_choice": "required" })),
        ("response_format.type", json!({ "response_format": { "type": "xml" } })),
        ("logprobs", json!({ "logprobs": true })),
        ("logit_bias", json!({ "logit_bias": { "1": 2 } })),
        ("stop", json!({ "stop": "x" })),
        ("stop", json!({ "stop": ["a", "b", "c", "d", "e"] })),
        ("modalities", json!({ "modalities": ["text", "audio"] })),
        ("temperature", json!({ "temperature": 2.1 })),
        ("temperature", json!({ "temperature": "hot" })),
        ("max_tokens", json!({ "max_tokens": -1 })),
        ("stream", json!({ "stream": "yes" })),
        ("stream_options", json!({ "stream_options": {} })),
        ("metadata", json!({ "metadata": [] })),
        ("metadata.contextId", json!({ "metadata": { "contextId": 7 } })),
        ("messages", json!({ "messages": null })),
        ("messages", json!({ "messages": [{ "role": "assistant", "content": "x" }] })),
        (
            "messages",
            json!({ "messages": [{ "role": "user", "content": "x" }, { "role": "assistant", "content": "y" }] }),
        ),
        ("messages[0]", json!({ "messages": ["x"] })),
        ("messages[0].content", json!({ "messages": [{ "role": "user" }] })),
        (
            "messages[0].content[0].file.file_id",
            json!({ "messages": [{ "role": "user", "content": [{ "type": "file", "file": { "file_id": "f" } }] }] }),
        ),
        (
            "messages[0].content[0]",
            json!({ "messages": [{ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "file:///etc/passwd" } }] }] }),
        ),
        ("maxtokens", json!({ "maxtokens": 1 })),
        ("model", json!({ "model": null })),
    ];
    for (param, more) in cases {
        let answer = site.chat(asked("Echo", more.clone())).await;
        assert_eq!(answer.status, 400, "{more}: {answer:?}");
        let error = &answer.json()["error"];
        assert_eq!(error["param"], param, "{more}: {error}");
        assert_eq!(error["type"], "invalid_request_error", "{more}");
    }
    for body in ["", "{", "[]", "{\"model\"", "7", "\u{feff}{}"] {
        let answer = site.send("POST", "/v1/chat/completions", &[], body).await;
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
    }
    let deep = "[".repeat(100_000);
    let answer = site.send("POST", "/v1/chat/completions", &[], &deep).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    let wrong = site.chat(asked("Ecko", json!({}))).await;
    assert_eq!((wrong.status, wrong.json()["error"]["param"].as_str()), (404, Some("model")));
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_5_neutral_parameters_are_accepted() {
    let site = Site::new().await;
    let harmless = json!({
        "n": 1, "tools": [], "tool_choice": "auto", "response_format": { "type": "text" },
        "logprobs": false, "top_logprobs": null, "logit_bias": {}, "stop": null, "user": "u",
        "store": true, "seed": 1, "top_p": 0.1, "presence_penalty": 1, "service_tier": "auto",
        "modalities": ["text"], "reasoning_effort": "low", "stream": false, "metadata": null,
    });
    let answer = site.chat(asked("Echo", harmless)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_5_failing_agent_reports_error_and_does_not_rerun() {
    let site = Site::new().await;
    for stream in [false, true] {
        let answer = site.chat(asked("Broken", json!({ "stream": stream }))).await;
        assert_eq!(answer.status, 500, "{answer:?}");
        assert!(answer.head.contains("x-should-retry: false"), "{answer:?}");
        let error = &answer.json()["error"];
        assert_eq!((&error["code"], &error["type"]), (&json!("AS9011"), &json!("server_error")));
    }
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn ca_1_cut_answer_is_sent_and_kept_as_cut() {
    let model = Model::fast().await;
    let site = Site::with(&model.uri, "", &[]).await;
    for stream in [false, true] {
        let wanted = json!({ "max_tokens": 2, "stream": stream });
        let answer = site.chat(asked("Slow", wanted)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let text = format!("{answer:?}").replace('\\', "");
        assert!(text.contains("\"finish_reason\":\"length\"") && !text.contains("three"), "{text}");
    }
    let body = asked("Slow", json!({ "max_tokens": 2 })).to_string();
    let header = [("X-Context-Id", "ctx_1")];
    let answer = site.send("POST", "/v1/chat/completions", &header, &body).await.json();
    assert_eq!(answer["choices"][0]["finish_reason"], "length", "{answer}");
    assert_eq!(answer["choices"][0]["message"]["content"], "one two ");
    let kept = site.get("/v1/contexts/ctx_1").await.json();
    let last = &kept["messages"][1];
    assert_eq!(last["content"]["finishReason"], "LENGTH", "{last}");
    assert_eq!(last["content"]["text"], "one two ");
    assert_eq!(last["metadata"]["error"]["code"], "ANSWER_CUT_OFF");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_5_named_context_stores_messages() {
    let model = Model::fast().await;
    let site = Site::with(&model.uri, "", &[]).await;
    let named = json!({ "metadata": { "contextId": "ctx_1", "a": "b" } });
    let answer = site.chat(asked("Echo", named)).await.json();
    assert_eq!(answer["contexture"]["contextId"], "ctx_1");
    let body = asked("Slow", json!({ "stream": true })).to_string();
    let header = [("X-Context-Id", "ctx_1")];
    let answer = site.send("POST", "/v1/chat/completions", &header, &body).await;
    assert_eq!(answer.events().last().unwrap(), "[DONE]", "{answer:?}");
    let kept = site.get("/v1/contexts/ctx_1").await.json();
    let kept = kept["messages"].as_array().unwrap();
    let types: Vec<&str> = kept.iter().map(|one| one["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["USER_INPUT", "MODEL_RESPONSE", "USER_INPUT", "MODEL_RESPONSE"]);
    assert_eq!(kept[0]["metadata"]["a"], "b");
    assert_eq!(kept[3]["content"]["text"], "one two three");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_5_chat_requests_need_valid_token() {
    let site = Site::with("", "[serve]\nrequire_token = true\n", &[]).await;
    for header in [None, Some(("Authorization", "Bearer sk-wrong"))] {
        let headers = header.as_slice();
        let listed = site.send("GET", "/v1/models", headers, "").await;
        let body = asked("Echo", json!({})).to_string();
        let chat = site.send("POST", "/v1/chat/completions", headers, &body).await;
        for answer in [listed, chat] {
            assert_eq!(answer.status, 401, "{answer:?}");
            assert_eq!(answer.json()["error"]["code"], "invalid_api_key");
        }
    }
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_8_disconnecting_client_ends_its_turn() {
    for more in [
        json!({ "stream": true }),
        json!({}),
        json!({ "stream": true, "metadata": { "contextId": "ctx_1" } }),
    ] {
        let model = Model::new().await;
        let site = Site::with(&model.uri, "", &[]).await;
        let body = asked("Slow", more.clone()).to_string();
        let mut stream = site.begin("POST", "/v1/chat/completions", &[], &body).await;
        model.gate.add_permits(1);
        if more["stream"] == true {
            until(&mut stream, "one ").await;
        } else {
            eventually("the model is asked", async || model.gate.available_permits() == 0).await;
        }
        drop(stream);
        eventually("the model is left", async || model.is_left.load(Ordering::SeqCst)).await;
        eventually("the turn is counted", async || {
            let page = site.get("/metrics").await.body;
            page.contains("contexture_turns_total{agent=\"Slow\",outcome=\"cancelled\"} 1")
                && page.contains("contexture_turns_running 0")
        })
        .await;
        site.ended().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_8_slow_turn_times_out() {
    let model = Model::new().await;
    let site = Site::with(&model.uri, "[serve]\nturn_timeout = 1\n", &[]).await;
    let answer = site.chat(asked("Slow", json!({}))).await;
    assert_eq!((answer.status, answer.json()["error"]["code"].as_str()), (504, Some("timeout")));
    eventually("the model is left", async || model.is_left.load(Ordering::SeqCst)).await;
    model.gate.add_permits(1);
    let answer = site.chat(asked("Slow", json!({ "stream": true }))).await;
    assert_eq!(answer.status, 200);
    let last: Value = serde_json::from_str(answer.events().last().unwrap()).unwrap();
    assert_eq!(last["error"]["code"], "timeout", "{answer:?}");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_9_agent_without_context_gets_empty_context_id() {
    let site = Site::new().await;
    let answer = site.chat(asked("Where", json!({}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["choices"][0]["message"]["content"], "in <>");
    let within = json!({ "metadata": { "contextId": "ctx_1" } });
    let answer = site.chat(asked("Where", within)).await;
    assert_eq!(answer.json()["choices"][0]["message"]["content"], "in <ctx_1>", "{answer:?}");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn cp_19_journal_of_sets_has_no_model_keys() {
    let site = Site::new().await;
    let set = json!({
        "messageId": "i1", "contextId": "ctx_1", "timestamp": "2026-01-01T00:00:00Z",
        "type": "INSTRUCTION", "sender": { "id": "me", "type": "USER" },
        "content": { "instructions": [{ "instructionId": "a", "action": "echo",
            "parameters": { "text": "it is sk-of-the-model, and public" } }] },
    });
    let answer = site.send("POST", "/v1/messages", &[], &set.to_string()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let kept = site.kept("flows.db");
    let has = |text: &str| kept.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has(", and public") && !has("sk-of-the-model"));
    site.ended().await.unwrap();
}
