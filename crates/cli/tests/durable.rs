//! Runs with a journal are killed and taken up again: no model is asked again, no effect happens
//! twice, and what is uncertain is told (WA-3, WA-4).
//!
//! `CONTEXTURE_DURABLE_KILLS` says how often a run is killed at a random point;
//! `.ci/checks/durable.sh` does it more often.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "a test may fail"
)]

mod support;
#[path = "durable/world.rs"]
mod world;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::Duration;
use support::{Done, Sandbox};
use world::World;

/// The steps of [`program`]; each asks a model, sends and writes.
const STEPS: usize = 10;
const ALLOWED: &str = "--yes-to=write,send";

fn sandbox(world: &World, body: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let (model, address) = (world.model(), world.address);
    let settings = format!("[network]\nallow_private = [\"{address}\"]\n[retry]\ntimes = 0\n");
    sandbox.write("contexture.toml", settings);
    let imports = format!(
        "import llm M from \"{model}\"\nimport tool Web from \"http://{address}\"\n\
         import tool File from \"file://workspace\"\nmodel M\n"
    );
    sandbox.write("p.as", format!("{imports}{body}"));
    sandbox
}

/// A program with twenty effects.
fn steps() -> String {
    format!(
        "main func() {{\n  done = []\n  i = 0\n  repeat * {STEPS} {{\n    i += 1\n    \
         said = generate({{ input: \"step \" + i }})\n    \
         sent = Web.post({{ url: \"/effect\", body: {{ step: i, said: said }} }})\n    \
         File.write({{ path: \"out/\" + i + \".txt\", content: said }})\n    \
         done.add(sent.json.number)\n  }}\n  done\n}}"
    )
}

fn begin(sandbox: &Sandbox, arguments: &[&str]) -> Child {
    let mut command = sandbox.contexture(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

fn shown(sandbox: &Sandbox) -> Value {
    sandbox.run(["runs", "show", "latest", "--json"]).exits(0).json()
}

fn resume(sandbox: &Sandbox) -> Done {
    sandbox.run(["runs", "resume", "latest", "--json"])
}

#[test]
fn wa_3_run_killed_between_effect_and_outcome_is_in_doubt_until_settled() {
    let world = World::new();
    let sandbox = sandbox(&world, &steps());
    world.hold("/effect", 3);
    let child = begin(&sandbox, &["run", "p.as", "--durable", ALLOWED]);
    world.wait_for_held();
    let running = sandbox.run(["runs", "list", "--json"]).exits(0).json();
    assert_eq!(running["runs"][0]["state"], "running", "{running}");
    assert_eq!(resume(&sandbox).exits(2).json()["error"]["code"], "run_under_way");
    kill(child);
    world.release();
    let run = shown(&sandbox);
    assert_eq!((&run["state"], &run["resumable"]), (&json!("in_doubt"), &json!(false)), "{run}");
    let call = run["in_doubt"][0].as_str().unwrap().to_owned();
    let told = resume(&sandbox).exits(1).json();
    let id = run["run"].as_str().unwrap();
    assert_eq!(told["error"]["code"], "OUTCOME_UNCERTAIN", "{told}");
    let help = told["error"]["help"].as_str().unwrap();
    assert!(help.contains(&format!("contexture runs settle {id} {call} --done JSON")), "{help}");
    assert_eq!((world.asked().len(), world.effects().len()), (3, 3), "nothing was done");
    let wrong = sandbox.run(["runs", "settle", id, "9999", "--again", "--json"]).exits(2).json();
    assert_eq!(wrong["error"]["code"], "call_unknown", "{wrong}");
    let done = json!({ "ok": true, "status": 200, "json": { "number": 3 } }).to_string();
    let settled = sandbox.run(["runs", "settle", id, &call, "--done", &done, "--json"]);
    assert_eq!(settled.exits(0).json()["in_doubt"], json!([]));
    let end = resume(&sandbox).exits(0).json();
    assert_eq!(end["value"], json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), "{end}");
    assert_eq!((world.asked().len(), world.effects().len()), (STEPS, STEPS));
    assert_eq!(end["durable"], id);
    assert_eq!(shown(&sandbox)["state"], "done");
    assert_eq!(resume(&sandbox).exits(2).json()["error"]["code"], "run_ended");
}

#[test]
fn wa_4_effect_made_again_has_the_key_of_the_first_one() {
    let world = World::new();
    let sandbox = sandbox(&world, &steps());
    world.hold("/effect", 2);
    let child = begin(&sandbox, &["run", "p.as", "--durable", ALLOWED]);
    world.wait_for_held();
    kill(child);
    world.release();
    let call = shown(&sandbox)["in_doubt"][0].as_str().unwrap().to_owned();
    let _ = sandbox.run(["runs", "settle", "latest", &call, "--again"]).exits(0);
    let _ = resume(&sandbox).exits(0);
    let effects = world.effects();
    assert_eq!(effects.len(), STEPS + 1);
    let mut keys: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for effect in &effects {
        assert!(effect.key.starts_with("call_"), "{effect:?}");
        keys.entry(&effect.key).or_default().push(&effect.body["step"]);
    }
    assert_eq!(keys.len(), STEPS, "{keys:?}");
    let twice: Vec<_> = keys.values().filter(|steps| steps.len() == 2).collect();
    assert_eq!(twice, [&vec![&json!(2), &json!(2)]]);
    let _ = sandbox.run(["run", "p.as", ALLOWED]).exits(0);
    let others = world.effects().split_off(effects.len());
    assert!(others.iter().all(|effect| !keys.contains_key(&*effect.key)), "of another run");
}

#[test]
fn wa_3_model_that_was_asked_when_the_run_died_is_asked_again_and_no_other() {
    let world = World::new();
    let sandbox = sandbox(&world, &steps());
    world.hold("/v1/", 4);
    let child = begin(&sandbox, &["run", "p.as", "--durable", ALLOWED]);
    world.wait_for_held();
    kill(child);
    world.release();
    let run = shown(&sandbox);
    assert_eq!((&run["state"], &run["in_doubt"]), (&json!("interrupted"), &json!([])), "{run}");
    let last = run["calls"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["state"], &last["model"]), (&json!("asked"), &json!(true)), "{last}");
    let end = resume(&sandbox).exits(0).json();
    assert_eq!(end["value"].as_array().unwrap().len(), STEPS);
    assert_eq!((world.asked().len(), world.effects().len()), (STEPS + 1, STEPS));
    let again = world.asked();
    assert_eq!(again[3], again[4]);
    // The cost of the one that was lost counts, too.
    assert_eq!(end["usage"]["completion_tokens"], 10 * STEPS, "{end}");
}

