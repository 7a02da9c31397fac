//! The legend: the colours, and the duration of the critical path.

use super::boxes::{CRITICAL, stroke};
use super::text::{breadth, escape};
use crate::picture::dot::fill;
use crate::picture::{Picture, time};
use contexture_protocol::content::Status;
use std::fmt::Write;
use std::time::Duration;

pub(super) const MARGIN: f64 = 20.0;
pub(super) const HEIGHT: f64 = 30.0;

const SIZE: f64 = 12.0;

pub(super) struct Legend {
    pub(super) text: String,
    pub(super) width: f64,
}

impl Picture {
    pub(super) fn legend(&self) -> Option<Legend> {
        let mut legend = Legend { text: String::new(), width: 0.0 };
        for status in Status::ALL {
            let count = self.nodes.iter().filter(|node| node.status == Some(*status)).count();
            if count > 0 {
                legend.status(*status, count);
            }
        }
        if legend.text.is_empty() {
            return None;
        }
        let took = self.nodes.iter().filter(|node| node.is_critical).filter_map(|node| node.took);
        let took: Duration = took.sum();
        if !took.is_zero() {
            legend.critical(took);
        }
        Some(legend)
    }
}

impl Legend {
    fn status(&mut self, status: Status, count: usize) {
        let (x, y) = (self.width + MARGIN, MARGIN);
        let (fill, stroke) = (fill(status), stroke(Some(status)));
        let dashes = if status == Status::Skipped { " stroke-dasharray=\"4 2\"" } else { "" };
        let _ = writeln!(
            self.text,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"16\" height=\"12\" rx=\"3\" fill=\"{fill}\" stroke=\"{stroke}\"{dashes}/>"
        );
        self.words(22.0, &format!("{status} {count}"));
    }

    fn critical(&mut self, took: Duration) {
        let (x, y) = (self.width + MARGIN, MARGIN + 6.0);
        let _ = writeln!(
            self.text,
            "<path d=\"M{x:.1} {y:.1}h24\" stroke=\"{}\" stroke-width=\"3\"/>",
            CRITICAL
        );
        self.words(30.0, &format!("critical path {}", time(took)));
    }

    fn words(&mut self, after: f64, words: &str) {
        let (x, y) = (self.width + MARGIN + after, MARGIN + 10.5);
        let _ = writeln!(
            self.text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{SIZE}\" fill=\"#1f2328\">{}</text>",
            escape(words)
        );
        self.width += after + breadth(words) * SIZE + 18.0;
    }
}
