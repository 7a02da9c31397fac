//! What other languages call the methods.

/// Returns the method that other languages call so.
pub(crate) fn other_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "push" | "append" | "push_back" | "insert" => "add",
        "includes" | "include" => "contains",
        "has_key" | "hasKey" | "hasOwnProperty" => "has",
        "toUpperCase" | "to_upper" | "upcase" | "uppercase" => "upper",
        "toLowerCase" | "to_lower" | "downcase" | "lowercase" => "lower",
        "strip" => "trim",
        "startswith" => "starts_with",
        "endswith" => "ends_with",
        "sorted" | "sort_by" | "sortBy" => "sort",
        _ => return None,
    })
}