#[test]
fn wa_3_turns_side_by_side_and_calls_of_models_are_taken_up_by_their_places() {
    let world = World::new();
    let body = "main func() {\n  first = parallel for x in [1, 2, 3, 4, 5, 6] max 6 {\n    \
        a = generate({ input: \"turn \" + x })\n    generate({ input: \"again \" + a })\n  }\n  \
        sent = generate({ input: \"send it\", tools: [Web.post] })\n  \
        after = generate({ input: \"and then\" })\n  \
        { first: first, sent: sent, after: after }\n}";
    let whole = sandbox(&world, body);
    let arguments = ["run", "p.as", "--durable", ALLOWED, "--json"];
    let expected = whole.run(arguments).exits(0).json()["value"].clone();
    let (asked, sent) = (world.asked().len(), world.effects().len());
    assert_eq!((asked, sent), (15, 1));
    for count in [3, 9, 13] {
        let world = World::new();
        let sandbox = sandbox(&world, body);
        world.hold("/v1/", count);
        let child = begin(&sandbox, &["run", "p.as", "--durable", ALLOWED]);
        world.wait_for_held();
        std::thread::sleep(Duration::from_millis(100));
        kill(child);
        world.release();
        let open = shown(&sandbox)["calls"].clone();
        let open = open.as_array().unwrap().iter().filter(|call| call["state"] == "asked").count();
        assert_eq!(resume(&sandbox).exits(0).json()["value"], expected);
        assert_eq!((world.asked().len(), world.effects().len()), (asked + open, sent), "{count}");
    }
    let world = World::new();
    let sandbox = sandbox(&world, body);
    world.hold("/effect", 1);
    let child = begin(&sandbox, &["run", "p.as", "--durable", ALLOWED]);
    world.wait_for_held();
    kill(child);
    world.release();
    let call = shown(&sandbox)["in_doubt"][0].as_str().unwrap().to_owned();
    assert!(call.contains('/'), "{call}: below the call of the model");
    let done = json!({ "ok": true, "json": { "number": 1 } }).to_string();
    let _ = sandbox.run(["runs", "settle", "latest", &call, "--done", &done]).exits(0);
    let _ = resume(&sandbox).exits(0);
    assert_eq!((world.asked().len(), world.effects().len()), (asked, sent));
}

