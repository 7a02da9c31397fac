//! The methods of tools and memories, with the names that the language's source gives them.

use super::{Argument, ArgumentType, Arguments, Capability, Effect, Method};

const fn needs(name: &'static str, kind: ArgumentType) -> Argument {
    Argument { name, kind, required: true }
}

const fn takes(name: &'static str, kind: ArgumentType) -> Argument {
    Argument { name, kind, required: false }
}

const fn reads(name: &'static str, arguments: &'static [Argument]) -> Method {
    Method { name, effect: Effect::Read, arguments: Arguments::Fields(arguments) }
}

const fn writes(name: &'static str, arguments: &'static [Argument]) -> Method {
    Method { name, effect: Effect::Write, arguments: Arguments::Fields(arguments) }
}

/// `sh://find`
pub const FIND: Capability = Capability {
    uri: "sh://find",
    methods: &[reads(
        "run",
        &[
            takes("path", ArgumentType::Text),
            takes("name", ArgumentType::Text),
            takes("type", ArgumentType::Choice(&["file", "dir"])),
            takes("max", ArgumentType::Count),
        ],
    )],
};

/// `sh://grep`
pub const GREP: Capability = Capability {
    uri: "sh://grep",
    methods: &[reads(
        "run",
        &[
            takes("path", ArgumentType::Text),
            needs("pattern", ArgumentType::Text),
            takes("include", ArgumentType::Text),
            takes("max", ArgumentType::Count),
            takes("regex", ArgumentType::Flag),
            takes("literal", ArgumentType::Flag),
            takes("ignore_case", ArgumentType::Flag),
        ],
    )],
};

/// `sh://sed` and `sh://read-range`
pub const SED: Capability = Capability {
    uri: "sh://sed",
    methods: &[reads(
        "run",
        &[
            needs("path", ArgumentType::Text),
            takes("start", ArgumentType::Count),
            takes("max", ArgumentType::Count),
        ],
    )],
};

/// `file://workspace`
pub const FILE: Capability = Capability {
    uri: "file://workspace",
    methods: &[
        reads("read", &[needs("path", ArgumentType::Text)]),
        reads("list", &[takes("path", ArgumentType::Text)]),
        writes("write", &[needs("path", ArgumentType::Text), needs("content", ArgumentType::Text)]),
        writes(
            "patch",
            &[
                needs("path", ArgumentType::Text),
                needs("search", ArgumentType::Text),
                needs("replace", ArgumentType::Text),
                takes("all", ArgumentType::Flag),
            ],
        ),
        Method { name: "undo", effect: Effect::Write, arguments: Arguments::Value },
    ],
};

/// `env://process`
pub const ENV: Capability = Capability {
    uri: "env://process",
    methods: &[reads("get", &[needs("name", ArgumentType::Text)])],
};

const BARE: &[Argument] = &[
    needs("url", ArgumentType::Text),
    takes("headers", ArgumentType::Object),
    takes("timeout", ArgumentType::Count),
];
const WITH_BODY: &[Argument] = &[
    needs("url", ArgumentType::Text),
    takes("headers", ArgumentType::Object),
    takes("body", ArgumentType::Any),
    takes("timeout", ArgumentType::Count),
];

/// `http://origin` and `https://origin`
pub const HTTP: Capability = Capability {
    uri: "https://origin",
    methods: &[
        reads("get", BARE),
        // AS-10 lets a `parallel for` make no request but GET, although HEAD changes nothing.
        writes("head", BARE),
        writes("post", WITH_BODY),
        writes("put", WITH_BODY),
        writes("patch", WITH_BODY),
        writes("delete", WITH_BODY),
    ],
};

/// `knowledge://name`
pub const KNOWLEDGE: Capability = Capability {
    uri: "knowledge://name",
    methods: &[
        reads("guide", &[]),
        reads(
            "resolve",
            &[
                needs("task", ArgumentType::Text),
                takes("budget", ArgumentType::Budget),
                takes("evidence", ArgumentType::Flag),
                takes("intent", ArgumentType::Choice(INTENTS)),
                takes("grounding", ArgumentType::Choice(&["none", "recommended", "required"])),
            ],
        ),
    ],
};

/// What a task may want of a pack (KN-10).
const INTENTS: &[&str] = &["answer", "detail", "cite", "verify", "ingest", "dispute"];

/// `mcp://server` and `mcp://server/tool`: which methods there are, the server says.
pub const SERVER: Capability = Capability { uri: "mcp://server", methods: &[] };

/// `frontend://tool`: what it takes, the client says that announces it (CP-13).
pub const FRONTEND: Capability = Capability {
    uri: "frontend://tool",
    methods: &[Method { name: "run", effect: Effect::Write, arguments: Arguments::Open(&[]) }],
};

const RECORD: &[Argument] = &[takes("kind", ArgumentType::Text), takes("text", ArgumentType::Text)];

/// `file://….jsonl` and `sqlite://path#namespace`
pub const MEMORY: Capability = Capability {
    uri: "sqlite://path#namespace",
    methods: &[
        Method { name: "add", effect: Effect::Write, arguments: Arguments::Open(RECORD) },
        reads(
            "query",
            &[
                takes("kind", ArgumentType::Text),
                takes("text", ArgumentType::Text),
                takes("where", ArgumentType::Object),
                takes("limit", ArgumentType::Count),
            ],
        ),
        Method {
            name: "update",
            effect: Effect::Write,
            arguments: Arguments::Open(&[
                needs("id", ArgumentType::Text),
                takes("kind", ArgumentType::Text),
                takes("text", ArgumentType::Text),
            ]),
        },
        writes("delete", &[needs("id", ArgumentType::Text)]),
    ],
};
