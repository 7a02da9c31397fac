//! The person at the client, who is asked what a program needs a yes for (WA-9, GU-6).

use crate::masking;
use crate::mcp::client::Client;
use crate::mcp::said;
use contexture::frontend::{FrontendFailure, PERMISSION_DENIED, TIMEOUT};
use contexture::llm::BoxFuture;
use contexture::permission::{Action, Permission};
use contexture::policy;
use rmcp::model::{BooleanSchema, ElicitationAction, ElicitationSchema};
use rmcp::model::{ElicitRequestParams, ElicitResult};
use serde_json::Value;
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// The time that a person has for an answer: a run that waits keeps its place among those that run.
const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// The characters of a parameter that a question shows.
const SHOWN: usize = 400;
/// The field of the form.
const ALLOW: &str = "allow";

/// A question, and where its answer goes.
pub(super) struct Question {
    asks: ElicitRequestParams,
    answer: oneshot::Sender<Option<ElicitResult>>,
}

/// The person at a client, as a run knows them.
pub(super) struct PersonAtClient(mpsc::UnboundedSender<Question>);

impl PersonAtClient {
    /// Returns the person, and the questions to them.
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<Question>) {
        let (sender, questions) = mpsc::unbounded_channel();
        (Self(sender), questions)
    }

    async fn ask(&self, action: &Action<'_>) -> Result<(), FrontendFailure> {
        let name = action.name;
        let denied =
            || FrontendFailure::new(PERMISSION_DENIED, format!("the user did not allow `{name}`"));
        let (answer, answered) = oneshot::channel();
        let asks = question(action).ok_or_else(denied)?;
        self.0.send(Question { asks, answer }).map_err(|_| denied())?;
        let result = tokio::time::timeout(PATIENCE, answered).await.map_err(|_| {
            let text = format!("nobody answered in time whether `{name}` is allowed");
            FrontendFailure::new(TIMEOUT, text)
        })?;
        match result.ok().flatten() {
            Some(result) if is_yes(&result) => Ok(()),
            Some(result) if result.action == ElicitationAction::Cancel => {
                let text = format!("the user was asked about `{name}` and gave no answer");
                Err(FrontendFailure::new(PERMISSION_DENIED, text))
            }
            _ => Err(denied()),
        }
    }
}

impl Permission for PersonAtClient {
    fn ask<'a>(&'a self, action: Action<'a>) -> BoxFuture<'a, Result<(), FrontendFailure>> {
        Box::pin(async move {
            let has_words = action.prompt.is_some_and(|words| !words.trim().is_empty());
            if action.policy.is_none() && !has_words {
                return Ok(());
            }
            self.ask(&action).await
        })
    }
}

/// Hands questions to the client, one after the other, and never returns.
pub(super) async fn hand_on(
    client: &Client,
    mut questions: mpsc::UnboundedReceiver<Question>,
) -> Infallible {
    while let Some(Question { asks, mut answer }) = questions.recv().await {
        tokio::select! {
            result = client.ask(asks) => drop(answer.send(result)),
            // It took too long, or its run has ended.
            () = answer.closed() => {}
        }
    }
    std::future::pending().await
}

fn is_yes(result: &ElicitResult) -> bool {
    let said = result.content.as_ref().and_then(|content| content.get(ALLOW));
    result.action == ElicitationAction::Accept && said == Some(&Value::Bool(true))
}

fn question(action: &Action<'_>) -> Option<ElicitRequestParams> {
    let about =
        |schema: BooleanSchema| schema.title(format!("Allow `{}`", said::line(action.name)));
    let schema = ElicitationSchema::builder().required_bool_with(ALLOW, about).build().ok()?;
    let message = words(action);
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: schema,
    })
}

/// Returns what the person reads. Foreign text in it is on lines of its own, and no line is long.
fn words(action: &Action<'_>) -> String {
    let own = action.prompt.filter(|words| !words.trim().is_empty()).map(masking::text);
    let mut text = own.map_or_else(|| format!("Allow `{}`?", action.name), |own| said::line(&own));
    let influence = action.policy.map(|decision| policy::sources(&decision.influence));
    let influence: Vec<String> = influence.unwrap_or_default();
    if !influence.is_empty() {
        text.push_str("\nIt is influenced by:");
    }
    for source in influence {
        text.push_str(&format!("\n- {}", said::line(&source)));
    }
    for (name, value) in masking::parameters(action.parameters) {
        let value = value.to_string();
        let shown: String = value.chars().take(SHOWN).collect();
        let more = match value.chars().count().saturating_sub(SHOWN) {
            0 => String::new(),
            rest => format!(" … and {rest} more characters"),
        };
        text.push_str(&format!("\n{}: {}{more}", said::line(&name), said::line(&shown)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn result(action: ElicitationAction, content: Value) -> ElicitResult {
        ElicitResult::new(action).with_content(content)
    }

    #[test]
    fn wa_9_only_accepted_form_that_allows_is_a_yes() {
        let yes = json!({ "allow": true });
        assert!(is_yes(&result(ElicitationAction::Accept, yes.clone())));
        for (action, content) in [
            (ElicitationAction::Decline, yes.clone()),
            (ElicitationAction::Cancel, yes),
            (ElicitationAction::Accept, json!({ "allow": "true" })),
            (ElicitationAction::Accept, json!({})),
        ] {
            assert!(!is_yes(&result(action.clone(), content.clone())), "{action:?} {content}");
        }
    }

    #[test]
    fn wa_9_question_to_person_shows_parameters_on_one_line_without_secrets() {
        let parameters = json!({ "path": "a\nb", "apiKey": "s3cret", "text": "茶".repeat(500) });
        let Value::Object(parameters) = parameters else { panic!() };
        let (name, target) = ("file.write", "file.write");
        let (policy, prompt, step, call) = (None, None, None, None);
        let action = Action { name, target, parameters: &parameters, policy, prompt, step, call };
        let text = words(&action);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["Allow `file.write`?", "path: \"a\\nb\""], "{text}");
        assert!(!text.contains("s3cret"), "{text}");
        assert!(lines[3].ends_with("茶 … and 102 more characters"), "{text}");
        let asked = words(&Action { prompt: Some("Send it\nnow?"), ..action });
        assert!(asked.starts_with("Send it now?\npath"), "{asked}");
    }
}
