//! The boxes of steps.

use super::text::{breadth, escape, wrap};
use crate::picture::dot::fill;
use crate::picture::layout::to_f64;
use crate::picture::{Node, clean};
use contexture_protocol::content::Status;
use std::fmt::Write;

/// The greatest width of a box's text.
const BROADEST: f64 = 210.0;
const NAME: f64 = 13.0;
const REST: f64 = 11.0;
const LINE: f64 = 15.0;
pub(super) const PLAIN: &str = "#8c959f";
pub(super) const CRITICAL: &str = "#0969da";

/// A step as displayed.
pub(super) struct Box {
    title: String,
    /// The lines, each with its font size; the name comes first.
    lines: Vec<(String, f64)>,
    status: Option<Status>,
    is_critical: bool,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Box {
    pub(super) fn of(node: &Node) -> Self {
        let mut lines: Vec<(String, f64)> = Vec::new();
        let mut add = |text: &str, size: f64, most: usize| {
            let parts = wrap(&clean(text), BROADEST / size, most);
            lines.extend(parts.into_iter().map(|line| (line, size)));
        };
        add(&node.id, NAME, 2);
        add(&node.action, REST, 1);
        match (node.state(), &node.condition) {
            (Some(state), _) => add(&state, REST, 1),
            (None, Some(condition)) => add(&format!("if {condition}"), REST, 2),
            (None, None) => {}
        }
        let broad = lines.iter().map(|(line, size)| breadth(line) * size).fold(0.0, f64::max);
        let height = to_f64(lines.len()) * LINE + 14.0;
        Self {
            title: node.title(),
            lines,
            status: node.status,
            is_critical: node.is_critical,
            width: (broad + 20.0).ceil(),
            height,
        }
    }

    pub(super) fn draw(&self, out: &mut String, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let fill = self.status.map_or("#ffffff", fill);
        let line = if self.is_critical { CRITICAL } else { stroke(self.status) };
        let weight = if self.is_critical { 3.0 } else { 1.2 };
        let dashes =
            if self.status == Some(Status::Skipped) { " stroke-dasharray=\"5 3\"" } else { "" };
        let _ = writeln!(
            out,
            "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" rx=\"7\" fill=\"{fill}\" stroke=\"{line}\" \
             stroke-width=\"{weight}\"{dashes}/>",
            escape(&self.title)
        );
        let middle = x + width / 2.0;
        let top = y + height / 2.0 - LINE * (to_f64(self.lines.len()) - 1.0) / 2.0 + 4.2;
        for (index, (text, size)) in self.lines.iter().enumerate() {
            let style = if *size > REST {
                " font-weight=\"600\" fill=\"#1f2328\""
            } else {
                " fill=\"#57606a\""
            };
            let y = top + LINE * to_f64(index);
            let text = escape(text);
            let _ = writeln!(
                out,
                "<text x=\"{middle:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" font-size=\"{size}\"{style}>{text}</text>"
            );
        }
        out.push_str("</g>\n");
    }
}

impl Node {
    /// Returns all details, for the tooltip.
    fn title(&self) -> String {
        let mut title = format!("{}: {}", self.id, self.action);
        if let Some(condition) = &self.condition {
            let _ = write!(title, ", if {condition}");
        }
        if let Some(state) = self.state() {
            let _ = write!(title, ", {state}");
        }
        title
    }
}

pub(super) const fn stroke(status: Option<Status>) -> &'static str {
    match status {
        Some(Status::Completed) => "#1a7f37",
        Some(Status::Failed) => "#cf222e",
        Some(Status::Timeout) => "#bc4c00",
        _ => "#6e7781",
    }
}
