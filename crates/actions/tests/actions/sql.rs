use super::Fixture;
use contexture_protocol::content::Status;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::time::Duration;

/// A workspace with a database of goods.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let connection = Connection::open(fixture.path("shop.db")).unwrap();
    connection
        .execute_batch(
            "create table goods (id integer primary key, name text, price real, stock);
             insert into goods values (1, 'lamp', 34.25, 4), (2, '台灯', 20.0, null), (3, 'desk', 199, x'00ff');",
        )
        .unwrap();
    fixture
}

async fn ask(fixture: &Fixture, query: &str) -> Value {
    fixture.call("QUERY_DATA", json!({"query": query, "database": "shop.db"})).await
}

async fn refuses(fixture: &Fixture, query: &str, code: &str, part: &str) {
    let parameters = json!({"query": query, "database": "shop.db"});
    fixture.refuses("database_query", parameters, code, part).await;
}

#[tokio::test]
async fn fl_3_query_data_gives_rows_and_their_count() {
    let fixture = fixture();
    let answer =
        ask(&fixture, "select id, name, price, stock from goods where id < 3 order by id desc;")
            .await;
    let second = json!({"id": 2, "name": "台灯", "price": 20.0, "stock": null});
    let first = json!({"id": 1, "name": "lamp", "price": 34.25, "stock": 4});
    assert_eq!(answer, json!({"data": [second, first], "count": 2}));
    assert_eq!(ask(&fixture, "select * from goods where 0").await, json!({"data": [], "count": 0}));
    assert_eq!(
        ask(&fixture, "select 9223372036854775807 as whole, -0.5 as part").await["data"][0],
        json!({"whole": i64::MAX, "part": -0.5})
    );
    let counted = ask(&fixture, "with recursive n(i) as (values (1) union all select i + 1 from n where i < 5) select sum(i) s from n").await;
    assert_eq!(counted["data"], json!([{"s": 15}]));
}

#[tokio::test]
async fn fl_3_limit_and_offset_choose_rows_and_report_of_more() {
    let fixture = fixture();
    let page = |limit: u64, offset: u64| json!({"query": "select id from goods order by id", "limit": limit, "offset": offset});
    let first = fixture.call("QUERY_DATA", page(2, 0)).await;
    assert_eq!(first, json!({"data": [{"id": 1}, {"id": 2}], "count": 2, "more": true}));
    let last = fixture.call("QUERY_DATA", page(2, 2)).await;
    assert_eq!(last, json!({"data": [{"id": 3}], "count": 1}));
    let whole = fixture.call("QUERY_DATA", page(3, 0)).await;
    assert_eq!((&whole["count"], whole.get("more")), (&json!(3), None));
    assert_eq!(fixture.call("QUERY_DATA", page(1, 9)).await["count"], 0);
    assert_eq!(fixture.call("QUERY_DATA", page(0, 0)).await["more"], true);
}

#[tokio::test]
async fn fl_1_database_query_reports_source_and_time_of_value() {
    let answer = fixture()
        .call("database_query", json!({"query": "select id from goods where id = 1"}))
        .await;
    assert_eq!(
        answer,
        json!({"value": [{"id": 1}], "columns": ["id"], "count": 1, "source": "shop.db", "timestamp": "2025-12-01T14:00:00.007Z"})
    );
}

#[tokio::test]
async fn fl_3_values_are_bound_and_never_read_as_sql() {
    let fixture = fixture();
    let names = |values: Value| json!({"query": "select name from goods where name = ? or id = ?", "values": values});
    let found = fixture.call("QUERY_DATA", names(json!(["' or 1=1 --", 1]))).await;
    assert_eq!(found["data"], json!([{"name": "lamp"}]));
    let named =
        json!({"query": "select :a + $b as sum, @c as c", "values": {"a": 1, "b": 2.5, "c": true}});
    assert_eq!(fixture.call("QUERY_DATA", named).await["data"], json!([{"sum": 3.5, "c": 1}]));

    for (values, part) in [
        (json!(["x"]), "the query has 2 parameters, `values` gives 1"),
        (json!(["x", 1, 2]), "gives 3"),
        (json!({"a": 1}), "name the query's parameters `:name`"),
        (json!(["x", [1]]), "`values[1]`: expected a text"),
        (json!(["x", u64::MAX]), "`values[1]`"),
    ] {
        fixture.refuses("QUERY_DATA", names(values), "VALIDATION_FAILED", part).await;
    }
    let extra = json!({"query": "select :a", "values": {"a": 1, "b": 2}});
    fixture
        .refuses("QUERY_DATA", extra, "VALIDATION_FAILED", "leave out what the query does not name")
        .await;
    fixture
        .refuses("QUERY_DATA", json!({"query": "select ?"}), "VALIDATION_FAILED", "1 parameters")
        .await;
}

