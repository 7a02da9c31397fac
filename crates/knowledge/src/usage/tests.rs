use super::*;
use serde_json::json;

fn line() -> UsageLine {
    UsageLine {
        pack: "acme-product-brief".to_owned(),
        version: Some("0.7.2".to_owned()),
        status: Status::Ready,
        profile: Profile::DocumentFirst,
        runtime_mode: RuntimeMode::Data,
        selected_files: vec![
            "compiled/briefing.md".to_owned(),
            "compiled/splits/product-brief/positioning.md".to_owned(),
        ],
        grounding: Grounding::Required,
        citation_gaps: Vec::new(),
        warnings: Vec::new(),
        timestamp: "2026-05-01T00:00:00Z".to_owned(),
    }
}

#[test]
fn kn_15_line_has_fields_of_format_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".contexture/usage.jsonl");
    UsageLog::append(&path, &line()).unwrap();
    UsageLog::append(&path, &UsageLine { version: None, ..line() }).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    assert_eq!(
        lines[0],
        "{\"pack\":\"acme-product-brief\",\"version\":\"0.7.2\",\"status\":\"ready\",\
         \"profile\":\"document-first\",\"runtime_mode\":\"data\",\
         \"selected_files\":[\"compiled/briefing.md\",\"compiled/splits/product-brief/positioning.md\"],\
         \"grounding\":\"required\",\"citation_gaps\":[],\"warnings\":[],\
         \"timestamp\":\"2026-05-01T00:00:00Z\"}\n"
    );
    assert!(lines[1].starts_with("{\"pack\":\"acme-product-brief\",\"version\":null,\"status\""));
    assert_eq!(lines.len(), 2);
    let log = UsageLog::read(&path).unwrap();
    assert_eq!(log.lines, [line(), UsageLine { version: None, ..line() }]);
    assert_eq!(log.faults, []);
}

#[test]
fn kn_15_texts_with_line_ends_stay_on_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("usage.jsonl");
    let odd = UsageLine {
        warnings: vec!["a\nb\r\u{2028}\"c\"".to_owned()],
        citation_gaps: vec![json!({"path": "a.md", "line": 3})],
        ..line()
    };
    UsageLog::append(&path, &odd).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 1);
    assert_eq!(UsageLog::read(&path).unwrap().lines, [odd]);
}

#[test]
fn kn_15_torn_line_is_reported_and_mended_by_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("usage.jsonl");
    UsageLog::append(&path, &line()).unwrap();
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(
        &path,
        format!("{whole}\n\nnot json\n{{\"pack\": 1}}\n{}", whole.get(..40).unwrap()),
    )
    .unwrap();
    let log = UsageLog::read(&path).unwrap();
    assert_eq!(log.lines, [line()]);
    let seen: Vec<_> = log.faults.iter().map(|fault| (fault.line, fault.torn)).collect();
    assert_eq!(seen, [(4, false), (5, false), (6, true)]);
    UsageLog::append(&path, &line()).unwrap();
    let log = UsageLog::read(&path).unwrap();
    assert_eq!(log.lines, [line(), line()]);
    assert_eq!(log.faults.iter().filter(|fault| fault.torn).count(), 0);
    assert_eq!(log.faults.len(), 3);
}

#[test]
fn kn_15_line_of_any_length_is_read_past() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("usage.jsonl");
    std::fs::write(&path, vec![b'x'; 3 * MAX_LINE]).unwrap();
    UsageLog::append(&path, &line()).unwrap();
    let log = UsageLog::read(&path).unwrap();
    assert_eq!((log.lines.len(), log.faults.len(), log.faults[0].line), (1, 1, 1));
    let long = UsageLine { selected_files: vec!["y".repeat(MAX_LINE)], ..line() };
    assert!(matches!(UsageLog::append(&path, &long), Err(UsageError::TooLong { .. })));
    std::fs::write(&path, b"\xff\xfe\n{\"pack\"").unwrap();
    assert_eq!(UsageLog::read(&path).unwrap().faults.len(), 2);
}

#[test]
fn kn_15_many_writers_never_mix_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs/usage.jsonl");
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let path = &path;
            scope.spawn(move || {
                for number in 0..25 {
                    let pack = format!("pack-{writer}");
                    let warnings = vec![format!("{number}").repeat(3_000)];
                    UsageLog::append(path, &UsageLine { pack, warnings, ..line() }).unwrap();
                }
            });
        }
    });
    let log = UsageLog::read(&path).unwrap();
    assert_eq!((log.lines.len(), log.faults.len()), (200, 0));
    let uses: Vec<_> = log.summary().iter().map(|pack| (pack.pack.clone(), pack.uses)).collect();
    assert_eq!(uses, (0..8).map(|n| (format!("pack-{n}"), 25)).collect::<Vec<_>>());
}

#[test]
fn kn_15_summary_counts_what_was_used() {
    let mut log = UsageLog { lines: vec![line(); 2], ..UsageLog::default() };
    log.lines[1].timestamp = "2026-04-01T00:00:00Z".to_owned();
    log.lines[1].version = Some("0.8.0".to_owned());
    log.lines[1].selected_files = vec!["compiled/briefing.md".to_owned()];
    log.lines[1].citation_gaps = vec![json!("x"), json!("y")];
    log.lines[1].warnings = vec!["the pack is stale".to_owned()];
    let [summary] = <[Summary; 1]>::try_from(log.summary()).unwrap();
    assert_eq!(
        json!(summary),
        json!({
            "pack": "acme-product-brief", "uses": 2, "versions": ["0.7.2", "0.8.0"],
            "first": "2026-04-01T00:00:00Z", "last": "2026-05-01T00:00:00Z",
            "files": [
                {"value": "compiled/briefing.md", "count": 2},
                {"value": "compiled/splits/product-brief/positioning.md", "count": 1}
            ],
            "citation_gaps": 2,
            "warnings": [{"value": "the pack is stale", "count": 1}]
        })
    );
}

#[cfg(unix)]
#[test]
fn kn_15_link_is_not_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("important");
    std::fs::write(&target, "as it was\n").unwrap();
    let path = folder.path().join("usage.jsonl");
    std::os::unix::fs::symlink(&target, &path).unwrap();
    let error = UsageLog::append(&path, &line()).unwrap_err();
    assert!(error.to_string().contains("is a symlink"), "{error}");
    let runs = folder.path().join("runs");
    std::os::unix::fs::symlink(folder.path(), &runs).unwrap();
    assert!(UsageLog::append(&runs.join("log.jsonl"), &line()).is_err());
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "as it was\n");
}
