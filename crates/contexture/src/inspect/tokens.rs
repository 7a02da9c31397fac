//! What the tokens of a run went to (IN-7): by label, by source, or by line of the program.
//!
//! Decision: everything is counted in the manifests, so the parts add up to the tokens of the prompts.
//! Tokens of parts that meet without a seam are counted together, so the rest can be less than nothing.

use super::kept::Kept;
use super::treemap::{Tile, squarified};
use super::view::is_later;
use contexture_context::Manifest;
use contexture_context::manifest::ItemRecord;
use serde::Serialize;
use std::collections::BTreeMap;

/// What parts of prompts are put together by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokensBy {
    /// The label of an item, or its source without one.
    Label,
    /// The source of an item.
    Source,
    /// The line of the program that declares an item.
    Line,
}

impl TokensBy {
    /// Reads `label`, `source` or `line`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "label" => Some(Self::Label),
            "source" => Some(Self::Source),
            "line" => Some(Self::Line),
            _ => None,
        }
    }

    fn name(self, item: &ItemRecord) -> String {
        match (self, &item.label, &item.position) {
            (Self::Label, Some(label), _) => label.clone(),
            (Self::Line, _, Some(position)) => format!("{}:{}", position.file, position.line),
            _ => item.source.clone(),
        }
    }
}

/// A part of the prompts of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TokenPart {
    /// `item`, `layer`, `tools` or `rest`.
    pub kind: &'static str,
    /// The name of an item or a layer.
    pub name: String,
    /// Its tokens in all prompts; those of the rest can be less than nothing.
    pub tokens: i64,
    /// The number of prompts that it is in.
    pub calls: u64,
    /// Its place in a picture; none without tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tile: Option<Tile>,
}

/// What the tokens of a run went to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunTokens {
    /// The tokens of all prompts, as their manifests have them.
    pub total: u64,
    /// The number of prompts.
    pub calls: u64,
    /// The parts, the largest first.
    pub parts: Vec<TokenPart>,
}

/// Counts what the tokens of a run went to.
#[must_use]
pub fn tokens(kept: Kept<'_>, by: TokensBy) -> RunTokens {
    let manifests: Vec<Manifest> = kept.calls().into_iter().map(|call| call.manifest).collect();
    of_manifests(&manifests, by)
}

fn of_manifests(manifests: &[Manifest], by: TokensBy) -> RunTokens {
    let mut sums: BTreeMap<(&'static str, String), (i64, u64)> = BTreeMap::new();
    let mut total = 0_u64;
    for manifest in manifests {
        total = total.saturating_add(manifest.tokens);
        for (key, tokens) in of_prompt(manifest, by) {
            let sum = sums.entry(key).or_default();
            sum.0 = sum.0.saturating_add(tokens);
            sum.1 += 1;
        }
    }
    let parts = sums.into_iter().map(|((kind, name), (tokens, calls))| TokenPart {
        kind,
        name,
        tokens,
        calls,
        tile: None,
    });
    let mut parts: Vec<TokenPart> = parts.collect();
    parts.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.name.cmp(&b.name)));
    let areas: Vec<u64> =
        parts.iter().map_while(|part| u64::try_from(part.tokens).ok().filter(|n| *n > 0)).collect();
    for (part, tile) in parts.iter_mut().zip(squarified(&areas)) {
        part.tile = Some(tile);
    }
    RunTokens { total, calls: manifests.len() as u64, parts }
}