#[test]
fn ca_5_run_stopped_by_its_limit_goes_on_with_a_higher_one_and_what_was_paid_counts() {
    let world = World::new();
    let sandbox =
        sandbox(&world, &steps().replace("\"step \" + i }", "\"step \" + i, max_output: 100 }"));
    let arguments = ["run", "p.as", "--durable", ALLOWED, "--json", "--max-tokens", "400"];
    let told = sandbox.run(arguments).exits(1).json();
    assert_eq!(told["error"]["code"], "COST_LIMIT", "{told}");
    let id = told["durable"].as_str().unwrap();
    let help = told["error"]["help"].as_str().unwrap();
    assert!(help.contains(&format!("contexture runs resume {id} --max-cost DOLLARS")), "{help}");
    assert_eq!(shown(&sandbox)["state"], "stopped");
    let asked = world.asked().len();
    assert!(asked > 1 && asked < STEPS, "{asked}");
    // The same limit stops it at the same place, and nothing is asked.
    assert_eq!(resume(&sandbox).exits(1).json()["error"]["code"], "COST_LIMIT");
    assert_eq!((world.asked().len(), world.effects().len()), (asked, asked));
    let more = sandbox.run(["runs", "resume", id, "--json", "--max-tokens", "10k"]).exits(0).json();
    assert_eq!(more["value"].as_array().unwrap().len(), STEPS);
    assert_eq!((world.asked().len(), world.effects().len()), (STEPS, STEPS));
    assert_eq!(more["usage"]["prompt_tokens"], 47 * STEPS, "{more}");
}

#[test]
fn wa_3_changed_program_is_refused_by_name_and_ends_where_it_differs() {
    let world = World::new();
    let sandbox = sandbox(&world, &steps());
    world.hold("/v1/", 3);
    let child = begin(&sandbox, &["run", "p.as", "--durable", ALLOWED]);
    world.wait_for_held();
    kill(child);
    world.release();
    let text = sandbox.read("p.as");
    sandbox.write("p.as", text.replace("/effect", "/other"));
    let told = resume(&sandbox).exits(2).json();
    assert_eq!(told["error"]["code"], "program_changed", "{told}");
    assert!(told["error"]["message"].as_str().unwrap().contains("p.as"), "{told}");
    let told = sandbox.run(["runs", "resume", "latest", "--changed", "--json"]).exits(1).json();
    assert_eq!(told["error"]["code"], "journal_diverged", "{told}");
    assert_eq!((world.asked().len(), world.effects().len()), (3, 2), "nothing was done");
    sandbox.write("p.as", text.replace("done.add", "x = 1\n    done.add"));
    let _ = sandbox.run(["runs", "resume", "latest", "--changed", "--json"]).exits(0);
    assert_eq!((world.asked().len(), world.effects().len()), (STEPS + 1, STEPS));
}

#[test]
fn wa_3_run_is_cancelled_by_another_process_and_after_its_death() {
    let world = World::new();
    let sandbox = sandbox(&world, &steps());
    world.hold("/v1/", 2);
    let child = begin(&sandbox, &["run", "p.as", "--durable", ALLOWED]);
    world.wait_for_held();
    kill(child);
    world.release();
    let told = sandbox.run(["runs", "cancel", "latest", "--json"]).exits(0).json();
    assert_eq!(told["running"], false);
    assert_eq!(shown(&sandbox)["state"], "cancelled");
    assert_eq!(resume(&sandbox).exits(2).json()["error"]["code"], "run_ended");
    let told = sandbox.run(["runs", "show", "lastest", "--json"]).exits(2).json();
    assert_eq!(told["error"]["code"], "run_unknown", "{told}");
}

#[cfg(unix)]
#[test]
fn wa_3_journal_is_its_owners_alone_and_holds_no_secret() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let body = "import tool Env from \"env://process\"\nmain func(input { note string }) {\n  \
        key = Env.get({ name: \"WORLD_API_KEY\" })\n  \
        sent = Web.post({ url: \"/effect\", body: { note: input.note, key: key } })\n  \
        generate({ input: \"Is it sent?\" })\n}";
    let sandbox = sandbox(&world, body);
    let secret = "sk-abcdefghijklmnopqrstuvwxyz0123456789";
    let looks = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    world.hold("/v1/", 1);
    let input = json!({ "note": format!("use {secret}, not {looks}") }).to_string();
    let mut command =
        sandbox.contexture(["run", "p.as", "--durable", "--yes-to=send", "--input", &input]);
    command.env("WORLD_API_KEY", "hunter2hunter2hunter2").env("OPENAI_API_KEY", secret);
    command.stderr(Stdio::null());
    let child = command.stdout(Stdio::null()).spawn().unwrap();
    world.wait_for_held();
    kill(child);
    world.release();
    let journals = sandbox.path(".contexture/journals");
    let file = std::fs::read_dir(journals).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("hunter2") && !text.contains(secret), "{text}");
    assert!(text.contains(looks), "what only looks like a secret is needed to go on: {text}");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let told = resume(&sandbox).exits(2).json();
    assert_eq!(told["error"]["code"], "input_changed", "{told}");
    let mut command = sandbox.contexture(["runs", "resume", "latest", "--json", "--input", &input]);
    command.env("WORLD_API_KEY", "hunter2hunter2hunter2").env("OPENAI_API_KEY", secret);
    let _ = support::finish(command, b"").exits(0);
    assert_eq!(world.effects().len(), 1);
    assert_eq!(world.effects()[0].body["key"], "hunter2hunter2hunter2");
}

