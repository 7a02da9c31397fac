//! The items that each `generate` can see, found without running (TY-4).

mod trust;

use super::visible::{Call, Condition, Shown, Visible};
use crate::program::{Program, ProgramFile};
use crate::syntax::ast::{
    BudgetNode, Candidate, Expr, ExprKind, Import, ImportKind, Use, UseSource,
};
use crate::syntax::walk::strip;
use contexture_context::Trust;
use contexture_diagnostic::Span;
use trust::Origins;

/// A `generate`, and what it can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptFacts {
    /// The file, by the name of its source.
    pub file: String,
    /// The whole expression.
    pub span: Span,
    /// The items, in the order of the prompt.
    pub items: Vec<PromptItem>,
    /// The tools that its model may call, as written.
    pub tools: Vec<String>,
    /// The shape of its answer, as written.
    pub shape: Option<String>,
}

/// An item of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptItem {
    /// The label, if one is written.
    pub label: Option<String>,
    /// The name of the candidate, of a `use one of`.
    pub candidate: Option<String>,
    /// The source, as written.
    pub source: String,
    /// The budget, as written: `4k`, `8k chars`.
    pub budget: Option<String>,
    /// The limit of the budget: tokens or characters.
    pub limit: Option<u64>,
    /// The trust of the source; none when it depends on a caller or on what a function returns.
    pub trust: Option<Trust>,
    /// The conditions under which the program comes by, as written and joined by `and`.
    pub condition: Option<String>,
    /// The question that selects from it, as written.
    pub question: Option<String>,
    /// The place of its `use`, which candidates of one `use one of` share.
    pub used_at: Span,
    /// Its text before any cut, if it is the same in every run.
    pub fixed: Option<FixedText>,
}

/// A text that is the same in every run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FixedText {
    /// A text in the program, with its number of bytes.
    Written(usize),
    /// An imported file, as the import has it.
    File(String),
}

/// Returns what each model call of a program can see, by file and place.
#[must_use]
pub fn prompts(program: &Program) -> Vec<PromptFacts> {
    program.files.iter().flat_map(of_file).collect()
}

fn of_file(file: &ProgramFile) -> Vec<PromptFacts> {
    let visible = Visible::of(&file.parsed.file.items);
    let facts = visible.calls.iter().map(|call| of_call(file, &visible, call));
    facts.collect()
}

fn of_call(file: &ProgramFile, visible: &Visible<'_>, call: &Call<'_>) -> PromptFacts {
    let mut seen: Vec<&Shown<'_>> = visible.seen_by(call).collect();
    seen.reverse();
    let origins = Origins::of(file, call.function);
    let items = seen.into_iter().flat_map(|shown| of_use(file, &origins, shown)).collect();
    let shape = call.generate.shape.as_ref().map(|shape| file.source.slice(shape.span).to_owned());
    PromptFacts {
        file: file.source.name().to_owned(),
        span: call.span,
        items,
        tools: tools(file, call),
        shape,
    }
}

fn tools(file: &ProgramFile, call: &Call<'_>) -> Vec<String> {
    let option = call.generate.options.iter().rev().find(|(key, _)| key.value == "tools");
    let Some((_, value)) = option else { return Vec::new() };
    let written = |expr: &Expr| file.source.slice(expr.span).to_owned();
    match &strip(value).kind {
        ExprKind::List(items) => items.iter().map(written).collect(),
        _ => vec![written(value)],
    }
}

fn of_use(file: &ProgramFile, origins: &Origins<'_>, shown: &Shown<'_>) -> Vec<PromptItem> {
    let used = shown.used;
    let item =
        |source: &Expr, max: Option<&BudgetNode>, candidate: Option<&Candidate>| PromptItem {
            label: used.label.as_ref().map(|label| label.value.clone()),
            candidate: candidate.map(|candidate| candidate.name.text.clone()),
            source: file.source.slice(source.span).to_owned(),
            budget: max.map(|max| file.source.slice(max.span).to_owned()),
            limit: max.map(|max| max.limit),
            trust: trust_of(origins, used, source),
            condition: condition(file, &shown.conditions),
            question: used.question.as_ref().map(|it| file.source.slice(it.span).to_owned()),
            used_at: used.span,
            fixed: fixed(file, source),
        };
    match &used.source {
        UseSource::Expr(source) => vec![item(source, used.max.as_ref(), None)],
        UseSource::OneOf(candidates) => candidates
            .iter()
            .filter_map(|one| Some(item(one.source.as_ref()?, one.max.as_ref(), Some(one))))
            .collect(),
    }
}

