//! The graph as a standalone SVG.

mod boxes;
mod edges;
mod legend;
mod text;

use super::layout::{Layout, to_f64};
use super::{MAX_SVG_NODES, Picture, PictureError};
use boxes::Box;
use legend::MARGIN;
use std::fmt::Write;

/// The gap between two boxes of a column.
const GAP: f64 = 14.0;
/// The space of edges that pass a column.
const PASSING: f64 = 14.0;
/// The least and greatest gap between two columns.
const BETWEEN: (f64, f64) = (56.0, 180.0);
/// The wanted ratio of width to height; the height of columns follows from it.
const SHAPE: f64 = 1.6;
/// The least number of nodes in a column before it is split.
const ROWS: f64 = 14.0;

/// The greatest number of edges between two bands where a picture is folded.
const CUT: usize = 6;
/// The gap between two bands, for the edges between them.
const GUTTER: f64 = 40.0;

/// The geometry of the columns.
struct Frame {
    /// True for columns from left to right; otherwise they are rows from top to bottom.
    is_across: bool,
    /// The size of a box.
    width: f64,
    height: f64,
    /// For each column its start, its band, and the offset of its slots.
    columns: Vec<Column>,
    /// The gutter after each band.
    gutters: Vec<f64>,
    /// The whole size, along and across.
    along: f64,
    across: f64,
    /// The space above for the legend.
    top: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Column {
    start: f64,
    band: usize,
    moved: f64,
}

impl Picture {
    /// Draws the picture as a standalone SVG.
    ///
    /// # Errors
    /// [`PictureError`] if there are too many steps to be readable.
    pub fn svg(&self) -> Result<String, PictureError> {
        if self.nodes.len() > MAX_SVG_NODES {
            return Err(PictureError::TooLarge(self.nodes.len()));
        }
        let boxes: Vec<Box> = self.nodes.iter().map(Box::of).collect();
        let width = boxes.iter().map(|shown| shown.width).fold(84.0, f64::max);
        let height = boxes.iter().map(|shown| shown.height).fold(36.0, f64::max);
        let (row, column) = (height + GAP, width + BETWEEN.0);
        let rows = (to_f64(self.nodes.len()) * column / row / SHAPE).sqrt().max(ROWS);
        let mut layout = Layout::of(self, row, PASSING, whole(rows));
        let mut frame = Frame::of(&layout, true, (width, height));
        if frame.along > 2_000.0 && frame.along > 4.0 * frame.across {
            // Too long to be readable, without a place to fold it.
            layout = Layout::of(self, width + GAP, PASSING, whole(rows));
            frame = Frame::of(&layout, false, (width, height));
        }
        let legend = self.legend();
        frame.top += legend.as_ref().map_or(0.0, |_| legend::HEIGHT);
        let (wide, high) = frame.point(frame.along, frame.across);
        let least = legend.as_ref().map_or(0.0, |legend| legend.width) + MARGIN;
        let mut out = head(wide.max(least) + MARGIN, high + MARGIN);
        out.extend(legend.map(|legend| legend.text));
        frame.edges(&mut out, self, &layout);
        for (index, shown) in (0..).zip(&boxes) {
            let at = frame.point(frame.start_of(&layout, index), frame.at(&layout, index));
            shown.draw(&mut out, frame.corner(at), (width, height));
        }
        out.push_str("</svg>\n");
        Ok(out)
    }
}

impl Frame {
    fn of(layout: &Layout, is_across: bool, (width, height): (f64, f64)) -> Self {
        let mut frame = Self {
            is_across,
            width,
            height,
            columns: Vec::with_capacity(layout.columns.len()),
            gutters: Vec::new(),
            along: 0.0,
            across: 0.0,
            top: MARGIN,
        };
        frame.begin(layout);
        if is_across {
            frame.fold(layout);
        }
        frame.stack(layout);
        frame
    }

    /// Computes the starts of the columns: the more edges between two, the larger the gap.
    fn begin(&mut self, layout: &Layout) {
        let thick = self.thick();
        let mut at = 0.0;
        for column in 0..layout.columns.len() {
            self.columns.push(Column { start: at, ..Column::default() });
            self.along = at + thick;
            let room = BETWEEN.0 + 1.5 * to_f64(layout.leaving(column));
            at = self.along + room.min(BETWEEN.1);
        }
    }

