//! Renaming, in all programs of the workspace.
//!
//! Decision: the new texts are resolved as well, and each name has to mean there what it means now.
//! What would hide another name, or be hidden by one, is refused for that reason alone, without a
//! rule for each case.

use crate::protocol::{self, At};
use crate::server::Refusal;
use crate::state::{State, Whole};
use contexture_context::Limits;
use contexture_script::analysis;
use contexture_script::host::{LoadedSource, MemoryLoader};
use contexture_script::program::{Program, reload};
use contexture_script::semantic::symbols::Symbols;
use contexture_script::syntax::is_reserved;
use contexture_script::syntax::lexer::is_identifier;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Returns the name that can be renamed at a place.
pub(crate) fn prepare(state: &mut State<'_>, at: &At) -> Result<Value, Refusal> {
    let view = state.at(at).ok_or_else(|| impossible("the document is not open"))?;
    let symbols = view.symbols();
    let place = symbols.at(0, view.offset(at.position));
    let found = place.and_then(|place| Some((place, symbols.get(place.symbol)?)));
    let Some((place, symbol)) = found.filter(|(_, symbol)| symbol.is_named) else {
        return Err(impossible("this is not a name that can be changed"));
    };
    let range = protocol::range(view.source(), place.span);
    Ok(json!({ "range": range, "placeholder": symbol.name }))
}

/// Returns the edits that give a name another one.
pub(crate) fn rename(state: &mut State<'_>, at: &At) -> Result<Value, Refusal> {
    prepare(state, at)?;
    let new = at.new_name.as_deref().unwrap_or_default().trim();
    if !is_identifier(new) || is_reserved(new) {
        let reason = format!(
            "`{new}` is not a name: a name has letters, digits and `_`, and is not a word of the language"
        );
        return Err(Refusal::Impossible(reason));
    }
    let view = state.at(at).ok_or_else(|| impossible("the document is not open"))?;
    let offset = view.offset(at.position);
    let name = view.document.name.clone();
    let whole = state.whole(&at.text_document.uri);
    let whole = whole.ok_or_else(|| impossible("the workspace can't be read"))?;
    let change = Change::new(&whole, &name, offset, new)?;
    change.keeps_meanings()?;
    Ok(json!({ "changes": change.edits() }))
}

fn impossible(reason: &str) -> Refusal {
    Refusal::Impossible(reason.to_owned())
}

struct Change<'s> {
    whole: &'s Whole<'s>,
    program: &'s Program,
    symbols: &'s Symbols,
    symbol: usize,
    new: &'s str,
}

impl<'s> Change<'s> {
    fn new(whole: &'s Whole<'s>, name: &str, offset: u32, new: &'s str) -> Result<Self, Refusal> {
        let program = &whole.analysed.program;
        let symbols = whole.analysed.symbols();
        let file = program.files.iter().position(|file| file.source.name() == name);
        let place = file.and_then(|file| symbols.at(file, offset));
        let place = place.ok_or_else(|| impossible("this is not a name that can be changed"))?;
        Ok(Self { whole, program, symbols, symbol: place.symbol, new })
    }

    fn edits(&self) -> Map<String, Value> {
        let mut edits = Map::new();
        for (file, place) in self.symbols.places(self.symbol) {
            let source = self.program.files.get(file).map(|file| &file.source);
            let Some((uri, source)) = self.whole.uri(file).zip(source) else { continue };
            let edit = protocol::edit(source, place.span, self.new);
            let all = edits.entry(uri).or_insert_with(|| json!([]));
            if let Some(all) = all.as_array_mut() {
                all.push(edit);
            }
        }
        edits
    }

    /// Refuses the change when a name would mean something else after it.
    fn keeps_meanings(&self) -> Result<(), Refusal> {
        let touched = |file: usize| self.symbols.places(self.symbol).any(|(own, _)| own == file);
        let broken = self.program.files.iter().enumerate();
        let broken =
            broken.filter(|(file, _)| touched(*file)).find(|(_, file)| !file.parsed.is_valid());
        if let Some((_, file)) = broken {
            let reason = format!(
                "{} has syntax errors, and names may stand in what can't be read",
                file.source.name()
            );
            return Err(Refusal::Impossible(reason));
        }
        let after = analysis::symbols(&self.program_after());
        match self.first_difference(&after) {
            None => Ok(()),
            Some(file) => {
                let name = self.program.files.get(file).map_or("", |file| file.source.name());
                let reason = format!("`{}` means something else in {name} already", self.new);
                Err(Refusal::Impossible(reason))
            }
        }
    }

    fn program_after(&self) -> Program {
        let mut loader = MemoryLoader::new();
        let mut roots = Vec::new();
        for (number, file) in self.program.files.iter().enumerate() {
            let mut text = file.source.text().to_owned();
            let own = self.symbols.in_file(number).iter().rev();
            for place in own.filter(|place| place.symbol == self.symbol) {
                text.replace_range(place.span.range(), self.new);
            }
            loader = loader.with(file.source.name(), text.as_str());
            roots.push(LoadedSource { name: file.source.name().to_owned(), text });
        }
        let mut limits = Limits::default();
        limits.source_files = roots.len().max(limits.source_files);
        reload(Program::default(), roots, &loader, &limits)
    }

    /// Returns the first file in which a name means something else.
    fn first_difference(&self, after: &Symbols) -> Option<usize> {
        let (mut there, mut back) = (HashMap::new(), HashMap::new());
        for file in 0..self.program.files.len() {
            let (old, new) = (self.symbols.in_file(file), after.in_file(file));
            let is_same = |(old, new): (usize, usize)| {
                *there.entry(old).or_insert(new) == new && *back.entry(new).or_insert(old) == old
            };
            let pairs = old.iter().zip(new).map(|(old, new)| (old.symbol, new.symbol));
            if old.len() != new.len() || !pairs.into_iter().all(is_same) {
                return Some(file);
            }
        }
        None
    }
}
