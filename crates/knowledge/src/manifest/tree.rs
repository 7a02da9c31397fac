//! Frontmatter with fields of wrong kinds: whatever there is, and what of it can be used.

use super::fields::{Fields, MetadataFields, ProducedByFields, RuntimeFields};
use crate::codes;
use crate::finding::Finding;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::path::Path;

/// A value of the frontmatter with the line that it begins in.
#[derive(Debug, PartialEq)]
pub(super) struct Node {
    pub(super) line: u32,
    pub(super) kind: Kind,
}

/// Where a value stands in the frontmatter, in bytes.
type Place = Option<(u64, u64)>;

/// A value of any kind.
#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    Nothing,
    Text(String),
    /// A number or a truth value: its text is how it is written, not what it is worth.
    Number(Place),
    List(Vec<Node>),
    Mapping(Vec<(String, Node)>),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = serde_saphyr::Spanned::<Kind>::deserialize(deserializer)?;
        let line = u32::try_from(spanned.referenced.line()).unwrap_or_default();
        let kind = match spanned.value {
            Kind::Number(_) => {
                let span = spanned.defined.span();
                Kind::Number(span.byte_offset().zip(span.byte_len()))
            }
            kind => kind,
        };
        Ok(Self { line, kind })
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor)
    }
}

struct KindVisitor;

impl<'de> Visitor<'de> for KindVisitor {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Kind, E> {
        Ok(Kind::Nothing)
    }

    fn visit_none<E>(self) -> Result<Kind, E> {
        Ok(Kind::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Kind, D::Error> {
        Kind::deserialize(deserializer)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Kind, E> {
        Ok(Kind::Number(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Kind, E> {
        Ok(Kind::Number(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Kind, E> {
        Ok(Kind::Number(None))
    }

    fn visit_i128<E>(self, _: i128) -> Result<Kind, E> {
        Ok(Kind::Number(None))
    }

    fn visit_u128<E>(self, _: u128) -> Result<Kind, E> {
        Ok(Kind::Number(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Kind, E> {
        Ok(Kind::Number(None))
    }

    fn visit_str<E>(self, value: &str) -> Result<Kind, E> {
        Ok(Kind::Text(value.to_owned()))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Kind, E> {
        Ok(Kind::Text(String::from_utf8_lossy(value).into_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Kind, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Kind::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Kind, A::Error> {
        let mut mapping = Vec::new();
        while let Some((key, value)) = fields.next_entry::<Node, Node>()? {
            // A key that is not text names no field of ours.
            if let Kind::Text(key) = key.kind {
                mapping.push((key, value));
            }
        }
        Ok(Kind::Mapping(mapping))
    }
}

impl Kind {
    const fn in_words(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Text(_) | Self::Number(_) => "a text",
            Self::List(_) => "a list",
            Self::Mapping(_) => "a mapping",
        }
    }
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
        Finding::new(code, self.location, message).at_line(node.line).with_help(code.explanation)
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

    /// Returns a text that may be absent; `path` names the field from the top.
    fn text(&mut self, of: &mut Mapping, path: &str) -> Option<String> {
        let field = path.rsplit('.').next().unwrap_or(path);
        match self.take(of, field)? {
            Node { kind: Kind::Text(text), .. } => Some(text),
            Node { kind: Kind::Nothing, .. } => None,
            node => {
                let finding = self.wrong(codes::IGNORED_FIELD, &node, path, "a text");
                self.findings.push(finding);
                None
            }
        }
    }

    fn mapping(&mut self, of: &mut Mapping, path: &str) -> Option<Mapping> {
        let field = path.rsplit('.').next().unwrap_or(path);
        match self.take(of, field)? {
            Node { kind: Kind::Mapping(fields), .. } => Some(fields),
            Node { kind: Kind::Nothing, .. } => None,
            node => {
                let finding = self.wrong(codes::IGNORED_FIELD, &node, path, "a mapping");
                self.findings.push(finding);
                None
            }
        }
    }

    /// Returns a list of texts; one text is a list of one.
    fn list(&mut self, of: &mut Mapping, field: &str) -> Option<Vec<String>> {
        let node = self.take(of, field)?;
        match node.kind {
            Kind::Nothing => None,
            Kind::Text(text) => Some(vec![text]),
            Kind::List(items) => {
                let mut texts = Vec::new();
                for item in items {
                    let item = self.written(item);
                    match item.kind {
                        Kind::Text(text) => texts.push(text),
                        _ => {
                            let finding =
                                self.wrong(codes::IGNORED_FIELD, &item, field, "a list of texts");
                            self.findings.push(finding);
                        }
                    }
                }
                Some(texts)
            }
            Kind::Mapping(_) | Kind::Number(_) => {
                let finding = self.wrong(codes::IGNORED_FIELD, &node, field, "a list of texts");
                self.findings.push(finding);
                None
            }
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
    Some(MetadataFields { primary_document, produced_by })
}
