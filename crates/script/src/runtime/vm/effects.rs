//! Requests for effects, assembled from registers.

use super::fiber::{Effect, Frame, Parallel, Rendering, broken, register};
use super::loops;
use crate::capability;
use crate::host::{CallKey, GenerateCall, GenerateOptions, MemoryCall, ToolCall};
use crate::knowledge::{KnowledgeCall, KnowledgeImport, UsedPack};
use crate::reference::{Question, ResourceImport, Used, UsedResource};
use crate::runtime::code::{CandidateSite, GenerateSite, OptionName, Reg, ToolKind, UseSite};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::options;
use crate::runtime::value::fields::Fields;
use crate::runtime::value::json::{json_among, json_and_tag};
use crate::runtime::value::tag::Tag;
use crate::runtime::value::{CONTAINER_BYTES, FIELD_BYTES, Value, copy, secret, unknown};
use crate::syntax::ast::ImportKind;
use crate::template::TemplateCall;
use contexture_context::{DeclaredItem, ItemQuestion, TraceKind};
use contexture_core::policy::{Influence, Narrowed};
use contexture_diagnostic::suggestion;
use serde_json::{Value as Json, json};
use std::rc::Rc;
use std::sync::Arc;

/// The greatest nesting of `parallel for`: each level takes native stack while its iterations run.
const NESTED: usize = 32;

pub(super) fn tool(
    machine: &Machine<'_>,
    argument: &Value,
    site: u32,
    (parallel, control): (bool, Tag),
) -> Checked<Effect> {
    let Some(site) = machine.program.tools.get(site as usize) else { return Err(broken()) };
    if parallel && site.changes {
        return Err(changes(&format!("`{}.{}`", site.binding.name, site.method)));
    }
    machine.meter.tool_call()?;
    let of_bare = of_bare(machine, argument, site.bare.as_deref())?;
    let argument = of_bare.as_ref().unwrap_or(argument);
    let uri = site.binding.uri.as_str();
    let is_http = uri.starts_with("https://") || uri.starts_with("http://");
    let held = if is_http { secret::headers(argument) } else { None };
    let (argument, secrets) = match &held {
        Some((masked, secrets)) => (masked, secrets.clone()),
        None => (argument, Vec::new()),
    };
    let (arguments, tag) = json_and_tag(argument, &machine.meter)?;
    let influence = influence(machine, argument, tag, control)?;
    let place = machine.program.site(&site.place);
    let (binding, method) = (site.binding.clone(), site.method.clone());
    Ok(match site.kind {
        ToolKind::Memory => {
            let memory = binding;
            let call = MemoryCall {
                event: 0,
                key: CallKey::default(),
                memory,
                method,
                arguments,
                influence,
                narrowed: Narrowed::new(),
                site: place,
            };
            Effect::Memory(Box::new(call), tag)
        }
        ToolKind::Tool => {
            let call = ToolCall {
                event: 0,
                key: CallKey::default(),
                tool: binding,
                method,
                arguments,
                secrets,
                on_placeholders: tag.is_placeholder(),
                influence,
                narrowed: Narrowed::new(),
                site: place,
            };
            Effect::Tool(Box::new(call), tag)
        }
        ToolKind::Knowledge => {
            let import = pack(&binding.name, &binding.uri)?;
            let (event, key) = (0, CallKey::default());
            let call = KnowledgeCall { event, key, import, method, arguments, site: place };
            Effect::Knowledge(Box::new(call), tag)
        }
    })
}

/// Returns the object that a bare value stands for: its field is the one required parameter.
fn of_bare(machine: &Machine<'_>, argument: &Value, name: Option<&str>) -> Checked<Option<Value>> {
    let Some(name) = name.filter(|_| !matches!(argument, Value::Object(..) | Value::None(_)))
    else {
        return Ok(None);
    };
    machine.meter.heap(CONTAINER_BYTES + FIELD_BYTES)?;
    argument.mark_held();
    let mut fields = Fields::with_capacity(1);
    fields.set(&Rc::from(name), argument.clone());
    Ok(Some(Value::object(fields, machine.header())))
}

/// Returns what had an influence on a call: on the decision, and on each field of its argument.
fn influence(
    machine: &Machine<'_>,
    argument: &Value,
    tag: Tag,
    control: Tag,
) -> Checked<Influence> {
    let tags = machine.meter.tags();
    let mut arguments = Vec::new();
    match argument {
        Value::Object(object, own) if !tag.is_program() => {
            let own = tags.join(*own, object.header.tag.get());
            for (name, value) in object.fields.borrow().iter() {
                let (_, tag) = json_and_tag(value, &machine.meter)?;
                arguments.push((name.to_string(), tags.label(tags.join(own, tag))));
            }
        }
        _ if !tag.is_program() => arguments.push((String::new(), tags.label(tag))),
        _ => {}
    }
    Ok(Influence { decision: tags.label(control), arguments })
}

