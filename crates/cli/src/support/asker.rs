//! Asking the person at the terminal about an effect that the policy wants a yes for (GU-6).

use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::frontend::{FrontendFailure, PERMISSION_DENIED};
use contexture::llm::BoxFuture;
use contexture::permission::{Action, Permission};
use contexture::policy;
use std::sync::{Arc, Mutex, PoisonError};

/// The characters of a parameter that a question shows.
const SHOWN: usize = 400;

/// The person at the terminal.
pub(crate) struct PersonAtTerminal {
    terminal: Terminal,
    /// Clears what the screen shows, so that the question stands alone.
    clear: Box<dyn Fn() + Send + Sync>,
    /// One question at a time.
    turn: Arc<Mutex<()>>,
}

impl PersonAtTerminal {
    /// Returns the person who is asked, if there is one: question and answer both use a terminal.
    pub(crate) fn of(
        terminal: &Terminal,
        clear: impl Fn() + Send + Sync + 'static,
    ) -> Option<Arc<dyn Permission>> {
        terminal.is_interactive().then(|| {
            let turn = Arc::default();
            Arc::new(Self { terminal: *terminal, clear: Box::new(clear), turn })
                as Arc<dyn Permission>
        })
    }
}

impl Permission for PersonAtTerminal {
    fn ask<'a>(&'a self, action: Action<'a>) -> BoxFuture<'a, Result<(), FrontendFailure>> {
        Box::pin(async move {
            let Some(decision) = action.policy else { return Ok(()) };
            let question = question(&action, &policy::sources(&decision.influence));
            (self.clear)();
            let (terminal, turn) = (self.terminal, Arc::clone(&self.turn));
            let asking = tokio::task::spawn_blocking(move || {
                let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
                terminal.confirm(&question)
            });
            if asking.await.unwrap_or(false) {
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
