//! A fan-out of 500 steps over Restate by `contexture serve --engine restate=…`, beside a bare Restate
//! workflow that calls a bare service as often, on the same engine (WA-12).
//!
//! Build the program with `cargo build --release --features contexture-cli/restate` first; `CONTEXTURE`
//! names another one. An engine must run: `RESTATE` is its ingress (http://127.0.0.1:8080), `RESTATE_ADMIN`
//! its administration (http://127.0.0.1:9070). Both sides are measured in turn, by the same client, and
//! medians and their ratio are printed. Both have the same number of steps at once. The arguments say how
//! many rounds, 15 without one, and how many steps at once, 64 without one, which is what the program
//! has without `concurrency` in its settings.

use reqwest::Client;
use restate_sdk::prelude::*;
use serde_json::{Value, json};
use std::error::Error;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

type Outcome<T> = Result<T, Box<dyn Error>>;

const STEPS: usize = 500;

struct BareStep;

#[restate_sdk::service(name = "BareStep")]
impl BareStep {
    #[handler]
    async fn echo(
        &self,
        _ctx: Context<'_>,
        input: Json<Value>,
    ) -> Result<Json<Value>, HandlerError> {
        Ok(input)
    }
}

struct BareSet;

#[restate_sdk::workflow(name = "BareSet")]
impl BareSet {
    #[handler]
    async fn run(&self, ctx: WorkflowContext<'_>, most: u32) -> Result<u32, HandlerError> {
        let (most, mut begun, mut done) = (most as usize, 0, 0);
        let mut under_way = DurableFuturesUnordered::new();
        while done < STEPS {
            while begun < STEPS && begun - done < most {
                let client = ctx.service_client::<BareStepClient>();
                under_way.push(client.echo(Json(json!({ "n": begun }))).call());
                begun += 1;
            }
            if let Some((_, answer)) = under_way.next().await? {
                answer?;
                done += 1;
            }
        }
        Ok(done as u32)
    }
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let var = |name: &str, default: &str| std::env::var(name).unwrap_or(default.to_owned());
    let engine = var("RESTATE", "http://127.0.0.1:8080");
    let admin = var("RESTATE_ADMIN", "http://127.0.0.1:9070");
    let program = var("CONTEXTURE", "target/release/contexture");
    let number = |at: usize, default| {
        std::env::args().nth(at).map_or(Ok(default), |word| word.parse::<usize>())
    };
    let (rounds, at_once) = (number(1, 15)?, number(2, 64)?);
    let client = Client::builder().no_proxy().build()?;
    let bare = bare(&client, &admin).await?;
    let (_server, base, _folder) = ours(&client, &program, &engine, &admin, at_once).await?;
    let mut rates = [Vec::new(), Vec::new()];
    let mark = std::process::id();
    for round in 0..=rounds {
        let key = format!("{mark}-{round}");
        let taken = [
            send_set(&client, &base, &format!("m{round}")).await?,
            send_bare(&client, &engine, &key, at_once).await?,
        ];
        // The first round warms up.
        if round > 0 {
            let of = |took: Duration| STEPS as f64 / took.as_secs_f64();
            rates.iter_mut().zip(taken).for_each(|(rates, took)| rates.push(of(took)));
        }
    }
    bare.abort();
    let [ours, bare] = rates.map(|mut rates| median(&mut rates));
    println!("{STEPS} steps, {at_once} at once, {rounds} rounds, medians");
    println!("contexture serve over Restate: {ours:.0} steps/s");
    println!("bare service: {bare:.0} steps/s, ratio {:.2}", ours / bare);
    Ok(())
}

/// Serves the bare services and registers them.
async fn bare(client: &Client, admin: &str) -> Outcome<tokio::task::JoinHandle<()>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let uri = format!("http://{}", listener.local_addr()?);
    let endpoint = Endpoint::builder().bind(BareSet).bind(BareStep).build();
    let serving = tokio::spawn(HttpServer::new(endpoint).serve(listener));
    post(client, &format!("{admin}/deployments"), &json!({ "uri": uri })).await?;
    Ok(serving)
}

/// Starts the program over the engine.
async fn ours(
    client: &Client,
    program: &str,
    engine: &str,
    admin: &str,
    at_once: usize,
) -> Outcome<(Child, String, tempfile::TempDir)> {
    let folder = tempfile::tempdir()?;
    let program = std::fs::canonicalize(program)?;
    std::fs::write(folder.path().join("app.as"), "main func(text string) { text }\n")?;
    let settings = format!("concurrency = {at_once}\n[serve]\nengine_admin = \"{admin}\"\n");
    std::fs::write(folder.path().join("contexture.toml"), settings)?;
    let address = TcpListener::bind("127.0.0.1:0").await?.local_addr()?;
    let server = Command::new(program)
        .args(["serve", "app.as", "--log", "off", "--listen", &address.to_string()])
        .args(["--engine", &format!("restate={engine}")])
        .current_dir(folder.path())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let base = format!("http://{address}");
    loop {
        let ready = client.get(format!("{base}/readyz")).send().await;
        if ready.is_ok_and(|answer| answer.status().is_success()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    post(client, &format!("{base}/v1/contexts"), &json!({ "contextId": "ctx" })).await?;
    Ok((server, base, folder))
}

async fn send_set(client: &Client, base: &str, name: &str) -> Outcome<Duration> {
    let step = |n: usize| json!({"instructionId": format!("{name}_{n}"), "action": "echo", "parameters": {"n": n}});
    let steps: Vec<Value> = (0..STEPS).map(step).collect();
    let message = json!({
        "messageId": name, "contextId": "ctx", "timestamp": "2026-01-01T00:00:00Z", "type": "INSTRUCTION",
        "sender": {"id": "me", "type": "USER"},
        "content": {"instructions": steps, "executionMode": "PARALLEL"}});
    let began = Instant::now();
    let answer = post(client, &format!("{base}/v1/messages"), &message).await?;
    let took = began.elapsed();
    if answer["content"]["status"] != "COMPLETED" {
        return Err(answer.to_string().into());
    }
    Ok(took)
}

async fn send_bare(client: &Client, engine: &str, key: &str, most: usize) -> Outcome<Duration> {
    let began = Instant::now();
    let answer = post(client, &format!("{engine}/BareSet/{key}/run"), &json!(most)).await?;
    let took = began.elapsed();
    if answer != STEPS {
        return Err(answer.to_string().into());
    }
    Ok(took)
}

async fn post(client: &Client, url: &str, body: &Value) -> Outcome<Value> {
    let request = client.post(url).header("content-type", "application/json");
    let answer = request.body(body.to_string()).send().await?;
    let (status, text) = (answer.status(), answer.text().await?);
    if !status.is_success() {
        return Err(format!("{url}: {status}: {text}").into());
    }
    Ok(serde_json::from_str(&text)?)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