/// Returns a pack by the URI of its import, which the checker has checked.
fn pack(name: &str, uri: &str) -> Checked<KnowledgeImport> {
    let Ok(pack) = capability::pack(uri) else {
        let message = format!("`{uri}` does not name a knowledge pack");
        return Err(Fault::new(codes::NOT_A_VALUE, message).help("write `knowledge://name`"));
    };
    Ok(KnowledgeImport { name: name.to_owned(), pack: pack.to_owned() })
}

pub(super) fn template(machine: &Machine<'_>, argument: &Value, site: u32) -> Checked<Effect> {
    let Some(site) = machine.program.templates.get(site as usize) else {
        return Err(broken());
    };
    if !matches!(argument, Value::Object(..)) && !unknown::is(argument) {
        let name = &site.template.name;
        let message = format!("the template `{name}` takes an object, not {}", argument.kind());
        let fault = Fault::new(codes::WRONG_TYPE, message);
        return Err(fault.help(format!("pass its variables by name: `{name}({{ name: … }})`")));
    }
    let (variables, tag) = json_and_tag(argument, &machine.meter)?;
    let variables = if variables.is_object() { variables } else { serde_json::json!({}) };
    let call = TemplateCall {
        event: None,
        key: CallKey::default(),
        template: Arc::clone(&site.template),
        variables,
        on_placeholders: tag.is_placeholder(),
        site: machine.program.site(&site.place),
    };
    Ok(Effect::Template(Box::new(Rendering { import: site.import, call, tag })))
}

#[cold]
fn changes(what: &str) -> Box<Fault> {
    let message = format!("{what} may have an effect, and can't run in a `parallel for`");
    Fault::new(codes::PARALLEL_EFFECT, message)
        .help("return what should be written as the item's value, and write it after the loop")
}

/// Creates a model call: options from `at` on, then for each visible use its value, its candidate
/// and its question.
pub(super) fn generate(
    machine: &Machine<'_>,
    (regs, at): (&[Value], Reg),
    site: u32,
    (parallel, control): (bool, Tag),
) -> Checked<Effect> {
    let Some(site) = machine.program.generates.get(site as usize) else {
        return Err(broken());
    };
    if parallel && site.changes {
        return Err(changes("a tool that the model may call"));
    }
    let first = usize::from(at);
    let values = regs.get(first..).unwrap_or_default();
    let (values, used) = values.split_at_checked(site.options.len()).unwrap_or_default();
    let names = site.options.iter().map(|(name, _)| *name);
    let options::Parsed { instruction, instruction_tag, role, description, options } =
        options::parse(names.zip(values))?;
    machine.meter.model_call()?;
    let tags = machine.meter.tags();
    let others =
        site.options.iter().zip(values).filter(|((name, _), _)| *name != OptionName::Input);
    let tag =
        others.fold(control, |all, (_, value)| tags.influenced(all, value.tag().of_decision()));
    let Shown { items, resources, packs, mut placeholders } = shown(machine, site, used)?;
    if instruction_tag.is_placeholder() {
        placeholders.push("the instruction".to_owned());
    }
    Ok(Effect::Generate(Box::new(GenerateCall {
        event: 0,
        key: CallKey::default(),
        events: machine.trace.ids(),
        site: machine.program.site(&site.place),
        model: site.model.clone(),
        role: role.or_else(|| site.role.clone()),
        description: description.or_else(|| site.description.clone()),
        items,
        resources,
        packs,
        literals: Arc::clone(&site.literals),
        instruction,
        instruction_label: tags.label(instruction_tag),
        decision: tags.label(tag),
        narrowed: Narrowed::new(),
        shape: site.shape.clone(),
        options: GenerateOptions { tools: site.tools.clone(), ..options },
        on_placeholders: machine.placeholders.get(),
        placeholders,
    })))
}

#[derive(Default)]
struct Shown {
    items: Vec<DeclaredItem>,
    resources: Vec<UsedResource>,
    packs: Vec<UsedPack>,
    /// The items that contain placeholder text.
    placeholders: Vec<String>,
}

