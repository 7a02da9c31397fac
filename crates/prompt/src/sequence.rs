//! The rules of the order (PT-10): their words in messages, and their fixes.
//!
//! Decision: the error's shape is fixed and contains a text alone, so the rule is read from that
//! text. Messages are made with the words that are searched, from one table.

/// A rule of the order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    /// The words of its messages, unique to it.
    pub(crate) words: &'static str,
    fix: &'static str,
}

pub(crate) const NOT_EMPTY: Rule =
    Rule { words: "there are no messages", fix: "begin with a message of role `user`" };
pub(crate) const ALTERNATE: Rule = Rule {
    words: "in a row",
    fix: "join the two messages, or put one of another role between them",
};
pub(crate) const CALLER: Rule = Rule {
    words: "only an assistant message",
    fix: "move `tool_calls` to a message of role `assistant`",
};
pub(crate) const CALL_BEFORE: Rule = Rule {
    words: "no assistant message that calls tools",
    fix: "put a message of role `assistant` with `tool_calls` before it",
};
pub(crate) const HAS_ID: Rule = Rule {
    words: "without a tool_call_id",
    fix: "give it the `tool_call_id` of the call that it answers",
};
pub(crate) const KNOWN_ID: Rule =
    Rule { words: "does not make", fix: "give it the id of one of these calls as `tool_call_id`" };
pub(crate) const ONE_ANSWER: Rule = Rule {
    words: "a second time",
    fix: "remove one of the two answers, or fix its `tool_call_id`",
};
pub(crate) const ANSWERED: Rule = Rule {
    words: "is not answered",
    fix: "put a message of role `tool` with this `tool_call_id` after the call",
};

const ALL: [Rule; 8] =
    [NOT_EMPTY, ALTERNATE, CALLER, CALL_BEFORE, HAS_ID, KNOWN_ID, ONE_ANSWER, ANSWERED];

/// Returns the fix for the breach that a message reports. Ids in backquotes are skipped.
pub(crate) fn fix(message: &str) -> Option<&'static str> {
    let says = |rule: &&Rule| message.split('`').step_by(2).any(|part| part.contains(rule.words));
    ALL.iter().find(says).map(|rule| rule.fix)
}
