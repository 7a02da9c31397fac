//! Model calls whose answer, unchanged, is certain to be the value of a run (AS-23, CP-8).
//!
//! Decision: text that is shown while it arrives can't be taken back, so a call counts only when
//! nothing can happen between its answer and the end. It has no shape, it runs once, and its value
//! leaves by the end or a `return` of the entry function, of a function that is called there and
//! nowhere else, or through a variable that is set once and is all that the function ends with.
//! Callers are determined by names alone: a name that occurs anywhere else makes a call doubtful,
//! and a doubtful call does not count.

use crate::program::{AgentId, Program};
use crate::stack::deeper;
use crate::syntax::ast::{AssignOp, Block, Expr, ExprKind, Func, Statement, StatementKind};
use crate::syntax::token::TokenKind;
use contexture_context::Position;
use contexture_diagnostic::Span;

use crate::syntax::walk;
use crate::syntax::walk::strip;

/// Returns the positions of the model calls whose answer is the value of a run that starts at
/// `func`, or the field `text` of that value.
///
/// ```
/// use contexture_context::Limits;
/// use contexture_script::analysis::answer_sites;
/// use contexture_script::host::{LoadedSource, MemoryLoader};
/// use contexture_script::program::load;
///
/// let text = "main func(input) {\n  plan = generate({ input: \"Plan.\" })\n  use plan as plan\n  generate({ input: \"Answer.\" })\n}";
/// let root = LoadedSource { name: "main.as".to_owned(), text: text.to_owned() };
/// let program = load(root, &MemoryLoader::new(), &Limits::default());
/// let agent = program.main_agent(0).unwrap();
/// let found = answer_sites(&program, agent, program.entry(agent).unwrap());
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].line, 4);
/// ```
#[must_use]
pub fn answer_sites(program: &Program, agent: AgentId, func: &Func) -> Vec<Position> {
    let mut finder = Finder { program, found: Vec::new(), seen: Vec::new() };
    finder.function(agent, func);
    finder.found
}

struct Finder<'p> {
    program: &'p Program,
    found: Vec<Position>,
    /// The functions already visited, by file and span.
    seen: Vec<(usize, Span)>,
}

/// The context of an expression: which value it becomes.
#[derive(Clone, Copy)]
struct Place<'p> {
    agent: AgentId,
    func: &'p Func,
    /// True if it is already the field `text` of the value.
    inside: bool,
}

impl<'p> Finder<'p> {
    fn function(&mut self, agent: AgentId, func: &'p Func) {
        if self.seen.contains(&(agent.file, func.span)) {
            return;
        }
        self.seen.push((agent.file, func.span));
        let place = Place { agent, func, inside: false };
        for value in ends(&func.body) {
            self.value(value, place);
        }
    }

    fn value(&mut self, expr: &'p Expr, place: Place<'p>) {
        match &strip(expr).kind {
            ExprKind::Generate(generate) if generate.shape.is_none() => {
                self.add(place.agent.file, strip(expr).span);
            }
            ExprKind::Name(name) => {
                if let Some(value) = set_once(place.func, name) {
                    deeper(|| self.kept(value, place));
                }
            }
            ExprKind::Object(fields) if !place.inside => {
                let mut texts = fields.iter().filter(|(key, _)| key.value == "text");
                if let (Some((_, value)), None) = (texts.next(), texts.next()) {
                    deeper(|| self.value(value, Place { inside: true, ..place }));
                }
            }
            ExprKind::Call { callee, .. } if !place.inside => self.call(callee, place),
            _ => {}
        }
    }

    /// Visits the value of a variable. A call may return an object, which the variable then is.
    fn kept(&mut self, value: &'p Expr, place: Place<'p>) {
        match &strip(value).kind {
            ExprKind::Generate(_) => self.value(value, place),
            ExprKind::Call { .. } if !place.inside => self.value(value, place),
            _ => {}
        }
    }