#[tokio::test]
async fn fl_3_query_only_reads() {
    let fixture = fixture();
    let before = std::fs::read(fixture.path("shop.db")).unwrap();
    let out = fixture.path("out.db").display().to_string();
    for (query, part) in [
        ("delete from goods", "changes something"),
        ("insert into goods (id) values (9)", "changes something"),
        ("update goods set price = 0 returning id", "changes something"),
        ("drop table goods", "changes something"),
        ("create table t (a)", "changes something"),
        ("create temp table t (a)", "refused"),
        ("begin", "changes something"),
        ("reindex", "gives no rows"),
        ("pragma journal_mode = wal", "PRAGMA journal_mode"),
        ("pragma query_only = off", "PRAGMA query_only"),
        ("pragma writable_schema = on", "PRAGMA writable_schema"),
        (&format!("attach '{out}' as other"), "ATTACH"),
        ("detach main", "DETACH"),
        (&format!("vacuum into '{out}'"), "refused"),
        ("vacuum", "refused"),
        ("select load_extension('x')", "load_extension"),
        ("select 1; select 2", "a second statement begins at offset 10"),
        ("", "empty"),
        (" ; -- nothing\n", "empty"),
        (&"select 1;".repeat(20_000), "a second statement"),
    ] {
        refuses(&fixture, query, "SQL_REFUSED", part).await;
    }
    assert!(!fixture.path("out.db").exists());
    assert_eq!(std::fs::read(fixture.path("shop.db")).unwrap(), before);
    let columns = ask(&fixture, "pragma table_info(goods)").await;
    assert_eq!((&columns["count"], &columns["data"][1]["name"]), (&json!(4), &json!("name")));
    assert_eq!(ask(&fixture, "explain query plan select * from goods").await["count"], 1);
}

#[tokio::test]
async fn fl_3_faults_of_sql_are_reported_with_their_place() {
    let fixture = fixture();
    refuses(
        &fixture,
        "select * form goods",
        "SQL_ERROR",
        "near \"form\": syntax error at offset 9",
    )
    .await;
    refuses(&fixture, "select * from gods", "SQL_ERROR", "no such table: gods").await;
    refuses(&fixture, "select 'open", "SQL_ERROR", "unrecognized token").await;
    refuses(&fixture, "select abs(-9223372036854775807 - 1)", "SQL_ERROR", "integer overflow")
        .await;
    refuses(&fixture, "select 1 as a, 2 as a", "VALIDATION_FAILED", "two columns are called `a`")
        .await;
    refuses(
        &fixture,
        "select stock from goods where id = 3",
        "VALIDATION_FAILED",
        "column `stock` of row 0 holds a BLOB",
    )
    .await;
    refuses(&fixture, "select 9e999 as x", "VALIDATION_FAILED", "an infinite number").await;
    refuses(&fixture, "select cast(x'ff' as text) as x", "VALIDATION_FAILED", "not UTF-8").await;
    refuses(&fixture, "select\0 1", "VALIDATION_FAILED", "NUL").await;
}

