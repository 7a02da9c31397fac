//! Duplicate names, several entry points, and a missing entry point (AS-1).

use super::Checker;
use crate::codes;
use crate::program::functions_of;
use crate::syntax::ast::{Func, Item, Name};
use contexture_diagnostic::Span;
use std::collections::HashMap;

impl<'p> Checker<'p, '_> {
    /// Reports duplicate names in a file or an agent, and second mains.
    pub(super) fn duplicates(&mut self) {
        let Some(file) = self.program.files.get(self.file) else { return };
        self.duplicates_among(&file.parsed.file.items);
        for (_, agent) in file.agents() {
            self.duplicates_among(&agent.items);
        }
        let text = file.source.text();
        let mains = file.agents().filter(|(_, agent)| agent.main);
        let places: Vec<Span> =
            mains.map(|(_, agent)| head(text, agent.span, agent.name.as_ref())).collect();
        self.second_mains(&places, "more than one `main agent` in a file");
        if let (Some(agent), Some(func)) = (places.first(), file.functions().find(|func| func.main))
        {
            let (message, help) = match func.is_script {
                true => (
                    "the file has a `main agent` and statements at its top level",
                    "keep one: move the statements into the agent's `main func`",
                ),
                false => (
                    "the file has a `main agent` and a top-level `main func`",
                    "keep one: move the function into the agent",
                ),
            };
            let fault = codes::SEVERAL_MAINS.at(head_of(text, func), message);
            self.push(fault.with_label(*agent, "the main agent").with_help(help));
        }
    }

    fn duplicates_among(&mut self, items: &'p [Item]) {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for name in items.iter().filter_map(Item::name).filter(|name| !name.text.is_empty()) {
            if let Some(first) = seen.get(name.text.as_str()) {
                let message = format!("duplicate declaration of `{}`", name.text);
                let fault = codes::DUPLICATE_NAME.at(name.span, message);
                let fault = fault.with_label(*first, "first declared here");
                self.push(fault.with_help("rename one of them"));
            } else {
                seen.insert(&name.text, name.span);
            }
        }
        let mains = functions_of(items).filter(|func| func.main && !func.is_script);
        let text = self.program.files.get(self.file).map_or("", |file| file.source.text());
        let places: Vec<Span> = mains.map(|main| head_of(text, main)).collect();
        self.second_mains(&places, "more than one `main func` in an agent");
        let script = functions_of(items).find(|func| func.is_script);
        if let (Some(main), Some(script)) = (places.first(), script) {
            let message = "the file has a `main func` and statements at its top level";
            let fault = codes::SEVERAL_MAINS.at(head_of(text, script), message);
            let fault = fault.with_label(*main, "the main function");
            self.push(fault.with_help("keep one: move the statements into the function"));
        }
    }

    fn second_mains(&mut self, places: &[Span], message: &str) {
        let Some((first, others)) = places.split_first() else { return };
        for place in others {
            let fault =
                codes::SEVERAL_MAINS.at(*place, message).with_label(*first, "the first one");
            self.push(fault.with_help("remove `main` from one of them"));
        }
    }

    pub(super) fn mains(&mut self) {
        if self.file != 0 || self.broken {
            return;
        }
        let Some(file) = self.program.files.first() else { return };
        match self.program.main_agent(0) {
            None => self.no_main_agent(file),
            Some(id) if self.declarations.entry(id).is_none() => {
                let functions = self.program.functions(id);
                let agent = self.program.agent(id);
                let text = file.source.text();
                let place = match (agent, functions.first()) {
                    (Some(agent), _) => head(text, agent.span, agent.name.as_ref()),
                    (None, Some(func)) => head_of(text, func),
                    (None, None) => Span::at(0),
                };
                self.no_main_func(place, &functions);
            }
            Some(_) => {}
        }
    }

    fn no_main_agent(&mut self, file: &'p crate::program::ProgramFile) {
        let names: Vec<&Name> =
            file.agents().filter_map(|(_, agent)| agent.name.as_ref()).collect();
        let (span, message) = match names.first() {
            Some(first) => {
                let message = format!("the file has {} agents and no `main agent`", names.len());
                (first.span, message)
            }
            None => (Span::at(0), "the file has nothing to run".to_owned()),
        };
        let help = match names.first() {
            Some(_) => "mark the one to start with as `main agent`",
            None => "add `main func(input) { … }`",
        };
        self.push(codes::MISSING_MAIN.at(span, message).with_help(help));
    }

    fn no_main_func(&mut self, place: Span, functions: &[&Func]) {
        let message = match functions.len() {
            0 => "the main agent has no functions".to_owned(),
            count => format!("there are {count} functions and no `main func`"),
        };
        let help = if functions.is_empty() {
            "add `main func(input) { … }`"
        } else {
            "mark the one to start with as `main func`"
        };
        self.push(codes::MISSING_MAIN.at(place, message).with_help(help));
    }
}

/// Returns the place that stands for a function: its name, or where it begins.
fn head_of(text: &str, func: &Func) -> Span {
    match func.body.statements.first().filter(|_| func.is_script) {
        Some(first) => first.span,
        None => head(text, func.span, func.name.as_ref()),
    }
}

fn head(text: &str, span: Span, name: Option<&Name>) -> Span {
    // The word `main`, or the beginning of what is taken for it.
    let end = text.ceil_char_boundary(span.start as usize + 4);
    let end = u32::try_from(end).unwrap_or(u32::MAX).min(span.end);
    name.map_or(Span::new(span.start, end), |name| name.span)
}
