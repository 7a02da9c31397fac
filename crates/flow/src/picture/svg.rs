use super::dot::fill;
use super::layout::{Layout, to_f64};
use super::{MAX_SVG_NODES, Node, Picture, PictureError, shown};
use contexture_protocol::content::Status;
use std::fmt::Write;

const HEIGHT: f64 = 50.0;
const MARGIN: f64 = 20.0;
/// Room between two boxes of a layer.
const GAP: f64 = 14.0;
/// Room that an edge takes where it passes a layer.
const PASSING: f64 = 12.0;
/// Room between two columns.
const COLUMN: f64 = 70.0;
/// Characters of a line in a box.
const LINE: usize = 26;

/// How the layers run.
struct Frame {
    /// Layers are columns from left to right; else rows from top to bottom.
    is_across: bool,
    width: f64,
    /// From one layer to the next.
    step: f64,
}

impl Picture {
    /// As an SVG that stands alone.
    ///
    /// # Errors
    /// [`PictureError`] if there are more steps than anybody could read.
    pub fn svg(&self) -> Result<String, PictureError> {
        if self.nodes.len() > MAX_SVG_NODES {
            return Err(PictureError::TooLarge(self.nodes.len()));
        }
        let frame = self.frame();
        let size = if frame.is_across { HEIGHT } else { frame.width } + GAP;
        let layout = Layout::of(self, size, PASSING);
        let along = to_f64(layout.layers.len().max(1)) * frame.step;
        let thick = if frame.is_across { frame.width } else { HEIGHT };
        let along = along - frame.step + thick + 2.0 * MARGIN;
        let breadth = layout.breadth() + 2.0 * MARGIN;
        let (width, height) = if frame.is_across { (along, breadth) } else { (breadth, along) };
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"system-ui, sans-serif\">\n\
             <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
             markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
             <path d=\"M0 0L8 4L0 8z\" fill=\"#57606a\"/></marker></defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        // The critical path lies over the other edges.
        for is_critical in [false, true] {
            for (from, to, way) in &layout.routes {
                if self.is_critical_edge(*from, *to) == is_critical {
                    frame.edge(&mut out, &layout, way, is_critical);
                }
            }
        }
        for (index, node) in (0..).zip(&self.nodes) {
            frame.node(&mut out, node, layout.layer_of(index), layout.at(index));
        }
        out.push_str("</svg>\n");
        Ok(out)
    }

    /// Layers run from left to right unless that is much wider: edges that pass others then make
    /// the picture taller, which a reader scrolls through more easily.
    fn frame(&self) -> Frame {
        let lines = self.nodes.iter().flat_map(Node::lines);
        let widest = lines.map(|line| breadth(&line)).fold(60.0, f64::max);
        let width = (widest + 24.0).ceil();
        let mut counts = Vec::new();
        for node in 0..crate::graph::number(self.nodes.len()) {
            let layer = self.layer(node);
            if counts.len() <= layer {
                counts.resize(layer + 1, 0_usize);
            }
            if let Some(count) = counts.get_mut(layer) {
                *count += 1;
            }
        }
        let widest_layer = counts.iter().max().copied().unwrap_or_default();
        let down = to_f64(widest_layer) * (width + GAP);
        let across = to_f64(counts.len()) * (width + COLUMN);
        let is_across = across <= (down * 1.3).max(1_000.0);
        let step = if is_across { width + COLUMN } else { HEIGHT + 60.0 };
        Frame { is_across, width, step }
    }
}

impl Frame {
    fn point(&self, along: f64, across: f64) -> (f64, f64) {
        if self.is_across { (along, across + MARGIN) } else { (across + MARGIN, along) }
    }