    fn call(&mut self, callee: &'p Expr, place: Place<'p>) {
        let Some((agent, func)) = self.called(callee, place) else { return };
        self.function(agent, func);
    }

    /// Returns the function that is called here and nowhere else.
    fn called(&self, callee: &Expr, place: Place<'p>) -> Option<(AgentId, &'p Func)> {
        let file = place.agent.file;
        match &strip(callee).kind {
            ExprKind::Name(name) => {
                if let Some((agent, func)) = self.own_function(place.agent, name) {
                    return (self.mentions(name) == 2).then_some((agent, func));
                }
                let agent = self.program.resolve_agent(file, name)?;
                let func = self.program.entry(agent)?;
                let own = func.name.as_ref().map_or(0, |own| self.mentions(&own.text));
                (own <= 1 && self.is_named_once(agent, name, file)).then_some((agent, func))
            }
            ExprKind::Field { base, name } => {
                let ExprKind::Name(base) = &strip(base).kind else { return None };
                let agent = self.program.resolve_agent(file, base)?;
                let func = self.program.function(agent, &name.text)?;
                (self.mentions(&name.text) == 2 && self.is_named_once(agent, base, file))
                    .then_some((agent, func))
            }
            _ => None,
        }
    }

    fn own_function(&self, agent: AgentId, name: &str) -> Option<(AgentId, &'p Func)> {
        if let Some(func) = self.program.function(agent, name) {
            return Some((agent, func));
        }
        let shared = self.program.files.get(agent.file)?.functions();
        let mut named =
            shared.filter(|func| func.name.as_ref().is_some_and(|own| own.text == name));
        Some((agent, named.next()?))
    }

    /// Reports whether an agent is named only where it is declared, where it is imported, and in
    /// one call.
    fn is_named_once(&self, agent: AgentId, name: &str, file: usize) -> bool {
        let own = self.program.agent(agent).and_then(|agent| agent.name.as_ref());
        let imported = agent.file != file || self.program.named_agent(file, name) != Some(agent);
        let declared = usize::from(own.is_some_and(|own| own.text == name));
        let elsewhere =
            own.filter(|own| own.text != name).map_or(0, |own| self.mentions(&own.text));
        self.mentions(name) == declared + usize::from(imported) + 1 && elsewhere <= 1
    }

    fn mentions(&self, name: &str) -> usize {
        let files = self.program.files.iter();
        let in_file = |file: &crate::program::ProgramFile| {
            let words = file.parsed.tokens.iter().filter(|token| token.kind == TokenKind::Word);
            words.filter(|token| file.source.slice(token.span) == name).count()
        };
        files.map(in_file).sum()
    }

    fn add(&mut self, file: usize, span: Span) {
        let Some(file) = self.program.files.get(file) else { return };
        let start = file.source.position(span.start);
        let file = file.source.name().to_owned();
        self.found.push(Position { file, line: start.line, column: start.column });
    }
}

/// Returns the expressions that a function ends with. A `return` in a `try` is left out, because a
/// failure there has another value.
fn ends(body: &Block) -> Vec<&Expr> {
    let mut found = Vec::new();
    returns(body, &mut found);
    if let Some(Statement { kind: StatementKind::Expr(last), .. }) = body.statements.last() {
        found.push(last);
    }
    found
}

fn returns<'p>(block: &'p Block, found: &mut Vec<&'p Expr>) {
    for statement in &block.statements {
        if let StatementKind::Return(value) = &statement.kind {
            found.extend(value);
        }
        for inner in walk::Parts::of_statement(statement).blocks {
            deeper(|| returns(inner, found));
        }
    }
}

