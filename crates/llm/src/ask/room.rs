//! Room for what follows a prompt: results of tools, and an answer with its faults (CA-5).
//!
//! Decision: `max_input` and the window hold for each request of a call. What does not fit is left
//! out whole, the oldest first, since a result that is cut would lose the end of its fence.

use contexture_context::TokenCounter;
use contexture_prompt::{OpenaiChatMessage, Role, ToolDefinition};

/// The text in place of a result that does not fit.
const LEFT_OUT: &str = "(left out: there is no room for it in the prompt)";

/// Counts the tokens of definitions.
pub(super) fn of_tools(tools: &[ToolDefinition], counter: &dyn TokenCounter) -> u64 {
    let texts = tools.iter().filter_map(|tool| serde_json::to_string(tool).ok());
    texts.map(|text| counter.count(&text) as u64).sum()
}

/// Counts the tokens of messages.
pub(super) fn of_messages(messages: &[OpenaiChatMessage], counter: &dyn TokenCounter) -> u64 {
    messages.iter().map(|message| of(message, counter)).sum()
}

fn of(message: &OpenaiChatMessage, counter: &dyn TokenCounter) -> u64 {
    let calls = message.tool_calls.iter().flatten();
    let calls = calls
        .map(|call| counter.count(&call.function.name) + counter.count(&call.function.arguments));
    (counter.count(&message.text()) + calls.sum::<usize>()) as u64
}

/// Makes what follows the first `base` messages fit into `limit` tokens.
///
/// # Errors
/// The tokens that are needed, when not even the last round of tools fits.
pub(super) fn fit(
    messages: &mut Vec<OpenaiChatMessage>,
    base: usize,
    limit: u64,
    counter: &dyn TokenCounter,
) -> Result<(), u64> {
    let mut total = of_messages(messages.get(base..).unwrap_or_default(), counter);
    let note = counter.count(LEFT_OUT) as u64;
    for message in messages.iter_mut().skip(base).filter(|message| message.role == Role::Tool) {
        let own = of(message, counter);
        if total > limit && own > note {
            let id = message.tool_call_id.clone().unwrap_or_default();
            *message = OpenaiChatMessage::tool(id, LEFT_OUT);
            total = total.saturating_sub(own).saturating_add(note);
        }
    }
    if total <= limit {
        return Ok(());
    }
    let last = messages.iter().rposition(|message| message.tool_calls.is_some());
    let Some(last) = last.filter(|last| *last >= base) else {
        messages.truncate(base);
        return Ok(());
    };
    messages.drain(base..last);
    match of_messages(messages.get(base..).unwrap_or_default(), counter) {
        total if total <= limit => Ok(()),
        total => Err(total),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture_context::tokens::Words;
    use contexture_prompt::{ChatResponse, ToolCall};

    fn words(count: usize) -> String {
        "word ".repeat(count).trim_end().to_owned()
    }

    fn round(id: &str, count: usize) -> [OpenaiChatMessage; 2] {
        let call = ToolCall::function(id, "grep", "{}");
        let asked = ChatResponse { tool_calls: vec![call], ..ChatResponse::default() };
        [asked.to_message(), OpenaiChatMessage::tool(id, words(count))]
    }

    fn texts(messages: &[OpenaiChatMessage]) -> Vec<String> {
        messages.iter().map(|message| message.text().into_owned()).collect()
    }

    #[test]
    fn ca_5_results_that_do_not_fit_are_left_out_whole_and_the_oldest_first() {
        let prompt = OpenaiChatMessage::of_text(Role::User, words(500));
        let mut messages = vec![prompt];
        messages.extend(round("1", 40));
        messages.extend(round("2", 30));
        assert_eq!(fit(&mut messages, 1, 74, &Words), Ok(()));
        assert_eq!(messages[2].text(), words(40));
        assert_eq!(fit(&mut messages, 1, 60, &Words), Ok(()));
        assert_eq!((messages[2].text(), messages[4].text()), (LEFT_OUT.into(), words(30).into()));
        assert_eq!(messages[2].tool_call_id.as_deref(), Some("1"));
        assert_eq!(fit(&mut messages, 1, 14, &Words), Ok(()));
        assert_eq!(texts(&messages)[1..], [String::new(), LEFT_OUT.to_owned()]);
        assert_eq!(messages[2].tool_call_id.as_deref(), Some("2"));
        assert_eq!(fit(&mut messages, 1, 3, &Words), Err(13));
    }

    #[test]
    fn ca_5_answer_with_its_faults_that_does_not_fit_is_asked_for_anew() {
        let prompt = OpenaiChatMessage::of_text(Role::User, words(500));
        let answer = OpenaiChatMessage::of_text(Role::Assistant, words(9));
        let repair = OpenaiChatMessage::of_text(Role::User, words(9));
        let mut messages = vec![prompt.clone(), answer, repair];
        assert_eq!(fit(&mut messages, 1, 18, &Words), Ok(()));
        assert_eq!(messages.len(), 3);
        assert_eq!(fit(&mut messages, 1, 17, &Words), Ok(()));
        assert_eq!(messages, [prompt]);
    }
}
