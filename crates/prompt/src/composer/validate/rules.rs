//! The rules of the order (PT-10): the words that name each in a message, and what mends a breach.
//!
//! Decision: the error's shape is fixed and holds a text alone, so the rule is read from that text.
//! Messages are made with the words that are looked for, from one table.

/// A rule of the order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// What a message says of a breach, and no other message does.
    pub(super) words: &'static str,
    mend: &'static str,
}

pub(super) const NOT_EMPTY: Rule =
    Rule { words: "there are no messages", mend: "begin with a message of role `user`" };
pub(super) const ALTERNATE: Rule = Rule {
    words: "in a row",
    mend: "make one message of the two, or put one of another role between them",
};
pub(super) const CALLER: Rule = Rule {
    words: "only an assistant message",
    mend: "move `tool_calls` to a message of role `assistant`",
};
pub(super) const CALL_BEFORE: Rule = Rule {
    words: "no assistant message that calls tools",
    mend: "put a message of role `assistant` with `tool_calls` before it",
};
pub(super) const HAS_ID: Rule = Rule {
    words: "without a tool_call_id",
    mend: "give it the `tool_call_id` of the call that it answers",
};
pub(super) const KNOWN_ID: Rule =
    Rule { words: "does not make", mend: "give it the id of one of these calls as `tool_call_id`" };
pub(super) const ONE_ANSWER: Rule = Rule {
    words: "a second time",
    mend: "remove one of the two answers, or mend its `tool_call_id`",
};
pub(super) const ANSWERED: Rule = Rule {
    words: "is not answered",
    mend: "put a message of role `tool` with this `tool_call_id` after the call",
};

const ALL: [Rule; 8] =
    [NOT_EMPTY, ALTERNATE, CALLER, CALL_BEFORE, HAS_ID, KNOWN_ID, ONE_ANSWER, ANSWERED];

/// What mends the breach that a message tells. Ids stand between backquotes and are passed over.
pub(crate) fn mend(message: &str) -> Option<&'static str> {
    let says = |rule: &&Rule| message.split('`').step_by(2).any(|part| part.contains(rule.words));
    ALL.iter().find(says).map(|rule| rule.mend)
}
