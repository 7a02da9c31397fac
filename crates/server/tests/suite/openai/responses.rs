//! `/v1/responses` (WA-8).

use super::model::Model;
use super::script::{Script, calls, says};
use super::site::{Answer, Site, eventually, until};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

async fn ask(site: &Site, more: Value) -> Answer {
    let mut asked = json!({ "model": "Slow", "input": "Weather in Rome?" });
    for (name, value) in more.as_object().unwrap() {
        asked[name] = value.clone();
    }
    site.send("POST", "/v1/responses", &[], &asked.to_string()).await
}

fn weather() -> Value {
    json!({ "type": "function", "name": "weather", "parameters": { "type": "object" } })
}

fn output(id: &str) -> Value {
    json!({ "type": "function_call_output", "call_id": id, "output": "sunny" })
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_response_has_items_usage_and_request() {
    let model = Script::new([says("It is sunny.")]).await;
    let site = Site::with(&model.uri, "", &[]).await;
    let answer = ask(&site, json!({ "max_output_tokens": 20, "metadata": { "a": "b" } })).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let response = answer.json();
    assert_eq!(
        (&response["object"], &response["status"]),
        (&json!("response"), &json!("completed"))
    );
    let item = &response["output"][0];
    assert_eq!((&item["type"], &item["status"]), (&json!("message"), &json!("completed")));
    assert_eq!(item["content"][0]["text"], "It is sunny.");
    assert_eq!(response["usage"]["input_tokens"], 7);
    assert_eq!(
        (&response["max_output_tokens"], &response["metadata"]),
        (&json!(20), &json!({ "a": "b" }))
    );
    assert_eq!((&response["store"], &response["model"]), (&json!(true), &json!("Slow")));
    assert!(response["completed_at"].is_u64() && response["error"].is_null(), "{response}");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_streamed_events_are_numbered_and_in_order() {
    let model = Script::new([calls("Let me look.", &[("c", "weather", "{\"a\":1}")])]).await;
    let site = Site::with(&model.uri, "", &[]).await;
    let answer = ask(&site, json!({ "stream": true, "tools": [weather()] })).await;
    let data = answer.events();
    assert_eq!(data.last().unwrap(), "[DONE]", "{answer:?}");
    let events: Vec<Value> =
        data.iter().filter_map(|event| serde_json::from_str(event).ok()).collect();
    for (place, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], place, "{event}");
        let name = format!("event: {}\n", event["type"].as_str().unwrap());
        assert!(answer.body.contains(&name), "{name}");
    }
    let mut kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    kinds.dedup();
    let expected = [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(kinds, expected.map(|kind| format!("response.{kind}")));
    let last = &events.last().unwrap()["response"];
    assert_eq!(last["output"][0]["content"][0]["text"], "Let me look.");
    assert_eq!(
        (&last["output"][1]["call_id"], &last["output"][1]["arguments"]),
        (&json!("c"), &json!("{\"a\":1}"))
    );
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_previous_response_is_copied_and_stays_as_it_is() {
    let site = Site::new().await;
    let first = ask(&site, json!({ "model": "Echo", "input": "one" })).await.json();
    let id = first["id"].as_str().unwrap().to_owned();
    let again = json!({ "model": "Echo", "input": "two", "previous_response_id": id, "instructions": "Be kind." });
    let second = ask(&site, again.clone()).await.json();
    assert_eq!(second["previous_response_id"], id.as_str(), "{second}");
    let told = |response: &Value| -> Vec<String> {
        let past = response["contexture"]["value"]["messages"].as_array().unwrap();
        past.iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(told(&second), ["Be kind.", "one", "one"]);
    // Instructions hold for one answer, and the first response goes on as it was.
    let second_id = second["id"].as_str().unwrap();
    let third = json!({ "model": "Echo", "input": "three", "previous_response_id": second_id });
    assert_eq!(told(&ask(&site, third).await.json()), ["one", "one", "two", "two"]);
    assert_eq!(told(&ask(&site, again).await.json()), ["Be kind.", "one", "one"]);
    let kept = site.get(&format!("/v1/contexts/{id}")).await.json();
    assert_eq!(kept["messages"].as_array().unwrap().len(), 2, "{kept}");
    let none = ask(&site, json!({ "previous_response_id": "resp_none" })).await;
    assert_eq!(
        (none.status, &none.json()["error"]["code"]),
        (400, &json!("previous_response_not_found"))
    );
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_whole_conversation_joins_new_response() {
    let site = Site::new().await;
    let input = json!([
        { "type": "message", "role": "developer", "content": "Be kind." },
        { "role": "user", "content": [{ "type": "input_text", "text": "one" }] },
        { "type": "reasoning", "id": "rs_1", "summary": [] },
        { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "two" }] },
        { "type": "message", "role": "user", "content": "three" },
    ]);
    for stored in [true, false] {
        let response =
            ask(&site, json!({ "model": "Echo", "input": input, "store": stored })).await.json();
        let past = response["contexture"]["value"]["messages"].as_array().unwrap();
        let told: Vec<(&str, &str)> = past
            .iter()
            .map(|one| (one["role"].as_str().unwrap(), one["text"].as_str().unwrap()))
            .collect();
        assert_eq!(told, [("system", "Be kind."), ("user", "one"), ("model", "two")]);
        assert_eq!(response["output"][0]["content"][0]["text"], "three");
    }
    let contexts = site.get("/v1/contexts").await.json();
    assert_eq!(contexts["contexts"].as_array().unwrap().len(), 1, "{contexts}");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_results_continue_stored_response_once_each() {
    let wish = calls("Let me look.", &[("a", "weather", "{}"), ("b", "weather", "{}")]);
    let model = Script::new([wish, says("Sunny.")]).await;
    let site = Site::with(&model.uri, "", &[]).await;
    let first = ask(&site, json!({ "tools": [weather()] })).await.json();
    let (id, items) = (first["id"].as_str().unwrap(), first["output"].as_array().unwrap());
    assert_eq!(items.len(), 3, "{first}");
    let go_on =
        |input: Value| json!({ "input": input, "previous_response_id": id, "tools": [weather()] });
    for wrong in [
        json!([output("a")]),
        json!([output("a"), output("b"), output("c")]),
        json!([output("a"), output("a")]),
        json!([output("a"), output("b"), { "role": "user", "content": "x" }]),
        json!([{ "role": "system", "content": "x" }]),
    ] {
        let answer = ask(&site, go_on(wrong.clone())).await;
        assert_eq!(answer.status, 400, "{wrong}: {answer:?}");
        assert_eq!(answer.json()["error"]["param"], "input");
    }
    let answer = ask(&site, go_on(json!([output("b"), output("a")]))).await;
    assert_eq!(answer.json()["output"][0]["content"][0]["text"], "Sunny.", "{answer:?}");
    let sent = &model.asked()[1]["messages"];
    let ids: Vec<&Value> =
        sent.as_array().unwrap().iter().map(|one| &one["tool_call_id"]).collect();
    assert_eq!(ids, [&Value::Null, &Value::Null, &json!("a"), &json!("b")], "{sent}");
    assert!(sent[0]["content"].as_str().unwrap().contains("Weather in Rome?"));
    let done = answer.json()["id"].as_str().unwrap().to_owned();
    let late = json!({ "input": [output("a"), output("b")], "previous_response_id": done });
    assert_eq!(ask(&site, late).await.status, 400, "they have their results");
    // The same by whole items, and by their ids.
    let asked = json!({ "role": "user", "content": "Weather in Rome?" });
    let named = items.iter().map(|item| json!({ "type": "item_reference", "id": item["id"] }));
    let named: Vec<Value> =
        [asked.clone()].into_iter().chain(named).chain([output("a"), output("b")]).collect();
    let whole: Vec<Value> =
        [asked].into_iter().chain(items.clone()).chain([output("a"), output("b")]).collect();
    for input in [named, whole] {
        for stored in [true, false] {
            let more = json!({ "input": input, "store": stored, "tools": [weather()] });
            let answer = ask(&site, more).await;
            assert_eq!(answer.json()["output"][0]["content"][0]["text"], "Sunny.", "{answer:?}");
            let sent = model.asked().last().unwrap()["messages"].clone();
            assert_eq!(
                (&sent[1]["tool_calls"][1]["id"], &sent[1]["content"]),
                (&json!("b"), &json!("Let me look."))
            );
        }
    }
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_named_context_takes_results_of_its_calls() {
    let wish = calls("", &[("a", "weather", "{}")]);
    let model = Script::new([wish.clone(), says("Sunny.")]).await;
    let site = Site::with(&model.uri, "", &[]).await;
    let user = json!({ "role": "user", "content": "Weather in Rome?" });
    let tool = json!({ "type": "function", "function": { "name": "weather" } });
    let result = json!({ "role": "tool", "tool_call_id": "a", "content": "sunny" });
    let metadata = json!({ "contextId": "ctx_1" });
    let asked = |messages: Value| json!({ "model": "Slow", "messages": messages, "tools": [tool], "metadata": metadata });
    let early = site.chat(asked(json!([user, wish, result]))).await;
    assert_eq!(
        (early.status, &early.json()["error"]["param"]),
        (400, &json!("messages")),
        "{early:?}"
    );
    let first = site.chat(asked(json!([user]))).await.json();
    assert_eq!(first["choices"][0]["finish_reason"], "tool_calls", "{first}");
    let answer = site.chat(asked(json!([user, wish, result]))).await;
    assert_eq!(answer.json()["choices"][0]["message"]["content"], "Sunny.", "{answer:?}");
    let kept = site.get("/v1/contexts/ctx_1").await.json();
    let kinds: Vec<&str> = kept["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["USER_INPUT", "MODEL_RESPONSE", "TOOL_CALL_RESPONSE", "MODEL_RESPONSE"]);
    assert_eq!(kept["messages"][1]["content"]["finishReason"], "TOOL_CALLS");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_unsupported_parameters_of_responses_are_refused() {
    let site = Site::new().await;
    let image = json!([{ "role": "user", "content": [{ "type": "input_image", "file_id": "f" }] }]);
    for (param, more) in [
        ("background", json!({ "background": true })),
        ("conversation", json!({ "conversation": "c" })),
        ("include", json!({ "include": ["message.output_text.logprobs"] })),
        ("max_tool_calls", json!({ "max_tool_calls": 1 })),
        ("top_logprobs", json!({ "top_logprobs": 3 })),
        ("messages", json!({ "messages": [] })),
        ("n", json!({ "n": 2 })),
        ("store", json!({ "store": false, "previous_response_id": "resp_x" })),
        ("store", json!({ "store": "no" })),
        ("input", json!({ "input": null })),
        ("input", json!({ "input": [] })),
        ("input[0]", json!({ "input": ["x"] })),
        ("input[0].role", json!({ "input": [{ "role": "king", "content": "x" }] })),
        ("input[0].type", json!({ "input": [{ "type": "computer_call" }] })),
        ("input[0].id", json!({ "input": [{ "type": "item_reference", "id": "msg_none_1" }] })),
        ("input[0].content[0].image_url", json!({ "input": image })),
        ("input[1]", json!({ "input": [{ "role": "user", "content": "x" }, output("never")] })),
        ("input", json!({ "input": [{ "role": "assistant", "content": "x" }] })),
        ("tools[0].type", json!({ "tools": [{ "type": "web_search" }] })),
        ("text.format.type", json!({ "text": { "format": { "type": "yaml" } } })),
        (
            "text.format.schema",
            json!({ "text": { "format": { "type": "json_schema", "name": "a" } } }),
        ),
        ("max_output_tokens", json!({ "max_output_tokens": 0 })),
        ("temprature", json!({ "temprature": 1 })),
    ] {
        let answer = ask(&site, more.clone()).await;
        assert_eq!(answer.status, 400, "{more}: {answer:?}");
        assert_eq!(answer.json()["error"]["param"], param, "{more}: {}", answer.body);
    }
    let harmless = json!({
        "model": "Echo", "user": "u", "top_p": 0.5, "reasoning": { "effort": "low" }, "truncation": "auto",
        "include": ["reasoning.encrypted_content"], "service_tier": "auto", "background": false,
        "text": { "format": { "type": "text" }, "verbosity": "low" }, "tool_choice": "auto",
    });
    let answer = ask(&site, harmless).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_cut_and_failed_responses_say_so() {
    let model = Model::fast().await;
    let site = Site::with(&model.uri, "", &[]).await;
    let cut = ask(&site, json!({ "max_output_tokens": 2 })).await.json();
    assert_eq!(
        (&cut["status"], &cut["incomplete_details"]["reason"]),
        (&json!("incomplete"), &json!("max_output_tokens"))
    );
    assert_eq!(cut["output"][0]["content"][0]["text"], "one two ");
    let failed = ask(&site, json!({ "model": "Broken" })).await;
    assert_eq!((failed.status, &failed.json()["error"]["code"]), (500, &json!("AS9011")));
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_cut_stream_of_responses_ends_turn() {
    let model = Model::new().await;
    let site = Site::with(&model.uri, "", &[]).await;
    let body = json!({ "model": "Slow", "input": "Go", "stream": true }).to_string();
    let mut stream = site.begin("POST", "/v1/responses", &[], &body).await;
    model.gate.add_permits(1);
    until(&mut stream, "one ").await;
    drop(stream);
    eventually("the model is left", async || model.is_left.load(Ordering::SeqCst)).await;
    eventually("the turn is counted", async || {
        let page = site.get("/metrics").await.body;
        page.contains("outcome=\"cancelled\"} 1") && page.contains("contexture_turns_running 0")
    })
    .await;
    site.ended().await.unwrap();
}
