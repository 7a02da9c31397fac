//! The table of the inspector: its page and its API (IN-1, IN-4).

use super::{
    Shared, answers, contexts, evals, flows, follow, packs, page, rechecks, sources, sums,
};
use crate::route::{JSON, Route, Shape, get, post};

/// The tag of all operations.
pub(crate) const TAG: &str = "Inspector";

const RUN: &str = "The run: its id, the beginning or end of one, or `latest`.";
const CALL: &str = "The number of a model call, from 1.";

/// An operation of the inspector.
type Operation = Route<Shared>;

/// Returns all routes.
pub(crate) fn routes() -> Vec<Operation> {
    let mut all = for_page();
    all.extend(for_runs());
    all.extend(for_calls());
    all.extend(for_questions());
    all.extend(for_flows());
    all.extend(for_contexts());
    all.extend(for_knowledge());
    all.extend(for_evals());
    all
}

fn for_page() -> Vec<Operation> {
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

fn for_runs() -> Vec<Operation> {
    vec![
        get("/v1/runs", answers::runs)
            .doc("inspectRuns", TAG, "Lists all runs, the newest first.")
            .query_number("limit", "How many at most, from 1 to 1,000; 100 when absent.")
            .query("after", "The `next` of the page before.")
            .query("program", "The end of the path of the program.")
            .query("outcome", "`done`, `failed`, `cancelled`, `running` or `no end`, or a state.")
            .query("model", "A part of the URI of a model that was asked.")
            .query_number("since", "Runs that began since, in milliseconds since 1970-01-01 UTC.")
            .query_number("until", "Runs that began before, in the same way.")
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
        get("/v1/runs/{run}/follow", follow::run)
            .doc("followRun", TAG, "Reports whenever a run under way has grown.")
            .path("run", RUN)
            .answer(200, "`lines`, at last `end`.", "text/event-stream", Shape::Text),
    ]
}

fn for_calls() -> Vec<Operation> {
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

fn for_questions() -> Vec<Operation> {
    vec![
        get("/v1/diff/{left}/{right}", answers::diff)
            .doc("inspectDiff", TAG, "Compares the prompts of two runs.")
            .path("left", RUN)
            .path("right", RUN)
            .query("words", "`true` marks the words that differ.")
            .json(200, "`{left, right, calls}`.", Shape::Object),
        get("/v1/runs/{run}/program", rechecks::program)
            .doc("inspectProgram", TAG, "Returns the program of a run as it is now.")
            .path("run", RUN)
            .json(200, "`{file, text}`.", Shape::Object),
        post("/v1/runs/{run}/recheck", rechecks::tried)
            .doc("recheckRun", TAG, "Says which prompts of a run a changed program would change.")
            .path("run", RUN)
            .body(&[(JSON, Shape::Object)])
            .json(200, "`{calls, failure, patch, offer}`, as `recheck --json`.", Shape::Object),
        post("/v1/runs/{run}/ask", rechecks::asked)
            .doc("askAgain", TAG, "Asks models for the prompts that a changed program changes.")
            .path("run", RUN)
            .body(&[(JSON, Shape::Object)])
            .json(200, "`{run}`: the new run, which goes on.", Shape::Object),
        get("/v1/why", answers::why)
            .doc("inspectWhy", TAG, "Answers why something is in a prompt or is not.")
            .query("run", RUN)
            .query("call", CALL)
            .query("label", "A label, a source, a file, a pack or words.")
            .json(200, "`{verdict, by, line, detail}`.", Shape::Object),
    ]
}

fn for_flows() -> Vec<Operation> {
    const FLOW: &str = "The run of a set.";
    vec![
        get("/v1/about", sources::about)
            .doc("inspectAbout", TAG, "Says what there is to show besides runs.")
            .json(200, "`{flows, contexts, knowledge, can_change}`.", Shape::Object),
        get("/v1/flows", flows::flows)
            .doc("inspectFlows", TAG, "Lists runs of sets, the newest first.")
            .query("after", "The `next` of the page before.")
            .query_number("limit", "How many at most, from 1 to 1,000; 100 when absent.")
            .json(200, "`{flows, next}`.", Shape::Object),
        get("/v1/flows/{flow}", flows::flow)
            .doc("inspectFlow", TAG, "Returns a run of a set with its steps.")
            .path("flow", FLOW)
            .query_number("after", "The `next` of the part before.")
            .query_number("limit", "How many steps at most, from 1 to 400, the default.")
            .query("state", "Only steps of this state, such as `FAILED`; all when absent.")
            .json(
                200,
                "The run, with the values that conditions read, `states` and `next`.",
                Shape::Object,
            ),
        get("/v1/flows/{flow}/follow", follow::flow)
            .doc("followFlow", TAG, "Reports whenever a run of a set has come further.")
            .path("flow", FLOW)
            .answer(200, "`steps`, at last `end`.", "text/event-stream", Shape::Text),
        get("/v1/waits", flows::waits)
            .doc("inspectWaits", TAG, "Lists calls and questions that wait, the oldest first.")
            .query("flow", "Only those of this run of a set.")
            .query_number("after", "The `next` of the page before.")
            .query_number("limit", "How many at most, from 1 to 1,000; 100 when absent.")
            .json(200, "`{waits, next}`.", Shape::Object),
        get("/v1/flows/{flow}/picture", flows::picture)
            .doc("inspectPicture", TAG, "Draws a run of a set.")
            .path("flow", FLOW)
            .answer(200, "The picture.", "image/svg+xml", Shape::Text),
    ]
}

fn for_contexts() -> Vec<Operation> {
    const CONTEXT: &str = "The contextId.";
    const OWNER: &str = "Whose context it is.";
    const LIMIT: &str = "How many at most, from 1 to 1,000; 100 when absent.";
    vec![
        get("/v1/contexts", contexts::contexts)
            .doc("inspectContexts", TAG, "Lists the contexts of an owner.")
            .query("owner", "The owner; the first one when absent.")
            .query("search", "A text of titles, topics or messages.")
            .query("after", "The `next` of the page before.")
            .query_number("limit", LIMIT)
            .json(200, "`{owners, owner, contexts, next}`.", Shape::Object),
        get("/v1/contexts/{context}", contexts::context)
            .doc("inspectContext", TAG, "Returns a context with its state at a version.")
            .path("context", CONTEXT)
            .query("owner", OWNER)
            .query_number("version", "The version; the present one when absent.")
            .json(200, "The context without its messages.", Shape::Object),
        get("/v1/contexts/{context}/transcript", contexts::transcript)
            .doc("inspectTranscript", TAG, "Returns a context with its messages as Markdown.")
            .path("context", CONTEXT)
            .query("owner", OWNER)
            .answer(200, "The transcript.", "text/markdown", Shape::Text),
        get("/v1/contexts/{context}/messages", contexts::messages)
            .doc("inspectMessages", TAG, "Returns messages of a context, the last page first.")
            .path("context", CONTEXT)
            .query("owner", OWNER)
            .query("before", "The `next` of the page before.")
            .query_number("limit", LIMIT)
            .json(200, "`{messages, next}`, ascending.", Shape::Object),
        get("/v1/contexts/{context}/changes", contexts::changes)
            .doc("inspectChanges", TAG, "Returns what changed in a context, and what caused it.")
            .path("context", CONTEXT)
            .query("owner", OWNER)
            .query_number("since", "The version before them.")
            .query_number("limit", LIMIT)
            .json(200, "`{version, changes, next}`.", Shape::Object),
    ]
}

fn for_knowledge() -> Vec<Operation> {
    const PACK: &str = "The name of the pack.";
    vec![
        get("/v1/knowledge", packs::packs)
            .doc("inspectPacks", TAG, "Lists the knowledge packs of the project.")
            .json(200, "`{packs, notes}`.", Shape::Object),
        get("/v1/knowledge/{pack}", packs::pack)
            .doc("inspectPack", TAG, "Returns a pack with its guide and sections.")
            .path("pack", PACK)
            .json(200, "The pack.", Shape::Object),
        get("/v1/knowledge/{pack}/search", packs::search)
            .doc("searchPack", TAG, "Finds the sections of a pack that answer a question.")
            .path("pack", PACK)
            .query("q", "The question.")
            .query_number("limit", "How many at most, from 1 to 100.")
            .json(200, "`{hits}`, the best first, with scores.", Shape::Object),
    ]
}

fn for_evals() -> Vec<Operation> {
    vec![
        get("/v1/evals", evals::evals)
            .doc("inspectEvals", TAG, "Lists the reports of evals that were named at the start.")
            .json(
                200,
                "`{evals}`, each with `name`, `passed`, `failed`, `skipped`.",
                Shape::Object,
            ),
        get("/v1/evals/{eval}", evals::eval)
            .doc("inspectEval", TAG, "Returns a report with its cells.")
            .path("eval", "The name of the report.")
            .json(200, "The report, as `eval --json` printed it.", Shape::Object),
    ]
}
