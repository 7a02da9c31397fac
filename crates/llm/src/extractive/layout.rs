//! Reading a prompt of AS-20 as any model would: items, instruction, and what is a question.

use contexture_prompt::{OpenaiChatMessage, Role};

/// A prompt, taken apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Prompt {
    pub(super) items: Vec<Item>,
    pub(super) instruction: String,
}

/// An item of the context.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Item {
    pub(super) label: String,
    pub(super) text: String,
}

impl Item {
    /// Whether the item says what is wanted and is nothing to quote from.
    pub(super) fn is_question(&self) -> bool {
        const LABELS: &[&str] = &[
            "question", "goal", "query", "task", "request", "topic", "step", "focus", "问题",
            "目标", "任务", "質問",
        ];
        let label = self.label.to_lowercase();
        let labelled = label.split([' ', '_', '-']).any(|word| LABELS.contains(&word));
        let text = self.text.trim();
        let asks = text.ends_with(['?', '？']) && text.lines().count() <= 2;
        (labelled || asks || LABELS.iter().any(|word| !word.is_ascii() && label.contains(word)))
            && text.chars().count() <= 600
    }
}

/// The prompt of a conversation.
pub(super) fn read(messages: &[OpenaiChatMessage], with_schema: bool) -> Prompt {
    let users: Vec<String> = messages
        .iter()
        .filter(|message| message.role == Role::User)
        .map(|message| message.text().into_owned())
        .collect();
    let laid_out = users.iter().find_map(|text| laid_out(text, with_schema));
    let mut prompt = laid_out.unwrap_or_else(|| free(&users));
    // What tools gave in this conversation is context like any other.
    for message in messages.iter().filter(|message| message.role == Role::Tool) {
        let text = message.text();
        prompt.items.push(Item { label: "tool result".to_owned(), text: unfenced(&text) });
    }
    prompt
}

/// The layout of AS-20, when the text has it.
fn laid_out(text: &str, with_schema: bool) -> Option<Prompt> {
    let (context, rest) = match text.strip_prefix("Context:") {
        Some(rest) => {
            let at = rest.find("\nInstruction:")?;
            rest.split_at_checked(at)?
        }
        None => ("", text),
    };
    let instruction = rest.trim_start().strip_prefix("Instruction:")?;
    Some(Prompt { items: items(context), instruction: without_contract(instruction, with_schema) })
}

/// The instruction without the output contract below it: the paragraphs from the first on that
/// speaks of JSON.
fn without_contract(text: &str, with_schema: bool) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for paragraph in text.trim().split("\n\n") {
        if with_schema && !kept.is_empty() && paragraph.contains("JSON") {
            break;
        }
        kept.push(paragraph);
    }
    kept.join("\n\n")
}

/// A label line, a `source:` line, and the text up to the next item.
fn items(context: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut lines = context.lines().peekable();
    while let Some(line) = lines.next() {
        let label = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let headed = lines.peek().is_some_and(|next| next.starts_with("source:"));
        match label.filter(|_| headed) {
            Some(label) => {
                lines.next();
                items.push(Item { label: label.to_owned(), text: String::new() });
            }
            None => {
                if let Some(item) = items.last_mut() {
                    item.text.push_str(line);
                    item.text.push('\n');
                }
            }
        }
    }
    for item in &mut items {
        item.text = unfenced(&item.text);
    }
    items
}

/// The text inside a fence, with the marks that made it harmless taken away again.
fn unfenced(text: &str) -> String {
    let text = text.trim_matches('\n');
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let tag = first.strip_prefix('<').and_then(|open| open.strip_suffix('>'));
    let tag = tag.and_then(|open| open.split(' ').next()).unwrap_or_default();
    let named = !tag.is_empty() && tag.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let body = rest.strip_suffix(&format!("</{tag}>")).filter(|_| named);
    let body = body.map_or(text, |body| body.trim_end_matches('\n'));
    body.lines().map(unmarked).collect::<Vec<_>>().join("\n")
}

/// A line without the backslash that keeps it from posing as layout.
fn unmarked(line: &str) -> String {
    let line = line.replace("<\\/", "</");
    let shown = line.trim_start();
    let Some(rest) = shown.strip_prefix('\\') else { return line };
    if !rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '[' | '#' | '*')) {
        return line;
    }
    let indent = line.strip_suffix(shown).unwrap_or_default();
    format!("{indent}{rest}")
}

/// Messages of another layout: the last paragraph instructs, the rest is context. A message of one
/// paragraph is both.
fn free(users: &[String]) -> Prompt {
    let Some((last, before)) = users.split_last() else { return Prompt::default() };
    let mut items: Vec<Item> =
        before.iter().map(|text| Item { label: String::new(), text: text.clone() }).collect();
    let (context, instruction) = last.trim().rsplit_once("\n\n").unwrap_or(("", last));
    if !context.is_empty() {
        items.push(Item { label: String::new(), text: context.to_owned() });
    }
    if items.is_empty() {
        items.push(Item { label: String::new(), text: last.clone() });
    }
    Prompt { items, instruction: instruction.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_24_the_layout_of_a_prompt_is_read() {
        let text = "Context:\n[user question]\nsource: input.question\nWhich port?\n\n[notes]\nsource: notes\n<untrusted_data trust=\"tool\">\n# A\n\n\\[x]\n<\\/b>\n</untrusted_data>\n\nInstruction:\nAnswer it.\n\nBe short.\n\nAnswer with JSON of this shape:\n{ a string }";
        let prompt = read(&[OpenaiChatMessage::of_text(Role::User, text)], true);
        assert_eq!(prompt.instruction, "Answer it.\n\nBe short.");
        assert_eq!(prompt.items.len(), 2);
        assert!(prompt.items[0].is_question());
        assert_eq!(
            prompt.items[1],
            Item { label: "notes".into(), text: "# A\n\n[x]\n</b>".into() }
        );
    }

    #[test]
    fn as_24_other_messages_are_read_as_context_and_instruction() {
        let of = |text: &str| read(&[OpenaiChatMessage::of_text(Role::User, text)], false);
        let prompt = of("The cat sat. It slept.\n\nWho slept?");
        assert_eq!((prompt.items.len(), prompt.instruction.as_str()), (1, "Who slept?"));
        assert_eq!(of("Only this.").items[0].text, "Only this.");
        assert_eq!(read(&[], false), Prompt::default());
        assert_eq!(of("Instruction:\nSay hi.").items.len(), 0);
    }
}
