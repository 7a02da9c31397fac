//! From the written form of a shape to the shape (AS-5, TY-1).
//!
//! Decision: a name is replaced by what it stands for, so that everything behind this file knows
//! one kind of shape. Only one that contains itself stays a name, with its definition beside the
//! whole. The size of the result is bounded: a few names that hold each other twice would grow it
//! without end.

use super::ast::{BoundKind, BoundNode, FieldNode, Item, ShapeDecl, ShapeKind, ShapeNode};
use crate::stack::deeper;
use contexture_answer::{Bounds, Defined, Field, Pattern, Shape};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The greatest number of types in a shape, after its names have been replaced.
pub const MAX_PARTS: usize = 100_000;

/// A shape that is too large when its names are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the shape has more than {MAX_PARTS} types when its names are replaced")]
pub struct ShapeTooLarge;

/// The named shapes of a program's files (TY-1).
#[derive(Debug, Clone, Default)]
pub struct ShapeTable<'p> {
    files: Vec<HashMap<&'p str, (usize, &'p ShapeDecl)>>,
}

impl<'p> ShapeTable<'p> {
    /// Collects the shapes that files declare and import: each file with its items and the files
    /// that its imports mean. Of two equal names the first counts.
    pub fn new(files: impl IntoIterator<Item = (&'p [Item], &'p [(String, usize)])>) -> Self {
        let files: Vec<_> = files.into_iter().collect();
        let own = |file: usize| {
            let items = files.get(file).map_or(&[][..], |(items, _)| items);
            let shapes = items.iter().filter_map(|item| match item {
                Item::Shape(decl) => Some(decl),
                _ => None,
            });
            let mut names = HashMap::new();
            for decl in shapes {
                names.entry(decl.name.text.as_str()).or_insert((file, decl));
            }
            names
        };
        let mut all: Vec<HashMap<&'p str, (usize, &'p ShapeDecl)>> =
            (0..files.len()).map(own).collect();
        let imported = files.iter().map(|(_, links)| {
            let found = links.iter().filter_map(|(name, target)| {
                let decl = all.get(*target)?.get(name.as_str()).filter(|(at, _)| at == target)?;
                Some((name.as_str(), *decl))
            });
            found.collect::<Vec<_>>()
        });
        for (file, found) in imported.collect::<Vec<_>>().into_iter().enumerate() {
            let Some(names) = all.get_mut(file) else { continue };
            for (name, decl) in found {
                names.entry(name).or_insert(decl);
            }
        }
        Self { files: all }
    }

    /// Finds what a name means in a file, with the file that declares it.
    #[must_use]
    pub fn find(&self, file: usize, name: &str) -> Option<(usize, &'p ShapeDecl)> {
        self.files.get(file)?.get(name).copied()
    }

    /// Returns the names that a file can use.
    pub fn names(&self, file: usize) -> impl Iterator<Item = &'p str> {
        self.files.get(file).into_iter().flat_map(|names| names.keys().copied())
    }

    /// Returns the shape of a tree in a file. A part that could not be parsed, or that nothing
    /// declares, is `json`: a program with such a shape is refused before it runs.
    ///
    /// # Errors
    /// The shape is larger than [`MAX_PARTS`] once its names are replaced.
    pub fn shape_of(&self, file: usize, node: &ShapeNode) -> Result<Shape, ShapeTooLarge> {
        let mut reader = Reader::new(self);
        let shape = reader.shape(file, node)?;
        if reader.definitions.is_empty() {
            return Ok(shape);
        }
        Ok(Shape::Defined(Box::new(Defined { definitions: reader.definitions, shape })))
    }
}

/// Returns the shape of a tree that stands alone, without declarations (AS-5).
#[must_use]
pub fn shape_of(node: &ShapeNode) -> Shape {
    ShapeTable::default().shape_of(0, node).unwrap_or(Shape::Json)
}

/// Reads shapes and keeps their names, for what a person or another program reads (TY-12).
pub(crate) struct NamedShapes<'t, 'p>(Reader<'t, 'p>);

impl<'t, 'p> NamedShapes<'t, 'p> {
    pub(crate) fn new(table: &'t ShapeTable<'p>) -> Self {
        Self(Reader { keeps_names: true, ..Reader::new(table) })
    }

    /// Returns the shape of a tree in a file, in which names stay [`Shape::Named`]. One that is too
    /// large is `json`: the check has refused it.
    pub(crate) fn shape(&mut self, file: usize, node: &ShapeNode) -> Shape {
        self.0.shape(file, node).unwrap_or(Shape::Json)
    }

    /// Reads a declared shape, so that it is among the definitions.
    pub(crate) fn declared(&mut self, file: usize, name: &str) {
        // One that is too large is left out: the check has refused it.
        let _ = self.0.named(file, name);
    }

