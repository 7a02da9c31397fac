//! Retrieval evals: do the sections that a question gets hold its answer (MA-8)?
//!
//! Decision: the right sections are not written into a suite but found in the pack: those that hold
//! the text of the answer. So a suite stays right when files move, and an answer that the pack lost
//! is an error and not a miss. Bare BM25 ranks the same sections in the same run, so that a figure
//! is never read without what thirty lines would do.

mod bm25;

use super::error::MaintenanceError;
use super::record::read_text;
use crate::index::{Area, MAX_FILE_BYTES};
use crate::pack::{Pack, plain_text};
use crate::resolve::{Resolution, ResolveError, Resolver, Task};
use crate::section::sections;
use bm25::Bm25;
use contexture_context::tokens::TokenCounter;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The budget of a suite that names none, in tokens.
const BUDGET: u64 = 2_000;

/// Questions about a pack with the texts that answer them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionSuite {
    /// The pack.
    pub pack_name: String,
    /// The language of its questions, such as `en`.
    #[serde(default)]
    pub language: String,
    /// The most tokens of a context.
    #[serde(default)]
    pub budget: Option<u64>,
    /// The questions.
    pub questions: Vec<Question>,
}

/// A question and what its answer says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The name of the question.
    pub id: String,
    /// Its kind, such as `paraphrase`.
    pub kind: String,
    /// The question.
    pub query: String,
    /// Texts of the pack that the context must hold, all of them; none when the pack has no answer
    /// and should say nothing.
    #[serde(default)]
    pub answers: Vec<String>,
}

/// The result of a suite.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RetrievalRun {
    /// The file of the questions.
    pub suite: String,
    /// The pack.
    pub pack_name: String,
    /// The most tokens of a context.
    pub budget: u64,
    /// True if every question has its answer in the context.
    pub ok: bool,
    /// The figures: of all questions that have answers, then by kind and by language.
    pub rows: Vec<Row>,
    /// The questions whose answer is not in the context.
    pub missed: Vec<Missed>,
}

/// The figures of a group of questions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// What the questions have in common: `all`, `kind` or `language`.
    pub by: &'static str,
    /// The kind or the language; absent for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The number of questions.
    pub questions: usize,
    /// The figures of the resolver.
    pub resolver: Figures,
    /// Those by words alone, where it has an embedder (MA-7).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<Figures>,
    /// The figures of bare BM25 over the same sections.
    pub bm25: Figures,
}

/// What a way of retrieval reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Figures {
    /// The part of the questions for which every answer's section was selected.
    pub section_recall: f64,
    /// The part of the questions whose answers are in the context.
    pub answer_recall: f64,
    /// The mean tokens of a context.
    pub tokens: f64,
}

/// A question without its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missed {
    /// The name of the question.
    pub id: String,
    /// The question.
    pub query: String,
    /// The texts that the context lacks; none when there should be no context.
    pub lacks: Vec<String>,
    /// The files of the sections that were selected.
    pub selected_files: Vec<String>,
}

/// A section of the pack, with its text as it is compared.
struct Piece {
    path: String,
    heading: String,
    lines: (u32, u32),
    text: String,
    plain: String,
}

/// What one way of retrieval made of a question.
#[derive(Debug, Clone, Copy, Default)]
struct Outcome {
    has_section: bool,
    has_answer: bool,
    tokens: u64,
}

/// Reports whether a file holds questions, and not cases of selection.
///
/// # Errors
/// [`MaintenanceError::Unreadable`] when it can't be read.
pub fn is_question_suite(file: &Path) -> Result<bool, MaintenanceError> {
    let text = read_text(file)?;
    let value: Option<serde_json::Value> = serde_json::from_str(&text).ok();
    Ok(value.is_some_and(|value| value.get("questions").is_some()))
}

