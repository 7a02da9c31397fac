//! `contexture prompt`: templates and messages on the command line (PT-1 to PT-11).

mod check;
mod compose;
mod library;
mod references;
mod render;

use super::family::{family, never};

const EXAMPLES: &str = r#"Examples:
  contexture prompt check examples/prompts/review.md --partials examples/prompts/partials
  contexture prompt render examples/prompts/greeting.md --vars '{"name":"Ada"}'
  contexture prompt compose examples/prompts/chat.yaml"#;

family! {
    /// Renders and checks templates, composes messages.
    Render(render, never),
    Check(check),
    Compose(compose, never),
}
