//! The faults of a program's packs before it runs (AS-2, KN-5), and the consent that they need.

use super::consent::Question;
use super::error::PacksError;
use super::on_demand::OnDemand;
use super::reference::pack_of;
use contexture_diagnostic::Severity;
use contexture_knowledge::Status;
use contexture_knowledge::codes;
use contexture_knowledge::discovery::Found;
use contexture_script::knowledge::{KnowledgeFault, KnowledgeImport};
use contexture_script::program::Program;
use contexture_script::syntax::ast::ImportKind;

/// Returns the faults of an imported pack.
pub(crate) fn faults(packs: &OnDemand, import: &KnowledgeImport) -> Vec<KnowledgeFault> {
    if !cfg!(feature = "knowledge") {
        return vec![missing()];
    }
    let discovery = packs.get().discovery();
    match discovery.packs.iter().find(|found| found.item.name == import.pack) {
        Some(found) => state(found).into_iter().collect(),
        None => unknown(packs, &import.pack).into_iter().collect(),
    }
}

/// Returns the fault of an import that this build can't serve.
fn missing() -> KnowledgeFault {
    let PacksError { code, message, help, .. } = PacksError::missing();
    KnowledgeFault { code, severity: Severity::Error, message, help }
}

/// Returns the fault of a pack's status. A missing consent matters to a run, not to a check.
fn state(found: &Found) -> Option<KnowledgeFault> {
    let name = &found.item.name;
    let (told, help) = match found.item.status {
        Status::Ready => return None,
        Status::Draft => ("is a draft", "a run asks before it is used; `--allow-pack` allows it"),
        Status::Disputed => {
            ("is disputed", "a run asks before it is used; `--allow-pack` allows it")
        }
        Status::NeedsReview => ("needs review: it may have gaps", "have it reviewed"),
        Status::Stale => ("is stale: it may no longer be true", "have it brought up to date"),
        Status::Archived => ("is archived, and no program may read it", "name another pack"),
    };
    let severity =
        if found.item.status == Status::Archived { Severity::Error } else { Severity::Warning };
    Some(KnowledgeFault {
        code: codes::NOT_CURRENT.code,
        severity,
        message: format!("the knowledge pack `{name}` {told}"),
        help: Some(help.to_owned()),
    })
}

/// Returns the fault of a pack that was not found, with the finding if it is there but not used.
fn unknown(packs: &OnDemand, name: &str) -> Option<KnowledgeFault> {
    let discovery = packs.get().discovery();
    let error = discovery.open(name).err()?;
    let refused = discovery.findings.iter().find(|finding| {
        let folder = if finding.path.ends_with(contexture_knowledge::pack::GUIDE_FILE) {
            finding.path.parent()
        } else {
            Some(finding.path.as_path())
        };
        folder.and_then(|folder| folder.file_name()).is_some_and(|own| own == name)
    });
    let (mut message, mut help) = (error.to_string(), error.help());
    if let Some(finding) = refused {
        message = format!("the knowledge pack `{name}` is not used: {}", finding.message);
        help = finding.help.clone().unwrap_or(help);
    }
    let severity = if packs.misses_registry() { Severity::Warning } else { Severity::Error };
    if packs.misses_registry() {
        help = format!("{help} The registry of the organization is asked by a run only");
    }
    let code = refused.map_or(error.code(), |finding| finding.code);
    Some(KnowledgeFault { code, severity, message, help: Some(help) })
}

/// Asks for consent to all packs that a program imports, before it runs; the error names all that
/// are not allowed.
pub(crate) fn require(packs: &OnDemand, program: &Program) -> Result<(), PacksError> {
    let mut refused: Vec<Question> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let imports = program.files.iter().flat_map(|file| file.imports());
    for import in imports {
        let pack = match import.kind {
            ImportKind::Knowledge => KnowledgeImport::of(import).map(|import| import.pack),
            ImportKind::Resource => pack_of(&import.from.value),
            _ => None,
        };
        names.extend(pack);
    }
    names.sort();
    names.dedup();
    for name in names {
        match packs.allowed(&name) {
            Ok(_) => {}
            Err(PacksError { question: Some(question), .. }) => refused.push(*question),
            Err(error) => return Err(error),
        }
    }
    PacksError::all(refused).map_or(Ok(()), Err)
}
