//! What a run may cost, and what it has cost (CA-5).

use super::request::RunRequest;
use crate::models::ModelNames;
use crate::profiles::Profiles;
use crate::project::Project;
use contexture_context::tokens::tokenizer_for;
use contexture_core::profile::CURRENCY;
use contexture_llm::ledger::Account;
use contexture_script::analysis;
use contexture_script::host::NamedModel;
use contexture_script::program::Program;
use contexture_script::semantic::ceiling::{CostFacts, KnownModel};
use serde::Serialize;

/// Computes the worst case of a program, before it runs: of the agent and function that the request
/// starts, with its models.
#[must_use]
pub fn cost(project: &Project, program: &Program, request: &RunRequest) -> CostFacts {
    let names = ModelNames::new(project, request);
    // A recheck counts with the models of the record, and asks another one.
    let asked = request.recorded.as_ref().and_then(|recorded| recorded.model());
    let profiles = Profiles::new(&project.config.profiles);
    let known = |named: Option<&NamedModel>| {
        let uri = asked.map_or_else(|| names.uri(named), str::to_owned);
        let profile = profiles.of(&uri);
        let counter = profile.tokenizer.unwrap_or_else(|| tokenizer_for(&uri));
        KnownModel { is_exact: counter.exact(), profile, uri }
    };
    analysis::cost(program, (request.agent.as_deref(), request.function.as_deref()), &known)
}

/// What a run has cost, beside the worst case of its program.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunCost {
    /// The most that it could cost; absent when something is unbounded or has no price. Requests
    /// that broke off count on top of the program's worst case.
    pub worst: Option<f64>,
    /// What it has cost; absent when a model that answered has no price.
    pub actual: Option<f64>,
    /// The currency.
    pub currency: &'static str,
    /// True if all its models have prices.
    pub priced: bool,
}

impl RunCost {
    pub(crate) fn new(facts: &CostFacts, account: &Account) -> Self {
        let worst = facts.total.money.map(|worst| worst.plus(account.lost.money).dollars());
        Self {
            worst,
            actual: (!account.is_unpriced).then(|| account.spent.money.dollars()),
            currency: CURRENCY,
            priced: !account.is_unpriced && facts.sites.iter().all(|site| site.is_priced),
        }
    }

    /// Returns the cost of what did not run.
    pub(crate) const fn none() -> Self {
        Self { worst: None, actual: Some(0.0), currency: CURRENCY, priced: false }
    }
}
