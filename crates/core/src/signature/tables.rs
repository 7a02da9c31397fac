//! The tables of the built-in tools, of memories and of packs.

use super::{Effect, Form, Kind, Method, Parameter, Signature};

/// The longest list of results that a search returns.
const MOST_RESULTS: u64 = 100_000;
/// The highest line number of a file.
const MOST_LINES: u64 = 1_000_000_000;
/// The longest `timeout` of a request, in milliseconds.
const LONGEST_MS: u64 = 3_600_000;
/// The largest `limit` of a memory's query.
const MOST_RECORDS: u64 = u64::MAX;

const fn needs(name: &'static str, kind: Kind, description: &'static str) -> Parameter {
    Parameter { name, kind, required: true, description }
}

const fn takes(name: &'static str, kind: Kind, description: &'static str) -> Parameter {
    Parameter { name, kind, required: false, description }
}

const fn method(
    name: &'static str,
    effect: Effect,
    description: &'static str,
    parameters: &'static [Parameter],
) -> Method {
    Method { name, effect, description, parameters, form: Form::Closed }
}

/// `sh://find`
pub const FIND: Signature = Signature {
    uri: "sh://find",
    methods: &[method(
        "run",
        Effect::Read,
        "Finds files and folders below a folder: objects {path, name, type}, by path. What .gitignore names is passed over.",
        &[
            takes("path", Kind::Text, "the folder to look in; the workspace by default"),
            takes(
                "name",
                Kind::Text,
                "a glob for the name, such as \"*.ts\" or \"*.{js,ts}\"; with a slash, for the path below `path`, such as \"src/**/*.ts\"",
            ),
            takes("type", Kind::Choice(&["file", "dir"]), "only files, or only folders"),
            takes("max", Kind::Count(MOST_RESULTS), "how many at most; 1000 by default"),
        ],
    )],
};

/// `sh://grep`
pub const GREP: Signature = Signature {
    uri: "sh://grep",
    methods: &[method(
        "run",
        Effect::Read,
        "Finds lines in text files: objects {path, line, text}, by path and line. What .gitignore names and binary files are passed over.",
        &[
            takes("path", Kind::Text, "the folder or file to search; the workspace by default"),
            needs("pattern", Kind::Text, "a regular expression, or a text with `literal: true`"),
            takes(
                "include",
                Kind::Text,
                "a glob for the names of files, such as \"*.ts\"; with a slash, for the path below `path`",
            ),
            takes("max", Kind::Count(MOST_RESULTS), "how many lines at most; 1000 by default"),
            takes(
                "regex",
                Kind::Flag,
                "whether the pattern is a regular expression; true by default",
            ),
            takes("literal", Kind::Flag, "whether the pattern is a text to be found as it is"),
            takes("ignore_case", Kind::Flag, "whether upper and lower case are the same"),
        ],
    )],
};

const PATH: &str = "the file, relative to the workspace";

/// `sh://sed` and `sh://read-range`
pub const SED: Signature = Signature {
    uri: "sh://sed",
    methods: &[method(
        "run",
        Effect::Read,
        "Returns a range of lines of a file as text.",
        &[
            needs("path", Kind::Text, PATH),
            takes("start", Kind::Count(MOST_LINES), "the first line, counted from 1; 1 by default"),
            takes("max", Kind::Count(MOST_LINES), "how many lines at most; 2000 by default"),
        ],
    )],
};

/// `file://workspace`
pub const FILE: Signature = Signature {
    uri: "file://workspace",
    methods: &[
        method(
            "read",
            Effect::Read,
            "Returns the text of a file.",
            &[needs("path", Kind::Text, PATH)],
        ),
        method(
            "list",
            Effect::Read,
            "Lists a folder: objects {path, name, type, size}, by name. `type` is file, dir, symlink or other; `size` is in bytes.",
            &[takes("path", Kind::Text, "the folder; the workspace itself by default")],
        ),
        method(
            "write",
            Effect::Write,
            "Makes a text the whole content of a file, with missing parent folders. Returns {ok, effects}.",
            &[
                needs("path", Kind::Text, PATH),
                needs("content", Kind::Text, "the new text of the file"),
            ],
        ),
        method(
            "patch",
            Effect::Write,
            "Replaces a text that occurs exactly once in a file, literally. Returns {ok, effects}.",
            &[
                needs("path", Kind::Text, PATH),
                needs("search", Kind::Text, "the text to replace, as it stands in the file"),
                needs("replace", Kind::Text, "the text to put in its place"),
                takes(
                    "all",
                    Kind::Flag,
                    "replace every occurrence instead of requiring a single one",
                ),
            ],
        ),
        Method {
            form: Form::Value,
            ..method(
                "undo",
                Effect::Write,
                "Takes changes back, the newest first. Refused when a file was changed since. Returns {ok, effects}.",
                &[needs("effects", Kind::Any, "the `effects` that write, patch or undo returned")],
            )
        },
    ],
};

