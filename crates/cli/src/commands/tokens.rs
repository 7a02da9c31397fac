//! `contexture tokens`: counting and cutting text as a model's tokenizer does (AS-16).

mod budget;
mod count;
mod cut;
mod tokenizer;

use super::command_group::command_group;

const EXAMPLES: &str = "\
Examples:
  contexture tokens count < README.md
  contexture tokens count --model openai://gpt-4 README.md
  contexture tokens cut --max 200 < README.md
  contexture tokens cut --max '8k chars' --keep tail < README.md";

command_group! {
    /// Counts tokens, or cuts a text to a budget.
    Count(count),
    Cut(cut),
}