/// Returns the parts of a prompt with their tokens; together they are the tokens of the prompt.
fn of_prompt(manifest: &Manifest, by: TokensBy) -> BTreeMap<(&'static str, String), i64> {
    let mut parts: BTreeMap<(&'static str, String), i64> = BTreeMap::new();
    let mut add = |kind, name, tokens: u64| {
        let sum: &mut i64 = parts.entry((kind, name)).or_default();
        *sum = sum.saturating_add(i64::try_from(tokens).unwrap_or(i64::MAX));
    };
    for layer in &manifest.layers {
        add("layer", layer.name.clone(), layer.tokens);
    }
    for item in manifest.items.iter().filter(|item| !is_later(manifest, item)) {
        add("item", by.name(item), item.tokens);
    }
    for tool in &manifest.tools {
        add("tools", String::new(), tool.tokens);
    }
    let known: i64 = parts.values().fold(0, |sum, tokens| sum.saturating_add(*tokens));
    let rest = i64::try_from(manifest.tokens).unwrap_or(i64::MAX).saturating_sub(known);
    if rest != 0 {
        parts.insert(("rest", String::new()), rest);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn manifest(call: u64, tokens: u64, items: &[(&str, &str, u64, u64)]) -> Manifest {
        let digest = contexture_context::Digest::of_text("x").to_string();
        let items: Vec<_> = items
            .iter()
            .enumerate()
            .map(|(index, (label, source, line, tokens))| {
                json!({
                    "index": index, "label": label, "source": source, "trust": "user",
                    "position": { "file": "p.as", "line": line, "column": 1 },
                    "text": digest, "value": digest, "tokens": tokens, "tokens_before": tokens,
                    "tokens_before_exact": true, "priority": 0, "clipped": false,
                })
            })
            .collect();
        // What a model asked for came after the prompt, so it has no place there.
        let sent = items.iter().filter(|item| item["label"] != "asked for");
        let spans: Vec<_> =
            sent.map(|item| json!({ "item": item["index"], "start": 0, "end": 1 })).collect();
        let value = json!({
            "version": 2, "call": call, "site": { "file": "p.as", "line": 9, "column": 1 },
            "model": { "uri": "mock://m", "tokenizer": "o200k_base", "tokenizer_exact": true },
            "layers": [{ "name": "instruction", "digest": digest, "tokens": 10 }],
            "items": items, "options": {}, "tokens": tokens,
            "messages": [{ "role": "user", "pieces": [], "spans": spans, "digest": digest, "tokens": tokens }],
        });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn in_7_parts_of_run_add_up_to_tokens_of_manifests() {
        let manifests = [
            manifest(1, 100, &[("notes", "a.md", 3, 50), ("more", "a.md", 4, 20)]),
            manifest(2, 70, &[("notes", "b.md", 3, 61), ("gone", "c.md", 5, 0)]),
        ];
        let of = |by| {
            let tokens = of_manifests(&manifests, by);
            assert_eq!((tokens.total, tokens.calls), (170, 2));
            let sum: i64 = tokens.parts.iter().map(|part| part.tokens).sum();
            assert_eq!(sum, 170);
            let shown = tokens.parts.into_iter().map(|part| {
                assert_eq!(part.tile.is_some(), part.tokens > 0, "{}", part.name);
                (part.kind, part.name, part.tokens, part.calls)
            });
            shown.collect::<Vec<_>>()
        };
        let named = |kind, name: &str, tokens, calls| (kind, name.to_owned(), tokens, calls);
        assert_eq!(
            of(TokensBy::Label),
            [
                named("item", "notes", 111, 2),
                named("layer", "instruction", 20, 2),
                named("item", "more", 20, 1),
                named("rest", "", 19, 2),
                named("item", "gone", 0, 1),
            ]
        );
        assert_eq!(
            of(TokensBy::Source)[..2],
            [named("item", "a.md", 70, 1), named("item", "b.md", 61, 1)]
        );
        assert_eq!(of(TokensBy::Line)[0], named("item", "p.as:3", 111, 2));
    }

    #[test]
    fn in_7_result_that_model_asked_for_is_no_part_of_prompt() {
        let items = [("notes", "a.md", 3, 50), ("asked for", "File.read", 9, 30)];
        let tokens = of_manifests(&[manifest(1, 70, &items)], TokensBy::Label);
        let parts = tokens.parts.iter().map(|part| (part.kind, part.name.as_str(), part.tokens));
        let expected = [("item", "notes", 50), ("rest", "", 10), ("layer", "instruction", 10)];
        assert_eq!(parts.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn in_7_parts_larger_than_prompt_leave_rest_below_nothing() {
        let tokens = of_manifests(&[manifest(1, 15, &[("a", "a", 1, 8)])], TokensBy::Label);
        let last = tokens.parts.last().unwrap();
        assert_eq!((last.kind, last.tokens, &last.tile), ("rest", -3, &None));
    }
}
