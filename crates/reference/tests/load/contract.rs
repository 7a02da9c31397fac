//! Our own protocols keep the contract that is open to everybody (REF-24).

use crate::support::run;
use contexture_context::Trust;
use contexture_core::contract::{ProtocolExample, protocol};
use contexture_reference::protocols::{Environment, Files, Memory};
use contexture_reference::{
    LoadError, LoadFuture, Loaded, Protocol, Request, Resource, Role, processors,
};
use contexture_tools::Workspace;
use std::sync::Arc;

#[test]
fn ref_24_files_keep_contract() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("docs")).unwrap();
    std::fs::write(folder.path().join("docs/a.md"), "# A\n").unwrap();
    std::fs::write(folder.path().join("docs/b.md"), "# B\n").unwrap();
    let files = Files::new(vec![Arc::new(Workspace::open(folder.path()).unwrap())]);
    run(protocol(&files, &ProtocolExample::source("docs/a.md", "docs/c.md")));
    run(protocol(&files, &ProtocolExample::source("docs/*.md", "../docs/a.md")));
}

#[test]
fn ref_24_memory_keeps_contract() {
    let memory = Memory::of([("tone", "Be brief.\n")]);
    run(protocol(&memory, &ProtocolExample::source("tone", "tune")));
}

#[test]
fn ref_24_environment_keeps_contract() {
    let variables = [("LANG".to_owned(), Some("C".to_owned())), ("UNSET".to_owned(), None)];
    let environment = Environment::of(variables);
    run(protocol(&environment, &ProtocolExample::source("LANG", "UNSET")));
    run(protocol(&environment, &ProtocolExample::source("LANG", "HOME")));
}

#[test]
fn ref_24_processors_keep_contract() {
    for processor in processors::built_in() {
        let text = match processor.name() {
            "json" | "yaml" => "{\"a\": [1, 2]}",
            _ => "# Title\n\nA text.\n",
        };
        let input = Resource::of_text("@memory://a", "text/markdown", text, Trust::Memory);
        run(protocol(&*processor, &ProtocolExample::processor(input)));
    }
}

/// A protocol that breaks the contract in one way.
struct Broken(&'static str);

impl Protocol for Broken {
    fn name(&self) -> &str {
        if self.0 == "name" { "Broken" } else { "broken" }
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        let shown = if self.0 == "secret" { request.path } else { request.reference };
        let found = request.path.ends_with("here") || self.0 == "missing";
        let resource = Resource::of_text(format!("@x://{shown}"), "text/plain", "", Trust::Tool);
        let loaded = Loaded { resources: vec![resource], ..Default::default() };
        let failed = LoadError::new("NONE", request.reference, "not found");
        Box::pin(async move { if found { Ok(loaded) } else { Err(failed) } })
    }
}

#[test]
fn ref_24_protocol_that_breaks_contract_fails_suite() {
    let example = ProtocolExample {
        secrets: vec!["pass99".to_owned()],
        ..ProtocolExample::source("ann:pass99@host/here", "host/gone")
    };
    run(protocol(&Broken("nothing"), &example));
    for (fault, reason) in [
        ("name", "must be a lower-case letter"),
        ("secret", "a secret of the path is shown"),
        ("missing", "is found"),
    ] {
        let example = example.clone();
        let broken = std::thread::spawn(move || run(protocol(&Broken(fault), &example)));
        let panic = broken.join().unwrap_err();
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or_default();
        assert!(said.contains(reason), "{fault}: {said}");
    }
}
