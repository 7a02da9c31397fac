//! Asking the person at the terminal about an effect that the policy wants a yes for (GU-6).

use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::frontend::{FrontendFailure, PERMISSION_DENIED};
use contexture::llm::BoxFuture;
use contexture::permission::{Action, Permission};
use contexture::policy;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// The characters of a parameter that a question shows.
const SHOWN: usize = 400;

/// What draws on the terminal while a run goes on.
pub(crate) trait Screen: Send + Sync + 'static {
    /// Draws nothing while it is held.
    fn hold(&self, is_held: bool);
}

/// The person at the terminal.
pub(crate) struct PersonAtTerminal {
    terminal: Terminal,
    screen: Arc<dyn Screen>,
    /// One question at a time.
    turn: Arc<Mutex<()>>,
}

impl PersonAtTerminal {
    /// Returns the person who is asked, if there is one: question and answer both use a terminal.
    pub(crate) fn of(terminal: &Terminal, screen: Arc<dyn Screen>) -> Option<Arc<dyn Permission>> {
        terminal.is_interactive().then(|| {
            let (terminal, turn) = (*terminal, Arc::default());
            Arc::new(Self { terminal, screen, turn }) as Arc<dyn Permission>
        })
    }

    /// Asks on a thread of its own, as a person may never answer. A question that nobody waits for
    /// any more is taken back, and what is typed then answers no other.
    fn ask(&self, question: String) -> oneshot::Receiver<bool> {
        let (says, answer) = oneshot::channel();
        let (terminal, screen) = (self.terminal, Arc::clone(&self.screen));
        let turn = Arc::clone(&self.turn);
        // Without a thread nobody is asked, which is a no.
        let _ = std::thread::Builder::new().name("question".to_owned()).spawn(move || {
            let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            screen.hold(true);
            let is_yes = terminal.confirm_while(&question, || !says.is_closed());
            screen.hold(false);
            let _ = says.send(is_yes);
        });
        answer
    }
}

impl Permission for PersonAtTerminal {
    fn ask<'a>(&'a self, action: Action<'a>) -> BoxFuture<'a, Result<(), FrontendFailure>> {
        Box::pin(async move {
            let Some(decision) = action.policy else { return Ok(()) };
            let question = question(&action, &policy::sources(&decision.influence));
            if self.ask(question).await.unwrap_or(false) {
                return Ok(());
            }
            let text = format!("the user did not allow `{}`", action.name);
            Err(FrontendFailure::new(PERMISSION_DENIED, text))
        })
    }
}

fn question(action: &Action<'_>, sources: &[String]) -> String {
    let mut text = format!("`{}` is influenced by:\n", action.name);
    for source in sources {
        text.push_str(&format!("  {}\n", sanitized(source)));
    }
    text.push_str("with:\n");
    for (name, value) in action.parameters {
        let value = value.to_string();
        let shown: String = value.chars().take(SHOWN).collect();
        let rest = value.chars().count().saturating_sub(SHOWN);
        let more =
            if rest > 0 { format!(" … and {rest} more characters") } else { String::new() };
        text.push_str(&format!("  {}: {}{more}\n", sanitized(name), sanitized(&shown)));
    }
    text.push_str("Allow it? [y/N] ");
    text
}
