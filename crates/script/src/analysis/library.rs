//! The methods of values (AS-8) as the checker sees them: the runtime's own tables.

use crate::runtime::methods::{Receiver, methods_of};

/// A method of values, merged over all kinds of value that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LibraryMethod {
    pub(super) receivers: Vec<Receiver>,
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) signature: &'static str,
}

const RECEIVERS: [Receiver; 3] = [Receiver::String, Receiver::List, Receiver::Object];

pub(super) const PROPERTIES: &[&str] = &["length", "summary"];

pub(super) const HIGHER: &[&str] = &["map", "filter", "sort"];

pub(super) fn find(name: &str) -> Option<LibraryMethod> {
    let mut found: Option<LibraryMethod> = None;
    for receiver in RECEIVERS {
        let Some(method) = methods_of(receiver).iter().find(|method| method.name == name) else {
            continue;
        };
        let fresh = LibraryMethod {
            receivers: Vec::new(),
            least: method.least,
            most: method.most,
            signature: method.signature,
        };
        let all = found.get_or_insert(fresh);
        all.receivers.push(receiver);
        all.least = all.least.min(method.least);
        all.most = all.most.max(method.most);
    }
    found
}

pub(super) fn names() -> Vec<&'static str> {
    let all = RECEIVERS.iter().flat_map(|receiver| methods_of(*receiver));
    let mut names: Vec<&str> = all.map(|method| method.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the method that other languages call so.
pub(super) fn other_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "push" | "append" | "push_back" | "insert" => "add",
        "includes" | "include" => "contains",
        "has_key" | "hasKey" | "hasOwnProperty" => "has",
        "toUpperCase" | "to_upper" | "upcase" | "uppercase" => "upper",
        "toLowerCase" | "to_lower" | "downcase" | "lowercase" => "lower",
        "strip" => "trim",
        "starts_with" | "startswith" => "startsWith",
        "ends_with" | "endswith" => "endsWith",
        "sorted" | "sort_by" | "sortBy" => "sort",
        _ => return None,
    })
}
