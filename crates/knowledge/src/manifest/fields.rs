//! The fields of the frontmatter as they are written, before they are checked.

use super::node::{Kind, Node};
use super::quick;
use crate::codes;
use crate::finding::Finding;
use serde::Deserialize;
use std::path::Path;

/// The deepest nesting, the most values and the most work of aliases: frontmatter is small, and
/// what is beyond this is an attack.
const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 10_000;
const MAX_REPLAYED: usize = 10_000;

/// The fields of the frontmatter; unknown ones are free.
#[derive(Debug, Default, PartialEq, Deserialize)]
pub(super) struct Fields {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) status: Option<String>,
    pub(super) trust: Option<String>,
    pub(super) profile: Option<String>,
    pub(super) runtime: Option<RuntimeFields>,
    pub(super) metadata: Option<MetadataFields>,
    pub(super) version: Option<String>,
    pub(super) language: Option<String>,
    pub(super) grounding: Option<String>,
    pub(super) license: Option<String>,
    pub(super) maintainers: Option<Vec<String>>,
    pub(super) scope: Option<String>,
    pub(super) updated: Option<String>,
    pub(super) compatibility: Option<String>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
pub(super) struct RuntimeFields {
    pub(super) mode: Option<String>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MetadataFields {
    pub(super) primary_document: Option<String>,
    pub(super) produced_by: Option<ProducedByFields>,
    pub(super) site_root: Option<String>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
pub(super) struct ProducedByFields {
    pub(super) kind: Option<String>,
    pub(super) name: Option<String>,
    pub(super) version: Option<String>,
    pub(super) digest: Option<String>,
}

/// Reads the frontmatter, and returns which fields were ignored because of their kind.
///
/// # Errors
/// The finding for what is not YAML, or gives a field that a pack needs a wrong kind.
pub(super) fn read(yaml: &str, location: &Path) -> Result<(Fields, Vec<Finding>), Finding> {
    if let Some(node) = quick::read(yaml) {
        return fields(node, yaml, location);
    }
    parse(yaml, location)
}

/// Returns the same by the parser alone.
pub(super) fn parse(yaml: &str, location: &Path) -> Result<(Fields, Vec<Finding>), Finding> {
    if let Ok(fields) = serde_saphyr::from_str_with_options::<Fields>(yaml, options()) {
        return Ok((fields, Vec::new()));
    }
    let error = match serde_saphyr::from_str_with_options::<Node>(yaml, options()) {
        Ok(node) => return fields(node, yaml, location),
        Err(error) => error,
    };
    unquoted(yaml, location).ok_or_else(|| bad_yaml(&error, location))
}

/// Returns the fields of frontmatter whose only fault is a text with `: ` without quotes, as in
/// `description: a: b`, with a finding for each. Other clients take it as it is meant.
fn unquoted(yaml: &str, location: &Path) -> Option<(Fields, Vec<Finding>)> {
    let (mut lines, mut notes) = (Vec::new(), Vec::new());
    for (number, line) in yaml.lines().enumerate() {
        let Some((key, value)) = unquoted_field(line) else {
            lines.push(line.to_owned());
            continue;
        };
        let quoted = serde_json::Value::from(value);
        let message = format!("`{key}` is a text with `: ` in it, which YAML wants in quotes");
        let help = format!("write `{key}: {quoted}`");
        let line = u32::try_from(number + 1).unwrap_or(u32::MAX);
        notes.push(
            Finding::new(codes::UNQUOTED_TEXT, location, message).with_help(help).at_line(line),
        );
        lines.push(format!("{key}: {quoted}"));
    }
    if notes.is_empty() {
        return None;
    }
    let yaml = lines.join("\n");
    let node: Node = serde_saphyr::from_str_with_options(&yaml, options()).ok()?;
    let (fields, findings) = fields(node, &yaml, location).ok()?;
    notes.extend(findings);
    Some((fields, notes))
}

/// Returns the key and the text of an outermost line `key: some: text`.
fn unquoted_field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let value = value.trim();
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_plain = value.starts_with(char::is_alphanumeric);
    (is_key && is_plain && (value.contains(": ") || value.ends_with(':'))).then_some((key, value))
}

fn options() -> serde_saphyr::Options {
    let mut options = serde_saphyr::Options::default();
    options.with_snippet = false;
    options.alias_limits.max_total_replayed_events = MAX_REPLAYED;
    if let Some(budget) = &mut options.budget {
        budget.max_depth = MAX_DEPTH;
        budget.max_nodes = MAX_NODES;
    }
    options
}

fn bad_yaml(error: &serde_saphyr::Error, location: &Path) -> Finding {
    let told = error.without_snippet().to_string();
    let told = told.strip_prefix("error: ").unwrap_or(&told);
    let told = in_our_words(told.lines().next().unwrap_or_default());
    let finding = Finding::new(
        codes::BAD_YAML,
        location,
        format!("the frontmatter is not valid YAML: {told}"),
    )
    .with_help(codes::BAD_YAML.explanation);
    let line = error.location().and_then(|at| u32::try_from(at.line()).ok());
    match line.filter(|line| *line > 0) {
        Some(line) => finding.at_line(line),
        None => finding,
    }
}

/// Returns a parser's message without its own settings, which are of no use to a pack's author.
fn in_our_words(told: &str) -> String {
    told.replace(", set DuplicateKeyPolicy in Options if acceptable", "")
        .replace("recursive references require weak recursion types", "an alias repeats itself")
}

/// The fields of a mapping, taken out one by one; what is wrong about them is noted.
struct Taker<'p> {
    yaml: &'p str,
    location: &'p Path,
    findings: Vec<Finding>,
}

type Mapping = Vec<(String, Node)>;

