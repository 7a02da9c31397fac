//! Partials of templates in files: the file that a name means, and the files that a template needs.
//!
//! Decision: this module works on names and texts; the caller reads files. So the command line,
//! programs and anything else that keeps templates in files follow one rule.

use super::check::check;
use super::registry::PromptTemplateRegistry;
use std::path::Path;

/// A partial's name that matches several files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` matches several files: {}", .files.join(", "))]
pub struct AmbiguousPartial {
    /// The name, as in `{{> name}}`.
    pub name: String,
    /// The matching files.
    pub files: Vec<String>,
}

/// Returns the file of a folder that a partial's name means: the one of that stem; of several the
/// one with the template's own extension.
///
/// ```
/// use contexture_prompt::partial_file;
///
/// let folder = ["tone.md", "tone.txt", "list.txt"];
/// assert_eq!(partial_file("tone", folder, "review.md")?, Some("tone.md"));
/// assert_eq!(partial_file("list", folder, "review.md")?, Some("list.txt"));
/// assert_eq!(partial_file("end", folder, "review.md")?, None);
/// assert!(partial_file("tone", folder, "review.hbs").is_err());
/// # Ok::<(), contexture_prompt::AmbiguousPartial>(())
/// ```
///
/// # Errors
/// [`AmbiguousPartial`] if several files match equally.
pub fn partial_file<'a>(
    name: &str,
    files: impl IntoIterator<Item = &'a str>,
    template: &str,
) -> Result<Option<&'a str>, AmbiguousPartial> {
    let own = Path::new(template).extension();
    let named = |file: &&str| stem(file) == Some(name);
    let files: Vec<&str> = files.into_iter().filter(named).collect();
    let mut alike = files.iter().filter(|file| Path::new(file).extension() == own);
    match (files.as_slice(), alike.next(), alike.next()) {
        ([], ..) => Ok(None),
        ([only], ..) | (_, Some(only), None) => Ok(Some(only)),
        _ => Err(AmbiguousPartial {
            name: name.to_owned(),
            files: files.into_iter().map(str::to_owned).collect(),
        }),
    }
}

fn stem(file: &str) -> Option<&str> {
    Path::new(file).file_stem()?.to_str()
}

/// Gathers the partials that a template includes, directly and through other partials, each
/// requested once. A name that `find` does not know is left out.
///
/// ```
/// use contexture_prompt::{PromptTemplate, TemplateContext, gather_partials};
///
/// let files = [("head", "{{> logo}} Shop"), ("logo", "*"), ("unused", "{{")];
/// let find = |name: &str| {
///     let found = files.iter().find(|(known, _)| *known == name);
///     Ok::<_, std::convert::Infallible>(found.map(|(_, text)| (*text).to_owned()))
/// };
/// let text = "{{> head}}: {{offer}}";
/// let partials = gather_partials(text, find)?;
/// assert_eq!(partials.names().collect::<Vec<_>>(), ["head", "logo"]);
///
/// let template = PromptTemplate::compile(text)?;
/// let vars = TemplateContext::from_json(&serde_json::json!({"offer": "tea"}))?;
/// assert_eq!(partials.render_template(&template, &vars)?, "* Shop: tea");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Whatever `find` fails with.
pub fn gather_partials<E>(
    text: &str,
    mut find: impl FnMut(&str) -> Result<Option<String>, E>,
) -> Result<PromptTemplateRegistry, E> {
    let mut registry = PromptTemplateRegistry::new();
    let mut asked = std::collections::BTreeSet::new();
    let mut open = check(text).partials;
    while let Some(name) = open.pop() {
        if !asked.insert(name.clone()) {
            continue;
        }
        if let Some(text) = find(&name)? {
            open.extend(check(&text).partials);
            registry.register_lazy(&name, &text);
        }
    }
    Ok(registry)
}
