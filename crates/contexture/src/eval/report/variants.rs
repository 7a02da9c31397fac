//! What the cells of each variant came to together (EV-8).

use super::{CaseReport, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the cells of a variant came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VariantReport {
    /// Its name; absent for the cells of cases without variants.
    pub name: Option<String>,
    /// The number of its cells that ran.
    pub cells: usize,
    /// The number of those that passed.
    pub passed: usize,
    /// The mean of each figure over the cells that have it.
    pub figures: BTreeMap<String, f64>,
}

/// Returns the variants in the order in which they come first.
pub(super) fn variants(cases: &[CaseReport]) -> Vec<VariantReport> {
    let mut all: Vec<VariantReport> = Vec::new();
    let mut places: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    let mut counts: Vec<BTreeMap<&str, usize>> = Vec::new();
    for case in cases.iter().filter(|case| case.outcome != Outcome::Skipped) {
        let at = *places.entry(case.variant.as_deref()).or_insert_with(|| {
            all.push(VariantReport { name: case.variant.clone(), ..VariantReport::default() });
            counts.push(BTreeMap::new());
            all.len() - 1
        });
        let (Some(variant), Some(counts)) = (all.get_mut(at), counts.get_mut(at)) else { continue };
        variant.cells += 1;
        variant.passed += usize::from(case.outcome == Outcome::Passed);
        for (name, figure) in &case.figures {
            let count = counts.entry(name).or_default();
            *count += 1;
            let mean = variant.figures.entry(name.clone()).or_default();
            *mean += (figure - *mean) / as_f64(*count);
        }
    }
    all
}

#[allow(clippy::cast_precision_loss, reason = "there are fewer cells")]
const fn as_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::SuiteReport;
    use serde_json::json;

    fn cell(variant: Option<&str>, outcome: &str, figure: Option<f64>) -> CaseReport {
        let figures: BTreeMap<&str, f64> =
            figure.map(|figure| ("rank", figure)).into_iter().collect();
        serde_json::from_value(json!({
            "name": "a", "variant": variant, "outcome": outcome, "expectations": [], "run": null,
            "tokens": 0, "cost": null, "figures": figures,
        }))
        .unwrap()
    }

    #[test]
    fn ev_8_cells_of_variant_give_share_and_means() {
        let cells = vec![
            cell(Some("long"), "passed", Some(1.0)),
            cell(None, "error", None),
            cell(Some("long"), "failed", Some(0.25)),
            cell(Some("long"), "failed", None),
            cell(Some("short"), "skipped", None),
        ];
        let report = SuiteReport::new("a.test.yaml".to_owned(), cells);
        assert_eq!(
            json!(report.variants),
            json!([
                { "name": "long", "cells": 3, "passed": 1, "figures": { "rank": 0.625 } },
                { "name": null, "cells": 1, "passed": 0, "figures": {} },
            ])
        );
    }
}
