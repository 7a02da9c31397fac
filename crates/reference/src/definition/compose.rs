//! A registered reference in the place of its id (REF-18).

use crate::syntax::{Reference, ReferenceBuf, Semantics, SyntaxError, encode};
use contexture_core::reference::Parameter;

/// `current` with its innermost level replaced by `target`. The defaults of `parameters` count
/// where neither of the two gives a value.
pub(super) fn compose(
    current: &Reference<'_>,
    target: &Reference<'_>,
    parameters: &[Parameter],
) -> Result<ReferenceBuf, SyntaxError> {
    let mut text = String::new();
    let depth = current.depth();
    for level in current.levels().take(depth.saturating_sub(1)) {
        push_level(&mut text, level.semantics(), level.protocol());
    }
    let callers = current.innermost().semantics();
    for (index, level) in target.levels().enumerate() {
        let is_replaced = index == 0 && callers != Semantics::Default;
        let semantics = if is_replaced { callers } else { level.semantics() };
        push_level(&mut text, semantics, level.protocol());
    }
    text.push_str("//");
    text.push_str(target.path());
    let mut separator = '?';
    let given = merged(current, target).into_iter().map(str::to_owned);
    for pair in given.chain(defaults(current, target, parameters)) {
        text.push(separator);
        text.push_str(&pair);
        separator = '&';
    }
    ReferenceBuf::parse(text)
}

fn push_level(text: &mut String, semantics: Semantics, protocol: &str) {
    text.push_str(semantics.prefix());
    text.push_str(protocol);
    text.push(':');
}

/// Returns the parameters as written: the registered ones that the caller does not give, then the
/// caller's.
fn merged<'a>(current: &Reference<'a>, target: &Reference<'a>) -> Vec<&'a str> {
    let callers: Vec<_> = current.query().pairs().collect();
    let given = |name: &str| callers.iter().any(|pair| pair.name() == name);
    let kept = target.query().pairs().filter(|pair| !given(&pair.name()));
    kept.chain(callers.iter().copied()).map(|pair| pair.raw()).collect()
}

/// Returns the defaults that hold, as they stand in a query.
fn defaults(
    current: &Reference<'_>,
    target: &Reference<'_>,
    parameters: &[Parameter],
) -> Vec<String> {
    let is_given = |reference: &Reference<'_>, name: &str| {
        reference.query().any(|(given, _)| given == name || given.strip_prefix("cx.") == Some(name))
    };
    let open = parameters
        .iter()
        .filter(|one| !is_given(current, &one.name) && !is_given(target, &one.name));
    open.filter_map(|one| Some(format!("{}={}", encode(&one.name), encode(one.default.as_ref()?))))
        .collect()
}
