//! The example of a conversation: a model with a tool of its own, recorded, and without one (CP-5).

use crate::support::{Sandbox, repository};
use serde_json::json;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for file in [
        "contexture.toml",
        "data/weather.json",
        "forecast.as",
        "tools/weather_api.as",
        "weather.as",
        "weather.replay.jsonl",
    ] {
        let text = std::fs::read(repository().join("examples/serve").join(file)).unwrap();
        sandbox.write(file, text);
    }
    let _ = sandbox.run(["mcp-servers", "accept", "weather"]).exits(0);
    sandbox
}

#[test]
fn cp_5_weather_example_calls_tool_and_recorded_model() {
    let sandbox = sandbox();
    let input = json!({ "text": "北京今天天气怎么样?", "messages": [] }).to_string();
    let model = "replay:weather.replay.jsonl";
    let run = ["run", "weather.as", "--quiet", "--model", model, "--input", &input];
    let answer = sandbox.run(run).exits(0).json();
    assert!(answer.as_str().unwrap().starts_with("北京今天天气晴朗，气温5°C"), "{answer}");
    // What the tool says is part of the recorded request: another weather is another question.
    let data = sandbox.read("data/weather.json").replace("5°C", "25°C");
    sandbox.write("data/weather.json", data);
    let refused = sandbox.run(run).exits(1);
    assert!(refused.stderr.contains("replay_miss"), "{}", refused.stderr);
}

#[test]
fn cp_5_program_without_model_calls_tool_itself() {
    let sandbox = sandbox();
    let ask = |text: &str, city: &str| {
        let state = if city.is_empty() { json!({}) } else { json!({ "city": city }) };
        let input = json!({ "text": text, "state": state }).to_string();
        let done = sandbox.run(["run", "forecast.as", "--quiet", "--input", &input]).exits(0);
        done.json().as_str().unwrap().to_owned()
    };
    assert!(ask("What is the weather in Oslo today?", "").starts_with("Oslo, 2025-12-01: snow"));
    assert!(ask("北京今天天气怎么样?", "").contains("晴, 5°C"));
    assert!(ask("Is it windy?", "Lisbon").contains("fresh, from the west"));
    assert!(ask("Will it rain?", "").contains("Which city do you mean?"));
}