fn shown(machine: &Machine<'_>, site: &GenerateSite, registers: &[Value]) -> Checked<Shown> {
    let mut shown = Shown::default();
    let mut bytes = 0;
    for (visible, row) in site.uses.iter().zip(registers.chunks(3)) {
        let Some(used) = machine.program.uses.get(visible.number as usize) else { continue };
        let [value, choice, question] = row else { continue };
        let number = candidate_number(used, choice);
        let Some(candidate) = used.candidates.get(number) else { continue };
        let question = asked(used, question)?;
        let by = question.as_ref().map_or(Tag::PROGRAM, |(_, tag)| *tag);
        if let Some((_, import)) = visible.imports.iter().find(|(own, _)| *own == number) {
            shown.import(machine, used, (candidate, question), *import)?;
            if by.is_placeholder() {
                shown.placeholders.push(used.label.as_ref().map_or_else(
                    || "what a question selects".to_owned(),
                    |label| format!("[{label}]"),
                ));
            }
        } else if let Some((mut item, tag)) = item(machine, used, candidate, value, &mut bytes)? {
            let tags = machine.meter.tags();
            if by.is_placeholder() || tag.is_placeholder() {
                shown.placeholders.push(named(&item));
            }
            item.origin = tags.label(tags.influenced(tag, by.of_decision()));
            let most = candidate.most;
            item.question = question.map(|(text, _)| ItemQuestion { text, most });
            shown.items.push(item);
        }
    }
    Ok(shown)
}

/// Returns the question of a `use`, if it has one that is not none.
fn asked(used: &UseSite, question: &Value) -> Checked<Option<(String, Tag)>> {
    match question {
        _ if used.question.is_none() => Ok(None),
        Value::None(_) => Ok(None),
        Value::Str(text, tag) => Ok(Some(((**text).clone(), *tag))),
        other => {
            let message = format!("`for` takes a text to select by, not {}", other.kind());
            let help = "give it a question, such as `for input.question`";
            Err(Fault::new(codes::WRONG_TYPE, message).help(help))
        }
    }
}

fn candidate_number(used: &UseSite, choice: &Value) -> usize {
    match choice {
        Value::Int(number, _) if used.one_of => usize::try_from(*number).unwrap_or_default(),
        _ => 0,
    }
}

impl Shown {
    /// Adds a resource or a pack, which the host loads.
    fn import(
        &mut self,
        machine: &Machine<'_>,
        used: &UseSite,
        (candidate, question): (&CandidateSite, Option<(String, Tag)>),
        import: u32,
    ) -> Checked<()> {
        let Some(import) = machine.program.imports.get(import as usize) else { return Ok(()) };
        if import.kind == ImportKind::Knowledge {
            let pack = pack(&import.name, &import.from)?;
            self.packs.push(self.used(machine, used, (candidate, question), pack));
            return Ok(());
        }
        let resource = ResourceImport {
            name: import.name.clone(),
            reference: import.from.clone(),
            importer: import.importer.clone(),
        };
        self.resources.push(self.used(machine, used, (candidate, question), resource));
        Ok(())
    }

    fn used<I>(
        &self,
        machine: &Machine<'_>,
        used: &UseSite,
        (candidate, question): (&CandidateSite, Option<(String, Tag)>),
        import: I,
    ) -> Used<I> {
        let tags = machine.meter.tags();
        Used {
            question: question.map(|(text, tag)| Question {
                text,
                most: candidate.most,
                label: tags.label(tag.of_decision()),
            }),
            before: self.items.len(),
            resources_before: self.resources.len(),
            import,
            label: used.label.clone(),
            position: machine.program.position(used.place),
            budget: candidate.budget,
            keep: candidate.keep,
            priority: used.priority,
        }
    }
}

fn named(item: &DeclaredItem) -> String {
    item.label.as_ref().map_or_else(|| item.source.clone(), |label| format!("[{label}]"))
}

/// Returns an item; `None` for a candidate that is `empty`.
fn item(
    machine: &Machine<'_>,
    used: &UseSite,
    candidate: &CandidateSite,
    value: &Value,
    bytes: &mut u64,
) -> Checked<Option<(DeclaredItem, Tag)>> {
    let Some(source) = candidate.source else { return Ok(None) };
    let (value, tag) = json_among(value, &machine.meter, bytes)?;
    let label = machine.meter.tags().label(tag);
    let source = crate::runtime::code::Place { file: used.place.file, span: source };
    let item = DeclaredItem {
        label: used.label.clone(),
        source: machine.program.text(source).to_owned(),
        position: Some(machine.program.position(used.place)),
        value,
        budget: candidate.budget,
        keep: candidate.keep,
        priority: used.priority,
        question: None,
        origin: label,
        fence: None,
    };
    Ok(Some((item, tag)))
}

