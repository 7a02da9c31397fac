//! `contexture context show`: a conversation for people or as JSON (CP-9).

use super::context_file::{ContextFile, ContextLocation, ContextRef};
use super::list::to_json;
use super::transcript;
use crate::output::text::{sanitized, timestamp};
use crate::prelude::*;
use contexture::diagnostic::suggestion;
use contexture::inspect::{transcript_head, transcript_message};
use contexture::protocol::StatePath;
use contexture::store::contexts::{Head, StoredMessage};

const EXAMPLES: &str = "\
Examples:
  contexture context show ctx_weather
  contexture context show ctx_weather --messages 1 --json
  contexture context show ctx_weather --state userPreferences.units
  contexture context show ctx_weather --markdown > weather.md";

/// The messages shown by default.
const LAST: u64 = 20;
/// The messages read at once.
const PAGE: usize = 500;
const WIDEST: usize = 100;
const STATE_LINES: usize = 40;

/// Shows the state and the messages of a context.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The context.
    #[arg(value_name = "ID")]
    id: String,
    /// The number of latest messages to show [default: 20, with --json and --markdown all].
    #[arg(long, value_name = "N")]
    messages: Option<u64>,
    /// Print the value of the state at a path, such as `userPreferences.units`, as JSON.
    #[arg(long, value_name = "PATH", conflicts_with = "messages")]
    state: Option<String>,
    /// The owner; needed when several owners have this id.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    #[command(flatten)]
    location: ContextLocation,
    /// Print one JSON object: contextId, owner, creationTime, lastUpdateTime, version,
    /// messageCount, metadata, state and messages.
    #[arg(long)]
    json: bool,
    /// Print the conversation as Markdown: all messages, or the last ones with --messages.
    #[arg(long, conflicts_with_all = ["json", "state"])]
    markdown: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let path = args.state.as_deref().map(path).transpose()?;
    let (file, named) = args.location.find(&args.id, args.owner.as_deref())?;
    let head = file.store.head(named.key())?;
    let state = file.store.state(named.key())?.value;
    if let Some(path) = path {
        let found = path.get(&state).ok_or_else(|| nothing_at(&path, &state))?;
        if args.json {
            terminal.print_json(found)?
        } else {
            terminal.print_pretty(found)?
        }
        return Ok(Exit::Done);
    }
    let has_all = args.json || args.markdown;
    let wanted = args.messages.unwrap_or(if has_all { u64::MAX } else { LAST });
    if args.markdown {
        terminal.print(&transcript_head(&head))?;
        each(&file, &named, wanted, |one| terminal.print(&transcript_message(one, &named.id)))?;
        return Ok(Exit::Done);
    }
    if args.json {
        let mut whole = to_json(&head);
        if let Value::Object(fields) = &mut whole {
            let mut messages = Vec::new();
            each(&file, &named, wanted, |one| {
                messages.push(one.to_value(&named.id));
                Ok(())
            })?;
            fields.insert("state".to_owned(), state);
            fields.insert("messages".to_owned(), messages.into());
        }
        terminal.print_tree(&whole)?;
        return Ok(Exit::Done);
    }
    let columns = Terminal::columns(transcript::NARROWEST, WIDEST);
    terminal.print(&opening(&head, &state, wanted.min(head.messages), terminal.out))?;
    each(&file, &named, wanted, |one| {
        terminal.print(&transcript::text(one, columns, terminal.out))
    })?;
    Ok(Exit::Done)
}

fn path(text: &str) -> Result<StatePath, Abort> {
    text.parse().map_err(|error: contexture::protocol::BadPath| {
        let (at, reason) = (error.offset, &error.reason);
        let message = format!("--state: `{text}` is not a path: at {at}, {reason}");
        CommandError::refused("bad_usage", message)
            .help("join names by dots: `userPreferences.units`, `items.0`, `\"a.b\".c`")
            .into()
    })
}

/// Returns the error about a path without a value, which names what exists.
fn nothing_at(path: &StatePath, state: &Value) -> Abort {
    let message = format!("the state has no value at `{path}`");
    let names: Vec<&str> =
        state.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let first = path.segments().first().map(|segment| segment.name.as_str()).unwrap_or_default();
    let near = suggestion(first, names.iter().copied()).filter(|_| !names.contains(&first));
    let help = near.unwrap_or_else(|| match names.as_slice() {
        [] => "the state is empty".to_owned(),
        names => format!("its top level has {}", names.join(", ")),
    });
    CommandError::refused("state_nothing", message).help(help).into()
}

/// Calls `show` for the latest messages in order, reading a page at a time.
fn each(
    file: &ContextFile,
    named: &ContextRef,
    wanted: u64,
    mut show: impl FnMut(&StoredMessage) -> Result<(), Abort>,
) -> Result<(), Abort> {
    if wanted == 0 {
        return Ok(());
    }
    if let Some(last) = usize::try_from(wanted).ok().filter(|last| *last <= PAGE) {
        let messages = file.store.last(named.key(), last)?;
        return messages.iter().try_for_each(show);
    }
    let all = file.store.head(named.key())?.messages;
    let mut skip = all.saturating_sub(wanted);
    let mut after = 0;
    loop {
        let page = file.store.messages(named.key(), after, PAGE);
        let page = page?;
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

/// Renders the head above the messages.
fn opening(head: &Head, state: &Value, shown: u64, paint: Paint) -> String {
    let mut text = paint.bold(&one_line(&head.context_id));
    let _ = writeln!(
        text,
        " · {} · {} · version {}",
        one_line(&head.owner),
        counted(head.messages, "message"),
        head.version
    );
    let (made, changed) = (timestamp(head.creation_us), timestamp(head.last_update_us));
    let _ = writeln!(text, "{}", paint.dim(&format!("created {made}, changed {changed}")));
    if state.as_object().is_none_or(|fields| !fields.is_empty()) {
        let _ = writeln!(text, "\n{}", paint.dim("state"));
        let shown = format!("{state:#}");
        let lines: Vec<&str> = shown.lines().collect();
        for line in lines.iter().take(STATE_LINES) {
            let _ = writeln!(text, "  {}", sanitized(line));
        }
        if let Some(more) = lines.len().checked_sub(STATE_LINES).filter(|more| *more > 0) {
            let more = counted(more as u64, "line");
            let _ = writeln!(text, "  {}", paint.dim(&format!("… {more} more: --state PATH")));
        }
    }
    if shown < head.messages {
        let before = counted(head.messages.saturating_sub(shown), "message");
        let _ = writeln!(text, "\n{}", paint.dim(&format!("… {before} earlier: --messages N")));
    }
    text
}