/// Asks the questions of a file about a pack.
///
/// # Errors
/// [`MaintenanceError`] when the file holds no questions or names another pack, an answer is not in
/// the pack, or the pack can't be asked.
pub fn eval_retrieval(
    resolver: &Resolver,
    counter: &dyn TokenCounter,
    pack: &Pack,
    file: &Path,
) -> Result<RetrievalRun, MaintenanceError> {
    let suite: QuestionSuite = serde_json::from_str(&read_text(file)?).map_err(|error| {
        MaintenanceError::Unreadable { path: file.to_owned(), reason: error.to_string() }
    })?;
    let name = &pack.item().name;
    if suite.pack_name != *name {
        let reason = format!("the questions are about `{}`, not `{name}`", suite.pack_name);
        return Err(MaintenanceError::NoPack { path: file.to_owned(), reason: Some(reason) });
    }
    let budget = suite.budget.unwrap_or(BUDGET);
    let pieces = pieces(pack)?;
    let plain_bm25 = Bm25::of(pieces.iter().map(|piece| (&*piece.heading, &*piece.text)));
    let by_words = resolver.by_words();
    let mut outcomes = Vec::with_capacity(suite.questions.len());
    let mut missed = Vec::new();
    for question in &suite.questions {
        let right = right_sections(question, &pieces).map_err(|answer| {
            let reason = format!("question `{}`: the pack has no text `{answer}`", question.id);
            MaintenanceError::Unreadable { path: file.to_owned(), reason }
        })?;
        let resolve = |resolver: &Resolver| {
            let task = Task::new(&question.query, budget);
            let found = resolver.resolve(std::slice::from_ref(pack), &task);
            found.map_err(|error| unanswered(file, &error))
        };
        let outcome = |found: &Resolution| own_outcome(question, &right, &pieces, found);
        let found = resolve(resolver)?;
        let own = outcome(&found);
        let words = by_words.as_ref().map(&resolve).transpose()?.as_ref().map(outcome);
        if !own.has_answer {
            missed.push(miss(question, &found));
        }
        let bare = bare_outcome(question, &right, &pieces, (&plain_bm25, budget, counter));
        outcomes.push(Asked { question, own, words, bare });
    }
    let rows = rows(&suite.language, &outcomes);
    let ok = missed.is_empty();
    let suite = file.to_string_lossy().into_owned();
    Ok(RetrievalRun { suite, pack_name: name.clone(), budget, ok, rows, missed })
}

fn unanswered(file: &Path, error: &ResolveError) -> MaintenanceError {
    MaintenanceError::Unreadable { path: file.to_owned(), reason: error.to_string() }
}

/// Returns the sections of the files that questions are answered from.
fn pieces(pack: &Pack) -> Result<Vec<Piece>, MaintenanceError> {
    let unreadable = |error: crate::PackError| MaintenanceError::Unreadable {
        path: pack.item().pack_root.clone(),
        reason: error.to_string(),
    };
    let primary = pack.item().metadata.primary_document.as_deref();
    let mut pieces = Vec::new();
    for file in pack.files().map_err(unreadable)? {
        let area = Area::of(&file.path, primary);
        if area.is_none_or(|area| area == Area::Source) {
            continue;
        }
        let Ok(text) = pack.read(&file.path, MAX_FILE_BYTES) else { continue };
        let text = plain_text(text);
        for section in sections(&file.path, &text) {
            let own = text.get(section.text.clone()).unwrap_or_default();
            pieces.push(Piece {
                path: file.path.clone(),
                plain: plain(&format!("{}\n{own}", section.heading)),
                heading: section.heading,
                lines: (section.first_line, section.last_line),
                text: own.to_owned(),
            });
        }
    }
    Ok(pieces)
}

/// Returns a text as answers are compared: without case, emphasis and runs of blanks.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else if !matches!(c, '*' | '_' | '`') {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// Returns, for each answer of a question, the sections that hold it; the answer that none holds
/// is the error.
fn right_sections(question: &Question, pieces: &[Piece]) -> Result<Vec<Vec<usize>>, String> {
    let mut right = Vec::new();
    for answer in &question.answers {
        let wanted = plain(answer);
        let holds = |(_, piece): &(usize, &Piece)| piece.plain.contains(wanted.trim());
        let found: Vec<usize> =
            pieces.iter().enumerate().filter(holds).map(|(number, _)| number).collect();
        if found.is_empty() {
            return Err(answer.clone());
        }
        right.push(found);
    }
    Ok(right)
}

fn holds_answers(question: &Question, context: &str) -> bool {
    if question.answers.is_empty() {
        return context.is_empty();
    }
    let context = plain(context);
    question.answers.iter().all(|answer| context.contains(plain(answer).trim()))
}

