//! The edges: curves between columns, straight where they pass one. Shared parts are drawn once.

use super::Frame;
use super::boxes::{CRITICAL, PLAIN};
use crate::picture::Picture;
use crate::picture::layout::Layout;
use std::collections::HashSet;
use std::fmt::Write;

impl Frame {
    pub(super) fn edges(&self, out: &mut String, picture: &Picture, layout: &Layout) {
        // The critical path is drawn over the other edges.
        for is_critical in [false, true] {
            let mut drawn = HashSet::new();
            for (from, to, way) in &layout.routes {
                if picture.is_critical_edge(*from, *to) != is_critical {
                    continue;
                }
                let pairs = way.iter().copied().zip(way.iter().skip(1).copied());
                for part in pairs.filter(|part| drawn.insert(*part)) {
                    self.part(out, layout, part, is_critical);
                }
            }
        }
    }

    /// Draws the part from the end of one slot to the start of the next, and through it where it is
    /// passed.
    fn part(
        &self,
        out: &mut String,
        layout: &Layout,
        (left, right): (u32, u32),
        is_critical: bool,
    ) {
        let (start, end) =
            (self.start_of(layout, left) + self.thick(), self.start_of(layout, right));
        let (from, to) = (self.at(layout, left), self.at(layout, right));
        let (band, next) = (self.column(layout, left).band, self.column(layout, right).band);
        let mut path = if band == next {
            self.curve((start, from), (end, to))
        } else {
            self.around((start, from), (end, to), band)
        };
        let is_passed = right >= layout.nodes;
        if is_passed {
            let (x, y) = self.point(end + self.thick(), to);
            let _ = write!(path, "L{x:.1} {y:.1}");
        }
        let (colour, width, tip) =
            if is_critical { (CRITICAL, 3.0, "critical") } else { (PLAIN, 1.3, "tip") };
        let tip = if is_passed { String::new() } else { format!(" marker-end=\"url(#{tip})\"") };
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{tip}/>"
        );
    }
    fn curve(&self, (start, from): (f64, f64), (end, to): (f64, f64)) -> String {
        let bend = (end - start).abs().max(30.0) / 2.0;
        let points = [(start, from), (start + bend, from), (end - bend, to), (end, to)];
        let [begin, first, second, last] = points.map(|(along, across)| self.point(along, across));
        format!(
            "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            begin.0, begin.1, first.0, first.1, second.0, second.1, last.0, last.1
        )
    }

    fn around(&self, (start, from): (f64, f64), (end, to): (f64, f64), band: usize) -> String {
        let gutter = self.gutters.get(band).copied().unwrap_or(from);
        // Edges from different heights run side by side.
        let aside = 6.0 + (from * 7.0).rem_euclid(9.0);
        let gutter = gutter - 10.0 + (from * 3.0).rem_euclid(20.0);
        let corners = [
            (start, from),
            (start + aside, from),
            (start + aside, gutter),
            (end - aside, gutter),
            (end - aside, to),
            (end, to),
        ];
        let points = corners.map(|(along, across)| self.point(along, across));
        let mut path = String::new();
        for (index, (x, y)) in points.iter().enumerate() {
            let _ = write!(path, "{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' });
        }
        path
    }
}
