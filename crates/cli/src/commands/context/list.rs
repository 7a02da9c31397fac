//! `contexture context list`: the stored contexts, newest first.

use super::context_file::{ContextFile, ContextLocation, ContextRef};
use crate::output::text::{padded, shortened, timestamp, width};
use crate::prelude::*;
use contexture::store::contexts::Head;

const EXAMPLES: &str = "\
Examples:
  contexture context list
  contexture context list --owner local --limit 3 --json";

/// The columns of the topic.
const TOPIC: usize = 50;
/// The widest id or name that the columns align with.
const NAME: usize = 40;
/// The messages that are searched for the first text.
const FIRST: usize = 5;

/// Lists contexts, newest first.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// List only the contexts of this owner.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// The most contexts to list.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = crate::support::values::whole_number,
        allow_negative_numbers = true
    )]
    limit: usize,
    /// List only the contexts after this one.
    #[arg(long, value_name = "ID")]
    after: Option<String>,
    #[command(flatten)]
    location: ContextLocation,
    /// Print one JSON object: contexts, each with contextId, owner, creationTime, lastUpdateTime,
    /// version, messageCount and metadata; and next, the --after of the next page.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let Some(file) = args.location.open_existing()? else {
        if args.json {
            terminal.print_json(&json!({ "contexts": [] }))?;
        } else {
            terminal.note("no contexts are stored here; `contexture serve` stores them");
        }
        return Ok(Exit::Done);
    };
    let all = file.heads(args.owner.as_deref())?;
    let rest = following(&all, args.after.as_deref())?;
    let (shown, more) = rest.split_at_checked(args.limit).unwrap_or((rest, &[]));
    let next = shown.last().filter(|_| !more.is_empty()).map(|head| head.context_id.as_str());
    if args.json {
        let contexts: Vec<Value> = shown.iter().map(to_json).collect();
        let mut list = json!({ "contexts": contexts });
        if let (Some(fields), Some(next)) = (list.as_object_mut(), next) {
            fields.insert("next".to_owned(), next.into());
        }
        terminal.print_json(&list)?;
        return Ok(Exit::Done);
    }
    if shown.is_empty() {
        terminal.note("no matching contexts");
    }
    terminal.print(&table(&file, shown, terminal.out)?)?;
    if let Some(next) = next {
        let more = counted(more.len() as u64, "context");
        terminal.note(&format!("{more} more: continue with --after {next}, or raise --limit"));
    }
    Ok(Exit::Done)
}

fn following<'a>(all: &'a [Head], after: Option<&str>) -> Result<&'a [Head], Abort> {
    let Some(after) = after else { return Ok(all) };
    let place = all.iter().position(|head| head.context_id == after);
    place.and_then(|place| all.get(place.saturating_add(1)..)).ok_or_else(|| {
        let message = format!("--after names an unknown context `{after}`");
        CommandError::refused("context_not_found", message)
            .help("use the last id of the previous page")
            .into()
    })
}

pub(super) fn to_json(head: &Head) -> Value {
    let mut value = head.to_value();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("owner".to_owned(), head.owner.as_str().into());
    }
    value
}

fn table(file: &ContextFile, heads: &[Head], paint: Paint) -> Result<String, Abort> {
    let lines: Vec<[String; 2]> =
        heads.iter().map(|head| [one_line(&head.context_id), one_line(&head.owner)]).collect();
    let ids = width(lines.iter().map(|[id, _]| id.as_str()), NAME);
    let owners = width(lines.iter().map(|[_, owner]| owner.as_str()), NAME);
    let counts: Vec<String> = heads.iter().map(|head| counted(head.messages, "message")).collect();
    let count = width(counts.iter().map(String::as_str), NAME);
    let mut text = String::new();
    for ((head, [id, owner]), messages) in heads.iter().zip(&lines).zip(&counts) {
        let row = format!(
            "{}  {}  {}  {}  {}",
            paint.bold(&padded(id, ids)),
            padded(owner, owners),
            paint.dim(&timestamp(head.last_update_us)),
            padded(messages, count),
            topic(file, head)?,
        );
        let _ = writeln!(text, "{}", row.trim_end());
    }
    Ok(text)
}

/// Returns the title of a context, else the topic in its state, else its first text.
fn topic(file: &ContextFile, head: &Head) -> Result<String, Abort> {
    if let Some(title) = head.title() {
        return Ok(shortened(&one_line(title), TOPIC));
    }
    let named = ContextRef { owner: head.owner.clone(), id: head.context_id.clone() };
    let state = file.store.state(named.key())?;
    if let Some(topic) = state.value.get("currentTopic").and_then(Value::as_str) {
        return Ok(shortened(&one_line(topic), TOPIC));
    }
    let page = file.store.messages(named.key(), 0, FIRST)?;
    let said = page.messages.iter().find_map(|message| {
        let message: Value = serde_json::from_str(&message.text).ok()?;
        let text = message.get("content")?.get("text")?.as_str()?;
        Some(shortened(&one_line(text), TOPIC))
    });
    Ok(said.unwrap_or_default())
}
