//! `contexture context show`: a conversation as people read it, or as JSON (CP-9).

mod transcript;

use super::list::{to_json, when};
use super::place::{Desk, Named, Place, refuse};
use crate::columns::counted;
use crate::commands::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::paint::{Paint, one_line};
use crate::terminal::Terminal;
use contexture::diagnostic::suggestion;
use contexture::protocol::StatePath;
use contexture::store::contexts::{ContextStore as _, Head, StoredMessage};
use serde_json::Value;
use std::fmt::Write as _;
use std::io;
use terminal_size::{Width, terminal_size_of};

const EXAMPLES: &str = "\
Examples:
  contexture context show ctx_weather
  contexture context show ctx_weather --messages 1 --json
  contexture context show ctx_weather --state userPreferences.units";

/// Messages that are shown when nothing else is said.
const LAST: u64 = 20;
/// Messages that are read at a time.
const PAGE: usize = 500;
/// A line for people is not longer, however wide the terminal is.
const WIDEST: usize = 100;
/// Lines of a state that are shown beside the conversation.
const STATE_LINES: usize = 40;

/// Shows a context: its state, and who said what.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The context.
    #[arg(value_name = "ID")]
    id: String,
    /// How many of the last messages. [default: 20, with --json all]
    #[arg(long, value_name = "N")]
    messages: Option<u64>,
    /// Print what the state has at a path, such as `userPreferences.units`, as JSON.
    #[arg(long, value_name = "PATH", conflicts_with = "messages")]
    state: Option<String>,
    /// Whose it is; else whoever's it is.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: contextId, owner, creationTime, lastUpdateTime, version,
    /// messageCount, metadata, state and messages.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture context show`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let path = args.state.as_deref().map(path).transpose()?;
    let (desk, named) = args.place.find(&args.id, args.owner.as_deref())?;
    let head = desk.store.head(named.key()).map_err(|error| refuse(&error))?;
    let state = desk.store.state(named.key()).map_err(|error| refuse(&error))?.value;
    if let Some(path) = path {
        let found = path.get(&state).ok_or_else(|| nothing_at(&path, &state))?;
        if args.json {
            terminal.print_json(found)?
        } else {
            terminal.print_pretty(found)?
        }
        return Ok(Exit::Done);
    }
    let wanted = args.messages.unwrap_or(if args.json { u64::MAX } else { LAST });
    if args.json {
        let mut whole = to_json(&head);
        if let Value::Object(fields) = &mut whole {
            let mut messages = Vec::new();
            each(&desk, &named, wanted, |one| {
                messages.push(one.to_value(&named.id));
                Ok(())
            })?;
            fields.insert("state".to_owned(), state);
            fields.insert("messages".to_owned(), messages.into());
        }
        terminal.print_tree(&whole)?;
        return Ok(Exit::Done);
    }
    let columns = terminal_size_of(io::stdout()).map_or(WIDEST, |(Width(columns), _)| {
        usize::from(columns).clamp(transcript::NARROWEST, WIDEST)
    });
    terminal.print(&opening(&head, &state, wanted.min(head.messages), terminal.out))?;
    each(&desk, &named, wanted, |one| {
        terminal.print(&transcript::text(one, columns, terminal.out))
    })?;
    Ok(Exit::Done)
}

fn path(text: &str) -> Result<StatePath, Stop> {
    text.parse().map_err(|error: contexture::protocol::BadPath| {
        let (at, reason) = (error.offset, &error.reason);
        let message = format!("--state: `{text}` is no path: at {at}, {reason}");
        Complaint::refused("bad_usage", message)
            .help("names are joined by dots: `userPreferences.units`, `items.0`, `\"a.b\".c`")
            .into()
    })
}

/// The message about a path that leads nowhere names what is there.
fn nothing_at(path: &StatePath, state: &Value) -> Stop {
    let message = format!("the state has nothing at `{path}`");
    let names: Vec<&str> =
        state.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let first = path.segments().first().map(|segment| segment.name.as_str()).unwrap_or_default();
    let near = suggestion(first, names.iter().copied()).filter(|_| !names.contains(&first));
    let help = near.unwrap_or_else(|| match names.as_slice() {
        [] => "the state is empty".to_owned(),
        names => format!("at its top it has {}", names.join(", ")),
    });
    Complaint::refused("state_nothing", message).help(help).into()
}

/// The last messages in their order, a page at a time.
fn each(
    desk: &Desk,
    named: &Named,
    wanted: u64,
    mut show: impl FnMut(&StoredMessage) -> Result<(), Stop>,
) -> Result<(), Stop> {
    if wanted == 0 {
        return Ok(());
    }
    if let Some(last) = usize::try_from(wanted).ok().filter(|last| *last <= PAGE) {
        let messages = desk.store.last(named.key(), last).map_err(|error| refuse(&error))?;
        return messages.iter().try_for_each(show);
    }
    let all = desk.store.head(named.key()).map_err(|error| refuse(&error))?.messages;
    let mut skip = all.saturating_sub(wanted);
    let mut after = 0;
    loop {
        let page = desk.store.messages(named.key(), after, PAGE);
        let page = page.map_err(|error| refuse(&error))?;
        for message in &page.messages {
            match skip.checked_sub(1) {
                Some(left) => skip = left,
                None => show(message)?,
            }
        }
        match page.next {
            Some(next) => after = next,
            None => return Ok(()),
        }
    }
}

/// What stands above the messages.
fn opening(head: &Head, state: &Value, shown: u64, paint: Paint) -> String {
    let mut text = paint.bold(&one_line(&head.context_id));
    let _ = writeln!(
        text,
        " · {} · {} · version {}",
        one_line(&head.owner),
        counted(head.messages, "message"),
        head.version
    );
    let (made, changed) = (when(head.creation_us), when(head.last_update_us));
    let _ = writeln!(text, "{}", paint.dim(&format!("created {made}, changed {changed}")));
    if state.as_object().is_none_or(|fields| !fields.is_empty()) {
        let _ = writeln!(text, "\n{}", paint.dim("state"));
        let shown = format!("{state:#}");
        let lines: Vec<&str> = shown.lines().collect();
        for line in lines.iter().take(STATE_LINES) {
            let _ = writeln!(text, "  {}", crate::paint::harmless(line));
        }
        if let Some(more) = lines.len().checked_sub(STATE_LINES).filter(|more| *more > 0) {
            let more = counted(more as u64, "line");
            let _ = writeln!(text, "  {}", paint.dim(&format!("… {more} more: --state PATH")));
        }
    }
    if shown < head.messages {
        let before = counted(head.messages.saturating_sub(shown), "message");
        let _ = writeln!(text, "\n{}", paint.dim(&format!("… {before} before: --messages N")));
    }
    text
}
