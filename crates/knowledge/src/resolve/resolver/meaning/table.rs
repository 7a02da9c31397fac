//! The vectors of all passages of an index, as they are searched (MA-7).

use super::embedding::Embedding;
use super::file::{self, Vectors};
use crate::index::{Area, Opened, Search, View};
use crate::resolve::resolver::select::Reader;
use contexture_context::Digest;
use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Weak};
use tantivy::{DocAddress, TantivyError};

/// The most passages that get vectors, and the most bytes of their vectors.
const MAX_PASSAGES: usize = 100_000;
const MAX_BYTES: usize = 128 << 20;
/// The most passages that get vectors while somebody waits for an answer.
const MAX_NEW: usize = 5_000;
/// The numbers that are multiplied side by side.
const LANES: usize = 8;

/// The areas that share a table: sources are searched only where evidence is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Group {
    Pages,
    Sources,
}

impl Group {
    pub(super) const ALL: [Self; 2] = [Self::Pages, Self::Sources];

    pub(super) fn has(self, area: Area) -> bool {
        (area == Area::Source) == (self == Self::Sources)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Pages => "pages",
            Self::Sources => "sources",
        }
    }
}

/// What a table is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// A task waits for it.
    Task,
    /// The index is brought up to date.
    Index,
}

/// The reason why there is no table.
pub(super) enum NoTable {
    /// The index failed.
    Engine(TantivyError),
    /// The embedder failed, or there is too much for it: a clause.
    Told(String),
}

impl From<TantivyError> for NoTable {
    fn from(error: TantivyError) -> Self {
        Self::Engine(error)
    }
}

/// The vectors of the passages of an index.
pub(super) struct Table {
    index: Weak<Opened>,
    rows: Vec<(DocAddress, Area)>,
    /// One vector for each row, by the digests of their texts.
    vectors: Vectors,
    numbers: Vec<f32>,
}

impl Table {
    pub(super) fn is_of(&self, opened: &Arc<Opened>) -> bool {
        Weak::ptr_eq(&self.index, &Arc::downgrade(opened))
    }

    pub(super) fn bytes(&self) -> usize {
        2 * size_of_val(&*self.numbers)
    }

    /// Returns the similarity of each passage of some areas with a task.
    pub(super) fn similarities(
        &self,
        task: &[f32],
        areas: &[Area],
    ) -> Vec<(f32, DocAddress, Area)> {
        let dimension = self.vectors.dimension().max(1);
        let of_areas = |((address, area), vector): (&(DocAddress, Area), &[f32])| {
            areas.contains(area).then(|| (product(task, vector), *address, *area))
        };
        self.rows.iter().zip(self.numbers.chunks_exact(dimension)).filter_map(of_areas).collect()
    }

    /// Makes the table of an index; the vectors that an earlier one and the file have are taken from
    /// there. Adds warnings.
    pub(super) fn make(
        embedding: &Embedding,
        (view, group, areas): (&View, Group, &[Area]),
        path: Option<&Path>,
        reason: Reason,
        read: &Reader<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Arc<Self>, NoTable> {
        let mut rows = Vec::new();
        let mut texts: Vec<(Digest, String)> = Vec::new();
        for (address, area, text) in passages(view, areas, read)? {
            rows.push((address, area));
            texts.push((Digest::of_text(&text), text));
        }
        let mut vectors = match (embedding.table(view, group), path) {
            (Some(old), _) => old.vectors.clone(),
            (None, Some(path)) => file::read(path),
            (None, None) => Vectors::default(),
        };
        let keys: Vec<Digest> = texts.iter().map(|(key, _)| key.clone()).collect();
        let used: HashSet<&Digest> = keys.iter().collect();
        vectors.retain(|key| used.contains(key));
        let mut seen = HashSet::new();
        texts.retain(|(key, _)| vectors.get(key).is_none() && seen.insert(key.clone()));
        if reason == Reason::Task && texts.len() > MAX_NEW {
            return Err(NoTable::Told(too_many_new(texts.len())));
        }
        let unkept = embedding.complete(&mut vectors, &texts, path).map_err(NoTable::Told)?;
        warnings.extend(unkept.map(|why| format!("its vectors could not be kept: {why}")));
        let bytes = rows.len() * vectors.dimension() * size_of::<f32>();
        if bytes > MAX_BYTES {
            let most = MAX_BYTES >> 20;
            return Err(NoTable::Told(format!("its vectors have {} MB of {most} MB", bytes >> 20)));
        }
        let numbers = keys.iter().flat_map(|key| vectors.get(key).unwrap_or_default()).copied();
        let (index, numbers) = (Arc::downgrade(&view.opened), numbers.collect());
        Ok(Arc::new(Self { index, rows, vectors, numbers }))
    }
}

fn too_many_new(count: usize) -> String {
    format!(
        "{count} of its passages have no vectors yet, and a question waits for at most {MAX_NEW}: \
         make them with `contexture knowledge index`"
    )
}

/// Returns all passages of some areas with their texts. One that can't be read is found by its
/// words, which tells that it changed.
fn passages(
    view: &View,
    areas: &[Area],
    read: &Reader<'_>,
) -> Result<Vec<(DocAddress, Area, String)>, NoTable> {
    let search = Search::new(&view.opened, Vec::new(), areas)?;
    let count = search.documents();
    if count > MAX_PASSAGES as u64 {
        return Err(NoTable::Told(format!("it has {count} passages of at most {MAX_PASSAGES}")));
    }
    let mut found = Vec::new();
    for area in areas {
        for address in search.area(*area, MAX_PASSAGES)? {
            let place = search.place(address)?;
            let Some(text) = read(&place) else { continue };
            found.push((address, *area, format!("{}\n{text}", place.heading)));
        }
    }
    Ok(found)
}

/// Returns the sum of the products of two vectors, in lanes that the machine adds side by side.
fn product(left: &[f32], right: &[f32]) -> f32 {
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (left, right) in left.iter().zip(right) {
        for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
            *sum += left * right;
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    sums.iter().sum::<f32>() + rest
}
