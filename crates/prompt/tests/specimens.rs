//! Every file in `specimens/` is a context as JSON, a line `---`, and a template. Partials follow
//! after lines `--- name`. The snapshot contains the template with its rendering or its error.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test that reads its specimens"
)]

use contexture_prompt::{PromptTemplate, PromptTemplateRegistry, TemplateContext};
use std::fmt::Write;

#[test]
fn pt_1_specimens() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/specimens");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10);
    for file in files {
        let specimen = std::fs::read_to_string(&file).unwrap();
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let name = file.file_stem().unwrap().to_str().unwrap();
        settings.bind(|| insta::assert_snapshot!(name, outcome(&specimen)));
    }
}

fn outcome(specimen: &str) -> String {
    let (vars, rest) = specimen.split_once("---\n").expect("a line of dashes");
    let mut parts = rest.split("\n--- ");
    let source = parts.next().unwrap_or_default();
    let mut registry = PromptTemplateRegistry::new();
    for part in parts {
        let (name, text) = part.split_once('\n').expect("a name and a text");
        registry.register_lazy(name, text);
    }
    let vars = TemplateContext::from_json_str(vars).expect("a JSON object");
    let mut out = format!("{source}\n======== renders to\n");
    match PromptTemplate::compile(source) {
        Err(error) => write!(out, "{error}"),
        Ok(template) => {
            match registry.render_template(&template, &vars) {
                Ok(text) => write!(out, "{text}"),
                Err(error) => write!(out, "{error}"),
            }
            .unwrap();
            let needs = registry.requirements(&template).into_iter();
            let needs: Vec<_> = needs.map(|one| format!("{}: {:?}", one.name, one.need)).collect();
            write!(out, "\n======== needs\n{}", needs.join("\n"))
        }
    }
    .unwrap();
    out
}