/// `env://process`
pub const ENV: Signature = Signature {
    uri: "env://process",
    methods: &[method(
        "get",
        Effect::Read,
        "Returns a variable of the environment, or none when it is not set.",
        &[needs("name", Kind::Text, "the variable's name, such as \"HOME\"")],
    )],
};

const URL: Parameter =
    needs("url", Kind::Text, "the path and query, relative to the origin, such as \"/api/data\"");
const HEADERS: Parameter = takes("headers", Kind::Fields, "header names and values");
const BODY: Parameter =
    takes("body", Kind::Any, "a string is sent as it is, anything else as JSON");
const TIMEOUT: Parameter =
    takes("timeout", Kind::Count(LONGEST_MS), "milliseconds for the whole call; 30000 by default");
const ASK: &[Parameter] = &[URL, HEADERS, TIMEOUT];
const SEND: &[Parameter] = &[URL, HEADERS, BODY, TIMEOUT];

/// `http://origin` and `https://origin`
pub const HTTP: Signature = Signature {
    uri: "https://origin",
    methods: &[
        method(
            "get",
            Effect::Fetch,
            "Fetches a resource. Returns {ok, status, headers, body, json}.",
            ASK,
        ),
        method("head", Effect::Fetch, "Fetches the headers of a resource alone.", ASK),
        method(
            "post",
            Effect::Send,
            "Posts to a resource. Returns {ok, status, headers, body, json}.",
            SEND,
        ),
        method(
            "put",
            Effect::Send,
            "Puts a resource. Returns {ok, status, headers, body, json}.",
            SEND,
        ),
        method(
            "patch",
            Effect::Send,
            "Patches a resource. Returns {ok, status, headers, body, json}.",
            SEND,
        ),
        method(
            "delete",
            Effect::Send,
            "Deletes a resource. Returns {ok, status, headers, body, json}.",
            SEND,
        ),
    ],
};

/// `knowledge://name`
pub const KNOWLEDGE: Signature = Signature {
    uri: "knowledge://name",
    methods: &[
        method("guide", Effect::Read, "", &[]),
        method(
            "resolve",
            Effect::Read,
            "",
            &[
                needs("task", Kind::Text, ""),
                takes("budget", Kind::Budget, ""),
                takes("evidence", Kind::Flag, ""),
                takes("intent", Kind::Choice(INTENTS), ""),
                takes("grounding", Kind::Choice(&["none", "recommended", "required"]), ""),
            ],
        ),
    ],
};

/// The intents of a task that a pack is asked for (KN-10).
const INTENTS: &[&str] = &["answer", "detail", "cite", "verify", "ingest", "dispute"];

/// `mcp://server` and `mcp://server/tool`; the server defines the methods.
pub const SERVER: Signature = Signature { uri: "mcp://server", methods: &[] };

/// `rust://tool` and `rust://tool/method`; the application defines the methods (HO-2).
pub const NATIVE: Signature = Signature { uri: "rust://tool", methods: &[] };

/// `frontend://tool`; the client that announces it defines the parameters (CP-13).
pub const FRONTEND: Signature = Signature {
    uri: "frontend://tool",
    methods: &[Method { form: Form::Open, ..method("run", Effect::Execute, "", &[]) }],
};

const RECORD: &[Parameter] = &[takes("kind", Kind::Text, ""), takes("text", Kind::Text, "")];

/// `file://….jsonl` and `sqlite://path#namespace`
pub const MEMORY: Signature = Signature {
    uri: "sqlite://path#namespace",
    methods: &[
        Method { form: Form::Open, ..method("add", Effect::Write, "", RECORD) },
        method(
            "query",
            Effect::Read,
            "",
            &[
                takes("kind", Kind::Text, ""),
                takes("text", Kind::Text, ""),
                takes("where", Kind::Object, ""),
                takes("limit", Kind::Count(MOST_RECORDS), ""),
            ],
        ),
        Method {
            form: Form::Open,
            ..method(
                "update",
                Effect::Write,
                "",
                &[
                    needs("id", Kind::Text, ""),
                    takes("kind", Kind::Text, ""),
                    takes("text", Kind::Text, ""),
                ],
            )
        },
        method("delete", Effect::Write, "", &[needs("id", Kind::Text, "")]),
    ],
};