#[tokio::test]
async fn fl_3_limits_of_queries_are_errors_and_nothing_is_cut() {
    let mut fixture = fixture();
    fixture.settings.limits.rows = 3;
    fixture.settings.limits.answer_bytes = 2_000;
    fixture.settings.limits.query = Duration::from_millis(50);
    let count = |most: u64| {
        format!(
            "with recursive n(i) as (values (1) union all select i + 1 from n limit {most}) select i from n"
        )
    };
    assert_eq!(ask(&fixture, &count(3)).await["count"], 3);
    refuses(&fixture, &count(4), "TOO_LARGE", "more than 3 rows: set `limit`").await;
    refuses(
        &fixture,
        "select hex(zeroblob(900)) as x union all select hex(zeroblob(901))",
        "TOO_LARGE",
        "2000 bytes",
    )
    .await;
    refuses(&fixture, "select zeroblob(100000)", "TOO_LARGE", "larger than the limit").await;
    refuses(
        &fixture,
        &format!("select sum(i) from ({})", count(1_000_000_000)),
        "SQL_TIMEOUT",
        "50ms",
    )
    .await;
    let long = json!({"query": "select 1", "limit": 4});
    fixture.refuses("QUERY_DATA", long, "VALIDATION_FAILED", "3").await;

    let endless = format!("select sum(i) s from ({})", count(1_000_000_000_000));
    let timed = json!({"query": endless, "timeout": 0.05});
    fixture.settings.limits.query = Duration::from_secs(600);
    fixture.refuses("QUERY_DATA", timed, "SQL_TIMEOUT", "timeout").await;
}

#[tokio::test]
async fn fl_2_query_that_is_late_is_stopped() {
    let fixture = fixture();
    let endless =
        "with recursive n(i) as (values (1) union all select i + 1 from n) select sum(i) s from n";
    let step = json!({"instructionId": "it", "action": "QUERY_DATA", "timeout": 0.1,
        "parameters": {"query": endless, "timeout": 3600}});
    let report = fixture.run(json!({"instructions": [step]})).await;
    assert_eq!(report.outcome(0).unwrap().status, Status::Timeout);
    // The runtime waits for its threads when it ends: a query that went on would hold the test.
}

#[tokio::test]
async fn fl_3_database_is_named_or_only_one() {
    let fixture = fixture();
    let one = json!({"query": "select 1 as one"});
    assert_eq!(fixture.call("QUERY_DATA", one.clone()).await["count"], 1);
    fixture.file("other.sqlite3", "");
    fixture
        .refuses(
            "QUERY_DATA",
            one.clone(),
            "VALIDATION_FAILED",
            "several: `other.sqlite3`, `shop.db`",
        )
        .await;
    fixture
        .refuses(
            "QUERY_DATA",
            json!({"query": "select 1", "database": "shpo.db"}),
            "FILE_NOT_FOUND",
            "did you mean `shop.db`?",
        )
        .await;
    for (database, code) in [
        ("../x.db", "PATH_OUTSIDE_WORKSPACE"),
        (".", "FILE_IS_FOLDER"),
        ("", "PATH_INVALID"),
        (":memory:", "FILE_NOT_FOUND"),
        ("file:shop.db?mode=rw", "FILE_NOT_FOUND"),
    ] {
        fixture
            .refuses("QUERY_DATA", json!({"query": "select 1", "database": database}), code, "")
            .await;
    }
    fixture.file("text.db", &"no database ".repeat(100));
    fixture
        .refuses(
            "QUERY_DATA",
            json!({"query": "select * from sqlite_schema", "database": "text.db"}),
            "SQL_ERROR",
            "not a SQLite database",
        )
        .await;

    let set = Fixture::with(|settings| settings.database = Some("main.db".to_owned()));
    set.refuses("QUERY_DATA", one.clone(), "FILE_NOT_FOUND", "main.db").await;
    Fixture::new().refuses("QUERY_DATA", one, "VALIDATION_FAILED", "no *.db").await;
}

#[tokio::test]
async fn fl_3_database_is_made_once() {
    let fixture = Fixture::new();
    let make = json!({"database": "data/new.db", "script": ["create table t (a);", "insert into t values (1);"]});
    let made = fixture.call("database_create", make.clone()).await;
    assert_eq!(made, json!({"database": "data/new.db", "created": true}));
    let before = std::fs::read(fixture.path("data/new.db")).unwrap();
    let again = json!({"database": "data/new.db", "script": "create table other (b)"});
    assert_eq!(fixture.call("database_create", again).await["created"], false);
    assert_eq!(std::fs::read(fixture.path("data/new.db")).unwrap(), before);
    let read = json!({"query": "select a from t", "database": "data/new.db"});
    assert_eq!(fixture.call("QUERY_DATA", read).await["data"], json!([{"a": 1}]));
    assert_eq!(std::fs::read_dir(fixture.path("data")).unwrap().count(), 1);

    fixture.file("make.sql", "pragma user_version = 7; create table t (a); -- done");
    let from_file = json!({"database": "file.db", "file": "make.sql"});
    assert_eq!(fixture.call("database_create", from_file).await["created"], true);
}