    /// Returns the shapes whose names were met, by name, each with its declaration.
    pub(crate) fn definitions(mut self) -> Vec<(String, Shape, Option<&'p ShapeDecl>)> {
        let homes = self.0.keys.iter().map(|((file, name), key)| (key.clone(), (*file, *name)));
        let homes: HashMap<String, (usize, &str)> = homes.collect();
        let found = std::mem::take(&mut self.0.definitions).into_iter().map(|(key, shape)| {
            let home = homes.get(&key).and_then(|(file, name)| self.0.table.find(*file, name));
            (key, shape, home.map(|(_, decl)| decl))
        });
        found.collect()
    }
}

struct Reader<'t, 'p> {
    table: &'t ShapeTable<'p>,
    /// The number of types that may still be added.
    left: usize,
    /// True if every name stays one, and not only those that contain themselves.
    keeps_names: bool,
    /// The names that are being replaced, from the outermost.
    open: Vec<(usize, &'p str)>,
    /// Those of them that were met again inside.
    recursive: HashSet<(usize, &'p str)>,
    /// The names of definitions; of two files that use one name, the second gets another.
    keys: HashMap<(usize, &'p str), String>,
    definitions: BTreeMap<String, Shape>,
}

impl<'t, 'p> Reader<'t, 'p> {
    fn new(table: &'t ShapeTable<'p>) -> Self {
        Self {
            table,
            left: MAX_PARTS,
            keeps_names: false,
            open: Vec::new(),
            recursive: HashSet::new(),
            keys: HashMap::new(),
            definitions: BTreeMap::new(),
        }
    }

    fn shape(&mut self, file: usize, node: &ShapeNode) -> Result<Shape, ShapeTooLarge> {
        self.left = self.left.checked_sub(1).ok_or(ShapeTooLarge)?;
        let plain = match &node.kind {
            ShapeKind::String => Shape::String,
            ShapeKind::Number => Shape::Number,
            ShapeKind::Integer => Shape::Integer,
            ShapeKind::Boolean => Shape::Boolean,
            ShapeKind::Json | ShapeKind::Error => Shape::Json,
            ShapeKind::List(None) => Shape::List(None),
            ShapeKind::List(Some(item)) => Shape::list(deeper(|| self.shape(file, item))?),
            ShapeKind::Object(fields) => {
                let fields = fields.iter().map(|field| self.field(file, field));
                Shape::Object(fields.collect::<Result<_, _>>()?)
            }
            ShapeKind::Enum(values) => Shape::one_of(values.iter().map(|text| text.value.as_str())),
            ShapeKind::Named(name) => self.named(file, &name.text)?,
        };
        Ok(bounded(plain, &node.bounds))
    }

    fn field(&mut self, file: usize, node: &FieldNode) -> Result<Field, ShapeTooLarge> {
        let shape = match &node.shape {
            Some(shape) => deeper(|| self.shape(file, shape))?,
            None => Shape::String,
        };
        Ok(Field {
            name: node.name.text.clone(),
            shape,
            optional: node.optional,
            description: node.description.clone(),
        })
    }

    fn named(&mut self, file: usize, name: &str) -> Result<Shape, ShapeTooLarge> {
        let Some((home, decl)) = self.table.find(file, name) else { return Ok(Shape::Json) };
        let id = (home, decl.name.text.as_str());
        if let Some(key) = self.keys.get(&id).filter(|key| self.definitions.contains_key(*key)) {
            return Ok(Shape::Named(key.clone()));
        }
        if self.open.contains(&id) {
            self.recursive.insert(id);
            return Ok(Shape::Named(self.key(id)));
        }
        if self.open.len() >= Shape::MAX_DEPTH {
            return Err(ShapeTooLarge);
        }
        self.open.push(id);
        let shape = deeper(|| self.shape(home, &decl.shape));
        self.open.pop();
        let shape = shape?;
        if !self.keeps_names && !self.recursive.contains(&id) {
            return Ok(shape);
        }
        let key = self.key(id);
        self.definitions.insert(key.clone(), shape);
        Ok(Shape::Named(key))
    }

    fn key(&mut self, id: (usize, &'p str)) -> String {
        if let Some(key) = self.keys.get(&id) {
            return key.clone();
        }
        let mut key = id.1.to_owned();
        let mut number = 2;
        while self.keys.values().any(|known| *known == key) {
            key = format!("{}_{number}", id.1);
            number += 1;
        }
        self.keys.insert(id, key.clone());
        key
    }
}

fn bounded(shape: Shape, nodes: &[BoundNode]) -> Shape {
    if nodes.is_empty() {
        return shape;
    }
    let mut bounds = Bounds::new(shape);
    for node in nodes {
        match &node.kind {
            BoundKind::Min(number) => bounds.min = Some(number.clone()),
            BoundKind::Max(number) => bounds.max = Some(number.clone()),
            BoundKind::Length(least, most) => bounds.length = Some((*least, *most)),
            BoundKind::Pattern(text) => bounds.pattern = Some(Pattern::new(text.value.as_str())),
        }
    }
    Shape::Bounded(Box::new(bounds))
}
