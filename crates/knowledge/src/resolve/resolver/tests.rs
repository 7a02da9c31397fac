use super::*;
use crate::resolve::types::Missing;
use contexture_context::tokens::O200K_BASE;

#[test]
fn kn_9_resolver_can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Resolver>();
}

#[test]
fn kn_9_without_packs_everything_is_missing() {
    let resolver = Resolver::new(&O200K_BASE, None);
    let answer = resolver.resolve(&[], &Task::new("What is the refund policy?", 500)).unwrap();
    assert_eq!(answer.missing, [Missing::new("refund policy")]);
    assert_eq!((answer.tokens, answer.context.as_str()), (0, ""));
}