#[tokio::test]
async fn fl_3_database_is_made_whole_or_not_at_all() {
    let fixture = Fixture::with(|settings| settings.limits.database_bytes = 100_000);
    fixture.file("there.txt", "x");
    let out = fixture.path("out.db").display().to_string();
    for (script, code, part) in [
        (json!("create table t (a); insert into u values (1)"), "SQL_ERROR", "no such table: u"),
        (json!("create tabel t (a)"), "SQL_ERROR", "syntax error"),
        (json!("begin; create table t (a)"), "SQL_ERROR", "leaves a transaction open"),
        (json!(format!("attach '{out}' as other")), "SQL_REFUSED", "ATTACH"),
        (json!(format!("create table t (a); vacuum into '{out}'")), "SQL_REFUSED", "VACUUM"),
        (json!("pragma journal_mode = wal"), "SQL_REFUSED", "PRAGMA journal_mode"),
        (json!("create temp table t (a)"), "SQL_REFUSED", "temporary"),
        (json!("select load_extension('x')"), "SQL_REFUSED", "load_extension"),
        (json!(""), "SQL_ERROR", "makes no table"),
        (
            json!("create table t (a); insert into t values (zeroblob(99000)), (zeroblob(99000))"),
            "TOO_LARGE",
            "larger",
        ),
        (json!(["create table t (a)", 7]), "VALIDATION_FAILED", ""),
    ] {
        let parameters = json!({"database": "new/new.db", "script": script});
        fixture.refuses("database_create", parameters, code, part).await;
    }
    let endless = "create table t as with recursive n(i) as (values (1) union all select i + 1 from n) select count(*) c from n";
    let timed = json!({"database": "new.db", "script": endless, "timeout": 0.05});
    fixture.refuses("database_create", timed, "SQL_TIMEOUT", "").await;
    assert!(
        !fixture.path("new").exists()
            && !fixture.path("new.db").exists()
            && !fixture.path("out.db").exists()
    );

    for (parameters, code, part) in [
        (json!({"database": "a.db"}), "VALIDATION_FAILED", "found neither"),
        (json!({"database": "a.db", "script": "", "file": "b"}), "VALIDATION_FAILED", "found both"),
        (json!({"database": "a.db", "file": "b.sql"}), "FILE_NOT_FOUND", "b.sql"),
        (json!({"database": "../a.db", "script": "x"}), "PATH_OUTSIDE_WORKSPACE", ""),
        (
            json!({"database": ".contexture/a.db", "script": "create table t (a)"}),
            "PATH_PROTECTED",
            "",
        ),
        (json!({"database": "there.txt/a.db", "script": "create table t (a)"}), "NOT_A_FOLDER", ""),
        (json!({"database": ".", "script": "x"}), "FILE_IS_FOLDER", ""),
    ] {
        fixture.refuses("database_create", parameters, code, part).await;
    }
}

#[tokio::test]
async fn fl_3_database_that_is_in_use_is_read_or_told_busy() {
    let fixture = fixture();
    let other = Connection::open(fixture.path("shop.db")).unwrap();
    other.execute_batch("pragma journal_mode = wal; insert into goods (id) values (4)").unwrap();
    assert_eq!(ask(&fixture, "select id from goods").await["count"], 4);

    other.execute_batch("pragma journal_mode = delete; begin exclusive").unwrap();
    let query = json!({"query": "select id from goods", "timeout": 0.05});
    fixture.refuses("QUERY_DATA", query, "SQL_BUSY", "holds the database").await;
}

#[tokio::test]
async fn fl_3_name_in_quotes_that_is_not_column_is_error() {
    refuses(&fixture(), "select \"nmae\" from goods", "SQL_ERROR", "no such column").await;
}
