//! `/inspect/`: the inspector, for tokens with the permission `inspect` (IN-1, IN-15).
//!
//! Decision: its routes are those of `contexture inspect`, so that there is one API; only who may
//! ask and the form of a refusal are this server's. The files of the page hold no data, and need no token.

use super::extract::Counted;
use super::refused::Refused;
use super::routes::Route;
use super::shared::Shared;
use crate::inspect;
use crate::route::get;
use crate::serve::caller::Scope;
use crate::serve::phase::Phase;
use crate::web;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Redirect, Response};
use contexture_protocol::{ErrorCode, Refusal};
use std::sync::Arc;

/// The folder of the inspector.
pub(super) const FOLDER: &str = "/inspect";

/// Returns the routes of the inspector, over what it shows.
pub(super) fn routes(shown: &inspect::Shared) -> Vec<Route> {
    let mut all = vec![
        get(FOLDER, folder)
            .doc("findInspector", inspect::TAG, "Redirects to the page.")
            .public()
            .empty(308, "The page is at /inspect/."),
    ];
    let own = inspect::routes().into_iter();
    all.extend(own.map(|route| route.below(FOLDER).bound(shown.clone())));
    all
}

/// Asks for the permission where a route of the inspector shows data.
pub(super) fn guarded(routes: Vec<Route>, shared: &Shared) -> Vec<Route> {
    let guarded = |mut route: Route| {
        if route.tag == inspect::TAG && !route.is_public() {
            let layer = from_fn_with_state(shared.clone(), admit);
            route.handler = route.handler.route_layer(layer);
        }
        route
    };
    routes.into_iter().map(guarded).collect()
}

/// `GET /inspect`: redirects, as the links of the page are relative to its folder.
async fn folder() -> Redirect {
    Redirect::permanent("/inspect/")
}

/// Answers who may inspect. What follows a run ends with the token and with the server.
async fn admit(
    State(shared): State<Shared>,
    Counted(caller): Counted,
    request: Request,
    next: Next,
) -> Result<Response, Refused> {
    shared.require(&caller, &[Scope::Inspect])?;
    let mut response = next.run(request).await;
    if let Some(refused) = response.extensions_mut().remove::<inspect::Refused>() {
        return Err(of_protocol(refused));
    }
    let app = Arc::clone(&shared.app);
    Ok(web::events_until(response, async move {
        let mut phase = app.phase.subscribe();
        tokio::select! {
            () = app.revoked(&caller.grant) => {}
            _ = phase.wait_for(|phase| *phase != Phase::Open) => {}
        }
    }))
}

/// Returns a refusal of the inspector in the form of this server.
fn of_protocol(refused: inspect::Refused) -> Refused {
    let code = match refused.status.as_u16() {
        404 => ErrorCode::UnknownId,
        status if status < 500 => ErrorCode::ValidationFailed,
        _ => ErrorCode::Internal,
    };
    let refusal = Refusal::new(code, refused.message).detail("reason", refused.code);
    Refused::with_status(refusal, refused.status)
}
