//! What a server says of its models, in the forms of several servers (CA-4).

use contexture_core::profile::Profile;
use serde_json::Value;

/// Reads a description: llama.cpp's `/props`, the list of `/v1/models` (vLLM, LM Studio and others),
/// Ollama's `/api/show`.
pub(crate) fn profile(body: &Value, model: &str) -> Profile {
    let listed = body.get("data").and_then(Value::as_array);
    let listed = listed.and_then(|models| {
        let is_it = |entry: &&Value| entry.get("id").and_then(Value::as_str) == Some(model);
        models.iter().find(is_it).or_else(|| models.first().filter(|_| models.len() == 1))
    });
    let one = listed.unwrap_or(body);
    let number = |names: &[&str]| names.iter().find_map(|name| positive(one.pointer(name)));
    Profile {
        window: number(WINDOWS).or_else(|| of_architecture(one)),
        max_output: number(OUTPUTS),
        ..Profile::default()
    }
}

const WINDOWS: &[&str] = &[
    "/default_generation_settings/n_ctx",
    "/meta/n_ctx",
    "/max_model_len",
    "/loaded_context_length",
    "/context_window",
    "/context_length",
    "/max_context_length",
];

const OUTPUTS: &[&str] = &["/max_output_tokens", "/max_completion_tokens"];

fn positive(value: Option<&Value>) -> Option<u64> {
    value.and_then(Value::as_u64).filter(|number| *number > 0)
}

/// Reads `model_info` of Ollama, whose keys begin with the architecture: `llama.context_length`.
fn of_architecture(body: &Value) -> Option<u64> {
    let info = body.get("model_info")?.as_object()?;
    let found = info.iter().find(|(key, _)| key.ends_with(".context_length"));
    positive(found.map(|(_, value)| value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn window(body: Value) -> Option<u64> {
        profile(&body, "m").window
    }

    #[test]
    fn ca_4_window_is_read_from_the_forms_of_servers() {
        let props = json!({"default_generation_settings": {"n_ctx": 4096, "id": 0}});
        assert_eq!(window(props), Some(4_096));
        let models = json!({"object": "list", "data": [
            {"id": "other", "max_model_len": 1}, {"id": "m", "max_model_len": 32768},
        ]});
        assert_eq!(window(models), Some(32_768));
        let only =
            json!({"data": [{"id": "/models/m.gguf", "meta": {"n_ctx": 512, "n_ctx_train": 9}}]});
        assert_eq!(window(only), Some(512));
        let show =
            json!({"model_info": {"general.architecture": "llama", "llama.context_length": 8192}});
        assert_eq!(window(show), Some(8_192));
        let limits =
            json!({"data": [{"id": "m", "context_window": 9, "max_completion_tokens": 3}]});
        assert_eq!(profile(&limits, "m").max_output, Some(3));
    }

    #[test]
    fn ca_4_description_that_tells_nothing_or_nonsense_is_no_window() {
        for body in [
            json!(null),
            json!([1, 2]),
            json!({"data": [{"id": "a", "max_model_len": 1}, {"id": "b"}]}),
            json!({"data": "m", "max_model_len": "4096"}),
            json!({"default_generation_settings": {"n_ctx": -1}}),
            json!({"default_generation_settings": {"n_ctx": 0}}),
            json!({"model_info": {"llama.context_length": 1e9}}),
            json!({"model_info": []}),
        ] {
            assert_eq!(window(body.clone()), None, "{body}");
        }
    }
}
