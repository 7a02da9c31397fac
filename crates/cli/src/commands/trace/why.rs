//! `contexture trace why`: what had an influence on the effects of a run (GU-6).

use super::runs::Runs;
use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::store::runs::RunLog;

const EXAMPLES: &str = "\
Examples:
  contexture trace why
  contexture trace why latest --json";

/// Shows each write, send and execution of a run or a flow: whether it was allowed, and the way from
/// each source to it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The run, of a program or of a flow.
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    /// The number of the event whose effects are shown, as in `trace show --json`; all by default.
    #[arg(value_name = "EFFECT")]
    effect: Option<u64>,
    /// Print JSON: an object for one effect, a list for several, each with event, effect, class,
    /// decision and influence.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(
    args: &Args,
    runs: &Runs,
    workspace: Option<&Path>,
    terminal: &Terminal,
) -> CommandResult {
    let (id, effects) = match runs.load(&args.run, terminal) {
        Ok(log) => (log.id.to_string(), effects(&log, args.effect)),
        Err(unknown) => match of_flow(args, workspace) {
            Some(found) => found?,
            None => return Err(unknown),
        },
    };
    if let (Some(event), true) = (args.effect, effects.is_empty()) {
        let message = format!("the event {event} of the run {id} has no effect");
        let help = "`contexture trace why RUN` lists all effects with their events";
        return Err(CommandError::refused("effect_not_found", message).help(help).into());
    }
    if args.json {
        let object = match (&*effects, args.effect) {
            ([one], Some(_)) => one.clone(),
            _ => Value::from(effects),
        };
        terminal.print_json(&object)?;
    } else {
        terminal.print(&text(&effects, terminal.out))?;
    }
    Ok(Exit::Done)
}

/// Returns the id of a flow's run and its effects, each with the number of its event and its step; none
/// if no flow has this name.
#[cfg(feature = "flow")]
fn of_flow(args: &Args, workspace: Option<&Path>) -> Option<Result<(String, Vec<Value>), Abort>> {
    use crate::commands::flow::{FlowLocation, StoredRun};
    use contexture::flow::journal::Entry;
    let location = FlowLocation::of(workspace);
    let stored = match location.find(&args.run) {
        Ok(stored) => stored,
        Err(unknown) if args.run.starts_with("flow_") => return Some(Err(unknown)),
        Err(_) => return None,
    };
    let numbered = |stored: &StoredRun| {
        let log = stored.log()?;
        let lines = (1..).zip(log).filter(|(event, _)| args.effect.is_none_or(|one| one == *event));
        let effects = lines.filter_map(|(event, line)| match line.entry {
            Entry::Decided { id, mut decision } => {
                let fields = decision.as_object_mut()?;
                fields.insert("event".to_owned(), Value::from(event));
                fields.insert("step".to_owned(), id.into());
                Some(decision)
            }
            _ => None,
        });
        Ok((stored.id().to_owned(), effects.collect()))
    };
    Some(numbered(&stored))
}

#[cfg(not(feature = "flow"))]
fn of_flow(_: &Args, _: Option<&Path>) -> Option<Result<(String, Vec<Value>), Abort>> {
    None
}

/// Returns the effects of a run, each with the number of its event.
pub(super) fn effects(log: &RunLog, wanted: Option<u64>) -> Vec<Value> {
    let tree = log.tree();
    let mut found = Vec::new();
    for (_, event) in tree.lines() {
        if wanted.is_some_and(|wanted| wanted != event.id) {
            continue;
        }
        let own = event.data.get("effects").and_then(Value::as_array);
        for effect in own.into_iter().flatten() {
            let mut effect = effect.clone();
            if let Some(fields) = effect.as_object_mut() {
                fields.insert("event".to_owned(), event.id.into());
            }
            found.push(effect);
        }
    }
    found
}

pub(super) fn text(effects: &[Value], paint: Paint) -> String {
    if effects.is_empty() {
        return "the run wrote, sent and executed nothing\n".to_owned();
    }
    let word = |effect: &Value, name: &str| {
        sanitized(effect.get(name).and_then(Value::as_str).unwrap_or_default()).to_string()
    };
    let mut text = String::new();
    for effect in effects {
        let event = effect.get("event").and_then(Value::as_u64).unwrap_or_default();
        let decision = match word(effect, "decision").as_str() {
            "allow" => paint.green("allowed"),
            _ => paint.red("denied"),
        };
        let (name, class, by) = (word(effect, "effect"), word(effect, "class"), word(effect, "by"));
        text.push_str(&format!(
            "{event}  {} ({class}): {decision} by the {by}\n",
            paint.bold(&name)
        ));
        let influence = effect.get("influence").and_then(Value::as_array);
        for one in influence.into_iter().flatten() {
            let path = one.get("path").and_then(Value::as_array).into_iter().flatten();
            let steps = path.filter_map(Value::as_str).map(|step| format!(" → {step}"));
            let steps = sanitized(&steps.collect::<String>()).to_string();
            let (source, trust) = (word(one, "source"), word(one, "trust"));
            text.push_str(&format!("   {source}{steps} ({trust})\n"));
        }
    }
    text
}