/// What became of the effects of killed runs.
#[derive(Debug, Default)]
struct Counts {
    runs: usize,
    kills: usize,
    lost: usize,
    doubled: usize,
    uncertain: usize,
    asked_again: usize,
}

#[test]
fn wa_3_runs_killed_at_random_points_lose_and_double_nothing() {
    let kills = std::env::var("CONTEXTURE_DURABLE_KILLS").ok().and_then(|count| count.parse().ok());
    let kills: usize = kills.unwrap_or(12);
    let mut counts = Counts::default();
    // Points that differ in each life, and are the same whenever the test is run.
    let mut chance = 0x9e37_79b9_7f4a_7c15_u64;
    while counts.kills < kills {
        one_run(&mut counts, kills, &mut chance);
    }
    println!("{counts:?}");
    assert_eq!((counts.lost, counts.doubled), (0, 0), "{counts:?}");
}

fn one_run(counts: &mut Counts, kills: usize, chance: &mut u64) {
    let world = World::new();
    let sandbox = sandbox(&world, &steps());
    counts.runs += 1;
    let mut arguments = vec!["run", "p.as", "--durable", ALLOWED];
    let value = loop {
        let mut child = begin(&sandbox, &arguments);
        *chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let wait = if counts.kills < kills { 20 + (*chance >> 33) % 400 } else { 60_000 };
        let began = std::time::Instant::now();
        while child.try_wait().unwrap().is_none() && began.elapsed() < Duration::from_millis(wait) {
            std::thread::sleep(Duration::from_millis(2));
        }
        if child.try_wait().unwrap().is_none() {
            kill(child);
            counts.kills += 1;
        }
        let runs = sandbox.run(["runs", "list", "--json"]).exits(0).json();
        let Some(run) = runs["runs"].get(0) else { continue };
        arguments = vec!["runs", "resume", "latest"];
        match run["state"].as_str().unwrap() {
            "done" => break shown(&sandbox)["value"].clone(),
            "in_doubt" => settle(&sandbox, &world, counts),
            "interrupted" => {}
            other => panic!("{other}: {run}"),
        }
    };
    assert_eq!(value.as_array().unwrap().len(), STEPS, "{value}");
    let effects = world.effects();
    for step in 1..=STEPS {
        let times = effects.iter().filter(|effect| effect.body["step"] == json!(step)).count();
        counts.lost += usize::from(times == 0);
        counts.doubled += times.saturating_sub(1);
        let text = sandbox.read(format!("out/{step}.txt"));
        counts.lost += usize::from(!text.contains(&format!("step {step}")));
    }
    counts.asked_again += world.asked().len() - STEPS;
}

/// Looks at the world for what became of the call in doubt, and says so.
fn settle(sandbox: &Sandbox, world: &World, counts: &mut Counts) {
    let run = shown(sandbox);
    let calls = run["calls"].as_array().unwrap();
    let call = calls.iter().find(|call| call["state"] == "in_doubt").unwrap();
    counts.uncertain += 1;
    let step = &call["arguments"]["body"]["step"];
    let effects = world.effects();
    let done = effects
        .iter()
        .position(|effect| call["name"] == "Web.post" && effect.body["step"] == *step);
    let key = call["call"].as_str().unwrap();
    let settled = match done {
        Some(at) => {
            let result = json!({ "ok": true, "json": { "number": at + 1 } }).to_string();
            sandbox.run(["runs", "settle", "latest", key, "--done", &result])
        }
        // A file is written as before; a request that did not come is sent.
        None => sandbox.run(["runs", "settle", "latest", key, "--again"]),
    };
    let _ = settled.exits(0);
}
