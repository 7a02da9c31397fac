//! The registry of diagnostic codes (AS-32): one stable code per kind of fault.
//!
//! `AS1…` is syntax, `AS2…` names and calls, `AS3…` `use`, `AS4…` `generate`, `AS5…` loops and
//! effects, `AS6…` capabilities, `AS7…` the syntax of version 0.1.3. A code is never given a new
//! meaning.

pub use contexture_diagnostic::Code;
use contexture_diagnostic::Severity;

/// The kind that a code names.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    ALL.iter().find(|entry| entry.code == code)
}

macro_rules! registry {
    ($($constant:ident $code:literal $name:literal $severity:ident $summary:literal)*) => {
        $(
            #[doc = $summary]
            pub const $constant: Code = Code::new($code, $name, Severity::$severity, $summary);
        )*
        /// All kinds, by code.
        pub const ALL: &[Code] = &[$($constant),*];
    };
}

registry! {
    UNEXPECTED_TOKEN "AS1001" "unexpected-token" Error "Something else is expected at this place."
    UNCLOSED_BRACKET "AS1002" "unclosed-bracket" Error "A bracket is never closed."
    STRAY_CLOSER "AS1003" "stray-closer" Error "A closing bracket closes nothing."
    UNCLOSED_STRING "AS1004" "unclosed-string" Error "A string has no closing quote."
    BAD_ESCAPE "AS1005" "bad-escape" Error "A backslash in a string escapes nothing known."
    BAD_NUMBER "AS1006" "bad-number" Error "A number has letters behind it that mean nothing, or is not whole where it must be."
    NUMBER_TOO_LARGE "AS1007" "number-too-large" Error "A number does not fit into 64 bits."
    UNKNOWN_SIGN "AS1008" "unknown-sign" Error "A sign means nothing in a program."
    FOREIGN_PUNCTUATION "AS1009" "foreign-punctuation" Error "Full-width or typographic punctuation stands where an ASCII sign is meant."
    FOREIGN_OPERATOR "AS1010" "foreign-operator" Error "An operator of another language."
    SEMICOLON "AS1011" "semicolon" Error "Statements are not ended with semicolons."
    RESERVED_WORD "AS1012" "reserved-word" Error "A reserved word stands where a name is needed."
    TOO_DEEP "AS1013" "nested-too-deep" Error "Blocks, expressions or shapes are nested deeper than the limit."
    MISPLACED_STATEMENT "AS1014" "misplaced-statement" Error "A statement stands outside a function."
    MISPLACED_ITEM "AS1015" "misplaced-item" Error "An import, agent or function stands where it may not."
    ASSIGNMENT_AS_VALUE "AS1016" "assignment-as-value" Error "`=` stands where a comparison is meant."
    BAD_TARGET "AS1017" "bad-target" Error "What stands before `=` can't be assigned."
    UNKNOWN_TYPE "AS1018" "unknown-type" Error "A shape names a type that does not exist."
    MISSING_SEPARATOR "AS1019" "missing-separator" Error "Two fields of a shape stand on one line without a comma."
    CONFIG_COLON "AS1020" "colon-in-configuration" Error "Configuration is written without a colon."
    FOREIGN_STATEMENT "AS1021" "foreign-statement" Error "A statement of another language."
    TOO_MANY_ERRORS "AS1022" "too-many-errors" Error "The file has more errors than are shown."
    SOURCE_TOO_LARGE "AS1023" "source-too-large" Error "The file is larger than the limit."
    UNKNOWN_IMPORT_KIND "AS1024" "unknown-import-kind" Error "An import names a kind that does not exist."
    DUPLICATE_FIELD "AS1025" "duplicate-field" Error "A shape declares a field twice."
    DUPLICATE_KEY "AS1026" "duplicate-key" Error "An object literal gives a key twice."
    BLOCK_COMMENT "AS1027" "block-comment" Error "Comments go to the end of the line only."
    STATEMENT_AS_VALUE "AS1028" "statement-as-value" Error "A statement stands where a value is needed."
    JOINED_LINE "AS1029" "joined-line" Warning "A line begins with `-` glued to a value, and subtracts it from the line above."
    UNKNOWN_NAME "AS2001" "unknown-name" Error "A name stands for nothing where it is read."
    DUPLICATE_NAME "AS2002" "duplicate-name" Error "Two declarations have the same name."
    SEVERAL_MAINS "AS2003" "several-mains" Error "There is more than one place to start."
    MISSING_MAIN "AS2004" "missing-main" Error "There is no place to start."
    WRONG_ARITY "AS2005" "wrong-arity" Error "A function is called with too few or too many arguments."
    NOT_CALLABLE "AS2006" "not-callable" Error "What is called can't be called."
    UNKNOWN_FUNCTION "AS2007" "unknown-function" Error "An agent has no function of that name."
    NOT_A_VALUE "AS2008" "not-a-value" Error "A function, agent, tool, memory or model stands where a value must."
    NOT_ASSIGNABLE "AS2009" "not-assignable" Error "A part of something that can't be changed is assigned."
    UNUSED_IMPORT "AS2010" "unused-import" Hint "Nothing refers to an import."
    UNREACHABLE "AS2011" "unreachable" Hint "A statement stands behind a `return`."
    UNKNOWN_MODEL "AS2012" "unknown-model" Error "`model` names no imported model."
    IMPORT_FAILED "AS2013" "import-failed" Error "A file that an import names can't be loaded, or lies outside the workspace."
    IMPORT_WITHOUT_AGENT "AS2014" "import-without-agent" Error "The imported file has no agent that the import could mean."
    UNKNOWN_VALUE_METHOD "AS2015" "unknown-value-method" Error "No value has a method of that name."
    METHOD_ARGUMENTS "AS2016" "method-arguments" Error "A value's method is called with the wrong arguments."
    NO_ENTRY "AS2017" "no-entry" Error "An agent is called that has several functions and no main one."
    INDEX_ASSIGNMENT "AS2018" "index-assignment" Error "An item of a list is assigned."
    TOO_MANY_FILES "AS2019" "too-many-files" Error "A program has more files than the limit."
    BAD_INDEX "AS2020" "bad-index" Error "An index is certainly no whole number from 0 and no key."
    NOT_A_LIST "AS2021" "not-a-list" Error "A loop goes over something that is certainly no list."
    USE_ORDER "AS3001" "use-order" Error "`max`, `keep` or `priority` stands behind the label."
    NOT_USABLE "AS3002" "not-usable" Error "A capability, function, agent or configuration is used as context."
    CALL_IN_USE "AS3003" "call-in-use" Error "A `use` contains a call."
    RESERVED_LABEL "AS3004" "reserved-label" Error "A label reads as a role of a model's protocol."
    BAD_LABEL "AS3005" "bad-label" Error "A label is missing, empty or holds signs that must be quoted."
    BAD_BUDGET "AS3006" "bad-budget" Error "A budget is no positive whole number."
    UNKNOWN_UNIT "AS3007" "unknown-unit" Error "A budget has a unit that does not exist."
    UNKNOWN_KEEP "AS3008" "unknown-keep" Error "`keep` names no part of a text."
    BAD_PRIORITY "AS3009" "bad-priority" Error "A priority is no whole number."
    FEW_CANDIDATES "AS3010" "few-candidates" Error "`use one of` has fewer than two candidates."
    SEVERAL_SELECTED "AS3011" "several-selected" Error "More than one candidate is `selected`."
    DUPLICATE_CANDIDATE "AS3012" "duplicate-candidate" Error "Two candidates have the same name."
    REPEATED_CLAUSE "AS3013" "repeated-clause" Error "A part of `use` is given twice."
    MISPLACED_BUDGET "AS3014" "misplaced-budget" Error "A budget stands where none may stand."
    UNKNOWN_OPTION "AS4001" "unknown-option" Error "`generate` has no option of that name."
    MISSING_INPUT "AS4002" "missing-input" Error "`generate` has no `input`."
    OPTION_TYPE "AS4003" "option-type" Error "An option of `generate` has a value of the wrong type."
    NO_SHAPE "AS4004" "no-shape" Hint "A `generate` says not what its answer looks like."
    BAD_GENERATE "AS4005" "bad-generate" Error "`generate` takes one object of options."
    BAD_TOOLS "AS4006" "bad-tools" Error "`tools` is no list of imported tools."
    JOINED_REFERENCE "AS4007" "joined-reference" Warning "What looks like a reference touches a place where texts are joined, and is none."
    MISSING_MAX "AS5001" "missing-max" Error "A loop has no `max`."
    BAD_MAX "AS5002" "bad-max" Error "The bound of a loop is certainly no positive whole number."
    PARALLEL_EFFECT "AS5003" "parallel-effect" Error "A `parallel for` has an effect, by itself or through what it calls."
    OUTER_WRITE "AS5004" "outer-write" Error "A `parallel for` changes what belongs to the outside."
    PARALLEL_RETURN "AS5005" "parallel-return" Error "A `return` stands in a `parallel for`."
    FORBIDDEN_SHELL "AS6001" "forbidden-shell" Error "A shell is imported."
    UNKNOWN_URI "AS6002" "unknown-uri" Error "An import names nothing that exists."
    UNKNOWN_TOOL_METHOD "AS6004" "unknown-tool-method" Error "A tool, memory, template or knowledge pack has no method of that name."
    UNKNOWN_ARGUMENT "AS6005" "unknown-argument" Error "A method of a tool or memory has no argument of that name."
    MISSING_ARGUMENT "AS6006" "missing-argument" Error "A required argument is not given."
    ARGUMENT_TYPE "AS6007" "argument-type" Error "An argument has the wrong type."
    TOOL_ARGUMENTS "AS6008" "tool-arguments" Error "A method of a tool or memory takes one object."
    BAD_TEMPLATE "AS6009" "bad-template" Error "An imported template, or a partial of it, can't be used."
    TEMPLATE_ARGUMENTS "AS6010" "template-arguments" Error "A template takes one object of variables."
    MISSING_VARIABLE "AS6011" "missing-variable" Error "A template is called without a variable that every rendering of it needs."
    UNKNOWN_VARIABLE "AS6012" "unknown-variable" Warning "A template is given a variable that it never reads."
    OLD_USE_BUDGET "AS7001" "old-use-budget" Error "`use x < n` is written `use x max n` since 0.1.5."
    OLD_LOOP_LIMIT "AS7002" "old-loop-limit" Error "`loop until c < n` is written `loop until c max n` since 0.1.5."
    OLD_FOR_LIMIT "AS7003" "old-for-limit" Error "`for x in list < n` is written `for x in list max n` since 0.1.5."
    OLD_LIMIT_OPTION "AS7004" "old-limit-option" Error "The option `limit` of `generate` is called `max_output` since 0.1.5."
    OLD_MISSING_COMMA "AS7005" "old-missing-comma" Error "Fields and items are separated by commas since 0.1.5."
    OLD_BLOCK_RETURN "AS7006" "old-block-return" Warning "The last expression of a block is no longer the value of the function."
}
