use super::{Node, Picture, shown, sign};

/// The greatest number of levels drawn; deeper ones are at the same position, with their level in
/// words.
const LEVELS: usize = 30;

impl Picture {
    /// Draws a tree for a terminal: below each step its dependents. A step with several
    /// dependencies is below the last of them in the order of the set; elsewhere only its name is
    /// shown.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        // The dependencies are sorted.
        let home = |node: u32| self.dependencies.of(node).last().copied();
        let count = crate::graph::number(self.nodes.len());
        // Each entry: the node, the prefix of its lines, its level, whether it is the last of its
        // siblings.
        let mut open: Vec<(u32, String, usize, bool, Option<u32>)> = Vec::new();
        for node in (0..count).rev().filter(|node| self.dependencies.of(*node).is_empty()) {
            open.push((node, String::new(), 0, true, None));
        }
        let mut is_shown = vec![false; self.nodes.len()];
        while let Some((number, prefix, level, is_last, parent)) = open.pop() {
            let Some(node) = self.node(number) else { continue };
            let branch = match (level, is_last) {
                (0, _) => String::new(),
                (_, true) => "└─ ".to_owned(),
                (_, false) => "├─ ".to_owned(),
            };
            let deep = if level > LEVELS { format!("({level}) ") } else { String::new() };
            let is_home = home(number) == parent;
            let line = if is_home { node.line() } else { format!("↳ {}", shown(&node.id)) };
            out.push_str(&format!("{prefix}{branch}{deep}{line}\n"));
            if !is_home
                || std::mem::replace(is_shown.get_mut(number as usize).unwrap_or(&mut false), true)
            {
                continue;
            }
            let inner = match (level, is_last) {
                (0, _) => String::new(),
                _ if level > LEVELS => prefix,
                (_, true) => prefix + "   ",
                (_, false) => prefix + "│  ",
            };
            let children = self.dependents.of(number);
            for (index, child) in children.iter().enumerate().rev() {
                let is_last = index + 1 == children.len();
                open.push((*child, inner.clone(), level + 1, is_last, Some(number)));
            }
        }
        let hidden: Vec<&Node> = (self.nodes.iter().zip(&is_shown))
            .filter(|(_, is_shown)| !**is_shown)
            .map(|(node, _)| node)
            .collect();
        if !hidden.is_empty() {
            out.push_str("in or after a cycle:\n");
            for node in hidden {
                out.push_str(&format!("   {}\n", node.line()));
            }
        }
        out
    }
}

impl Node {
    fn line(&self) -> String {
        let mut line = String::new();
        if let Some(status) = self.status {
            line.push_str(sign(status));
            line.push(' ');
        }
        line.push_str(&shown(&self.id));
        line.push_str("  ");
        line.push_str(&shown(&self.action));
        if let Some(state) = self.state() {
            line.push_str(&format!("  {state}"));
        }
        if self.is_critical {
            line.push_str("  (critical)");
        }
        if let Some(condition) = &self.condition {
            line.push_str(&format!("  if {}", shown(condition)));
        }
        line
    }
}