    fn edge(&self, out: &mut String, layout: &Layout, way: &[u32], is_critical: bool) {
        let thick = if self.is_across { self.width } else { HEIGHT };
        let start_of = |slot: u32| MARGIN + to_f64(layout.layer_of(slot)) * self.step;
        let mut path = String::new();
        for (index, (from, to)) in way.iter().zip(way.iter().skip(1)).enumerate() {
            let begin = self.point(start_of(*from) + thick, layout.at(*from));
            let end = self.point(start_of(*to), layout.at(*to));
            let bend = (start_of(*to) - start_of(*from) - thick).abs().max(30.0) / 2.0;
            let first = self.point(start_of(*from) + thick + bend, layout.at(*from));
            let second = self.point(start_of(*to) - bend, layout.at(*to));
            if index == 0 {
                let _ = write!(path, "M{:.0} {:.0}", begin.0, begin.1);
            } else {
                let _ = write!(path, "L{:.0} {:.0}", begin.0, begin.1);
            }
            let _ = write!(
                path,
                "C{:.0} {:.0} {:.0} {:.0} {:.0} {:.0}",
                first.0, first.1, second.0, second.1, end.0, end.1
            );
        }
        let (colour, width) = if is_critical { ("#0969da", 3.0) } else { ("#8c959f", 1.2) };
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
             marker-end=\"url(#tip)\"/>"
        );
    }

    fn node(&self, out: &mut String, node: &Node, layer: usize, at: f64) {
        let thick = if self.is_across { HEIGHT } else { self.width };
        let (x, y) = self.point(MARGIN + to_f64(layer) * self.step, at - thick / 2.0);
        let (width, middle) = (self.width, x + self.width / 2.0);
        let fill = node.status.map_or("#ffffff", fill);
        let line = if node.is_critical { "#0969da" } else { stroke(node.status) };
        let weight = if node.is_critical { 3.0 } else { 1.2 };
        let dashes =
            if node.status == Some(Status::Skipped) { " stroke-dasharray=\"5 3\"" } else { "" };
        let _ = writeln!(
            out,
            "<g><title>{}</title><rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" \
             height=\"{HEIGHT:.0}\" rx=\"7\" fill=\"{fill}\" stroke=\"{line}\" \
             stroke-width=\"{weight}\"{dashes}/>",
            escape(&node.title())
        );
        let lines = node.lines();
        let top = y + HEIGHT / 2.0 - 7.5 * (to_f64(lines.len()) - 1.0) + 4.0;
        for (index, text) in lines.iter().enumerate() {
            let style = match index {
                0 => "font-size=\"13\" font-weight=\"600\" fill=\"#1f2328\"",
                _ => "font-size=\"11\" fill=\"#57606a\"",
            };
            let y = top + 15.0 * to_f64(index);
            let text = escape(text);
            let _ = writeln!(
                out,
                "<text x=\"{middle:.0}\" y=\"{y:.0}\" text-anchor=\"middle\" {style}>{text}</text>"
            );
        }
        out.push_str("</g>\n");
    }
}

impl Node {
    fn lines(&self) -> Vec<String> {
        let mut lines = vec![short(&self.id), short(&self.action)];
        match (self.state(), &self.condition) {
            (Some(state), _) => lines.push(state),
            (None, Some(condition)) => lines.push(short(&format!("if {condition}"))),
            (None, None) => {}
        }
        lines
    }

    /// Everything, for who points at the box.
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

fn short(text: &str) -> String {
    let text = shown(text);
    match text.char_indices().nth(LINE).and_then(|(at, _)| text.split_at_checked(at)) {
        Some((head, _)) => format!("{}…", head.trim_end_matches('…')),
        None => text,
    }
}

/// About how wide a text is.
fn breadth(text: &str) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 7.4 } else { 13.0 }).sum()
}

const fn stroke(status: Option<Status>) -> &'static str {
    match status {
        Some(Status::Completed) => "#1a7f37",
        Some(Status::Failed) => "#cf222e",
        Some(Status::Timeout) => "#bc4c00",
        _ => "#6e7781",
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if super::is_harmful(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
