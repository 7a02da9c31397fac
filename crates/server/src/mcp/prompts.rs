//! The prompt templates of a folder, as prompts (WA-9).
//!
//! Decision: arguments of prompts are texts in this protocol, and templates also go over lists and read
//! fields. So a list or an object is given as JSON, and the argument's description says so. What a
//! template includes is read anew for each prompt, as files change while they are served.

use crate::fault::Fault;
use crate::mcp::{codes, said};
use contexture::diagnostic::suggestion;
use contexture::packs;
use contexture::prompt::codes as template;
use contexture::templates::{StandaloneTemplate, TemplateShelf, TemplateVariable};
use contexture::{Project, run::SetupError};
use rmcp::model::{JsonObject, Prompt as Definition, PromptArgument};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The most templates of a folder.
const MOST: usize = 500;
/// The ends of names of templates.
const EXTENSIONS: [&str; 4] = ["hbs", "md", "prompt", "txt"];

/// The codes of templates about what a client gave.
const OF_CLIENT: [&str; 2] = [template::VARIABLE_NOT_FOUND.code, template::NOT_AN_ARRAY.code];

/// The prompts of a project.
pub(crate) struct Prompts {
    shelf: TemplateShelf,
    files: BTreeMap<String, PathBuf>,
}

/// The reason why a prompt can't be given.
#[derive(Debug)]
pub(crate) enum NoPrompt {
    /// The client asked for one that does not exist, or gave arguments that do not fit.
    OfClient(String),
    /// The template can't be used.
    Failed(Fault),
}

impl Prompts {
    /// Finds the templates of a folder; returns them and the reasons against the others.
    ///
    /// # Errors
    /// A [`Fault`] when the folder or the workspace can't be read.
    pub(crate) fn open(
        project: &Project,
        packs: packs::Options,
        folder: Option<&Path>,
    ) -> Result<(Self, Vec<Fault>), Fault> {
        let shelf = TemplateShelf::open(project, packs)?;
        let (mut files, mut notices, mut partials) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
        for file in folder.map(files_of).transpose()?.unwrap_or_default() {
            let name = file.file_stem().map(|stem| said::line(&stem.to_string_lossy()));
            let name = name.unwrap_or_default();
            match shelf.read(&file) {
                Err(error) => notices.push(not_served(&file, &error)),
                Ok(_) if files.contains_key(&name) => {
                    let message = format!("another template is called `{name}`");
                    notices.push(Fault::of(codes::PROMPT_NOT_SERVED, told(&file, &message)));
                }
                Ok(template) => {
                    partials.extend(template.partials().map(str::to_owned));
                    files.insert(name, file);
                }
            }
        }
        // What another one includes is a part, and no prompt by itself.
        files.retain(|name, _| !partials.contains(name));
        Ok((Self { shelf, files }, notices))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the names of the prompts, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns the definitions; a template that was spoilt meanwhile is left out.
    pub(crate) fn definitions(&self) -> Vec<Definition> {
        let files = self.files.iter();
        let all =
            files.filter_map(|(name, file)| Some(definition(name, &self.shelf.read(file).ok()?)));
        all.collect()
    }

    /// Returns the description and the text of a prompt.
    pub(crate) async fn get(
        &self,
        name: &str,
        arguments: Option<JsonObject>,
    ) -> Result<(Option<String>, String), NoPrompt> {
        let Some(file) = self.files.get(name) else {
            let help = suggestion(name, self.names()).map(|help| format!("; {help}"));
            let message = format!("there is no prompt `{name}`{}", help.unwrap_or_default());
            return Err(NoPrompt::OfClient(message));
        };
        let template = self.shelf.read(file).map_err(|error| NoPrompt::Failed(error.into()))?;
        let given = given(name, &template.variables, arguments.unwrap_or_default())
            .map_err(NoPrompt::OfClient)?;
        let text = template.render(given).await.map_err(|error| match error.code.as_str() {
            code if OF_CLIENT.contains(&code) => NoPrompt::OfClient(error.message),
            _ => NoPrompt::Failed(error.into()),
        })?;
        Ok((template.description(), text))
    }
}

/// Returns the files of the folder itself that can be templates, sorted.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let unreadable = |error: std::io::Error| {
        let message = format!("the folder of prompts {} can't be read: {error}", folder.display());
        Fault::of(codes::NO_PROMPTS, message).with_help("give `--prompts` a folder that exists")
    };
    let folder = std::path::absolute(folder).map_err(unreadable)?;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.is_some_and(|it| EXTENSIONS.contains(&it)) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    files.truncate(MOST);
    Ok(files)
}

