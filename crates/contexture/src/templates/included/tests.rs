use super::*;
use contexture_context::tokens::tokenizer_for;
use contexture_prompt::{LocatedError, PromptError, PromptTemplate, TemplateContext};
use contexture_reference::protocols::Memory;
use contexture_reference::{LoadFuture, Protocol, Request, Role};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that is never there.
struct Remote {
    asked: AtomicUsize,
}

impl Protocol for Remote {
    fn name(&self) -> &str {
        "sftp"
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let error = LoadError::new("REF4001", request.reference, "no answer").with_help("wait");
        Box::pin(std::future::ready(Err(error)))
    }
}

fn loader() -> (Loader, Arc<Remote>) {
    let remote = Arc::new(Remote { asked: AtomicUsize::new(0) });
    let memory = Memory::of([("tone", "Be {{kind}}."), ("end", "End")]);
    let loader = Loader::new(tokenizer_for("gpt-4o")).with(Arc::new(memory));
    (loader.with(remote.clone()), remote)
}

fn texts(loader: &Loader, template: &PromptTemplate, network: bool) -> IncludedTexts {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let place = |_: Option<&str>| Place::workspace();
    let wanted = template.references();
    let fences = Box::new(|_: &str, trust| (trust >= Trust::External).then(|| Fence::data(trust)));
    let door = Door { loader, fences, network };
    runtime.block_on(IncludedTexts::load_through(&door, wanted, place))
}

fn render(template: &PromptTemplate, texts: &IncludedTexts) -> Result<String, LocatedError> {
    template.render_with(&TemplateContext::new(), texts)
}

#[test]
fn ref_7_texts_are_loaded_once_and_inserted_as_they_are() {
    let (loader, remote) = loader();
    let mut template = PromptTemplate::compile(
        "{{> @memory://tone}} {{> @?memory://end}}{{> p}}{{#if x}}{{> @!sftp://h/a}}{{/if}}",
    )
    .unwrap();
    let partial =
        PromptTemplate::compile(" {{> @memory://tone}}{{#if x}}{{> @!sftp://h/a}}{{/if}}");
    template.register_partial("p", partial.unwrap());
    let texts = texts(&loader, &template, true);
    assert_eq!(render(&template, &texts).unwrap(), "Be {{kind}}. End Be {{kind}}.");
    assert_eq!(remote.asked.load(Ordering::Relaxed), 1);
    let include = Include { reference: "@memory://tone", partial: Some("p") };
    let Some(Ok(found)) = texts.get(include) else { panic!("{texts:?}") };
    assert_eq!((found.trust, found.resources.len()), (Trust::Memory, 1));
    assert_eq!(found.resources[0].digest, Digest::of_text("Be {{kind}}."));
    assert!(texts.get(Include { partial: None, ..include }).is_some());
    assert!(texts.get(Include { partial: Some("q"), ..include }).is_none());
    assert_eq!(texts.failures().count(), 2);
    assert!(!texts.is_empty());
}

#[test]
fn ref_23_a_failure_names_reference_and_cause_without_user_info() {
    let (loader, _) = loader();
    let template = PromptTemplate::compile("\n {{> @sftp://ann:secret@h/a}}").unwrap();
    let texts = texts(&loader, &template, true);
    let error = render(&template, &texts).unwrap_err();
    assert_eq!((error.line, error.column), (2, 6));
    assert_eq!(error.error.to_string(), "`@sftp://h/a` can't be included: no answer");
    assert_eq!(error.error.help(), Some("wait"));
    assert!(matches!(error.error, PromptError::Reference { .. }));
    let told = json!(texts.digests());
    assert_eq!(
        told,
        json!([{
            "reference": "@sftp://h/a",
            "error": { "code": "REF4001", "message": "no answer" },
        }])
    );
}

#[test]
fn as_31_placeholder_replaces_remote_text_without_network() {
    let (loader, remote) = loader();
    let text = "{{> @memory://tone}} {{> @lines:@!sftp://ann:secret@h/a}}";
    let template = PromptTemplate::compile(text).unwrap();
    let texts = texts(&loader, &template, false);
    assert_eq!(render(&template, &texts).unwrap(), "Be {{kind}}. ⟨@lines:@!sftp://h/a⟩");
    assert_eq!(remote.asked.load(Ordering::Relaxed), 0);
    let stands_in: Vec<bool> = texts.texts().map(|text| text.stands_in).collect();
    assert_eq!(stands_in, [false, true]);
    assert_eq!(texts.digests()[1]["placeholder"], true);
}

#[test]
fn ref_4_invalid_reference_is_reported_like_failure() {
    let (loader, _) = loader();
    let template = PromptTemplate::compile("{{> @memory:tone}}{{> @memory://gone}}").unwrap();
    let texts = texts(&loader, &template, true);
    let codes: Vec<&str> = texts.failures().map(|(_, error)| error.code).collect();
    assert_eq!(codes, ["REF1004", "REF3035"]);
}

#[test]
fn ref_14_references_beyond_limit_are_refused() {
    let (loader, _) = loader();
    let limits = contexture_reference::LoadLimits { max_references: 1, ..*loader.limits() };
    let loader = loader.with_limits(limits);
    let template = PromptTemplate::compile("{{> @memory://tone}}{{> @memory://end}}").unwrap();
    let texts = texts(&loader, &template, true);
    assert_eq!(texts.failures().next().unwrap().1.code, "REF3040");
}
