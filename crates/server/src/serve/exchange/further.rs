//! Messages of further types, for their handlers (CP-4).

use super::reply::Reply;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::handler::Asked;
use contexture_protocol::{ErrorCode, Message, Refusal};
use std::sync::Arc;

/// Passes a message of a further type to its handler.
pub(super) fn run(app: &Arc<App>, caller: &Caller, message: Message, reply: Reply) {
    if let Err(refused) = app.handlers.check(&message, &app.limits) {
        return reply.refuse(*refused);
    }
    let Some(handler) = app.handlers.by_name.get(message.kind()).cloned() else {
        let text = "no handler takes messages of this type";
        return reply.refuse(Refusal::new(ErrorCode::UnknownType, text));
    };
    let context = message.context_id.clone();
    let answer = handler.answer(Asked { owner: Arc::clone(caller.owner()), message });
    let app = Arc::clone(app);
    app.handle.clone().spawn(async move {
        let answer = answer.await;
        reply.finish_with(answer.map(|body| app.maker.message(context.as_deref(), body)));
    });
}
