//! The tables that are copied: how each stands in PostgreSQL and in SQLite.

/// The file of a folder in which a table stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    Contexts,
    Flows,
}

/// The rows of one table.
pub(super) struct Table {
    pub(super) file: File,
    /// Its name; in PostgreSQL behind `contexture_`.
    pub(super) name: &'static str,
    /// Its columns in PostgreSQL.
    pub(super) columns: &'static [&'static str],
    /// Which rows of PostgreSQL, and their order.
    pub(super) rest: &'static str,
    /// The same columns of the same rows in SQLite.
    pub(super) select: &'static str,
    /// What adds a row in SQLite, with a parameter for each column; the last is named by each.
    pub(super) inserts: &'static [&'static str],
}

/// The tables whose places rise and are never given again, with the last place that SQLite has room for.
pub(super) const NUMBERED: [(File, &str, i64); 3] = [
    (File::Contexts, "contexts", (1 << 27) - 1),
    (File::Flows, "runs", (1 << 31) - 1),
    (File::Flows, "waits", i64::MAX),
];

const KEY_COLUMNS: &[&str] = &[
    "owner",
    "scope",
    "message_id",
    "digest",
    "context",
    "status",
    "time",
    "sealed",
    "answer",
    "queued",
    "begun",
];
const KEY_INSERT: &[&str] =
    &["insert into keys (owner, scope, message_id, digest, context, status,
    time, sealed, answer) select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 where ?10 + ?11 >= 0"];

/// All tables, in the order in which they are copied. Messages without an answer keep the order in which
/// they came.
pub(super) const TABLES: [Table; 9] = [
    Table {
        file: File::Contexts,
        name: "contexts",
        columns: &[
            "place",
            "name",
            "owner",
            "creation",
            "last_update",
            "version",
            "oldest",
            "last_seq",
            "messages",
            "cleared_through",
        ],
        rest: "order by place",
        select: "select place, name, owner, creation, last_update, version, oldest, last_seq,
            messages, cleared_through from contexts order by place",
        inserts: &["insert into contexts (place, name, owner, creation, last_update, version, oldest,
            last_seq, messages, cleared_through) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"],
    },
    Table {
        file: File::Contexts,
        name: "details",
        columns: &["place", "metadata", "sealed", "state"],
        rest: "order by place",
        select: "select place, metadata, sealed, state from details order by place",
        inserts: &["insert into details (place, metadata, sealed, state) values (?1, ?2, ?3, ?4)"],
    },
    Table {
        file: File::Contexts,
        name: "messages",
        columns: &[
            "context", "seq", "version", "place", "cleared", "instant", "time", "cause", "sealed",
            "text",
        ],
        rest: "order by context, seq",
        select: "select id >> 36, id & ((1 << 36) - 1), version, place, cleared, instant, time,
            cause, sealed, text from messages order by id",
        inserts: &["insert into messages (id, version, place, cleared, instant, time, cause, sealed,
            text) values (?1 << 36 | ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"],
    },
    Table {
        file: File::Contexts,
        name: "changes",
        columns: &[
            "context", "version", "place", "kind", "time", "cause", "path", "through", "cleared",
            "sealed", "value",
        ],
        rest: "order by context, version, place",
        select: "select context, version, place, kind, time, cause, path, through, cleared, sealed,
            value from changes order by context, version, place",
        inserts: &["insert into changes (context, version, place, kind, time, cause, path, through,
            cleared, sealed, value) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"],
    },
    Table {
        file: File::Contexts,
        name: "keys",
        columns: KEY_COLUMNS,
        rest: "where status <> 0 order by owner, scope, message_id",
        select: "select owner, scope, message_id, digest, context, status, time, sealed, answer, 0, 0
            from keys where status <> 0 order by rowid",
        inserts: KEY_INSERT,
    },
    Table {
        file: File::Contexts,
        name: "keys",
        columns: KEY_COLUMNS,
        rest: "where status = 0 order by place",
        select: "select owner, scope, message_id, digest, context, status, time, sealed, answer, 0, 0
            from keys where status = 0 order by time, rowid",
        inserts: KEY_INSERT,
    },
    Table {
        file: File::Flows,
        name: "runs",
        columns: &[
            "place", "run", "name", "owner", "context", "steps", "started", "ended", "status",
            "done", "wish", "wishes", "masked", "document",
        ],
        rest: "order by place",
        select: "select runs.place, run, name, owner, context, steps, started, ended, status, done,
            wish, wishes, coalesce(masked, 0), coalesce(text, '')
            from runs left join documents on documents.place = runs.place order by runs.place",
        inserts: &[
            "insert into runs (place, run, name, owner, context, steps, started, ended, status, done,
             wish, wishes) select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
             where ?14 is not null",
            "insert into documents (place, masked, text) values (?1, ?13, ?14)",
        ],
    },
    Table {
        file: File::Flows,
        name: "entries",
        columns: &["run", "number", "kind", "time", "masked", "text"],
        rest: "order by run, number",
        select: "select id >> 32, id & ((1 << 32) - 1), kind, time, masked, text from entries
            order by id",
        inserts: &["insert into entries (id, kind, time, masked, text)
            values (?1 << 32 | ?2, ?3, ?4, ?5, ?6)"],
    },
    Table {
        file: File::Flows,
        name: "waits",
        columns: &[
            "place", "owner", "context", "message", "call", "kind", "run", "step", "client",
            "since", "expires", "parked", "request", "answer", "state",
        ],
        rest: "order by place",
        select: "select place, owner, context, message, call, kind, run, step, client, since,
            expires, parked, request, answer, state from waits order by place",
        inserts: &["insert into waits (place, owner, context, message, call, kind, run, step, client,
            since, expires, parked, request, answer, state) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,
            ?9, ?10, ?11, ?12, ?13, ?14, ?15)"],
    },
];