/// Returns the candidate of a `use one of`: the runner's choice, else the selected one, else the
/// first.
pub(super) fn choose(machine: &Machine<'_>, site: u32) -> Checked<Value> {
    let Some(used) = machine.program.uses.get(site as usize) else { return Err(broken()) };
    let number = match machine.chosen(used) {
        None => used.selected,
        Some(name) => {
            let found = used.candidates.iter().position(|candidate| candidate.name == name);
            found.ok_or_else(|| unknown_candidate(used, name))?
        }
    };
    Ok(Value::int(i64::try_from(number).unwrap_or_default()))
}

fn unknown_candidate(used: &UseSite, name: &str) -> Box<Fault> {
    let known: Vec<&str> =
        used.candidates.iter().map(|candidate| candidate.name.as_str()).collect();
    let help = suggestion(name, known.iter().copied())
        .unwrap_or_else(|| format!("the candidates are {}", known.join(", ")));
    let message = format!("no candidate is called `{name}`, which the runner chose");
    Fault::new(codes::UNKNOWN_CANDIDATE, message).help(help)
}

/// Creates a `parallel for`, with the instruction where its parent continues.
pub(super) fn parallel(
    machine: &Machine<'_>,
    regs: &[Value],
    (at, site): (Reg, u32),
    here: Frame,
    (event, nested, depth): (Option<u64>, usize, usize),
    control: Tag,
) -> Checked<(Effect, u32)> {
    let Some(found) = machine.program.parallels.get(site as usize) else {
        return Err(broken());
    };
    if nested >= NESTED {
        let message = format!("`parallel for` is nested deeper than {NESTED}");
        return Err(
            Fault::limit(codes::NESTED_PARALLEL, message).help("use `for` in the inner loops")
        );
    }
    let unknown = unknown::list(machine, register(regs, at))?;
    let list = unknown.as_ref().unwrap_or(register(regs, at));
    let count = loops::length(list, "`parallel for`")?;
    let bound = register(regs, at + 1);
    let most = loops::bound(bound, true)?;
    let tags = machine.meter.tags();
    let mut tag = tags.influenced(control, bound.tag().of_decision());
    if count > most {
        loops::cut_list(machine, event, (regs, at), found.loop_site, (count, most));
    }
    let items = match list {
        Value::List(list, own) => {
            let of_list = tags.join(*own, list.header.tag.get()).of_decision();
            tag = tags.influenced(tag, of_list);
            let taken = usize::try_from(most).unwrap_or(usize::MAX);
            let items = list.items.borrow();
            items.iter().take(taken).map(|item| item.clone().under(of_list, tags)).collect()
        }
        _ => Vec::new(),
    };
    let window = regs.get(..usize::from(found.variable)).unwrap_or_default().to_vec();
    let effect = Parallel {
        site,
        function: here.function,
        start: here.pc,
        window,
        items,
        tag,
        truncated: count > most,
        nested: nested + 1,
        depth,
    };
    Ok((Effect::Parallel(Box::new(effect)), found.end))
}

/// Records what the program says that it does (CA-8).
pub(super) fn progress(machine: &Machine<'_>, event: Option<u64>, value: &Value) -> Checked<()> {
    let (Json::String(text), _) = json_and_tag(value, &machine.meter)? else {
        let fault = Fault::new(codes::ARGUMENTS, "`progress` takes a text");
        return Err(fault.help("put the value into a text: `progress \"\" + value`"));
    };
    machine.trace.instant(event, TraceKind::Progress, json!({ "text": text }));
    Ok(())
}

/// Lets up a value for the reason that its program gives, and records that (GU-4).
pub(super) fn release(
    machine: &Machine<'_>,
    event: Option<u64>,
    value: &Value,
    site: u32,
) -> Checked<Value> {
    let Some(site) = machine.program.releases.get(site as usize) else { return Err(broken()) };
    let at = machine.program.position(site.place);
    let (_, tag) = json_and_tag(value, &machine.meter)?;
    let label = machine.meter.tags().label(tag);
    let data = json!({
        "reason": site.reason, "trust": label.trust, "sources": label.sources,
        "file": at.file, "line": at.line, "column": at.column,
    });
    machine.trace.instant(event, TraceKind::Release, data);
    let way = format!("trust(\"{}\")", site.reason);
    copy::released(value, &machine.meter, machine.epoch(), &way)
}
