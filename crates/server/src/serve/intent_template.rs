//! A prompt template as the system prompt of an agent.

use crate::fault::Fault;
use crate::serve::agents::Agent;
use crate::serve::codes;
use contexture::Project;
use contexture::config::Intent;
use contexture::diagnostic::Severity;
use contexture::prompt::{
    PromptError, PromptTemplate, PromptTemplateRegistry, TemplateContext, gather_partials,
};
use contexture::tools::Workspace;
use contexture::tools::paths::Door;
use serde_json::Value;
use std::path::Path;

/// The largest template that is read, in bytes.
const BYTES: u64 = 1 << 20;

/// Creates the agent of an intent with a template. The template is rendered with the intent's `vars`
/// once: texts of users and contexts are data and never part of the system prompt.
///
/// # Errors
/// A [`Fault`] when the template can't be read or rendered, or the type of the answer is invalid.
pub(super) fn agent(project: &Project, intent: &Intent, file: &Path) -> Result<Agent, Fault> {
    let name = &intent.name;
    let wrong = |text: &str| {
        let message = format!("the intent `{name}`: the template {}: {text}", file.display());
        Fault::of(codes::BAD_INTENT, message)
    };
    let prompt = rendered(project, intent, file).map_err(|text| {
        wrong(&text).with_help("`contexture prompt check` shows all faults of a template")
    })?;
    let text = program(&prompt, intent.answer.as_deref());
    let program = project.root.join(file);
    let (_, checked) = contexture::run::load_text(project, &program, &text)?;
    let errors = checked.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let errors: Vec<String> =
        errors.take(5).map(|one| format!("{}[{}]", one.message, one.code)).collect();
    if errors.is_empty() {
        return Ok(Agent {
            name: name.clone(),
            program,
            text: Some(text),
            agent: None,
            models: Vec::new(),
            misfit: None,
            takes_attachments: false,
        });
    }
    let help = "`answer` is a type as programs write it, such as `{ sum number, items list }`";
    Err(wrong(&errors.join("; ")).with_help(help))
}

fn rendered(project: &Project, intent: &Intent, file: &Path) -> Result<String, String> {
    let workspace = Workspace::open(&project.root).map_err(|error| error.to_string())?;
    let read = |workspace: &Workspace, path: &Path| {
        let place =
            workspace.resolve(&path.to_string_lossy()).map_err(|error| error.to_string())?;
        workspace.read_text(&place, BYTES).map_err(|error| error.to_string())
    };
    // The settings name the file; what it includes is the template's word.
    let text = read(&workspace.through(Door::Person), file)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let fault = |error: PromptError| error.to_string();
    let partials: PromptTemplateRegistry = gather_partials(text, |name| {
        let beside = match file.extension() {
            Some(extension) => file.with_file_name(name).with_extension(extension),
            None => file.with_file_name(name),
        };
        read(&workspace, &beside).map(Some).map_err(|error| format!("`{{{{> {name}}}}}`: {error}"))
    })?;
    let template = PromptTemplate::compile(text).map_err(fault)?;
    if !partials.references(&template).is_empty() {
        return Err("it includes references, which the prompt of an intent can't".to_owned());
    }
    let vars = TemplateContext::from_json(&Value::Object(intent.vars.clone())).map_err(fault)?;
    partials.render_template(&template, &vars).map_err(|error| error.to_string())
}

/// Returns the program with this system prompt.
fn program(prompt: &str, answer: Option<&str>) -> String {
    let prompt = Value::from(prompt);
    let answer = answer.map(|answer| format!(" -> {answer}")).unwrap_or_default();
    format!(
        "main func(input {{ text string, messages list }}) {{\n  \
           description {prompt}\n  \
           use input.messages max 4k keep tail as earlier\n  \
           generate({{ input: input.text }}){answer}\n\
         }}\n"
    )
}
