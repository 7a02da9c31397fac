//! The form of an answer that a client asks for (WA-8).

use super::script::{Script, says};
use super::site::Site;
use serde_json::{Value, json};

fn city() -> Value {
    let schema = json!({ "type": "object", "additionalProperties": false, "properties": {
        "name": { "type": "string", "minLength": 2 }, "size": { "type": "integer" },
    }, "required": ["name", "size"] });
    json!({ "type": "json_schema", "json_schema": { "name": "city", "strict": true, "schema": schema } })
}

fn asked(agent: &str, format: Value, stream: bool) -> Value {
    json!({ "model": agent, "messages": [{ "role": "user", "content": "Rome" }],
        "response_format": format, "stream": stream })
}

fn streamed(events: &[String]) -> String {
    let chunks = events.iter().filter_map(|chunk| serde_json::from_str::<Value>(chunk).ok());
    chunks
        .filter_map(|one| one["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_schema_reaches_model_and_answer_is_its_json() {
    let model = Script::new([says("```json\n{\"name\": \"Rome\", \"size\": \"3\",}\n```")]).await;
    let site = Site::with(&model.uri, "", &[]).await;
    let answer = site.chat(asked("Slow", city(), false)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let text = answer.json()["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
    assert_eq!(text, "{\"name\":\"Rome\",\"size\":3}");
    let sent = &model.asked()[0]["response_format"]["json_schema"];
    assert_eq!(
        (&sent["name"], &sent["schema"]),
        (&json!("city"), &city()["json_schema"]["schema"])
    );
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_streamed_json_adds_up_to_answer() {
    let long = format!("{{\"name\": \"{}\", \"size\": 12345}}", "Größe \\n”".repeat(40));
    let model = Script::new([says(&long)]).await;
    let site = Site::with(&model.uri, "", &[]).await;
    let answer = site.chat(asked("Slow", city(), true)).await;
    let events = answer.events();
    assert_eq!(events.last().unwrap(), "[DONE]", "{answer:?}");
    let whole: Value = serde_json::from_str(&streamed(&events)).unwrap();
    assert_eq!(whole, serde_json::from_str::<Value>(&long).unwrap());
    assert!(events.len() > 8, "it came in pieces: {}", events.len());
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_answer_of_another_form_is_failure() {
    let model = Script::new([says("{\"name\": \"R\", \"size\": 3}")]).await;
    let site = Site::with(&model.uri, "", &[]).await;
    for stream in [false, true] {
        let answer = site.chat(asked("Slow", city(), stream)).await;
        let last = answer.events().last().cloned().unwrap_or_else(|| answer.body.clone());
        let error: Value = serde_json::from_str(&last).unwrap();
        assert!(error["error"]["code"].is_string(), "{answer:?}");
    }
    // An agent that asks no model has the form that its program gives.
    let object = json!({ "type": "json_object" });
    let answer = site.chat(asked("Echo", object.clone(), false)).await;
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (500, &json!("answer_form")));
    let model = Script::new([says("{\"any\": [1, null]}")]).await;
    let site = Site::with(&model.uri, "", &[]).await;
    let answer = site.chat(asked("Slow", object, false)).await.json();
    assert_eq!(answer["choices"][0]["message"]["content"], "{\"any\":[1,null]}");
    site.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wa_8_hostile_schemas_are_refused_or_bounded() {
    let model = Script::new([says("{}")]).await;
    let site = Site::with(&model.uri, "", &[]).await;
    let of = |schema: Value| json!({ "type": "json_schema", "json_schema": { "name": "f", "schema": schema } });
    let place = "response_format.json_schema.schema";
    let cases = [
        (place, of(json!({ "type": "objekt" }))),
        (place, of(json!({ "$ref": "#/nowhere" }))),
        (place, of(json!({ "$ref": "http://127.0.0.1:1/schema" }))),
        (place, of(json!({ "$ref": "file:///etc/passwd" }))),
        (place, of(json!({ "pattern": "(" }))),
        (place, of(json!({ "description": "x".repeat(300_000) }))),
        (place, of(json!([]))),
        (
            "response_format.json_schema.name",
            json!({ "type": "json_schema", "json_schema": { "schema": {} } }),
        ),
        ("response_format.json_schema", json!({ "type": "json_schema" })),
        ("response_format.type", json!({ "type": "xml" })),
        ("response_format.type", json!("json")),
    ];
    for (param, format) in cases {
        let shown: String = format.to_string().chars().take(100).collect();
        let answer = site.chat(asked("Slow", format, false)).await;
        assert_eq!(answer.status, 400, "{shown}: {answer:?}");
        assert_eq!(answer.json()["error"]["param"], param, "{shown}");
    }
    let mut cut = asked("Slow", city(), false);
    cut["stop"] = json!("x");
    assert_eq!(site.chat(cut).await.json()["error"]["param"], "stop");
    assert!(model.asked().is_empty());
    // Schemas that go round, or that would be enormous written out.
    let doubled = |name: usize| {
        json!({ "allOf": [
        { "$ref": format!("#/$defs/d{}", name + 1) }, { "$ref": format!("#/$defs/d{}", name + 1) },
    ] })
    };
    let mut defs: serde_json::Map<String, Value> =
        (0..40).map(|name| (format!("d{name}"), doubled(name))).collect();
    defs.insert("d40".to_owned(), json!({ "type": "object" }));
    let chain = (0..2_000)
        .map(|name| (format!("c{name}"), json!({ "$ref": format!("#/$defs/c{}", name + 1) })));
    let chain: serde_json::Map<String, Value> = chain.collect();
    for schema in [
        json!({ "$ref": "#/$defs/d0", "$defs": defs }),
        json!({ "$ref": "#/$defs/c0", "$defs": chain }),
    ] {
        let answer = site.chat(asked("Slow", of(schema), false)).await;
        assert_eq!(answer.json()["error"]["code"], "invalid_json_schema", "{answer:?}");
    }
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "$ref": "#" }] }),
        json!({ "type": "object", "properties": { "a": { "$ref": "#" }, "b": { "$ref": "#" } } }),
    ] {
        let answer = site.chat(asked("Slow", of(schema), false)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    site.ended().await.unwrap();
}