/// Returns the value of a variable that is assigned once, in the function's own block, if the
/// function can't end with anything else after that.
fn set_once<'p>(func: &'p Func, name: &str) -> Option<&'p Expr> {
    if func.params.iter().any(|param| param.name.text == name) {
        return None;
    }
    let (mut count, mut looped) = (0, false);
    walk::statements(&func.body, &mut |statement| match &statement.kind {
        StatementKind::Assign { target, .. } if target.base.text == name => count += 1,
        StatementKind::For(each) if each.variable.text == name => looped = true,
        _ => {}
    });
    let top = func.body.statements.iter();
    let mut set = top.filter_map(|statement| match &statement.kind {
        StatementKind::Assign { target, op: AssignOp::Set, value }
            if target.base.text == name && target.path.is_empty() =>
        {
            Some((statement.span, value))
        }
        _ => None,
    });
    let (span, value) = set.next()?;
    (count == 1 && !looped && ends_with(func, name, span)).then_some(value)
}

/// Reports whether one variable is the only result that a function can have after a position.
fn ends_with(func: &Func, name: &str, behind: Span) -> bool {
    let mut others = 0;
    walk::statements(&func.body, &mut |statement| {
        if let StatementKind::Return(value) = &statement.kind
            && statement.span.start > behind.start
            && !value.as_ref().is_some_and(|value| is_text(value, name))
        {
            others += 1;
        }
    });
    let last = match func.body.statements.last().map(|last| &last.kind) {
        Some(StatementKind::Expr(last) | StatementKind::Return(Some(last))) => is_text(last, name),
        _ => false,
    };
    last && others == 0
}