impl Taker<'_> {
    fn wrong(&self, code: codes::Code, node: &Node, field: &str, expected: &str) -> Finding {
        let came = node.kind.in_words();
        let message = format!("`{field}` must be {expected}, found {came}");
        Finding::explained(code, self.location, message).at_line(node.line)
    }

    fn take(&self, of: &mut Mapping, field: &str) -> Option<Node> {
        let at = of.iter().position(|(name, _)| name == field)?;
        Some(self.written(of.swap_remove(at).1))
    }

    /// Returns a number as the text that it is written as.
    fn written(&self, node: Node) -> Node {
        let Kind::Number(place) = node.kind else { return node };
        let text = place.and_then(|(from, length)| {
            let from = usize::try_from(from).ok()?;
            self.yaml.get(from..from.checked_add(usize::try_from(length).ok()?)?)
        });
        Node { line: node.line, kind: Kind::Text(text.unwrap_or_default().to_owned()) }
    }

    /// Returns a text that a pack needs.
    fn needed(&self, of: &mut Mapping, field: &str) -> Result<Option<String>, Finding> {
        match self.take(of, field) {
            Some(Node { kind: Kind::Text(text), .. }) => Ok(Some(text)),
            Some(Node { kind: Kind::Nothing, .. }) | None => Ok(None),
            Some(node) => Err(self.wrong(codes::BAD_FIELD, &node, field, "a text")),
        }
    }

    /// Returns a value that may be absent; `path` names the field from the top.
    fn present(&self, of: &mut Mapping, path: &str) -> Option<Node> {
        let field = path.rsplit('.').next().unwrap_or(path);
        self.take(of, field).filter(|node| node.kind != Kind::Nothing)
    }

    /// Notes a value that is not what it should be, and ignores it.
    fn ignored<T>(&mut self, node: &Node, path: &str, expected: &str) -> Option<T> {
        self.findings.push(self.wrong(codes::IGNORED_FIELD, node, path, expected));
        None
    }

    fn text(&mut self, of: &mut Mapping, path: &str) -> Option<String> {
        match self.present(of, path)? {
            Node { kind: Kind::Text(text), .. } => Some(text),
            node => self.ignored(&node, path, "a text"),
        }
    }

    fn mapping(&mut self, of: &mut Mapping, path: &str) -> Option<Mapping> {
        match self.present(of, path)? {
            Node { kind: Kind::Mapping(fields), .. } => Some(fields),
            node => self.ignored(&node, path, "a mapping"),
        }
    }

    /// Returns a list of texts; one text is a list of one.
    fn list(&mut self, of: &mut Mapping, field: &str) -> Option<Vec<String>> {
        match self.present(of, field)? {
            Node { kind: Kind::Text(text), .. } => Some(vec![text]),
            Node { kind: Kind::List(items), .. } => {
                let items = items.into_iter().map(|item| self.written(item)).collect::<Vec<_>>();
                let texts = items.into_iter().filter_map(|item| match item.kind {
                    Kind::Text(text) => Some(text),
                    _ => self.ignored(&item, field, "a list of texts"),
                });
                Some(texts.collect())
            }
            node => self.ignored(&node, field, "a list of texts"),
        }
    }
}

/// Returns what of the frontmatter can be used, and what is wrong about the rest.
///
/// # Errors
/// The finding for frontmatter that has no fields, or a needed one of the wrong kind.
pub(super) fn fields(
    node: Node,
    yaml: &str,
    location: &Path,
) -> Result<(Fields, Vec<Finding>), Finding> {
    let mut taker = Taker { yaml, location, findings: Vec::new() };
    let mut of = match node.kind {
        Kind::Mapping(fields) => fields,
        Kind::Nothing => Vec::new(),
        _ => {
            let finding = taker.wrong(codes::BAD_YAML, &node, "the frontmatter", "a mapping");
            return Err(finding);
        }
    };
    let fields = Fields {
        name: taker.needed(&mut of, "name")?,
        description: taker.needed(&mut of, "description")?,
        kind: taker.needed(&mut of, "type")?,
        status: taker.text(&mut of, "status"),
        trust: taker.text(&mut of, "trust"),
        profile: taker.text(&mut of, "profile"),
        runtime: taker
            .mapping(&mut of, "runtime")
            .map(|mut runtime| RuntimeFields { mode: taker.text(&mut runtime, "runtime.mode") }),
        metadata: metadata(&mut taker, &mut of),
        version: taker.text(&mut of, "version"),
        language: taker.text(&mut of, "language"),
        grounding: taker.text(&mut of, "grounding"),
        license: taker.text(&mut of, "license"),
        maintainers: taker.list(&mut of, "maintainers"),
        scope: taker.text(&mut of, "scope"),
        updated: taker.text(&mut of, "updated"),
        compatibility: taker.text(&mut of, "compatibility"),
    };
    Ok((fields, taker.findings))
}

fn metadata(taker: &mut Taker<'_>, of: &mut Mapping) -> Option<MetadataFields> {
    let mut metadata = taker.mapping(of, "metadata")?;
    let primary_document = taker.text(&mut metadata, "metadata.primaryDocument");
    let produced_by =
        taker.mapping(&mut metadata, "metadata.producedBy").map(|mut by| ProducedByFields {
            kind: taker.text(&mut by, "metadata.producedBy.kind"),
            name: taker.text(&mut by, "metadata.producedBy.name"),
            version: taker.text(&mut by, "metadata.producedBy.version"),
            digest: taker.text(&mut by, "metadata.producedBy.digest"),
        });
    let site_root = taker.text(&mut metadata, "metadata.siteRoot");
    Some(MetadataFields { primary_document, produced_by, site_root })
}
