//! How a reference is loaded, in lines for people (REF-22).

use super::{References, Whereabouts};
use contexture_reference::{Route, Step, StepKind};
use std::fmt::Write as _;

/// The file of a reference, or the reason why there is none; none for another protocol or a pattern.
pub type Target = Option<Result<Whereabouts, String>>;

/// The look of an explanation.
#[derive(Clone, Copy)]
pub struct Look<'l> {
    /// Makes any text safe to show, in one line.
    pub plain: &'l dyn Fn(&str) -> String,
    /// Makes a heading.
    pub heading: &'l dyn Fn(&str) -> String,
    /// Makes what stands beside.
    pub aside: &'l dyn Fn(&str) -> String,
    /// Makes a fault.
    pub fault: &'l dyn Fn(&str) -> String,
}

impl std::fmt::Debug for Look<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Look").finish_non_exhaustive()
    }
}

impl References {
    /// Returns the file that a route begins with.
    #[must_use]
    pub fn target(&self, route: &Route) -> Target {
        let step = route.steps.first().filter(|step| step.name == "file")?;
        let StepKind::Source { path } = &step.kind else { return None };
        self.whereabouts(path, &route.place).map_err(|error| error.to_string()).transpose()
    }

    /// Returns the lines that explain how a reference is loaded; nothing is loaded.
    #[must_use]
    pub fn explanation(&self, route: &Route, look: Look<'_>) -> String {
        let Look { plain, heading, aside, .. } = look;
        let mut text = format!("{}\n", heading(&plain(&route.reference)));
        trail(&mut text, route, look);
        let when = match route.semantics.as_str() {
            "hot" => "hot: loaded at once; a failure stops the prompt",
            "lazy" => "lazy: loaded on request",
            _ => "default: loaded when the policy decides",
        };
        // Writing to a string can't fail.
        let _ = writeln!(text, "{}  {when}", aside("when"));
        for (at, step) in route.steps.iter().enumerate() {
            let _ = writeln!(
                text,
                "{}  {}",
                aside(if at == 0 { "read" } else { "then" }),
                level(step, look)
            );
        }
        for (name, value) in &route.common.taken {
            let _ = writeln!(text, "{}  {name}={}", aside("take"), plain(value));
        }
        self.place(&mut text, route, look);
        if let Some(other) = &route.fallback {
            let said = aside("if nothing is there");
            let _ = writeln!(text, "{}  {} {said}", aside("else"), plain(&other.resolved));
        }
        for note in &route.notes {
            let _ = writeln!(text, "{}  {}", aside("note"), plain(&note.message));
        }
        text
    }

    /// Writes where a route to a file begins, and the file.
    fn place(&self, text: &mut String, route: &Route, look: Look<'_>) {
        let Look { plain, aside, fault, .. } = look;
        if route.steps.first().is_some_and(|step| step.name == "file") {
            let folder = if route.place.folder.is_empty() { "." } else { &route.place.folder };
            let root =
                aside(&format!("of {}", plain(&self.root(route.place.root).display().to_string())));
            let _ = writeln!(text, "{}  {} {root}", aside("from"), plain(folder));
        }
        match self.target(route) {
            Some(Ok(found)) => {
                let how = if found.fell_back {
                    "  (not in the folder of the document: found in the workspace root)"
                } else {
                    ""
                };
                let _ = writeln!(text, "{}  {}{how}", aside("file"), plain(&found.path));
            }
            Some(Err(reason)) => {
                let _ = writeln!(text, "{}  {}", aside("file"), fault(&plain(&reason)));
            }
            None => {}
        }
    }
}

/// Writes the registries that were followed.
fn trail(text: &mut String, route: &Route, Look { plain, aside, .. }: Look<'_>) {
    for hop in &route.trail {
        let file = plain(&hop.file);
        let _ = writeln!(text, "→ {}", plain(&hop.to));
        let _ = match hop.line {
            0 => writeln!(text, "    {} {file}", aside("named by")),
            line => {
                let (said, layer) = (aside("registered in"), hop.layer);
                writeln!(text, "    {said} {file}:{line} ({layer})")
            }
        };
        if let Some(line) = hop.rule_line {
            let _ = writeln!(text, "    {} {file}:{line}", aside("path follows"));
        }
    }
}

/// Returns the kind of a level, and the file and line that define it.
#[must_use]
pub fn kind_of(step: &Step) -> (&'static str, Option<(&str, u32)>) {
    match &step.kind {
        StepKind::Source { .. } => ("source", None),
        StepKind::Processor => ("processor", None),
        StepKind::Wrapper(definition) => {
            ("wrapper", Some((definition.origin().file.as_str(), definition.line())))
        }
    }
}

/// Formats a level: `markdown (processor)  section=Use`.
fn level(step: &Step, Look { plain, .. }: Look<'_>) -> String {
    let (kind, definition) = kind_of(step);
    let place =
        definition.map_or(String::new(), |(file, line)| format!(", {}:{line}", plain(file)));
    let mut text = format!("{} ({kind}{place})", step.name);
    for (name, value) in &step.parameters.taken {
        let _ = write!(text, "  {name}={}", plain(value));
    }
    if step.parameters.passed_on.is_some() {
        text.push_str("  the rest of the query goes to the server");
    }
    text
}
