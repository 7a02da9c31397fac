//! The words of the language, with what they mean.

/// A word with its description.
pub(crate) type Word = (&'static str, &'static str);

/// The words that begin a statement or an expression.
pub(crate) const STATEMENTS: &[Word] = &[
    ("use", "Shows a value to the model: `use notes max 2k keep head as notes`."),
    ("generate", "Asks the model: `generate({ input: \"…\" }) -> { answer string }`."),
    ("if", "Chooses: `if done { … } else { … }`."),
    ("for", "Goes through a list: `for item in items max 10 { … }`."),
    (
        "parallel",
        "Goes through a list, several items at once: `results = parallel for item in items max 10 { … }`.",
    ),
    ("loop", "Repeats until something is true: `loop until done max 5 { … }`."),
    ("repeat", "Repeats a number of times: `repeat * 3 { … }`."),
    ("return", "Ends the function with a value."),
    ("fail", "Fails with a reason: `fail \"no such issue\" code \"E_ISSUE\"`."),
    ("try", "Handles a failure: `try { … } else err { … }`."),
    ("model", "Chooses an imported model: `model FAST`."),
    ("role", "Says who the model is: `role \"You are an editor.\"`."),
    ("description", "Says more about who the model is."),
    ("true", "The boolean."),
    ("false", "The boolean."),
    ("none", "The absent value."),
    ("not", "Negates a boolean."),
    ("and", "True if both are."),
    ("or", "True if one is."),
];

/// The words at the top of a file or an agent.
pub(crate) const ITEMS: &[Word] = &[
    ("import", "Binds something from outside: `import file NOTES from \"notes.md\"`."),
    ("agent", "Declares an agent: `agent Name { … }`."),
    ("func", "Declares a function: `func name(input) { … }`."),
    ("shape", "Declares a shape: `shape Issue { title string, tags?: list[string] }`."),
    ("main", "Marks the agent or function that runs: `main func(input) { … }`."),
    ("model", "Chooses an imported model: `model FAST`."),
    ("role", "Says who the model is: `role \"You are an editor.\"`."),
    ("description", "Says more about who the model is."),
    ("policy", "Forbids the program something: `policy write \"deny\"`."),
    ("use", "Shows a value to the model of each `generate` below."),
];

/// The kinds of import.
pub(crate) const IMPORTS: &[Word] = &[
    ("llm", "A model: `import llm FAST from \"openai://gpt-5-mini\"`."),
    ("tool", "A tool: `import tool File from \"file://workspace\"`."),
    ("memory", "A memory: `import memory Notes from \"sqlite://notes.db#main\"`."),
    ("file", "A file as a value: `import file NOTES from \"notes.md\"`."),
    ("agent", "An agent of another file: `import agent Worker from \"./worker.as\"`."),
    ("knowledge", "A knowledge pack: `import knowledge Handbook from \"knowledge://handbook\"`."),
    ("resource", "What a reference leads to: `import resource Docs from \"@!file://docs/*.md\"`."),
    ("template", "A prompt template: `import template Letter from \"letter.prompt\"`."),
    ("shape", "A shape of another file: `import shape Issue from \"./issues.as\"`."),
    ("func", "A function of another file: `import func triage from \"./issues.as\"`."),
];

/// The words after the value of a `use`.
pub(crate) const CLAUSES: &[Word] = &[
    ("max", "The budget, in tokens or characters: `max 2k`, `max 800 chars`."),
    ("keep", "The part that stays when the value is cut: `keep head`, `keep tail`, `keep middle`."),
    ("selected", "What is shown of a range or of several parts: `max 1k..6k selected 2k`."),
    ("priority", "What is cut last when the whole prompt is too long: `priority 5`."),
    ("for", "Selects what is about a question: `for input.question`."),
    ("as", "The label under which the model sees it: `as notes`."),
];

/// The types of shapes.
pub(crate) const TYPES: &[Word] = &[
    ("string", "A text."),
    ("integer", "A whole number."),
    ("number", "A number."),
    ("boolean", "`true` or `false`."),
    ("list", "A list: `list[string]`."),
    ("json", "Any value."),
];

/// Returns the description of a word of the language.
pub(crate) fn describe(word: &str) -> Option<&'static str> {
    let all = [STATEMENTS, CLAUSES, ITEMS, IMPORTS, TYPES];
    let mut all = all.into_iter().flatten();
    all.find(|(own, _)| *own == word).map(|(_, description)| *description)
}

/// Reports whether a word is coloured as a word of the language where no name stands.
pub(crate) fn is_keyword(word: &str) -> bool {
    const MORE: &[&str] = &["else", "in", "until", "from", "one", "of", "selected", "empty"];
    const SETS: [&[Word]; 3] = [STATEMENTS, ITEMS, CLAUSES];
    SETS.into_iter().flatten().any(|(own, _)| *own == word) || MORE.contains(&word)
}

/// Reports whether a word is the name of a type.
pub(crate) fn is_type(word: &str) -> bool {
    TYPES.iter().any(|(own, _)| *own == word)
}