fn own_outcome(
    question: &Question,
    right: &[Vec<usize>],
    pieces: &[Piece],
    found: &Resolution,
) -> Outcome {
    let is_selected = |number: &usize| {
        pieces.get(*number).is_some_and(|piece| {
            found.sections.iter().any(|section| {
                let (first, last) = section.lines;
                section.path == piece.path && first <= piece.lines.1 && piece.lines.0 <= last
            })
        })
    };
    Outcome {
        has_section: match right {
            [] => found.sections.is_empty(),
            right => right.iter().all(|of_answer| of_answer.iter().any(is_selected)),
        },
        has_answer: holds_answers(question, &found.context),
        tokens: found.tokens,
    }
}

fn bare_outcome(
    question: &Question,
    right: &[Vec<usize>],
    pieces: &[Piece],
    (bm25, budget, counter): (&Bm25, u64, &dyn TokenCounter),
) -> Outcome {
    let (mut chosen, mut context, mut tokens) = (Vec::new(), String::new(), 0);
    for number in bm25.ranked(&question.query) {
        let Some(piece) = pieces.get(number) else { continue };
        let text = format!("## {}\n{}\n\n", piece.heading, piece.text);
        let cost = counter.count(&text) as u64;
        if tokens + cost <= budget {
            tokens += cost;
            context.push_str(&text);
            chosen.push(number);
        }
        // Nothing that is worth a look fits into less.
        if budget.saturating_sub(tokens) < budget / 40 {
            break;
        }
    }
    Outcome {
        has_section: match right {
            [] => chosen.is_empty(),
            right => right.iter().all(|of_answer| of_answer.iter().any(|one| chosen.contains(one))),
        },
        has_answer: holds_answers(question, &context),
        tokens,
    }
}

fn miss(question: &Question, found: &Resolution) -> Missed {
    let context = plain(&found.context);
    let lacks = question.answers.iter().filter(|answer| !context.contains(plain(answer).trim()));
    Missed {
        id: question.id.clone(),
        query: question.query.clone(),
        lacks: lacks.cloned().collect(),
        selected_files: found.selected_files.clone(),
    }
}

/// A question with what each way made of it.
struct Asked<'q> {
    question: &'q Question,
    own: Outcome,
    /// What words alone made of it, where the resolver has an embedder.
    words: Option<Outcome>,
    bare: Outcome,
}

fn rows(language: &str, outcomes: &[Asked<'_>]) -> Vec<Row> {
    // Silence is not recall: it has rows of its own kind.
    let all: Vec<&Asked<'_>> =
        outcomes.iter().filter(|asked| !asked.question.answers.is_empty()).collect();
    let mut rows = vec![row("all", None, &all)];
    let mut kinds: BTreeMap<&str, Vec<&Asked<'_>>> = BTreeMap::new();
    for asked in outcomes {
        kinds.entry(&asked.question.kind).or_default().push(asked);
    }
    rows.extend(kinds.iter().map(|(kind, own)| row("kind", Some((*kind).to_owned()), own)));
    if !language.is_empty() {
        rows.push(row("language", Some(language.to_owned()), &all));
    }
    rows
}

fn row(by: &'static str, name: Option<String>, asked: &[&Asked<'_>]) -> Row {
    let words: Option<Vec<Outcome>> = asked.iter().map(|asked| asked.words).collect();
    Row {
        by,
        name,
        questions: asked.len(),
        resolver: figures(asked.iter().map(|asked| asked.own)),
        words: words.filter(|words| !words.is_empty()).map(|words| figures(words.into_iter())),
        bm25: figures(asked.iter().map(|asked| asked.bare)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions and tokens are small")]
fn figures(outcomes: impl Iterator<Item = Outcome> + Clone) -> Figures {
    let count = outcomes.clone().count().max(1) as f64;
    let part = |keep: fn(&Outcome) -> bool| {
        let kept = outcomes.clone().filter(keep).count() as f64;
        (kept / count * 10_000.0).round() / 10_000.0
    };
    let tokens: u64 = outcomes.clone().map(|outcome| outcome.tokens).sum();
    Figures {
        section_recall: part(|outcome| outcome.has_section),
        answer_recall: part(|outcome| outcome.has_answer),
        tokens: (tokens as f64 / count).round(),
    }
}

#[cfg(test)]
mod tests;
