//! The table of the inspector: its page and its API (IN-1, IN-4).

use super::{Shared, answers, follow, page, sums};
use crate::route::{Route, Shape, get};
use axum::extract::FromRef;

/// The tag of all operations.
pub(crate) const TAG: &str = "Inspector";

const RUN: &str = "The run: its id, the beginning or end of one, or `latest`.";
const CALL: &str = "The number of a model call, from 1.";

/// Returns all routes, for a server whose state holds that of the inspector.
pub(crate) fn routes<S>() -> Vec<Route<S>>
where
    Shared: FromRef<S>,
    S: Clone + Send + Sync + 'static,
{
    let mut all = for_page();
    all.extend(for_runs());
    all.extend(for_calls());
    all.extend(for_questions());
    all
}

fn for_page<S: Clone + Send + Sync + 'static>() -> Vec<Route<S>> {
    vec![
        get("/", page::index)
            .doc("getInspector", TAG, "Returns a page that shows the runs.")
            .public()
            .answer(200, "The page.", "text/html", Shape::Text),
        get("/{*path}", page::file)
            .doc("getInspectorFile", TAG, "Returns a file of the page.")
            .public()
            .path("path", "The file.")
            .answer(200, "The file.", "*/*", Shape::Text),
    ]
}

fn for_runs<S>() -> Vec<Route<S>>
where
    Shared: FromRef<S>,
    S: Clone + Send + Sync + 'static,
{
    vec![
        get("/v1/runs", answers::runs)
            .doc("inspectRuns", TAG, "Lists all runs, the newest first.")
            .query_number("limit", "How many at most, from 1 to 1,000; 100 when absent.")
            .query("after", "The `next` of the page before.")
            .query("program", "The end of the path of the program.")
            .query("outcome", "The outcome or the state.")
            .query("q", "A text of the record.")
            .query("failed", "Only those that failed.")
            .json(200, "`{runs, next, notes}`.", Shape::Object),
        get("/v1/runs/{run}", answers::run)
            .doc("inspectRun", TAG, "Returns the head of a run.")
            .path("run", RUN)
            .json(200, "The run as lists have it, with `lines` and `notes`.", Shape::Object),
        get("/v1/runs/{run}/events", answers::events)
            .doc("inspectEvents", TAG, "Lists the events of a run without their texts.")
            .path("run", RUN)
            .query_number("parent", "Only those in this event.")
            .query_number("after", "The `next` of the page before.")
            .query_number("limit", "How many at most.")
            .json(200, "`{events, next}`.", Shape::Object),
        get("/v1/runs/{run}/tokens", sums::tokens)
            .doc("inspectTokens", TAG, "Adds up what the tokens of a run went to.")
            .path("run", RUN)
            .query("by", "`label`, the default, `source` or `line`.")
            .json(200, "`{total, calls, parts}`; the parts add up.", Shape::Object),
        get("/v1/usage", sums::usage)
            .doc("inspectUsage", TAG, "Adds up what runs took, over time.")
            .query("by", "`program`, the default, `place` or `model`.")
            .query("step", "`day`, the default, or `hour`.")
            .query("program", "The end of the path of the program.")
            .query_number("from", "Runs that began since, in milliseconds since 1970-01-01 UTC.")
            .query_number("to", "Runs that began before, in the same way.")
            .query_number("limit", "How many runs at most, the newest; 10,000 when absent.")
            .json(200, "`{all, rows, times, more, notes}`.", Shape::Object),
        get("/v1/runs/{run}/follow", follow::follow)
            .doc("followRun", TAG, "Reports whenever a run under way has grown.")
            .path("run", RUN)
            .answer(200, "`lines`, at last `end`.", "text/event-stream", Shape::Text),
    ]
}

fn for_calls<S>() -> Vec<Route<S>>
where
    Shared: FromRef<S>,
    S: Clone + Send + Sync + 'static,
{
    vec![
        get("/v1/runs/{run}/calls/{call}", answers::call)
            .doc("inspectCall", TAG, "Returns a model call with its manifest.")
            .path("run", RUN)
            .path("call", CALL)
            .json(200, "`{run, call, calls, event, manifest}`.", Shape::Object),
        get("/v1/runs/{run}/calls/{call}/prompt", answers::prompt)
            .doc("inspectPrompt", TAG, "Returns a prompt as it was sent, with its answers.")
            .path("run", RUN)
            .path("call", CALL)
            .json(200, "`{messages, items, layers, tools, attempts}`.", Shape::Object),
        get("/v1/texts/{run}/{digest}", answers::text)
            .doc("inspectText", TAG, "Returns a part of a text of a run.")
            .path("run", RUN)
            .path("digest", "The digest of the text, or of a message.")
            .query_number("offset", "Where it begins, in bytes.")
            .query_number("limit", "Its bytes at most.")
            .json(200, "`{text, offset, next, total}`.", Shape::Object),
    ]
}

fn for_questions<S>() -> Vec<Route<S>>
where
    Shared: FromRef<S>,
    S: Clone + Send + Sync + 'static,
{
    vec![
        get("/v1/diff/{left}/{right}", answers::diff)
            .doc("inspectDiff", TAG, "Compares the prompts of two runs.")
            .path("left", RUN)
            .path("right", RUN)
            .json(200, "`{left, right, calls}`.", Shape::Object),
        get("/v1/why", answers::why)
            .doc("inspectWhy", TAG, "Answers why something is in a prompt or is not.")
            .query("run", RUN)
            .query("call", CALL)
            .query("label", "A label, a source, a file, a pack or words.")
            .json(200, "`{verdict, by, line, detail}`.", Shape::Object),
    ]
}
