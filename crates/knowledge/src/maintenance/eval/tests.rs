use super::*;
use crate::discovery::{DiscoveryOptions, Roots, discover};
use tempfile::TempDir;

fn project(packs: &[(&str, &str, &str)]) -> (TempDir, Discovery) {
    let folder = tempfile::tempdir().unwrap();
    for (name, description, status) in packs {
        let root = folder.path().join(".agents/knowledge").join(name);
        std::fs::create_dir_all(&root).unwrap();
        let guide = format!(
            "---\nname: {name}\ndescription: {description}\ntype: brand-product\n\
             status: {status}\nprofile: wiki-first\n---\n"
        );
        std::fs::write(root.join("KNOWLEDGE.md"), guide).unwrap();
    }
    let roots = Roots { project: Some(folder.path().to_owned()), ..Roots::default() };
    let discovery = discover(&roots, &DiscoveryOptions::default());
    (folder, discovery)
}

fn acme() -> (TempDir, Discovery) {
    project(&[
        (
            "acme-widget",
            "Product facts, pricing boundaries and support language of Acme Widget.",
            "ready",
        ),
        ("tide-tables", "High and low water of the harbour of Port Larkin.", "stale"),
    ])
}

fn suite(folder: &TempDir, pack: &str, cases: &str) -> PathBuf {
    let file = folder.path().join("cases.json");
    std::fs::write(&file, format!("{{\"pack_name\": \"{pack}\", \"cases\": [{cases}]}}")).unwrap();
    file
}

const PRICE: &str = r#"{"id": "price", "prompt": "Does Acme Widget have enterprise pricing?", "expected": "select"}"#;
const MAIL: &str =
    r#"{"id": "mail", "prompt": "Polish this generic English email.", "expected": "reject"}"#;
const MISSED: &str = r#"{"id": "missed", "prompt": "How much is a gadget?", "expected": "select"}"#;
const FALSE: &str =
    r#"{"id": "false", "prompt": "Pricing boundaries of our rivals", "expected": "reject"}"#;

#[test]
fn kn_17_precision_and_recall_count_what_was_selected_and_what_should_be() {
    let (folder, discovery) = acme();
    let file = suite(&folder, "acme-widget", &[PRICE, MAIL, MISSED, FALSE].join(","));
    let run = eval(&discovery, Some(&file)).unwrap();
    let passed: Vec<(&str, Choice, bool)> = run.runs[0]
        .results
        .iter()
        .map(|result| (result.id.as_str(), result.actual, result.passed))
        .collect();
    assert_eq!(
        passed,
        [
            ("price", Choice::Select, true),
            ("mail", Choice::Reject, true),
            ("missed", Choice::Reject, false),
            ("false", Choice::Select, false),
        ]
    );
    let summary = &run.summary;
    assert_eq!((summary.passed, summary.failed, summary.total), (2, 2, 4));
    assert_eq!((summary.precision, summary.recall), (Some(0.5), Some(0.5)));
    assert_eq!((summary.false_positives, summary.false_negatives), (1, 1));
    assert_eq!(summary.warning_accuracy, Some(1.0), "none was expected and none came");
    assert!(!run.ok && run.status == "needs-review");
}

#[test]
fn kn_17_warnings_are_right_when_they_come_as_expected_and_only_then() {
    let (folder, discovery) = acme();
    let case = |id: &str, expected: &str, warnings: &str| {
        format!(
            r#"{{"id": "{id}", "prompt": "When is high water at Port Larkin?",
            "expected": "{expected}"{warnings}}}"#
        )
    };
    let cases = [
        case("stale", "warn", r#", "expected_warnings": ["Pack status is stale."]"#),
        case("any", "warn", ""),
        case("none", "select", ""),
        case("other", "warn", r#", "expected_warnings": ["disputed"]"#),
    ];
    let file = suite(&folder, "tide-tables", &cases.join(","));
    let run = eval(&discovery, Some(&file)).unwrap();
    let results = &run.runs[0].results;
    assert_eq!(results.iter().map(|r| r.passed).collect::<Vec<_>>(), [true, true, false, false]);
    assert_eq!(results[0].warnings, ["stale"]);
    assert_eq!(results[3].missing_warnings, ["disputed"]);
    assert_eq!(run.summary.warning_accuracy, Some(0.5));
    assert_eq!((run.summary.precision, run.summary.recall), (Some(1.0), Some(1.0)));
}

#[test]
fn kn_17_what_eval_prints_is_record_of_eval_run() {
    let (folder, discovery) = acme();
    let file = suite(&folder, "acme-widget", &[MAIL].join(","));
    let run = eval(&discovery, Some(&file)).unwrap();
    assert_eq!((run.summary.precision, run.summary.recall, run.ok), (None, None, true));
    let text = serde_json::to_string(&run.runs[0]).unwrap();
    let checked = check_text("record.json", &text, Path::new("record.json"));
    assert_eq!(checked.findings, []);
    assert_eq!(checked.records[0].0, Some(RecordKind::EvalRun));
}

#[test]
fn kn_17_without_file_cases_of_all_packs_are_run() {
    let (folder, discovery) = acme();
    assert_eq!(eval(&discovery, None).unwrap_err().code(), "KN4205");
    let evals = folder.path().join(".agents/knowledge/acme-widget/evals");
    std::fs::create_dir_all(&evals).unwrap();
    for (name, cases) in [("discovery.train.json", PRICE), ("discovery.validation.json", MAIL)] {
        let text = format!("{{\"pack_name\": \"acme-widget\", \"cases\": [{cases}]}}");
        std::fs::write(evals.join(name), text).unwrap();
    }
    let run = eval(&discovery, None).unwrap();
    let suites: Vec<&str> = run.runs.iter().map(|run| run.suite.as_str()).collect();
    assert_eq!(suites, ["evals/discovery.train.json", "evals/discovery.validation.json"]);
    assert!(run.ok && run.summary.total == 2);
}

#[test]
fn kn_17_bad_cases_are_findings_and_unknown_packs_errors() {
    let (folder, discovery) = acme();
    let file = suite(&folder, "acme-widget", r#"{"id": "a", "prompt": "p", "expected": "yes"}"#);
    let run = eval(&discovery, Some(&file)).unwrap();
    assert!(!run.ok && run.runs.is_empty());
    assert_eq!(run.findings[0].code, "KN4102");
    let file = suite(&folder, "acme-gadget", PRICE);
    assert_eq!(eval(&discovery, Some(&file)).unwrap_err().code(), "KN4204");
    let none = folder.path().join("none.json");
    assert_eq!(eval(&discovery, Some(&none)).unwrap_err().code(), "KN4206");
    std::fs::write(&none, r#"{"claims": []}"#).unwrap();
    assert_eq!(eval(&discovery, Some(&none)).unwrap_err().code(), "KN4205");
}

#[test]
fn kn_17_chinese_tasks_meet_chinese_descriptions() {
    let (folder, discovery) = project(&[
        ("tea", "智能泡茶机的产品事实、故障码与售后政策。", "ready"),
        ("meter", "空气监测仪的使用手册。", "ready"),
    ]);
    let cases = r#"{"id": "a", "prompt": "泡茶机显示故障码 E5 怎么办", "expected": "select"},
        {"id": "b", "prompt": "空气监测仪怎么用", "expected": "reject"},
        {"id": "c", "prompt": "写一首关于秋天的诗", "expected": "reject"}"#;
    let run = eval(&discovery, Some(&suite(&folder, "tea", cases))).unwrap();
    assert!(run.ok, "{:#?}", run.runs);
}
