use super::Fixture;
use serde_json::json;

#[tokio::test]
async fn fl_3_files_are_written_read_and_listed() {
    let fixture = Fixture::new();
    let written =
        fixture.call("file_write", json!({"path": "notes/./a.md", "content": "一\n"})).await;
    assert_eq!(written, json!({"ok": true, "path": "notes/a.md"}));
    let read = fixture.call("file_read", json!({"path": "notes/a.md"})).await;
    assert_eq!(read, json!({"value": "一\n", "source": "notes/a.md"}));

    let listed = fixture.call("file_list", json!({})).await;
    let notes = json!({"path": "notes", "name": "notes", "type": "dir", "size": 0});
    assert_eq!(listed, json!({"value": [notes], "source": "."}));
    let listed = fixture.call("file_list", json!({"path": "notes"})).await;
    assert_eq!(listed["value"][0]["size"], 4);
}

#[tokio::test]
async fn fl_3_texts_are_searched() {
    let fixture = Fixture::new();
    fixture.file("a.md", "one\nTODO two\n");
    fixture.file("b/c.txt", "todo three\n");
    let found = fixture.call("text_search", json!({"pattern": "TODO"})).await;
    let line = json!({"path": "a.md", "line": 2, "text": "TODO two"});
    assert_eq!(found, json!({"value": [line], "count": 1, "truncated": false}));

    let all = json!({"pattern": "todo", "ignore_case": true, "max": 1, "idempotencyKey": "k"});
    let found = fixture.call("text_search", all).await;
    assert_eq!((&found["count"], &found["truncated"]), (&json!(1), &json!(true)));
    fixture.refuses("text_search", json!({"pattern": "("}), "BAD_PATTERN", "(").await;
    fixture
        .refuses(
            "text_search",
            json!({"pattern": "x", "path": "nowhere"}),
            "FILE_NOT_FOUND",
            "nowhere",
        )
        .await;
}

#[tokio::test]
async fn fl_3_files_are_confined_to_workspace() {
    let fixture = Fixture::new();
    fixture.file("a.txt", "text");
    fixture.file(".contexture/runs/secret.json", "{}");
    fixture.file(".git/config", "x");
    for (action, path, code) in [
        ("file_read", "../x", "PATH_OUTSIDE_WORKSPACE"),
        ("file_read", "/etc/hostname", "PATH_OUTSIDE_WORKSPACE"),
        ("file_read", "b.txt", "FILE_NOT_FOUND"),
        ("file_read", ".", "FILE_IS_FOLDER"),
        ("file_read", "", "PATH_INVALID"),
        ("file_read", ".contexture/runs/secret.json", "PATH_PROTECTED"),
        ("file_read", "x/../.Contexture/runs/secret.json", "PATH_PROTECTED"),
        ("file_list", ".contexture", "PATH_PROTECTED"),
        ("file_list", "a.txt", "NOT_A_FOLDER"),
        ("file_list", "..", "PATH_OUTSIDE_WORKSPACE"),
    ] {
        fixture.refuses(action, json!({ "path": path }), code, "").await;
    }
    let search = json!({"pattern": "x", "path": ".contexture"});
    fixture.refuses("text_search", search, "PATH_PROTECTED", ".contexture").await;
    for (path, code) in [
        ("../x", "PATH_OUTSIDE_WORKSPACE"),
        (".contexture/x", "PATH_PROTECTED"),
        ("contexture.toml", "PATH_PROTECTED"),
        (".git/hooks/post-commit", "PATH_PROTECTED"),
    ] {
        let write = json!({"path": path, "content": "x"});
        fixture.refuses("file_write", write, code, "").await;
    }
}

#[cfg(unix)]
#[tokio::test]
async fn fl_3_links_do_not_lead_to_what_is_private() {
    let fixture = Fixture::new();
    fixture.file(".contexture/data/contexts.db", "secret");
    std::os::unix::fs::symlink(".contexture", fixture.path("open")).unwrap();
    std::os::unix::fs::symlink("/etc", fixture.path("etc")).unwrap();
    fixture.refuses("file_list", json!({"path": "open/data"}), "PATH_PROTECTED", "open/data").await;
    fixture
        .refuses("file_read", json!({"path": "open/data/contexts.db"}), "PATH_PROTECTED", "")
        .await;
    fixture
        .refuses("file_read", json!({"path": "etc/hostname"}), "PATH_OUTSIDE_WORKSPACE", "")
        .await;
    let query = json!({"query": "select 1", "database": "open/data/contexts.db"});
    fixture.refuses("database_query", query, "PATH_PROTECTED", "").await;
}