fn definition(name: &str, template: &StandaloneTemplate) -> Definition {
    let argument = |variable: &TemplateVariable| {
        PromptArgument::new(&variable.name)
            .with_description(about(variable))
            .with_required(variable.is_required)
    };
    let arguments = template.variables.iter().map(argument).collect();
    Definition::new(name, template.description(), Some(arguments))
}

/// Describes what an argument holds.
fn about(variable: &TemplateVariable) -> String {
    match variable.fields.as_slice() {
        _ if variable.is_list => "a list, as JSON".to_owned(),
        [] => "a text".to_owned(),
        fields => format!("an object, as JSON, with {}", fields.join(", ")),
    }
}

/// Reads the arguments of a prompt.
fn given(
    prompt: &str,
    variables: &[TemplateVariable],
    arguments: JsonObject,
) -> Result<Map<String, Value>, String> {
    let names = || variables.iter().map(|variable| variable.name.as_str());
    if let Some(unknown) = arguments.keys().find(|name| !names().any(|known| known == *name)) {
        let help = suggestion(unknown, names()).map(|help| format!("; {help}"));
        let help = help.unwrap_or_default();
        return Err(format!("the prompt `{prompt}` has no argument `{unknown}`{help}"));
    }
    let is_missing =
        |one: &&TemplateVariable| one.is_required && !arguments.contains_key(&one.name);
    let missing: Vec<&str> =
        variables.iter().filter(is_missing).map(|one| one.name.as_str()).collect();
    if !missing.is_empty() {
        return Err(format!("the prompt `{prompt}` needs the argument `{}`", missing.join("`, `")));
    }
    let read = |(name, value): (String, Value)| {
        let variable = variables.iter().find(|variable| variable.name == name);
        let is_json = variable.is_some_and(|one| one.is_list || !one.fields.is_empty());
        match value {
            Value::String(text) if is_json => match serde_json::from_str(&text) {
                Ok(value) => Ok((name, value)),
                Err(error) => Err(format!("the argument `{name}` is not JSON: {error}")),
            },
            value => Ok((name, value)),
        }
    };
    arguments.into_iter().map(read).collect()
}

fn told(file: &Path, reason: &str) -> String {
    format!("{} is not offered: {reason}", file.display())
}

fn not_served(file: &Path, error: &SetupError) -> Fault {
    let message = format!("{} ({})", error.message, error.code);
    let fault = Fault::of(codes::PROMPT_NOT_SERVED, told(file, &message));
    Fault { help: error.help.clone(), ..fault }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn variable(name: &str, is_required: bool, is_list: bool, fields: &[&str]) -> TemplateVariable {
        let fields = fields.iter().map(|field| (*field).to_owned()).collect();
        TemplateVariable { name: name.to_owned(), is_required, is_list, fields }
    }

    fn read(arguments: Value) -> Result<Value, String> {
        let variables = [
            variable("name", true, false, &[]),
            variable("notes", false, true, &[]),
            variable("user", false, false, &["mail", "age"]),
        ];
        let Value::Object(arguments) = arguments else { panic!() };
        given("letter", &variables, arguments).map(Value::Object)
    }

    #[test]
    fn wa_9_arguments_of_prompt_are_texts_lists_and_objects() {
        let given = json!({ "name": "[1]", "notes": "[\"茶\"]", "user": "{\"mail\":\"a@b\"}" });
        let values = json!({ "name": "[1]", "notes": ["茶"], "user": { "mail": "a@b" } });
        assert_eq!(read(given), Ok(values));
        assert_eq!(
            about(&variable("user", false, false, &["mail", "age"])),
            "an object, as JSON, with mail, age"
        );
    }

    #[test]
    fn wa_9_wrong_arguments_of_prompt_are_named() {
        let missing = read(json!({ "notes": "[]" })).unwrap_err();
        assert_eq!(missing, "the prompt `letter` needs the argument `name`");
        let unknown = read(json!({ "nmae": "Ada" })).unwrap_err();
        assert!(unknown.contains("no argument `nmae`; did you mean `name`?"), "{unknown}");
        let text = read(json!({ "name": "Ada", "notes": "tea" })).unwrap_err();
        assert!(text.starts_with("the argument `notes` is not JSON"), "{text}");
    }
}
