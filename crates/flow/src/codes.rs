//! The registry of the codes of flows: what a set can have wrong. Each fault also has the word that
//! the protocol has for it (CP-17); that word is what stands in `code` of a report.

mod set {
    contexture_diagnostic::codes! {
        MALFORMED "FLOW1001" "malformed-set" Error
            "A set does not have the form of its type."
            "A set is an INSTRUCTION or TOOL_CALL_REQUEST message, `{type, content}`, or the content alone with `instructions`, `calls` or `toolCalls`. The path names the place; the message says what should stand there."
        DUPLICATE_ID "FLOW1002" "duplicate-id" Error
            "Two instructions or calls of a set have the same id."
            "Give each an id of its own."
        UNKNOWN_ID "FLOW1003" "unknown-id" Error
            "An id is named that nothing has."
            "Name an id of the set, or of something that ended earlier in the same context."
        CYCLE "FLOW1004" "cycle" Error
            "Dependencies go round in a circle, or something depends on itself."
            "Take away one of the dependencies that the message names."
        UNDECLARED_REFERENCE "FLOW1005" "undeclared-reference" Error
            "An outcome is used of something that is not a dependency, neither directly nor through others."
            "Add the id to `dependencies` (of an instruction) or `requiredAfter` (of a call)."
        BAD_REFERENCE "FLOW1006" "bad-reference" Error
            "A `${…}` in the parameters can't be read, or begins with a name that is no root."
            "A reference is `${dependencies.ID.result.path}` or `${results.ID.result.path}`. A `${` that is meant as text is written `$${`."
        CONDITION_SYNTAX "FLOW1007" "condition-syntax" Error
            "A condition has a syntax error."
            "Conditions compare paths and literals with == != < <= > >= and join comparisons with AND, OR, NOT and parentheses."
        UNKNOWN_ROOT "FLOW1008" "unknown-root" Error
            "A path in a condition begins with a name that is no root."
            "Paths begin with `dependencies.ID` or `results.ID`. A text is written in quotes."
        UNKNOWN_ACTION "FLOW1009" "unknown-action" Error
            "There is no action or tool of this name."
            "Use a name that is registered; upper and lower case are not the same."
        AGAINST_ORDER "FLOW1010" "against-order" Error
            "A call is required after one that the mode runs later."
            "FRONTEND_FIRST runs all front-end calls before the others, BACKEND_FIRST the other way round. Take away the requirement, or use SEQUENTIAL."
        NO_ALTERNATIVE "FLOW1011" "no-alternative" Error
            "Something is to be replaced when it fails, but nothing is named that replaces it."
            "With DEGRADE and USE_ALTERNATIVE, `alternative` names the action or tool that runs instead."
        IMPOSSIBLE_STATUS "FLOW1012" "impossible-status" Warning
            "A status is compared with a word that it can never be."
            "The statuses are COMPLETED, FAILED, SKIPPED and TIMEOUT when a condition is looked at. `SUCCESS` is the word for a call on the wire."
        UNUSED_FIELD "FLOW1013" "unused-field" Warning
            "A field stands where it has no effect."
            "Instructions have `instructionId`, `action`, `dependencies` and `condition`; calls have `callId`, `name` and `requiredAfter`, and no condition."
        TOO_MANY "FLOW1014" "too-many-faults" Error
            "There are more faults than a report lists."
            "Mend the faults that are listed and check again."
    }
}

pub use contexture_diagnostic::{Code, Codes};
pub use set::*;

/// All kinds.
pub const ALL: Codes = Codes::new(&[set::TABLE]);

#[cfg(test)]
mod tests {
    #[test]
    fn fl_6_codes_are_unique_ordered_and_explained() {
        assert_eq!(super::ALL.faults(), [""; 0]);
    }
}
