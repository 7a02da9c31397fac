//! Conditions and `${…}`: their syntax, their roots, and that what they read is declared (FL-5).

use super::ids::Ids;
use super::plan::Guard;
use super::{Diagnostic, Report};
use crate::codes;
use crate::condition::{Condition, Path};
use crate::graph::{Edges, Reach, number};
use crate::reference::{self, Part};
use crate::set::{Set, Step};
use contexture_diagnostic::{Span, nearest};
use contexture_protocol::content::Status;
use serde_json::{Map, Value};

/// Lists and objects of parameters that may stand in each other.
const MAX_DEPTH: usize = 1_000;

/// A place where an outcome is read.
struct Use {
    node: u32,
    id: String,
    place: String,
    source: String,
    span: Span,
}

/// Checks all steps; gives the compiled conditions, and whether parameters hold references.
pub(crate) fn check(
    set: &Set,
    ids: &mut Ids<'_>,
    dependencies: &Edges,
    mut reach: Reach<'_>,
    report: &mut Report,
) -> (Vec<Option<Box<Guard>>>, Vec<bool>) {
    let mut guards = Vec::with_capacity(set.steps.len());
    let mut is_expanded = Vec::with_capacity(set.steps.len());
    for (index, step) in set.steps.iter().enumerate() {
        let mut look = Look { set, index, ids, report, uses: Vec::new(), holds: false };
        guards.push(look.condition(step, dependencies));
        look.parameters(step);
        is_expanded.push(look.holds);
        let uses = std::mem::take(&mut look.uses);
        look.declared(&uses, dependencies, &mut reach);
    }
    (guards, is_expanded)
}

struct Look<'l, 's> {
    set: &'l Set,
    index: usize,
    ids: &'l mut Ids<'s>,
    report: &'l mut Report,
    uses: Vec<Use>,
    holds: bool,
}

impl Look<'_, '_> {
    fn place(&self, rest: &str) -> String {
        format!("{}{rest}", self.set.pointer_of(self.index))
    }

    fn condition(&mut self, step: &Step, dependencies: &Edges) -> Option<Box<Guard>> {
        let text = step.condition.as_deref()?;
        let condition = match Condition::optional(text) {
            Ok(condition) => condition?,
            Err(fault) => {
                let place = self.place("/condition");
                self.report
                    .add(|| Diagnostic::syntax(codes::CONDITION_SYNTAX, place, text, &fault));
                return None;
            }
        };
        for path in condition.paths() {
            self.path(path, text, "/condition", false);
        }
        self.statuses(&condition, text);
        let node = number(self.index);
        let direct = dependencies.of(node);
        let excused = condition.paths().into_iter().filter_map(|path| {
            let is_named = matches!(path.outcome_field(), Some("status" | "error"));
            let number = self.ids.number(path.outcome().filter(|_| is_named)?)?;
            direct.contains(&number).then_some(number)
        });
        let excused = excused.collect();
        Some(Box::new(Guard { condition, excused }))
    }

    /// Warns of a status that is compared with a word it can never be.
    fn statuses(&mut self, condition: &Condition, text: &str) {
        for comparison in condition.status_comparisons() {
            let word = comparison.word;
            if Status::parse(word).is_some_and(Status::is_final) {
                continue;
            }
            let place = self.place("/condition");
            self.report.add(|| {
                let message = format!("the status of `{}` is never `{word}` here", comparison.path);
                Diagnostic::new(codes::IMPOSSIBLE_STATUS, place, message)
                    .with_help(meant(word))
                    .with_source(text, comparison.path.span())
            });
        }
    }

    fn parameters(&mut self, step: &Step) {
        self.map(&step.parameters, "/parameters");
        let recovery = step.recovery.as_ref().and_then(|recovery| recovery.alternative.as_ref());
        if let Some(map) = recovery.and_then(|alternative| alternative.parameters.as_ref()) {
            self.map(map, "/recovery/alternative/parameters");
        }
        let frontend = step.frontend.as_ref().and_then(|frontend| frontend.alternative.as_ref());
        if let Some(map) = frontend.and_then(|alternative| alternative.parameters.as_ref()) {
            self.map(map, "/alternative/parameters");
        }
    }

    fn map(&mut self, map: &Map<String, Value>, at: &str) {
        let mut way = Vec::new();
        for (key, value) in map {
            way.push(Key::Name(key));
            self.value(value, at, &mut way);
            way.pop();
        }
    }

