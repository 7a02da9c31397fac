//! An address as an action: its parameters are the request, its answer the result (WA-5).

use super::{KEY, METHODS, parse, require_public};
use contexture_flow::action::{ActionCall, ActionFailure};
use contexture_protocol::ErrorCode;
use serde_json::{Map, Value, json};
use url::Url;

/// An address that is called by a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    url: Url,
    method: String,
}

impl Endpoint {
    /// Reads an address; the method is `GET` or one of those that send.
    ///
    /// # Errors
    /// The reason why it can't be one, without the address.
    pub fn new(url: &str, method: &str) -> Result<Self, String> {
        if !["GET"].iter().chain(&METHODS).any(|known| known.eq_ignore_ascii_case(method)) {
            return Err(format!("`{method}` is not a method of an HTTP tool"));
        }
        let url = parse(url).map_err(|failure| failure.message)?;
        Ok(Self { url, method: method.to_ascii_lowercase() })
    }

    /// Returns the method, in lower case as tools name it.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Reports whether calls only read.
    #[must_use]
    pub fn reads(&self) -> bool {
        self.method == "get"
    }

    /// Returns the name of the built-in action that calls it.
    #[must_use]
    pub fn action(&self) -> &'static str {
        if self.reads() { "http_get" } else { "http_send" }
    }

    /// Returns why the address can't be reached, when it names a private one that is not listed.
    #[must_use]
    pub fn refused(&self, allow_private: &[String]) -> Option<String> {
        require_public(&self.url, allow_private).err().map(|refused| refused.to_string())
    }

    /// Returns the call of the built-in action. A `GET` takes the parameters in its query.
    #[must_use]
    pub fn request(&self, call: ActionCall, headers: Value) -> ActionCall {
        let mut given = call.parameters;
        given.remove(KEY);
        let mut url = self.url.clone();
        let mut parameters = Map::from_iter([("headers".to_owned(), headers)]);
        if self.reads() {
            let given = given.iter().filter(|(_, value)| !value.is_null());
            let mut query = url.query_pairs_mut();
            for (name, value) in given {
                query.append_pair(name, value.as_str().unwrap_or(&value.to_string()));
            }
            drop(query);
        } else {
            parameters.insert("method".to_owned(), json!(self.method.to_ascii_uppercase()));
            parameters.insert("body".to_owned(), Value::Object(given));
        }
        parameters.insert("url".to_owned(), url.as_str().into());
        ActionCall { name: self.action().to_owned(), parameters, ..call }
    }

    /// Returns the result of what the built-in action answered.
    ///
    /// # Errors
    /// EXECUTION_FAILED for an answer that is not 2xx.
    pub fn result(mut answer: Value) -> Result<Value, ActionFailure> {
        if answer.get("ok") == Some(&Value::Bool(true)) {
            return Ok(answer.get_mut("value").map(Value::take).unwrap_or_default());
        }
        let status = answer.get("status").cloned().unwrap_or_default();
        let message = format!("the address of the tool answered with the status {status}");
        Err(ActionFailure {
            details: Some(json!({ "status": status })),
            ..ActionFailure::new(ErrorCode::ExecutionFailed.as_str(), message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(parameters: Value) -> ActionCall {
        ActionCall {
            id: "a".to_owned(),
            name: "weather_api".to_owned(),
            parameters: parameters.as_object().unwrap().clone(),
            attempt: 1,
            key: "k".to_owned(),
            runtime: None,
            frontend: None,
        }
    }

    #[test]
    fn wa_5_parameters_go_in_body_or_query() {
        let given =
            json!({ "city": "北京 & more", "days": 3, "none": null, "idempotencyKey": "k" });
        let post = Endpoint::new("https://h.example/w?v=1", "post").unwrap();
        let sent = post.request(call(given.clone()), json!({}));
        assert_eq!(sent.name, "http_send");
        assert_eq!(sent.parameters["method"], "POST");
        assert_eq!(sent.parameters["url"], "https://h.example/w?v=1");
        let body = json!({ "city": "北京 & more", "days": 3, "none": null });
        assert_eq!(sent.parameters["body"], body);
        let get = Endpoint::new("https://h.example/w?v=1", "GET").unwrap();
        let sent = get.request(call(given), json!({}));
        assert_eq!(sent.name, "http_get");
        let url = sent.parameters["url"].as_str().unwrap();
        assert_eq!(url, "https://h.example/w?v=1&city=%E5%8C%97%E4%BA%AC+%26+more&days=3");
        assert!(sent.parameters.get("body").is_none());
    }

    #[test]
    fn wa_5_answer_is_result_unless_it_tells_failure() {
        let answer = json!({ "ok": true, "status": 200, "value": { "t": 5 }, "headers": {} });
        assert_eq!(Endpoint::result(answer), Ok(json!({ "t": 5 })));
        let failure = Endpoint::result(json!({ "ok": false, "status": 503, "value": "x" }));
        assert_eq!(failure.unwrap_err().code, "EXECUTION_FAILED");
        let refused = |url: &str| Endpoint::new(url, "POST").unwrap().refused(&[]).is_some();
        assert!(refused("http://127.0.0.1:9/") && refused("http://localhost/"));
        assert!(!refused("https://h.example/"));
        assert!(
            Endpoint::new("ftp://h", "POST").is_err() && Endpoint::new("https://h", "X").is_err()
        );
    }
}
