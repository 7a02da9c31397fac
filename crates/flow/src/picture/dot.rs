use super::{Picture, shown};
use contexture_protocol::content::Status;
use std::fmt::Write;

impl Picture {
    /// Draws the picture in the language of Graphviz.
    #[must_use]
    pub fn dot(&self) -> String {
        let mut out = "digraph flow {\n    node [shape=box, style=\"rounded,filled\", \
                       fillcolor=white, fontname=\"sans-serif\"];\n"
            .to_owned();
        for (index, node) in self.nodes.iter().enumerate() {
            let mut label = vec![escape(&node.id), escape(&node.action)];
            label.extend(node.condition.as_deref().map(|text| format!("if {}", escape(text))));
            label.extend(node.state().map(|state| escape(&state)));
            let fill = node.status.map(|status| format!(", fillcolor=\"{}\"", fill(status)));
            let width = if node.is_critical { ", penwidth=3" } else { "" };
            let fill = fill.unwrap_or_default();
            let _ = writeln!(out, "    n{index} [label=\"{}\"{fill}{width}];", label.join("\\n"));
        }
        for (from, to) in self.edges() {
            let width = if self.is_critical_edge(from, to) { " [penwidth=3]" } else { "" };
            let _ = writeln!(out, "    n{from} -> n{to}{width};");
        }
        out.push_str("}\n");
        out
    }
}

pub(super) const fn fill(status: Status) -> &'static str {
    match status {
        Status::Completed => "#d7f0dc",
        Status::Failed => "#ffdcd7",
        Status::Skipped => "#eeeeee",
        Status::Timeout => "#ffe7c2",
        Status::Running => "#d6e9ff",
        Status::Pending => "#ffffff",
    }
}

fn escape(text: &str) -> String {
    shown(text).replace('\\', "\\\\").replace('"', "\\\"")
}
