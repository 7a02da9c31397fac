//! What the server answers: one file for each feature.

mod actions;
mod complete;
mod extract;
mod faults;
mod folding;
mod formatting;
mod hover;
mod inlay;
mod lenses;
mod library;
mod navigate;
mod outline;
mod paths;
mod rename;
mod semantic_tokens;
mod signature;
mod spots;
pub(crate) mod words;

pub(crate) use faults::faults;

use crate::protocol::{At, Query};
use crate::server::Refusal;
use crate::state::State;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Returns what the server can do.
pub(crate) fn capabilities() -> Value {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": [".", "\"", "/", " ", "{", "(", ",", "@"] },
        "signatureHelpProvider": { "triggerCharacters": ["(", ","] },
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "codeActionProvider": { "codeActionKinds": actions::KINDS },
        "codeLensProvider": { "resolveProvider": false },
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "renameProvider": { "prepareProvider": true },
        "foldingRangeProvider": true,
        "inlayHintProvider": true,
        "semanticTokensProvider": {
            "legend": {
                "tokenTypes": semantic_tokens::TYPES,
                "tokenModifiers": semantic_tokens::MODIFIERS,
            },
            "full": true,
            "range": true,
        },
        "workspace": { "workspaceFolders": { "supported": true } },
    })
}

/// Answers a request.
pub(crate) fn answer(state: &mut State<'_>, method: &str, params: Value) -> Result<Value, Refusal> {
    if method == "workspace/symbol" {
        let query: Query = read(params)?;
        return Ok(outline::of_workspace(state, &query.query));
    }
    let Some(answer) = of_document(method) else {
        return Err(Refusal::Unknown(method.to_owned()));
    };
    let at: At = read(params)?;
    answer(state, &at)
}

type Answer = fn(&mut State<'_>, &At) -> Result<Value, Refusal>;

fn of_document(method: &str) -> Option<Answer> {
    Some(match method {
        "textDocument/hover" => {
            |state, at| Ok(state.at(at).map_or(Value::Null, |view| hover::hover(view, at)))
        }
        "textDocument/completion" => {
            |state, at| Ok(list(state.at(at).map(|view| complete::complete(view, at))))
        }
        "textDocument/signatureHelp" => {
            |state, at| Ok(state.at(at).map_or(Value::Null, |view| signature::signature(view, at)))
        }
        "textDocument/definition" => {
            |state, at| Ok(list(state.at(at).map(|view| navigate::definition(view, at))))
        }
        "textDocument/references" => |state, at| Ok(list(Some(navigate::references(state, at)))),
        "textDocument/documentHighlight" => {
            |state, at| Ok(list(state.at(at).map(|view| navigate::highlights(view, at))))
        }
        "textDocument/documentSymbol" => {
            |state, at| Ok(list(state.at(at).map(outline::of_document)))
        }
        "textDocument/codeAction" => {
            |state, at| Ok(list(state.at(at).map(|view| actions::actions(view, at))))
        }
        "textDocument/codeLens" => |state, at| Ok(list(state.at(at).map(lenses::lenses))),
        "textDocument/formatting" => {
            |state, at| Ok(list(state.at(at).map(|view| formatting::whole(view))))
        }
        "textDocument/rangeFormatting" => {
            |state, at| Ok(list(state.at(at).map(|view| formatting::range(view, at))))
        }
        "textDocument/prepareRename" => rename::prepare,
        "textDocument/rename" => rename::rename,
        "textDocument/foldingRange" => |state, at| Ok(list(state.at(at).map(folding::folds))),
        "textDocument/inlayHint" => {
            |state, at| Ok(list(state.at(at).map(|view| inlay::hints(view, at))))
        }
        "textDocument/semanticTokens/full" | "textDocument/semanticTokens/range" => |state, at| {
            Ok(state.at(at).map_or(Value::Null, |view| semantic_tokens::tokens(view, at)))
        },
        _ => return None,
    })
}

fn list(items: Option<Vec<Value>>) -> Value {
    Value::Array(items.unwrap_or_default())
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    serde_json::from_value(params).map_err(|error| Refusal::Malformed(error.to_string()))
}