/// Reports whether an expression is a variable, or an object with it as its only `text`.
fn is_text(expr: &Expr, name: &str) -> bool {
    match &strip(expr).kind {
        ExprKind::Name(own) => own == name,
        ExprKind::Object(fields) => {
            let mut texts = fields.iter().filter(|(key, _)| key.value == "text");
            let only = (texts.next(), texts.next());
            matches!(only, (Some((_, value)), None)
                if matches!(&strip(value).kind, ExprKind::Name(own) if own == name))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{LoadedSource, MemoryLoader};
    use crate::program::load;
    use contexture_context::Limits;

    /// Returns the lines of the calls that count in a program.
    fn lines(text: &str) -> Vec<u32> {
        let loader = MemoryLoader::new().with(
            "lib.as",
            "agent Clerk {\n  main func(q) {\n    generate({ input: \"Reply.\" })\n  }\n}",
        );
        let root = LoadedSource { name: "main.as".to_owned(), text: text.to_owned() };
        let program = load(root, &loader, &Limits::default());
        let agent = program.main_agent(0).unwrap();
        let found = answer_sites(&program, agent, program.entry(agent).unwrap());
        found.iter().map(|position| position.line).collect()
    }

    #[test]
    fn cp_8_call_that_ends_function_is_answer() {
        assert_eq!(lines("main func(x) {\n generate({ input: \"a\" })\n}"), [2]);
        assert_eq!(lines("main func(x) {\n return (generate({ input: \"a\" }))\n}"), [2]);
        let both = "main func(x) {\n if x {\n return generate({ input: \"a\" })\n }\n generate({ input: \"b\" })\n}";
        assert_eq!(lines(both), [3, 5]);
        let object = "main func(x) {\n { text: generate({ input: \"a\" }), more: 1 }\n}";
        assert_eq!(lines(object), [2]);
        let looped =
            "main func(x) {\n for y in x max 3 {\n return generate({ input: \"a\" })\n }\n}";
        assert_eq!(lines(looped), [3]);
    }

    #[test]
    fn cp_8_variable_set_once_and_returned_is_answer() {
        assert_eq!(lines("main func(x) {\n a = generate({ input: \"a\" })\n y = 1\n a\n}"), [2]);
        assert_eq!(
            lines("main func(x) {\n a = generate({ input: \"a\" })\n { text: a, n: 1 }\n}"),
            [2]
        );
        let early = "main func(x) {\n if x { return \"no\" }\n a = generate({ input: \"a\" })\n return a\n}";
        assert_eq!(lines(early), [3]);
    }

    #[test]
    fn cp_8_intermediate_call_is_not_answer() {
        for text in [
            "main func(x) {\n generate({ input: \"a\" }) -> { a string }\n}",
            "main func(x) {\n generate({ input: \"a\" }) + \"!\"\n}",
            "main func(x) {\n a = generate({ input: \"a\" })\n a.trim()\n}",
            "main func(x) {\n a = generate({ input: \"a\" })\n a += \"!\"\n a\n}",
            "main func(x) {\n a = generate({ input: \"a\" })\n if x { a = \"b\" }\n a\n}",
            "main func(x) {\n a = generate({ input: \"a\" })\n if a { return \"b\" }\n a\n}",
            "main func(x) {\n a = generate({ input: \"a\" })\n try { return 1 } else e { 2 }\n a\n}",
            "main func(x) {\n a = generate({ input: \"a\" })\n if x { return a }\n}",
            "main func(x) {\n if x { a = generate({ input: \"a\" }) }\n a\n}",
            "main func(a) {\n a = generate({ input: \"a\" })\n a\n}",
            "main func(x) {\n try { generate({ input: \"a\" }) } else e { \"b\" }\n}",
            "main func(x) {\n try { return generate({ input: \"a\" }) } else e { \"b\" }\n 1\n}",
            "main func(x) {\n if x { generate({ input: \"a\" }) }\n}",
            "main func(x) {\n { text: { text: generate({ input: \"a\" }) } }\n}",
            "main func(x) {\n { text: 1, text: generate({ input: \"a\" }) }\n}",
            "main func(x) {\n { answer: generate({ input: \"a\" }) }\n}",
            "main func(x) {\n [generate({ input: \"a\" })]\n}",
        ] {
            assert_eq!(lines(text), [0; 0], "{text}");
        }
    }

    #[test]
    fn cp_8_function_called_only_at_end_counts() {
        let once = "func say(q) {\n generate({ input: \"a\" })\n}\nmain func(x) {\n say(x)\n}";
        assert_eq!(lines(once), [2]);
        let twice =
            "func say(q) {\n generate({ input: \"a\" })\n}\nmain func(x) {\n say(say(x))\n}";
        assert_eq!(lines(twice), [0; 0]);
        let named = "func say(q) {\n generate({ input: \"a\" })\n}\nmain func(x) {\n y = x.map(say)\n say(x)\n}";
        assert_eq!(lines(named), [0; 0]);
        let inside = "func say(q) {\n { text: generate({ input: \"a\" }) }\n}\nmain func(x) {\n { text: say(x) }\n}";
        assert_eq!(lines(inside), [0; 0]);
        let own = "main func say(q) {\n if q { return generate({ input: \"a\" }) }\n say(1)\n}";
        assert_eq!(lines(own), [2], "it is called again, but what it says is then the end");
    }

    #[test]
    fn cp_8_agent_that_is_called_at_end_counts() {
        let agents = "agent Clerk {\n main func(q) {\n generate({ input: \"a\" })\n }\n}\nmain agent {\n main func(x) {\n Clerk(x)\n }\n}";
        assert_eq!(lines(agents), [3]);
        let method = "agent Clerk {\n func say(q) {\n generate({ input: \"a\" })\n }\n}\nmain agent {\n main func(x) {\n Clerk.say(x)\n }\n}";
        assert_eq!(lines(method), [3]);
        let twice = "agent Clerk {\n main func(q) {\n generate({ input: \"a\" })\n }\n}\nmain agent {\n main func(x) {\n y = Clerk(x)\n Clerk(y)\n }\n}";
        assert_eq!(lines(twice), [0; 0]);
        let imported = "import agent Clerk from \"./lib.as\"\nmain func(x) { Clerk(x) }";
        assert_eq!(lines(imported), [3]);
        let renamed = "import agent Desk from \"./lib.as\"\nmain func(x) { Desk(x) }";
        assert_eq!(lines(renamed), [3]);
    }
}