    fn value<'v>(&mut self, value: &'v Value, at: &str, way: &mut Vec<Key<'v>>) {
        if way.len() > MAX_DEPTH {
            let place = self.place(&(at.to_owned() + &pointer(way)));
            let message = format!("nested deeper than {MAX_DEPTH} lists and objects");
            self.report.add(|| Diagnostic::new(codes::MALFORMED, place, message));
            return;
        }
        match value {
            Value::String(text) if reference::is_expanded(text) => self.text(text, at, way),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    way.push(Key::Index(index));
                    stacker::maybe_grow(32 << 10, 1 << 20, || self.value(item, at, way));
                    way.pop();
                }
            }
            Value::Object(map) => {
                for (key, value) in map {
                    way.push(Key::Name(key));
                    stacker::maybe_grow(32 << 10, 1 << 20, || self.value(value, at, way));
                    way.pop();
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str, at: &str, way: &[Key<'_>]) {
        self.holds = true;
        let rest = at.to_owned() + &pointer(way);
        match reference::parts(text) {
            Err(fault) => {
                let place = self.place(&rest);
                self.report.add(|| Diagnostic::syntax(codes::BAD_REFERENCE, place, text, &fault));
            }
            Ok(parts) => {
                for part in &parts {
                    if let Part::Path(path) = part {
                        self.path(path, text, &rest, true);
                    }
                }
            }
        }
    }

    /// Checks the root and the id of a path.
    fn path(&mut self, path: &Path, text: &str, rest: &str, is_reference: bool) {
        let place = self.place(rest);
        let Some(id) = path.outcome() else {
            self.report
                .add(|| unknown_root(path, place, is_reference).with_source(text, path.span()));
            return;
        };
        match self.ids.number(id) {
            Some(node) => self.uses.push(Use {
                node,
                id: id.to_owned(),
                place,
                source: text.to_owned(),
                span: path.span(),
            }),
            None => {
                let ids = &mut *self.ids;
                self.report.add(|| ids.unknown(place, id).with_source(text, path.span()));
            }
        }
    }

    /// Reports what is read and not declared.
    fn declared(&mut self, uses: &[Use], dependencies: &Edges, reach: &mut Reach<'_>) {
        let node = number(self.index);
        let direct = dependencies.of(node);
        let others: Vec<u32> =
            uses.iter().map(|used| used.node).filter(|node| !direct.contains(node)).collect();
        if others.is_empty() {
            return;
        }
        let before = reach.before(node, &others);
        let missing = |used: &&Use| !direct.contains(&used.node) && !before.contains(&used.node);
        for used in uses.iter().filter(missing) {
            let field = self.set.dependency_field();
            let step = self.set.steps.get(self.index).map_or("", |step| step.id.as_str());
            let is_itself = used.node == node;
            let is_earlier = self.ids.is_earlier(used.node);
            self.report.add(|| {
                let id = &used.id;
                let (message, help) = if is_itself {
                    (format!("`{id}` reads its own outcome"), "name another step".to_owned())
                } else {
                    let ended = if is_earlier { ", which ended earlier," } else { "" };
                    (
                        format!("`{id}`{ended} is no dependency of `{step}`"),
                        format!("add \"{id}\" to `{field}` of `{step}`"),
                    )
                };
                Diagnostic::new(codes::UNDECLARED_REFERENCE, &*used.place, message)
                    .with_help(help)
                    .with_source(&used.source, used.span)
            });
        }
    }
}

fn unknown_root(path: &Path, place: String, is_reference: bool) -> Diagnostic {
    let root = path.root();
    let kind = if is_reference { codes::BAD_REFERENCE } else { codes::UNKNOWN_ROOT };
    if matches!(root, "dependencies" | "results") {
        let message = format!("`{root}` alone is no outcome");
        let help = format!("name one by its id: {root}.ID");
        return Diagnostic::new(kind, place, message).with_help(help);
    }
    let message = format!("there is no root `{root}`");
    let fault = Diagnostic::new(kind, place, message);
    let near = nearest(root, ["dependencies", "results"]);
    let fault = match (near, is_reference) {
        (Some(near), _) => fault.with_help(format!("did you mean `{near}`?")),
        (None, true) => fault.with_help(
            "roots are `dependencies` and `results`; a `${` that is meant as text is written `$${`",
        ),
        (None, false) => {
            fault.with_help("roots are `dependencies` and `results`; a text stands in quotes")
        }
    };
    Diagnostic { code: "UNDECLARED_REFERENCE", ..fault }
}

/// The status that a word stands for, in words.
fn meant(word: &str) -> String {
    let right = match word.to_ascii_uppercase().as_str() {
        "SUCCESS" | "SUCCEEDED" | "OK" | "DONE" | "COMPLETE" | "FINISHED" => "COMPLETED",
        "ERROR" | "FAILURE" | "FAIL" => "FAILED",
        "SKIP" => "SKIPPED",
        "TIMED_OUT" | "LATE" => "TIMEOUT",
        _ => {
            let words = ["COMPLETED", "FAILED", "SKIPPED", "TIMEOUT"];
            match nearest(word, words) {
                Some(near) => near,
                None => return "a status is COMPLETED, FAILED, SKIPPED or TIMEOUT".to_owned(),
            }
        }
    };
    format!("write '{right}'")
}

/// A step into a value.
enum Key<'v> {
    Name(&'v str),
    Index(usize),
}

fn pointer(way: &[Key<'_>]) -> String {
    let mut out = String::new();
    for key in way {
        out.push('/');
        match key {
            Key::Name(name) => out.push_str(&name.replace('~', "~0").replace('/', "~1")),
            Key::Index(index) => out.push_str(&index.to_string()),
        }
    }
    out
}