/// Returns a text that stands in the program or in a file that it imports.
fn fixed(file: &ProgramFile, source: &Expr) -> Option<FixedText> {
    match &strip(source).kind {
        ExprKind::Str(text) => Some(FixedText::Written(text.len())),
        ExprKind::Name(name) => {
            let mut imports = file.imports();
            let is_file = |import: &&Import| import.kind == ImportKind::File;
            let import = imports.find(|import| import.name.text == *name).filter(is_file)?;
            Some(FixedText::File(import.from.value.clone()))
        }
        _ => None,
    }
}

/// Returns the trust of an item: what a question selects has that of the question, if it is lower.
fn trust_of(origins: &Origins<'_>, used: &Use, source: &Expr) -> Option<Trust> {
    let own = origins.trust(source)?;
    match &used.question {
        Some(question) => Some(own.least(origins.trust(question)?)),
        None => Some(own),
    }
}

fn condition(file: &ProgramFile, conditions: &[Condition]) -> Option<String> {
    let one = |condition: &Condition| {
        let text = file.source.slice(condition.span);
        if condition.holds { text.to_owned() } else { format!("not ({text})") }
    };
    let all: Vec<String> = conditions.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{LoadedSource, MemoryLoader};
    use crate::program::load;
    use contexture_context::Limits;

    fn found(text: &str) -> Vec<PromptFacts> {
        let root = LoadedSource { name: "t.as".to_owned(), text: text.to_owned() };
        prompts(&load(root, &MemoryLoader::new(), &Limits::default()))
    }

    /// Returns `label|source|budget|trust|condition` of each item.
    fn lines(facts: &PromptFacts) -> Vec<String> {
        let line = |item: &PromptItem| {
            let text = |part: &Option<String>| part.clone().unwrap_or_else(|| "-".to_owned());
            let trust = item.trust.map_or("?", Trust::as_str);
            let (label, budget, condition) =
                (text(&item.label), text(&item.budget), text(&item.condition));
            format!("{label}|{}|{budget}|{trust}|{condition}", item.source)
        };
        facts.items.iter().map(line).collect()
    }

    #[test]
    fn ty_4_prompts_list_visible_items_in_order() {
        let all = found(
            r#"
import file Style from "s.md"
import tool File from "file://workspace"
import tool Web from "https://api.example.com"
import memory Past from "file://p.jsonl"
use Style max 2k as style
main agent {
  use Style.rules
  func other(x) {
    use x as given
    generate({ input: "Other." })
  }
  main func(input) {
    page = File.read({ path: "a" })
    facts = []
    facts.add(Web.get({ path: "/" }))
    use facts.summary max 8k chars as facts
    if page != "" {
      use page max 1k as "the page"
      first = generate({ input: "One.", tools: [File.read, Web] }) -> { ok boolean }
    } else if input.more {
      use Past max 1k for input.question as past
      first = generate({ input: "Two." })
    }
    use one of { short: first max 10, all: [first, page] } as answer
    generate({ input: "Three." })
    use input as late
  }
}
"#,
        );
        let seen: Vec<Vec<String>> = all.iter().map(lines).collect();
        let level = ["style|Style|2k|program|-", "-|Style.rules|-|program|-"];
        let facts = "facts|facts.summary|8k chars|web|-";
        assert_eq!(seen[0], [level[0], level[1], "given|x|-|?|-"]);
        let page = "the page|page|1k|tool|page != \"\"";
        assert_eq!(seen[1], [level[0], level[1], facts, page]);
        assert_eq!(all[1].tools, ["File.read", "Web"]);
        assert_eq!(all[1].shape.as_deref(), Some("{ ok boolean }"));
        let past = "past|Past|1k|memory|not (page != \"\") and input.more";
        assert_eq!(seen[2], [level[0], level[1], facts, past]);
        let answers = ["answer|first|10|model|-", "answer|[first, page]|-|tool|-"];
        assert_eq!(seen[3], [level[0], level[1], facts, answers[0], answers[1]]);
        assert_eq!(all[3].items[3].candidate.as_deref(), Some("short"));
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn ty_4_trust_of_a_variable_made_of_itself_is_found() {
        let all = found(
            "main func(input) { x = \"a\" x = x + input.b use x y = trust(x, \"read\") use y generate({ input: \"One.\" }) }",
        );
        assert_eq!(lines(&all[0]), ["-|x|-|user|-", "-|y|-|user|-"]);
    }
}
