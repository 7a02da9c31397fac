//! The pins of a project as it is now.

use super::digest_of;
use crate::editor::Editor;
use crate::models::default_model;
use crate::packs::{Options as PackOptions, Packs};
use crate::profiles::Profiles;
use crate::project::Project;
use crate::references::{Options, References};
use crate::run::{SetupError, load};
use contexture_context::Digest;
use contexture_core::ModelUri;
use contexture_core::profile::Price;
use contexture_mcp::{Lock, Pins};
use contexture_reference::syntax::Reference;
use contexture_script::program::{Program, ProgramFile};
use contexture_script::syntax::ast::{Import, ImportKind};
use std::path::{Path, PathBuf};

/// The most programs of a project that are looked at; more are refused.
const MAX_PROGRAMS: usize = 10_000;

/// The protocols whose texts lie in the network.
const REMOTE: [&str; 5] = ["http", "https", "ftp", "sftp", "ssh"];

/// What stands for a text that is not read.
const UNREAD: &str = "not read";

struct Collector<'p> {
    project: &'p Project,
    lock: &'p Lock,
    packs: Packs,
    references: References,
    pins: Pins,
}

pub(super) async fn collect(project: &Project, lock: &Lock) -> Result<Pins, SetupError> {
    let programs = Editor::open(project.clone())?.programs(MAX_PROGRAMS + 1);
    if programs.len() > MAX_PROGRAMS {
        let message = format!("the project has more than {MAX_PROGRAMS} programs");
        let help = "name a smaller folder with `--workspace`".to_owned();
        return Err(SetupError::new("too_many_programs", message, Some(help)));
    }
    let mut collector = Collector::open(project, lock)?;
    for name in programs {
        let (program, _) = load(project, &project.root.join(name))?;
        collector.program(&program).await;
    }
    collector.model(&default_model(project, None).uri);
    Ok(collector.pins)
}

/// Returns the pins of one program, without the default model.
#[cfg(feature = "flow")]
pub(super) async fn of_program(
    project: &Project,
    lock: &Lock,
    program: &Program,
) -> Result<Pins, SetupError> {
    let mut collector = Collector::open(project, lock)?;
    collector.program(program).await;
    Ok(collector.pins)
}

impl<'p> Collector<'p> {
    fn open(project: &'p Project, lock: &'p Lock) -> Result<Self, SetupError> {
        let packs = Packs::open(project, PackOptions { offline: true, ..PackOptions::default() });
        let references = References::open(project, &Options::default())?;
        Ok(Self { project, lock, packs, references, pins: Pins::new() })
    }

    fn add(&mut self, kind: &str, name: impl Into<String>, value: impl Into<String>) {
        self.pins.entry(kind.to_owned()).or_default().insert(name.into(), value.into());
    }

    async fn program(&mut self, program: &Program) {
        for file in &program.files {
            let folder = PathBuf::from(file.source.name());
            let folder = folder.parent().unwrap_or(Path::new("")).to_owned();
            for import in file.imports() {
                self.import(file, &folder, import).await;
            }
        }
    }

    async fn import(&mut self, file: &ProgramFile, folder: &Path, import: &Import) {
        let from = import.from.value.as_str();
        match import.kind {
            ImportKind::Llm => {
                let uris = import.groups().into_iter().flatten().map(|uri| uri.value.clone());
                uris.collect::<Vec<_>>().iter().for_each(|uri| self.model(uri));
            }
            ImportKind::File => self.file("files", &folder.join(from)),
            ImportKind::Template => {
                self.file("templates", &folder.join(from));
                let facts = file.templates.iter().find(|(name, _)| *name == import.name.text);
                let partials = facts.map(|(_, facts)| facts.partials.clone()).unwrap_or_default();
                let beside = folder.join(from);
                let beside = beside.parent().unwrap_or(folder);
                partials.iter().for_each(|partial| self.partial(beside, partial));
            }
            ImportKind::Knowledge => self.pack(from),
            ImportKind::Resource => self.reference(folder, from).await,
            ImportKind::Tool => self.tool(from),
            // Their files are files of the program.
            ImportKind::Agent | ImportKind::Shape | ImportKind::Func | ImportKind::Memory => {}
        }
    }

