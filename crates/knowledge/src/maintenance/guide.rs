//! The guide of a pack: its fields have forms that other clients take as well, and the files it
//! names are there (KN-17).

use super::scaffold::name_problem;
use super::schema::is_date_time;
use super::view::View;
use crate::codes;
use crate::finding::Finding;
use crate::guide::{boundary_gap, document_gap, look_twice};
use crate::item::CatalogItem;
use crate::pack::{FOLDERS, GUIDE_FILE, PackFile};
use crate::section::Lines;
use pulldown_cmark::{Event, Options, Parser};

const MAX_DESCRIPTION: usize = 1024;

const MAX_COMPATIBILITY: usize = 500;

pub(super) fn check(view: &mut View<'_>) {
    for message in fields(view.pack.item()) {
        view.found(codes::FIELD_FORM, GUIDE_FILE, None, message);
    }
    if let Ok((body, first_line)) = view.pack.guide_parts() {
        let item = view.pack.item();
        let described = |finding: &Finding| finding.line.is_none();
        // Discovery reports faults of the description.
        let found = look_twice(item, &body, first_line);
        found.into_iter().filter(|one| !described(one)).for_each(|one| view.add(GUIDE_FILE, one));
    }
    promises(view);
    for (line, path) in named(view) {
        let message = format!("the guide names `{path}`, which is not in the pack");
        view.found(codes::NAMED_FILE_MISSING, GUIDE_FILE, Some(line), message);
    }
}

/// Finds the parts that the profile and the mode of a pack promise and it lacks (KN-5).
fn promises(view: &mut View<'_>) {
    let item = view.pack.item();
    let files: Vec<PackFile> = view.files.values().cloned().collect();
    if let Some(message) = document_gap(item, &files) {
        view.found(codes::DOCUMENT_GAP, GUIDE_FILE, None, message);
    }
    let body = view.pack.guide_body().unwrap_or_default();
    if let Some(message) = boundary_gap(view.pack.item(), &body) {
        view.found(codes::NO_BOUNDARIES, GUIDE_FILE, None, message);
    }
}

fn fields(item: &CatalogItem) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(reason) = name_problem(&item.name) {
        wrong.push(format!("name {:?} can't address the pack everywhere: {reason}", item.name));
    }
    let mut long = |field: &str, text: &str, most: usize| {
        let count = text.chars().count();
        if count > most {
            wrong.push(format!("{field} has {count} characters; other clients take {most}"));
        }
    };
    long("description", &item.description, MAX_DESCRIPTION);
    long("compatibility", item.compatibility.as_deref().unwrap_or_default(), MAX_COMPATIBILITY);
    if let Some(updated) = item.updated.as_deref().filter(|text| !is_date(text)) {
        wrong.push(format!("updated {updated:?} is not a date such as 2026-05-01"));
    }
    if let Some(language) = item.language.as_deref().filter(|text| !is_language(text)) {
        wrong.push(format!("language {language:?} is not a language tag such as `en` or `zh-CN`"));
    }
    wrong
}

/// Returns a date, or a date and a time.
fn is_date(text: &str) -> bool {
    is_date_time(text) || is_date_time(&format!("{text}T00:00:00Z"))
}

/// Two to eight letters, then parts of up to eight letters and digits.
fn is_language(text: &str) -> bool {
    let mut parts = text.split('-');
    let first = parts.next().unwrap_or_default();
    (2..=8).contains(&first.len())
        && first.bytes().all(|byte| byte.is_ascii_alphabetic())
        && parts.all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

/// Paths in `code` that lead into folders of the pack and are not there, with their lines.
fn named(view: &View<'_>) -> Vec<(u32, String)> {
    let Some(text) = view.texts.get(GUIDE_FILE) else { return Vec::new() };
    let lines = Lines::of(text);
    let mut missing = Vec::new();
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        if let Event::Code(path) = event
            && is_path(&path)
            && !is_there(view, &path)
        {
            missing.push((lines.number(range.start), path.into_string()));
        }
    }
    missing
}

fn is_there(view: &View<'_>, path: &str) -> bool {
    let path = path.split('#').next().unwrap_or_default();
    match path.strip_suffix('/') {
        Some(folder) => view.has_folder(folder),
        None => view.has(path) || view.has_folder(path),
    }
}

/// Reports whether a piece of code is one path that begins in a folder of packs, and no pattern.
fn is_path(code: &str) -> bool {
    let is_plain = |c: char| !c.is_whitespace() && !"*?<>{}$…[]|".contains(c);
    code.split_once('/').is_some_and(|(folder, _)| FOLDERS.contains(&folder))
        && code.chars().all(is_plain)
}
