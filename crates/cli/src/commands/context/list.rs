//! `contexture context list`: the contexts that are kept, the one made last first.

use super::place::{Desk, Named, Place, refuse};
use crate::columns::{counted, padded, shortened, width};
use crate::commands::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::paint::{Paint, one_line};
use crate::terminal::Terminal;
use contexture::store::contexts::{ContextStore as _, Head};
use contexture::store::stamp::iso_time;
use serde_json::{Value, json};
use std::fmt::Write as _;

const EXAMPLES: &str = "\
Examples:
  contexture context list
  contexture context list --owner local --limit 3 --json";

/// How much of what was said first is shown, in columns.
const TOPIC: usize = 50;
/// Columns that an id or a name may take before it stands out.
const NAME: usize = 40;
/// What was said first is looked for in so many messages.
const FIRST: usize = 5;

/// Lists contexts, the one made last first.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Only the contexts of this owner.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// How many at most.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = crate::args::whole_number,
        allow_negative_numbers = true
    )]
    limit: usize,
    /// Only those that come after this one in the list.
    #[arg(long, value_name = "ID")]
    after: Option<String>,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: contexts, each with contextId, owner, creationTime, lastUpdateTime,
    /// version, messageCount and metadata; and next, the --after of what follows.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture context list`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let Some(desk) = args.place.open_there()? else {
        if args.json {
            terminal.print_json(&json!({ "contexts": [] }))?;
        } else {
            terminal.note("no context is kept here yet; `contexture serve` keeps them");
        }
        return Ok(Exit::Done);
    };
    let all = desk.heads(args.owner.as_deref())?;
    let rest = behind(&all, args.after.as_deref())?;
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
        terminal.note("no such context is kept");
    }
    terminal.print(&table(&desk, shown, terminal.out)?)?;
    if let Some(next) = next {
        let more = counted(more.len() as u64, "context");
        terminal.note(&format!("{more} more: see them with --after {next}, or more with --limit"));
    }
    Ok(Exit::Done)
}

fn behind<'a>(all: &'a [Head], after: Option<&str>) -> Result<&'a [Head], Stop> {
    let Some(after) = after else { return Ok(all) };
    let place = all.iter().position(|head| head.context_id == after);
    place.and_then(|place| all.get(place.saturating_add(1)..)).ok_or_else(|| {
        let message = format!("--after: the list has no context `{after}`");
        Complaint::refused("context_not_found", message).help("give the last id of a list").into()
    })
}

pub(super) fn to_json(head: &Head) -> Value {
    let mut value = head.to_value();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("owner".to_owned(), head.owner.as_str().into());
    }
    value
}

fn table(desk: &Desk, heads: &[Head], paint: Paint) -> Result<String, Stop> {
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
            paint.dim(&when(head.last_update_us)),
            padded(messages, count),
            topic(desk, head)?,
        );
        let _ = writeln!(text, "{}", row.trim_end());
    }
    Ok(text)
}

/// To the second, as it does for people.
pub(super) fn when(time_us: u64) -> String {
    let time = iso_time(time_us);
    time.get(..19).unwrap_or(&time).replace('T', " ")
}

/// What it is about: the topic in its state, or what was said first.
fn topic(desk: &Desk, head: &Head) -> Result<String, Stop> {
    let named = Named { owner: head.owner.clone(), id: head.context_id.clone() };
    let state = desk.store.state(named.key()).map_err(|error| refuse(&error))?;
    if let Some(topic) = state.value.get("currentTopic").and_then(Value::as_str) {
        return Ok(shortened(&one_line(topic), TOPIC));
    }
    let page = desk.store.messages(named.key(), 0, FIRST).map_err(|error| refuse(&error))?;
    let said = page.messages.iter().find_map(|message| {
        let message: Value = serde_json::from_str(&message.text).ok()?;
        let text = message.get("content")?.get("text")?.as_str()?;
        Some(shortened(&one_line(text), TOPIC))
    });
    Ok(said.unwrap_or_default())
}
