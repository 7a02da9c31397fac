use super::{Picture, shown};
use contexture_protocol::content::Status;
use std::fmt::Write;

impl Picture {
    /// Draws the picture as a Mermaid flowchart.
    #[must_use]
    pub fn mermaid(&self) -> String {
        let mut out = "flowchart TD\n".to_owned();
        for (index, node) in self.nodes.iter().enumerate() {
            let mut label = vec![escape(&node.id), escape(&node.action)];
            label.extend(node.condition.as_deref().map(|text| format!("if {}", escape(text))));
            label.extend(node.state().map(|state| escape(&state)));
            let class = node.status.map(class).map(|class| format!(":::{class}"));
            let class = class.unwrap_or_default();
            let _ = writeln!(out, "    n{index}[\"{}\"]{class}", label.join("<br/>"));
        }
        let mut critical = Vec::new();
        for (index, (from, to)) in self.edges().enumerate() {
            let _ = writeln!(out, "    n{from} --> n{to}");
            if self.is_critical_edge(from, to) {
                critical.push(index.to_string());
            }
        }
        if !critical.is_empty() {
            let _ = writeln!(out, "    linkStyle {} stroke-width:4px", critical.join(","));
        }
        let nodes = self.nodes.iter().enumerate().filter(|(_, node)| node.is_critical);
        let names: Vec<String> = nodes.map(|(index, _)| format!("n{index}")).collect();
        if !names.is_empty() {
            let _ = writeln!(out, "    class {} critical", names.join(","));
            out.push_str("    classDef critical stroke-width:4px\n");
        }
        if self.nodes.iter().any(|node| node.status.is_some()) {
            out.push_str(
                "    classDef completed fill:#d7f0dc,stroke:#1a7f37\n    \
                 classDef failed fill:#ffdcd7,stroke:#cf222e\n    \
                 classDef skipped fill:#eeeeee,stroke:#6e7781,stroke-dasharray:4\n    \
                 classDef timeout fill:#ffe7c2,stroke:#bc4c00\n    \
                 classDef running fill:#d6e9ff,stroke:#0969da\n    \
                 classDef pending fill:#ffffff,stroke:#6e7781\n",
            );
        }
        out
    }
}

fn class(status: Status) -> String {
    status.as_str().to_ascii_lowercase()
}

/// Character sequences that Mermaid interprets in a label, however they are escaped: a line break,
/// a formula, an icon. An invisible character separates them after the first one.
const READ: [&str; 3] = ["\\n", "$$", ":fa-"];
const UNSEEN: char = '\u{2060}';

/// Escapes a label: Mermaid writes special characters as `#` and their number.
fn escape(text: &str) -> String {
    let text = shown(text);
    let mut out = String::new();
    for (at, c) in text.char_indices() {
        if matches!(c, '"' | '#' | '&' | '<' | '>' | '`' | ';' | '\\' | '[' | ']' | '{' | '}' | '|')
        {
            let _ = write!(out, "#{};", u32::from(c));
        } else {
            out.push(c);
        }
        let rest = text.get(at..).unwrap_or_default();
        if READ.iter().any(|read| rest.starts_with(read)) {
            out.push(UNSEEN);
        }
    }
    out
}
