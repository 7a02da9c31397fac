//! What a trial found, as a program with other marks and as what was measured of them (EV-10).

use super::asked::EvalOptions;
use super::file::Suite;
use super::search::{Arm, Found};
use super::suite::Case;
use super::trial::Tried;
use crate::models::{StandIn, default_model};
use crate::pins::{Measured, digest_of};
use contexture_script::program::ProgramFile;
use contexture_script::sites::{Site, lasting_names, specialize};
use contexture_script::syntax::ast::{Import, ImportKind};
use std::collections::{BTreeMap, BTreeSet};

/// What answered in place of models.
const RECORDED: &str = "recorded answers";

/// Returns the candidate of each site of an arm, by the names of the sites.
pub(super) fn named(names: Vec<String>, sites: &[Site], arm: &Arm) -> BTreeMap<String, String> {
    let candidate = |(name, (site, one)): (String, (&Site, &usize))| {
        Some((name, site.candidates.get(*one)?.name.clone()))
    };
    names.into_iter().zip(sites.iter().zip(arm)).filter_map(candidate).collect()
}

/// Returns the program as it stands now, with the candidates of an arm marked.
pub(super) fn marked(tried: &Tried<'_>, arm: &Arm) -> Option<String> {
    let file = tried.runner.program.program.files.first()?;
    let candidate = |(site, one): (&Site, &usize)| {
        Some((site.place(), site.candidates.get(*one)?.name.clone()))
    };
    let chosen: Vec<(String, String)> = tried.sites.iter().zip(arm).filter_map(candidate).collect();
    specialize(&file.source, &file.parsed.file, &chosen).ok()
}

/// Returns what was measured of the best arm.
pub(super) fn measured(tried: &Tried<'_>, found: &Found, arm: &Arm) -> Measured {
    let taken = tried.asked.ledger.taken();
    Measured {
        selected: named(lasting_names(&tried.sites), &tried.sites, arm),
        data: data(tried),
        models: models(tried).into_iter().collect(),
        gain: found.gain,
        interval: found.interval,
        held_out: found.held_out,
        calls: taken.calls,
        cost: tried.is_priced.then(|| taken.money.dollars()),
    }
}

/// Returns the digests of the files of cases.
fn data(tried: &Tried<'_>) -> BTreeMap<String, String> {
    let (project, suite) = (tried.runner.runtime.project(), tried.runner.suite);
    let files = std::iter::once(&suite.path).chain(&suite.data);
    let digest = |name: String| Some((name.clone(), digest_of(project, &name)?));
    files.filter_map(|path| digest(project.name_of(path))).collect()
}

/// Returns what answered, or may have: the models of the options, of the cases, and of the program.
fn models(tried: &Tried<'_>) -> BTreeSet<String> {
    let EvalOptions { model, models, stand_in, .. } = &tried.asked.options;
    let suite: &Suite = tried.runner.suite;
    let has_answers = |case: &Case| case.answers.is_some();
    let mut found = BTreeSet::new();
    if suite.cases.iter().any(has_answers) {
        found.insert(RECORDED.to_owned());
    }
    if suite.cases.iter().all(has_answers) {
        return found;
    }
    match stand_in {
        StandIn::None | StandIn::Local => {}
        StandIn::Mock => return found.into_iter().chain(["placeholders".to_owned()]).collect(),
        _ => return found.into_iter().chain([RECORDED.to_owned()]).collect(),
    }
    for case in &suite.cases {
        let of_variants = case.variants.iter().filter_map(|variant| variant.model.clone());
        found.extend(case.model.clone().into_iter().chain(of_variants));
    }
    found.extend(models.by_name.values().cloned());
    let default = default_model(tried.runner.runtime.project(), model.as_deref());
    let of_program = tried.runner.program.program.files.iter().flat_map(ProgramFile::imports);
    let of_program = of_program.filter(|import| import.kind == ImportKind::Llm);
    let of_program: Vec<String> = of_program.flat_map(uris).collect();
    match model {
        None if !of_program.is_empty() => found.extend(of_program),
        _ => found.extend([default.uri]),
    }
    found
}

fn uris(import: &Import) -> Vec<String> {
    import.groups().into_iter().flatten().map(|uri| uri.value.clone()).collect()
}
