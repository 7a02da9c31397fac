//! A workspace with a loader over it.

use contexture_context::Trust;
use contexture_context::tokens::tokenizer_for;
use contexture_reference::definition::{Definitions, Layer, Options, Origin};
use contexture_reference::protocols::{Environment, Files, Memory};
use contexture_reference::syntax::Reference;
use contexture_reference::{
    LoadError, LoadFuture, LoadLimits, Loaded, Loader, Place, Plan, PlanOptions, Protocol, Request,
    Resource, Role,
};
use contexture_tools::Workspace;
use std::sync::Arc;
use tempfile::TempDir;

pub(crate) struct Fixture {
    pub(crate) folder: TempDir,
    pub(crate) loader: Loader,
}

impl Fixture {
    /// A workspace with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        Self::limited(files, LoadLimits::default())
    }

    pub(crate) fn limited(files: &[(&str, &str)], limits: LoadLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            write(&folder, name, text.as_bytes());
        }
        let workspace = Arc::new(Workspace::open(folder.path()).unwrap());
        let loader = Loader::new(tokenizer_for("gpt-4o"))
            .with(Arc::new(Files::new(vec![workspace])))
            .with(Arc::new(Memory::of([("tone", "Be brief.\nBe kind.\n"), ("goal", "win")])))
            .with(Arc::new(Environment::of([
                ("LANG".to_owned(), Some("C".to_owned())),
                ("UNSET".to_owned(), None),
            ])))
            .with_limits(limits);
        Self { folder, loader }
    }

    /// Takes a definition file of the workspace.
    pub(crate) fn define(mut self, text: &str) -> Self {
        let mut definitions = Definitions::built_in();
        let origin = Origin::new(Layer::Workspace, "test.resource.md").at(Place::workspace());
        let told = definitions.add(origin, text, &Options::default());
        assert!(told.is_empty(), "{told:?}");
        self.loader = self.loader.with_definitions(definitions);
        self
    }

    /// Adds a protocol.
    pub(crate) fn protocol(mut self, protocol: impl Protocol + 'static) -> Self {
        self.loader = self.loader.with(Arc::new(protocol));
        self
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        write(&self.folder, name, bytes);
    }

    pub(crate) fn load_at(&self, reference: &str, place: &Place) -> Result<Loaded, LoadError> {
        let reference = Reference::parse(reference).unwrap();
        run(self.loader.load(&reference, place))
    }

    pub(crate) fn load(&self, reference: &str) -> Result<Loaded, LoadError> {
        self.load_at(reference, &Place::workspace())
    }

    /// The text of the only resource.
    pub(crate) fn text(&self, reference: &str) -> String {
        let loaded = self.load(reference).unwrap();
        assert_eq!(loaded.resources.len(), 1, "{loaded:?}");
        loaded.resources[0].text().unwrap().to_owned()
    }

    /// The references that were loaded, in order.
    pub(crate) fn names(&self, reference: &str) -> Vec<String> {
        let loaded = self.load(reference).unwrap();
        loaded.resources.into_iter().map(|resource| resource.reference).collect()
    }

    /// The code and the help of a failure.
    pub(crate) fn refused(&self, reference: &str) -> (&'static str, String) {
        let error = self.load(reference).unwrap_err();
        (error.code, error.help.unwrap_or_default())
    }

    pub(crate) fn plan(&self, text: &str, options: &PlanOptions) -> Plan {
        run(self.loader.plan(text, options)).unwrap()
    }
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn write(folder: &TempDir, name: &str, bytes: &[u8]) {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// A protocol of a program's own (REF-24): it gives what reached it.
pub(crate) struct Echo(pub(crate) &'static str);

impl Protocol for Echo {
    fn name(&self) -> &str {
        self.0
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        let passed_on = request.parameters.passed_on.as_deref().unwrap_or("-");
        let text = format!("{} {passed_on}", request.path);
        let resource = Resource::of_text(request.reference, "text/plain", text, Trust::Web);
        Box::pin(async move { Ok(Loaded { resources: vec![resource], ..Loaded::default() }) })
    }
}

/// A protocol that writes down what it was asked for.
#[derive(Default)]
pub(crate) struct Counted {
    pub(crate) reads: Arc<std::sync::Mutex<Vec<String>>>,
}

impl Protocol for Counted {
    fn name(&self) -> &str {
        "count"
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        self.reads.lock().unwrap().push(request.path.to_owned());
        let resource = Resource::of_text(request.reference, "text/plain", "text", Trust::Web);
        Box::pin(async move { Ok(Loaded { resources: vec![resource], ..Loaded::default() }) })
    }
}

/// A protocol whose source `n` is ready when it was asked `n` times.
#[derive(Default)]
pub(crate) struct Patient {
    waiting: std::sync::atomic::AtomicUsize,
    /// The most that ever waited together.
    pub(crate) most: Arc<std::sync::atomic::AtomicUsize>,
}

impl Protocol for Patient {
    fn name(&self) -> &str {
        "patient"
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        use std::sync::atomic::Ordering::Relaxed;
        Box::pin(async move {
            let now = self.waiting.fetch_add(1, Relaxed) + 1;
            self.most.fetch_max(now, Relaxed);
            for _ in 0..request.path.parse::<usize>().unwrap() {
                tokio::task::yield_now().await;
            }
            self.waiting.fetch_sub(1, Relaxed);
            let text = request.path.to_owned();
            let resource = Resource::of_text(request.reference, "text/plain", text, Trust::Web);
            Ok(Loaded { resources: vec![resource], ..Loaded::default() })
        })
    }
}

/// A protocol that gives one text with one trust.
pub(crate) struct Given {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    pub(crate) trust: Trust,
}

impl Protocol for Given {
    fn name(&self) -> &str {
        self.name
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        let resource = Resource::of_text(request.reference, "text/markdown", self.text, self.trust);
        Box::pin(async move { Ok(Loaded { resources: vec![resource], ..Loaded::default() }) })
    }
}
