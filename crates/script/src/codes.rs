//! The registry of diagnostic codes (AS-32): one stable code per kind of fault.
//!
//! `AS1…` is syntax, `AS2…` names and calls, `AS3…` `use`, `AS4…` `generate`, `AS5…` loops and
//! effects, `AS6…` capabilities, `AS7…` the syntax of version 0.1.3, `AS8…` lints. A code never
//! changes its meaning.

mod pages;

pub use contexture_diagnostic::Code;
pub use pages::{PAGES, Page, page};

use contexture_diagnostic::Severity;

/// Finds the entry of a code.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    ALL.iter().find(|entry| entry.code == code)
}

/// Finds an entry by its code or its name, such as `AS8003` or `no-effect`.
#[must_use]
pub fn named(word: &str) -> Option<&'static Code> {
    ALL.iter().find(|entry| entry.code == word || entry.name == word)
}

macro_rules! registry {
    ($($constant:ident $code:literal $name:literal $severity:ident $summary:literal)*) => {
        $(
            #[doc = $summary]
            pub const $constant: Code = Code::new($code, $name, Severity::$severity, $summary);
        )*
        /// All entries, ordered by code.
        pub const ALL: &[Code] = &[$($constant),*];
    };
}

registry! {
    UNEXPECTED_TOKEN "AS1001" "unexpected-token" Error "Unexpected token."
    UNCLOSED_BRACKET "AS1002" "unclosed-bracket" Error "Unclosed bracket."
    STRAY_CLOSER "AS1003" "stray-closer" Error "Closing bracket without an opening one."
    UNCLOSED_STRING "AS1004" "unclosed-string" Error "Unterminated string."
    BAD_ESCAPE "AS1005" "bad-escape" Error "Unknown escape in a string."
    BAD_NUMBER "AS1006" "bad-number" Error "Invalid number: an unknown suffix, or a fraction where a whole number is required."
    NUMBER_TOO_LARGE "AS1007" "number-too-large" Error "Number that does not fit into 64 bits."
    UNKNOWN_SIGN "AS1008" "unknown-sign" Error "Unknown character."
    FOREIGN_PUNCTUATION "AS1009" "foreign-punctuation" Error "Full-width or typographic punctuation instead of ASCII."
    FOREIGN_OPERATOR "AS1010" "foreign-operator" Error "Operator of another language."
    SEMICOLON "AS1011" "semicolon" Error "Semicolon; a statement ends with its line."
    RESERVED_WORD "AS1012" "reserved-word" Error "Reserved word used as a name."
    TOO_DEEP "AS1013" "nested-too-deep" Error "Blocks, expressions or shapes nested deeper than the limit."
    MISPLACED_STATEMENT "AS1014" "misplaced-statement" Error "Statement outside a function."
    MISPLACED_ITEM "AS1015" "misplaced-item" Error "Import, agent or function in a place where it is not allowed."
    ASSIGNMENT_AS_VALUE "AS1016" "assignment-as-value" Error "Assignment `=` where a comparison is expected."
    BAD_TARGET "AS1017" "bad-target" Error "Invalid left side of an assignment."
    UNKNOWN_TYPE "AS1018" "unknown-type" Error "Unknown type in a shape."
    MISSING_SEPARATOR "AS1019" "missing-separator" Error "Missing comma between two fields of a shape on one line."
    CONFIG_COLON "AS1020" "colon-in-configuration" Error "Colon after a configuration keyword."
    FOREIGN_STATEMENT "AS1021" "foreign-statement" Error "Statement of another language."
    TOO_MANY_ERRORS "AS1022" "too-many-errors" Error "More errors in the file than are shown."
    SOURCE_TOO_LARGE "AS1023" "source-too-large" Error "File larger than the limit."
    UNKNOWN_IMPORT_KIND "AS1024" "unknown-import-kind" Error "Unknown kind of import."
    DUPLICATE_FIELD "AS1025" "duplicate-field" Error "Duplicate field in a shape."
    DUPLICATE_KEY "AS1026" "duplicate-key" Error "Duplicate key in an object literal."
    BLOCK_COMMENT "AS1027" "block-comment" Error "Block comment; a comment ends with its line."
    STATEMENT_AS_VALUE "AS1028" "statement-as-value" Error "Statement where a value is expected."
    JOINED_LINE "AS1029" "joined-line" Warning "Line that begins with `-` and continues the expression above."
    BAD_BOUND "AS1030" "bad-bound" Error "Bound of a value that does not apply to its type, or that nothing satisfies."
    ENDLESS_SHAPE "AS1031" "endless-shape" Error "Shape that contains itself without an end, or that grows beyond the limit."
    UNKNOWN_NAME "AS2001" "unknown-name" Error "Use of an undefined name."
    DUPLICATE_NAME "AS2002" "duplicate-name" Error "Duplicate declaration of a name."
    SEVERAL_MAINS "AS2003" "several-mains" Error "More than one entry point."
    MISSING_MAIN "AS2004" "missing-main" Error "Missing entry point."
    WRONG_ARITY "AS2005" "wrong-arity" Error "Wrong number of arguments in a call."
    NOT_CALLABLE "AS2006" "not-callable" Error "Call of something that can't be called."
    UNKNOWN_FUNCTION "AS2007" "unknown-function" Error "Unknown function of an agent."
    NOT_A_VALUE "AS2008" "not-a-value" Error "Function, agent, tool, memory or model used as a value."
    NOT_ASSIGNABLE "AS2009" "not-assignable" Error "Assignment to a part of something read-only."
    UNUSED_IMPORT "AS2010" "unused-import" Hint "Unused import."
    UNREACHABLE "AS2011" "unreachable" Hint "Unreachable statement after a `return`."
    UNKNOWN_MODEL "AS2012" "unknown-model" Error "Use of an undefined model."
    IMPORT_FAILED "AS2013" "import-failed" Error "Import of a file that can't be loaded or is outside the workspace."
    IMPORT_WITHOUT_AGENT "AS2014" "import-without-agent" Error "Import of a file without a matching agent."
    UNKNOWN_VALUE_METHOD "AS2015" "unknown-value-method" Error "Unknown method of a value."
    METHOD_ARGUMENTS "AS2016" "method-arguments" Error "Wrong arguments for a value's method."
    NO_ENTRY "AS2017" "no-entry" Error "Call of an agent that has several functions and no `main func`."
    INDEX_ASSIGNMENT "AS2018" "index-assignment" Error "Assignment to an item of a list."
    TOO_MANY_FILES "AS2019" "too-many-files" Error "More files in the program than the limit."
    BAD_INDEX "AS2020" "bad-index" Error "Index that is neither a whole number from 0 nor a key."
    NOT_A_LIST "AS2021" "not-a-list" Error "Loop over something that is not a list."
    BAD_SECRET "AS2022" "bad-secret" Error "Call of `secret` without one literal name."
    UNKNOWN_SECRET "AS2023" "unknown-secret" Warning "Secret without a value on this machine."
    MISSING_FIELD "AS2101" "missing-field" Error "Field that the values of a declared shape do not have."
    WRONG_ARGUMENT "AS2102" "wrong-argument" Error "Argument that does not fit the declared shape of its parameter."
    WRONG_RESULT "AS2103" "wrong-result" Error "Value that does not fit the declared result of its function."
    IMPOSSIBLE_WORD "AS2104" "impossible-word" Error "Comparison with a word that the declared choice does not have."
    WRONG_OPERAND "AS2105" "wrong-operand" Error "Operator on values that it does not take."
    MAYBE_NONE "AS2106" "maybe-none" Warning "Optional field that is used as if it were always there."
    USE_ORDER "AS3001" "use-order" Error "`max`, `keep`, `priority` or `for` after the label."
    NOT_USABLE "AS3002" "not-usable" Error "`use` of a capability, function, agent or configuration."
    CALL_IN_USE "AS3003" "call-in-use" Error "Call inside a `use`."
    RESERVED_LABEL "AS3004" "reserved-label" Error "Label that reads as a role of a model's protocol."
    BAD_LABEL "AS3005" "bad-label" Error "Label that is missing, empty or needs quotes."
    BAD_BUDGET "AS3006" "bad-budget" Error "Budget that is not a positive whole number."
    UNKNOWN_UNIT "AS3007" "unknown-unit" Error "Unknown unit of a budget."
    UNKNOWN_KEEP "AS3008" "unknown-keep" Error "Unknown part of a text after `keep`."
    BAD_PRIORITY "AS3009" "bad-priority" Error "Priority that is not a whole number."
    FEW_CANDIDATES "AS3010" "few-candidates" Error "`use one of` with fewer than two candidates."
    SEVERAL_SELECTED "AS3011" "several-selected" Error "More than one candidate marked `selected`."
    DUPLICATE_CANDIDATE "AS3012" "duplicate-candidate" Error "Duplicate name of a candidate."
    REPEATED_CLAUSE "AS3013" "repeated-clause" Error "Duplicate clause of a `use`."
    MISPLACED_BUDGET "AS3014" "misplaced-budget" Error "Budget in a place where it is not allowed."
    BAD_QUESTION "AS3015" "bad-question" Error "Question of a `use` that is missing or not a text."
    FEW_FIT "AS3016" "few-fit" Warning "Pattern of files of which less than half fit the budget of its `use`."
    BAD_CHOICE "AS3017" "bad-choice" Error "Bounds of a `use` that leave no choice, or a choice that is not within them."
    UNKNOWN_OPTION "AS4001" "unknown-option" Error "Unknown option of `generate`."
    MISSING_INPUT "AS4002" "missing-input" Error "Missing `input` of `generate`."
    OPTION_TYPE "AS4003" "option-type" Error "Option of `generate` with a value of the wrong type."
    NO_SHAPE "AS4004" "no-shape" Hint "`generate` without a shape for its answer."
    BAD_GENERATE "AS4005" "bad-generate" Error "`generate` without its one object of options."
    BAD_TOOLS "AS4006" "bad-tools" Error "`tools` is not a list of imported tools and their methods."
    JOINED_REFERENCE "AS4007" "joined-reference" Warning "Text that looks like a reference, but is joined to other text."
    PARTLY_GRANTED "AS4008" "partly-granted" Warning "Tool in `tools` whose changing methods are not granted, because it is named whole."
    BAD_PLAN "AS4009" "bad-plan" Error "`plan` without tools, or with an option that does not go with it."
    BAD_CUT "AS4010" "bad-cut" Error "Options for an answer that was cut off, which contradict each other or the shape."
    BAD_RELEASE "AS4011" "bad-release" Error "`trust` or `release` without a reason, or without anything that can be let up."
    BAD_POLICY "AS4012" "bad-policy" Error "`policy` that is not one class and a stricter verdict, or not at the top of a file or an agent."
    MISSING_MAX "AS5001" "missing-max" Error "Loop without `max`."
    BAD_MAX "AS5002" "bad-max" Error "Bound of a loop that is not a positive whole number."
    PARALLEL_EFFECT "AS5003" "parallel-effect" Error "Effect in a `parallel for`, directly or through a call."
    OUTER_WRITE "AS5004" "outer-write" Error "Change of an outer value in a `parallel for`."
    PARALLEL_RETURN "AS5005" "parallel-return" Error "`return` in a `parallel for`."
    FORBIDDEN_SHELL "AS6001" "forbidden-shell" Error "Import of a shell."
    UNKNOWN_URI "AS6002" "unknown-uri" Error "Unknown or invalid URI in an import."
    UNKNOWN_TOOL_METHOD "AS6004" "unknown-tool-method" Error "Unknown method of a tool, memory, template or knowledge pack."
    UNKNOWN_ARGUMENT "AS6005" "unknown-argument" Error "Unknown argument for a method of a tool or memory."
    MISSING_ARGUMENT "AS6006" "missing-argument" Error "Missing required argument."
    ARGUMENT_TYPE "AS6007" "argument-type" Error "Argument of the wrong type."
    TOOL_ARGUMENTS "AS6008" "tool-arguments" Error "Method of a tool or memory called without its one object of arguments."
    BAD_TEMPLATE "AS6009" "bad-template" Error "Import of a template that can't be used, or whose partial can't."
    TEMPLATE_ARGUMENTS "AS6010" "template-arguments" Error "Template called without its one object of variables."
    MISSING_VARIABLE "AS6011" "missing-variable" Error "Missing variable that every rendering of a template needs."
    UNKNOWN_VARIABLE "AS6012" "unknown-variable" Warning "Variable that the template never reads."
    OLD_USE_BUDGET "AS7001" "old-use-budget" Error "`use x < n` is written `use x max n` since 0.1.5."
    OLD_LOOP_LIMIT "AS7002" "old-loop-limit" Error "`loop until c < n` is written `loop until c max n` since 0.1.5."
    OLD_FOR_LIMIT "AS7003" "old-for-limit" Error "`for x in list < n` is written `for x in list max n` since 0.1.5."
    OLD_LIMIT_OPTION "AS7004" "old-limit-option" Error "The option `limit` of `generate` is called `max_output` since 0.1.5."
    OLD_MISSING_COMMA "AS7005" "old-missing-comma" Error "Fields and items are separated by commas since 0.1.5."
    OLD_BLOCK_RETURN "AS7006" "old-block-return" Warning "The last expression of a block is no longer the value of the function."
    OLD_GENERATE_BODY "AS7007" "old-generate-body" Error "`generate({ … }) { return { … } }` of the first versions is written `generate({ … }) -> { … }`."
    UNSEEN_USE "AS8001" "unseen-use" Warning "`use` that no `generate` can see."
    LOST_BUDGET "AS8002" "lost-budget" Warning "Number behind a `use` without `max`, which is not a budget."
    NO_EFFECT "AS8003" "no-effect" Warning "Statement without effect."
    PLACEHOLDER "AS8004" "placeholder" Warning "`${name}` in a plain string, which is not replaced."
    SAME_LABEL "AS8005" "same-label" Warning "Two items of one prompt with the same label."
    NO_BUDGET "AS8006" "no-budget" Warning "Source of any size without a budget."
    UNUSED_VARIABLE "AS8007" "unused-variable" Hint "Variable that nothing reads."
    UNUSED_FUNCTION "AS8008" "unused-function" Hint "Function that nothing calls."
    HIDDEN_IMPORT "AS8009" "hidden-import" Warning "Variable with the name of an import, which it hides."
    UNREAD_FIELD "AS8010" "unread-field" Hint "Field of an answer that nothing reads."
    NO_EARLY_END "AS8011" "no-early-end" Warning "Loop with a model call that can't end early."
}
