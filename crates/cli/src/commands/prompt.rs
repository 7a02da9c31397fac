//! `contexture prompt`: templates and messages (PT-1 to PT-11).

mod check;
mod compose;
mod compose_entry;
mod partials;
mod references;
mod render;

use super::command_group::command_group;

const EXAMPLES: &str = r#"Examples:
  contexture prompt check examples/prompts/review.md --partials examples/prompts/partials
  contexture prompt render examples/prompts/greeting.md --vars '{"name":"Ada"}'
  contexture prompt compose examples/prompts/chat.yaml"#;

command_group! {
    /// Renders and checks templates, and composes messages.
    Render(render),
    Check(check),
    Compose(compose),
}
