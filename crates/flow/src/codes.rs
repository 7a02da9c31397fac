//! The registry of the codes of flows: the faults of a set. Each fault also has a code of the
//! protocol (CP-17), which is the `code` in a report.

mod set {
    contexture_diagnostic::codes! {
        MALFORMED "FLOW1001" "malformed-set" Error
            "Malformed set."
            "A set is an INSTRUCTION or TOOL_CALL_REQUEST message, `{type, content}`, or the content alone with `instructions`, `calls` or `toolCalls`. The path names the place; the message names the expected value."
        DUPLICATE_ID "FLOW1002" "duplicate-id" Error
            "Duplicate id of two instructions or calls."
            "Give each an id of its own."
        UNKNOWN_ID "FLOW1003" "unknown-id" Error
            "Unknown id."
            "Use an id of the set, or of something that ended earlier in the same context."
        CYCLE "FLOW1004" "cycle" Error
            "Cycle of dependencies."
            "Remove one of the dependencies that the message names."
        UNDECLARED_REFERENCE "FLOW1005" "undeclared-reference" Error
            "Use of the outcome of something that is not a dependency, directly or through others."
            "Add the id to `dependencies` (of an instruction) or `requiredAfter` (of a call)."
        BAD_REFERENCE "FLOW1006" "bad-reference" Error
            "Invalid `${…}` in the parameters."
            "A reference is `${dependencies.ID.result.path}` or `${results.ID.result.path}`. Write `$${` for a literal `${`."
        CONDITION_SYNTAX "FLOW1007" "condition-syntax" Error
            "Syntax error in a condition."
            "Conditions compare paths and literals with == != < <= > >= and join comparisons with AND, OR, NOT and parentheses."
        UNKNOWN_ROOT "FLOW1008" "unknown-root" Error
            "Unknown root of a path in a condition."
            "Paths begin with `dependencies.ID` or `results.ID`. Write a text in quotes."
        UNKNOWN_ACTION "FLOW1009" "unknown-action" Error
            "Unknown action or tool."
            "Use a registered name; names are case-sensitive."
        AGAINST_ORDER "FLOW1010" "against-order" Error
            "Requirement against the order of the mode."
            "FRONTEND_FIRST runs all front-end calls before the others, BACKEND_FIRST the other way round. Remove the requirement, or use SEQUENTIAL."
        NO_ALTERNATIVE "FLOW1011" "no-alternative" Error
            "Missing replacement of a step."
            "With DEGRADE and USE_ALTERNATIVE, `alternative` names the action or tool that runs instead."
        IMPOSSIBLE_STATUS "FLOW1012" "impossible-status" Warning
            "Comparison of a status with a word that no status is."
            "The statuses are COMPLETED, FAILED, SKIPPED and TIMEOUT when a condition is evaluated. `SUCCESS` is the status of a call on the wire."
        UNUSED_FIELD "FLOW1013" "unused-field" Warning
            "Field without an effect."
            "Instructions have `instructionId`, `action`, `dependencies` and `condition`; calls have `callId`, `name` and `requiredAfter`, and no condition."
        TOO_MANY "FLOW1014" "too-many-faults" Error
            "More faults than a report lists."
            "Fix the listed faults and check again."
    }
}

pub use contexture_diagnostic::{Code, Codes};
pub use set::*;

/// All codes.
pub const ALL: Codes = Codes::new(&[set::TABLE]);

#[cfg(test)]
mod tests {
    #[test]
    fn fl_6_codes_are_unique_ordered_and_explained() {
        assert_eq!(super::ALL.faults(), [""; 0]);
    }
}
