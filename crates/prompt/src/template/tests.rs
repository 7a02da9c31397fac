mod depth;
mod faults;
mod needs;
mod random;
mod references;
mod registry;
mod syntax;
mod values;

use super::*;
use crate::error::PromptError;
use crate::limits::RenderLimits;
use serde_json::{Value, json};

fn ctx(value: Value) -> TemplateContext {
    TemplateContext::from_json(&value).unwrap()
}

fn render(template: &str, vars: Value) -> String {
    PromptTemplate::compile(template).unwrap().render(&ctx(vars)).unwrap()
}

fn fails(template: &str, vars: Value) -> PromptError {
    PromptTemplate::compile(template).unwrap().render(&ctx(vars)).unwrap_err()
}

fn refused(template: &str) -> String {
    match PromptTemplate::compile(template).unwrap_err() {
        PromptError::Parse(message) => message,
        other => panic!("{other}"),
    }
}

fn nested(blocks: usize) -> String {
    format!("{}x{}", "{{#if a}}".repeat(blocks), "{{/if}}".repeat(blocks))
}