    /// Folds a long picture into bands, at places with few edges.
    fn fold(&mut self, layout: &Layout) {
        let ends = (0..layout.columns.len()).filter_map(|column| layout.reach(column));
        let (low, high) =
            ends.fold((f64::INFINITY, 0.0_f64), |all, one| (all.0.min(one.0), all.1.max(one.1)));
        let breadth = (high - low).max(self.height) + GUTTER;
        let wished = (self.along * breadth * SHAPE).sqrt().max(1_100.0);
        if self.along < 1.7 * wished {
            return;
        }
        let (mut band, mut first) = (0, 0.0);
        for index in 0..self.columns.len() {
            let Some(column) = self.columns.get_mut(index) else { break };
            let begin = column.start;
            let reached = begin - first;
            // The first good place from nine tenths of the wanted length on.
            let is_good = reached > 0.0 && layout.leaving(index.saturating_sub(1)) <= CUT;
            if index > 0 && is_good && reached >= 0.9 * wished {
                (band, first) = (band + 1, begin);
            }
            column.band = band;
            column.start = begin - first;
        }
        let ends = self.columns.iter().map(|column| column.start + self.thick());
        self.along = ends.fold(0.0, f64::max);
        if band > 0 {
            // Space for the returning edges.
            self.columns.iter_mut().for_each(|column| column.start += GUTTER / 2.0);
            self.along += GUTTER;
        }
    }

    /// Places the bands below each other.
    fn stack(&mut self, layout: &Layout) {
        let bands = self.columns.last().map_or(0, |last| last.band + 1);
        for band in 0..bands {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for (index, _) in
                self.columns.iter().enumerate().filter(|(_, column)| column.band == band)
            {
                let Some(reach) = layout.reach(index) else { continue };
                (low, high) = (low.min(reach.0), high.max(reach.1));
            }
            if low > high {
                continue;
            }
            let moved = self.across - low;
            self.columns
                .iter_mut()
                .filter(|column| column.band == band)
                .for_each(|c| c.moved = moved);
            self.across += high - low;
            if band + 1 < bands {
                self.gutters.push(self.across + GUTTER / 2.0);
                self.across += GUTTER;
            }
        }
    }

    fn column(&self, layout: &Layout, slot: u32) -> Column {
        self.columns.get(layout.column_of(slot)).copied().unwrap_or_default()
    }

    fn start_of(&self, layout: &Layout, slot: u32) -> f64 {
        self.column(layout, slot).start
    }

    fn at(&self, layout: &Layout, slot: u32) -> f64 {
        layout.at(slot) + self.column(layout, slot).moved
    }

    fn thick(&self) -> f64 {
        if self.is_across { self.width } else { self.height }
    }

    fn point(&self, along: f64, across: f64) -> (f64, f64) {
        let (x, y) = if self.is_across { (along, across) } else { (across, along) };
        (x + MARGIN, y + self.top)
    }

    /// Returns the upper left corner of a box, from the middle of its first side.
    fn corner(&self, (x, y): (f64, f64)) -> (f64, f64) {
        if self.is_across { (x, y - self.height / 2.0) } else { (x - self.width / 2.0, y) }
    }
}

fn head(wide: f64, high: f64) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide:.0}\" height=\"{high:.0}\" \
         viewBox=\"0 0 {wide:.0} {high:.0}\" font-family=\"system-ui, 'Noto Sans', 'Noto Sans CJK SC', sans-serif\">\n\
         <defs>"
    );
    for (id, colour) in [("tip", boxes::PLAIN), ("critical", boxes::CRITICAL)] {
        let _ = write!(
            out,
            "<marker id=\"{id}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
             markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
             <path d=\"M0 0L8 4L0 8z\" fill=\"{colour}\"/></marker>"
        );
    }
    out.push_str("</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    out
}

/// Converts a small size that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 14 to some thousands"
)]
fn whole(count: f64) -> usize {
    count.ceil() as usize
}