    /// Pins a model by its price, in dollars for a million tokens.
    fn model(&mut self, uri: &str) {
        if uri.trim() == "default" {
            return;
        }
        let named = uri.parse::<ModelUri>().map_or_else(|_| uri.to_owned(), |it| it.to_string());
        let price = Profiles::new(&self.project.config.profiles).of(&named).price;
        let price = price.map(|Price { input, cached, output }| {
            let [input, cached, output] = [input, cached, output].map(|it| it.dollars() * 1e6);
            format!("{input:.4} USD in, {cached:.4} USD cached, {output:.4} USD out")
        });
        self.add("models", named, price.unwrap_or_else(|| "no price".to_owned()));
    }

    fn file(&mut self, kind: &str, path: &Path) {
        let name = plain(path);
        let found = digest_of(self.project, &name);
        self.add(kind, name, found.unwrap_or_else(|| UNREAD.to_owned()));
    }

    /// Pins a partial that lies beside the template; others are imported, and pinned there.
    fn partial(&mut self, folder: &Path, name: &str) {
        let Ok(entries) = std::fs::read_dir(self.project.root.join(folder)) else { return };
        for entry in entries.flatten() {
            let path = PathBuf::from(entry.file_name());
            if path.file_stem().and_then(|stem| stem.to_str()) == Some(name) {
                self.file("templates", &folder.join(path));
            }
        }
    }

    fn pack(&mut self, from: &str) {
        let name = crate::packs::pack_of(from).unwrap_or_else(|| from.to_owned());
        let found = self.packs.discovery().open(&name).ok().and_then(|pack| pack.digest().ok());
        self.add("packs", name, found.map_or_else(|| UNREAD.to_owned(), |it| it.to_string()));
    }

    async fn reference(&mut self, folder: &Path, text: &str) {
        let Ok(reference) = Reference::parse(text) else { return };
        let public = reference.public();
        let is_remote = reference.levels().any(|level| REMOTE.contains(&level.protocol()));
        let value =
            if is_remote { UNREAD.to_owned() } else { self.digests(&reference, folder).await };
        self.add("references", public, value);
    }

    /// Returns the digest of all texts that a reference leads to.
    async fn digests(&self, reference: &Reference<'_>, folder: &Path) -> String {
        let place = self.references.place_of(&self.project.root.join(folder)).unwrap_or_default();
        let loader = self.references.loader();
        let Ok(route) = loader.route(reference, &place) else { return UNREAD.to_owned() };
        let Ok(loaded) = loader.walk(&route).await else { return UNREAD.to_owned() };
        let texts = loaded.resources.iter();
        let texts: Vec<String> =
            texts.map(|one| format!("{} {:?}", one.reference, one.digest())).collect();
        Digest::of_text(&texts.join("\n")).to_string()
    }

    /// Pins the accepted definitions of the tools of a server.
    fn tool(&mut self, from: &str) {
        let Some(rest) = from.strip_prefix("mcp://") else { return };
        let (server, tool) = rest.split_once('/').unwrap_or((rest, ""));
        let definitions = self.lock.pinned(server).unwrap_or_default();
        let meant = definitions.iter().filter(|it| tool.is_empty() || it.name == tool);
        let pins: Vec<(String, String)> =
            meant.map(|it| (format!("{server}/{}", it.name), it.digest().to_string())).collect();
        pins.into_iter().for_each(|(name, value)| self.add("tools", name, value));
    }
}

/// Returns a path without `.` and `..`, with slashes.
fn plain(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(parts.pop()),
            std::path::Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    parts.join("/")
}
