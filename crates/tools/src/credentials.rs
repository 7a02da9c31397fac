//! The secrets of a call over HTTP. A build without the HTTP tool masks it, too: the call that
//! fails is recorded.

use serde_json::Value;

/// Words in the names of headers that carry credentials.
const CREDENTIALS: [&str; 6] = ["authorization", "cookie", "key", "token", "secret", "password"];

/// Reports whether a header of this name carries a credential.
pub(crate) fn is_credential(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    CREDENTIALS.iter().any(|word| name.contains(word))
}

/// Returns the texts of a call's argument that must be masked: values of credential headers, and
/// what follows a scheme word such as `Bearer`.
pub(crate) fn secrets_in(argument: &Value) -> Vec<String> {
    let headers = argument.get("headers").and_then(Value::as_object);
    let mut secrets = Vec::new();
    for (name, value) in headers.into_iter().flatten() {
        let Some(value) = value.as_str().filter(|_| is_credential(name)) else { continue };
        match value.split_once(' ') {
            Some((_, credential)) if name.to_ascii_lowercase().contains("authorization") => {
                secrets.push(credential.trim().to_owned());
            }
            _ => secrets.push(value.to_owned()),
        }
    }
    secrets
}
