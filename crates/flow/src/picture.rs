//! The picture of a set's graph (FL-13): Mermaid, DOT, SVG, and a tree in text; before a run as a
//! plan, after it with status, time and the critical path.
//!
//! Decision: the layout of the SVG is our own, in layers. Steps of a flow have short names and
//! clear layers, and the readable form (aligned columns, edges that don't cross boxes, a canvas
//! that grows downwards rather than sideways) takes a few hundred lines, while a general layout
//! library brings text shapes and formats that are not needed here.
//!
//! ```
//! use contexture_flow::{Set, picture::Picture};
//! use contexture_protocol::Limits;
//!
//! let set = Set::parse(
//!     br#"{"instructions": [{"instructionId": "a", "action": "QUERY_DATA"},
//!         {"instructionId": "b", "action": "echo", "dependencies": ["a"]}]}"#,
//!     &Limits::FILE,
//! )?;
//! assert_eq!(Picture::plan(&set).text(), "a  QUERY_DATA\n└─ b  echo\n");
//! # Ok::<(), contexture_flow::check::Report>(())
//! ```

mod critical;
mod dot;
mod layout;
mod mermaid;
mod svg;
mod text;

use crate::graph::{self, Edges, Order};
use crate::set::Set;
use contexture_protocol::content::{Outcome, Status};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// The greatest number of steps in an SVG.
pub const MAX_SVG_NODES: usize = 5_000;

/// Returns the symbol of a status, one character wide.
#[must_use]
pub const fn sign(status: Status) -> &'static str {
    match status {
        Status::Completed => "✓",
        Status::Failed => "✗",
        Status::Skipped => "–",
        Status::Timeout => "⧖",
        Status::Running => "▶",
        Status::Pending => "·",
    }
}

/// The number of characters shown of a name.
const SHOWN: usize = 40;

/// An error of drawing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// The SVG of so many steps would be unreadable.
    #[error("{0} steps are more than the {MAX_SVG_NODES} that an SVG can show; use dot or text")]
    TooLarge(usize),
}

#[derive(Debug)]
struct Node {
    id: String,
    action: String,
    condition: Option<String>,
    status: Option<Status>,
    took: Option<Duration>,
    is_critical: bool,
}

/// A graph that can be drawn, even of a faulty set: dependencies on unknown ids are left out.
#[derive(Debug)]
pub struct Picture {
    nodes: Vec<Node>,
    dependencies: Edges,
    dependents: Edges,
    order: Order,
    /// The edges of the critical path.
    critical: HashSet<(u32, u32)>,
}

impl Picture {
    /// Creates the picture of a set before it is run.
    #[must_use]
    pub fn plan(set: &Set) -> Self {
        let mut numbers = HashMap::with_capacity(set.steps.len());
        for (index, step) in (0..).zip(&set.steps) {
            numbers.entry(step.id.as_str()).or_insert(index);
        }
        let mut dependencies = Edges::with_capacity(set.steps.len());
        for (index, step) in (0_u32..).zip(&set.steps) {
            let mut known: Vec<u32> = step
                .dependencies
                .iter()
                .filter_map(|id| numbers.get(id.as_str()).copied())
                .collect();
            known.retain(|node| *node != index);
            known.sort_unstable();
            known.dedup();
            dependencies.push(known);
        }
        let dependents = dependencies.turned(set.steps.len());
        let order = graph::order(&dependencies, &dependents, set.steps.len());
        let nodes = set.steps.iter().map(|step| Node {
            id: step.id.clone(),
            action: step.action.clone(),
            condition: step.condition.clone().filter(|text| !text.trim().is_empty()),
            status: None,
            took: None,
            is_critical: false,
        });
        let critical = HashSet::new();
        Self { nodes: nodes.collect(), dependencies, dependents, order, critical }
    }

    /// Creates the picture of a set with its outcomes.
    #[must_use]
    pub fn after(set: &Set, outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let mut picture = Self::plan(set);
        let mut by_id: HashMap<String, (Status, Option<Duration>)> = outcomes
            .into_iter()
            .map(|outcome| {
                let took = outcome.execution_time.map(|time| time.duration());
                (outcome.instruction_id, (outcome.status, took))
            })
            .collect();
        for node in &mut picture.nodes {
            let Some((status, took)) = by_id.remove(&node.id) else { continue };
            node.status = Some(status);
            node.took = took.filter(|_| status != Status::Skipped);
        }
        picture.mark_critical();
        picture
    }

    /// Returns the layer of a node; nodes in or after a cycle are in a last one of their own.
    fn layer(&self, node: u32) -> usize {
        let layers = &self.order.layers;
        let layer = layers.get(node as usize).copied().unwrap_or_default();
        if layer != u32::MAX {
            return layer as usize;
        }
        layers.iter().filter(|layer| **layer != u32::MAX).max().map_or(0, |last| *last as usize + 1)
    }

    fn node(&self, number: u32) -> Option<&Node> {
        self.nodes.get(number as usize)
    }

    /// Returns all edges, from dependencies to dependents.
    fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let nodes = 0..graph::number(self.nodes.len());
        nodes.flat_map(|to| self.dependencies.of(to).iter().map(move |from| (*from, to)))
    }

    fn is_critical_edge(&self, from: u32, to: u32) -> bool {
        self.critical.contains(&(from, to))
    }
}

impl Node {
    /// Formats status and time.
    fn state(&self) -> Option<String> {
        let status = self.status?;
        Some(match self.took {
            Some(took) => format!("{status} {}", time(took)),
            None => status.to_string(),
        })
    }
}

/// Formats a duration for people.
fn time(took: Duration) -> String {
    let seconds = took.as_secs_f64();
    match seconds {
        _ if seconds >= 120.0 => format!("{:.1} min", seconds / 60.0),
        _ if seconds >= 1.0 => format!("{seconds:.2} s"),
        _ if seconds >= 0.001 => format!("{:.1} ms", seconds * 1_000.0),
        _ => format!("{:.0} µs", seconds * 1_000_000.0),
    }
}

/// Returns a name for display: one line without control characters, shortened.
fn shown(name: &str) -> String {
    let short = name
        .char_indices()
        .nth(SHOWN)
        .map_or(name, |(at, _)| name.split_at_checked(at).map_or(name, |(head, _)| head));
    let dots = if short.len() < name.len() { "…" } else { "" };
    clean(short) + dots
}

/// Returns a text without line breaks and control characters.
fn clean(text: &str) -> String {
    text.chars().map(|c| if is_harmful(c) { '\u{fffd}' } else { c }).collect()
}

fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests;
