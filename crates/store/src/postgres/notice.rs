//! What processes tell each other of their transactions, and the connection that hears it.
//!
//! Decision: a notice says where to look and never what is there, so that one that is lost costs time
//! alone: whoever listens looks at everything after its connection was away, and every second while it is.

use super::tls::Tls;
use super::{CONNECT, Fault, Link, Session};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::{AsyncMessage, Client, Config};

/// The most contexts in a notice, which the database limits to 8000 bytes.
const MOST: usize = 300;
/// The interval of attempts to connect.
const AGAIN: Duration = Duration::from_millis(500);
/// The interval of checks whether the connection is there.
const CHECK: Duration = Duration::from_secs(5);

/// What another process changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Contexts, by their incarnations.
    Contexts(Vec<u64>),
    /// Calls and questions that wait.
    Waits,
    /// Clients that came or left.
    Clients,
    /// Messages that are to be cancelled.
    Cancelled,
    /// Anything: notices may have been lost.
    All,
}

/// A function that takes notices. It must be quick.
pub type Told = Arc<dyn Fn(Notice) + Send + Sync>;

/// What a transaction changes.
#[derive(Debug, Default)]
pub(super) struct Changed {
    pub(super) contexts: BTreeSet<i64>,
    pub(super) waits: bool,
}

impl Changed {
    /// Returns the statements that tell others.
    pub(super) fn told(&self, channel: &str, token: &str) -> String {
        let mut sql = String::new();
        let mut tell = |what: &str| {
            // Nothing of it comes from outside.
            let _ = write!(sql, "select pg_notify('{channel}', '{token} {what}'); ");
        };
        match self.contexts.len() {
            0 => {}
            1..=MOST => {
                let places: Vec<String> = self.contexts.iter().map(i64::to_string).collect();
                tell(&format!("contexts {}", places.join(" ")));
            }
            _ => tell("all"),
        }
        if self.waits {
            tell("waits");
        }
        sql
    }
}

/// Returns the name under which the processes of a database and schema tell each other what they changed.
pub(super) fn channel(session: &Session) -> Result<String, Fault> {
    let row = session.row("select hashtext(current_schema())::text", Vec::new())?;
    let schema = row.map_or(Ok(None), |row| row.some_text(0))?.unwrap_or_default();
    Ok(format!("contexture_{schema}"))
}

/// Reads a notice; `None` for one of this process.
fn read(payload: &str, own: &str) -> Option<Notice> {
    let mut words = payload.split(' ');
    if words.next() == Some(own) {
        return None;
    }
    Some(match words.next() {
        Some("contexts") => Notice::Contexts(words.filter_map(|word| word.parse().ok()).collect()),
        Some("waits") => Notice::Waits,
        Some("clients") => Notice::Clients,
        Some("cancelled") => Notice::Cancelled,
        _ => Notice::All,
    })
}

/// The connection that hears notices, as long as this lives.
#[derive(Default)]
pub(super) struct Listener {
    is_heard: Arc<AtomicBool>,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Listener {
    /// Reports whether notices come in.
    pub(super) fn is_heard(&self) -> bool {
        self.is_heard.load(Ordering::Relaxed)
    }

    /// Hears notices from now on.
    pub(super) fn begin(&self, link: &Link, token: &Arc<str>, told: Told) {
        let hearing = Hearing {
            config: link.address.config(),
            tls: link.tls.clone(),
            channel: link.channel.clone(),
            own: Arc::clone(token),
            told,
            is_heard: Arc::clone(&self.is_heard),
        };
        let task = link.spawn(async move {
            loop {
                hearing.hear().await;
                hearing.is_heard.store(false, Ordering::Relaxed);
                tokio::time::sleep(AGAIN).await;
            }
        });
        *self.task.lock().unwrap_or_else(PoisonError::into_inner) = task;
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let task = self.task.get_mut().unwrap_or_else(PoisonError::into_inner);
        task.take().inspect(JoinHandle::abort);
    }
}

struct Hearing {
    config: Config,
    tls: Tls,
    channel: String,
    own: Arc<str>,
    told: Told,
    is_heard: Arc<AtomicBool>,
}

impl Hearing {
    /// Hears notices until the connection ends.
    async fn hear(&self) {
        let connecting = timeout(CONNECT, self.config.connect(self.tls.clone())).await;
        let Ok(Ok((client, mut connection))) = connecting else { return };
        let (own, told) = (Arc::clone(&self.own), Arc::clone(&self.told));
        let mut driving = tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await
            {
                if let AsyncMessage::Notification(notice) = message
                    && let Some(notice) = read(notice.payload(), &own)
                {
                    told(notice);
                }
            }
        });
        let listen = format!("listen \"{}\"", self.channel);
        let mut is_there = is_done(&client, &listen).await;
        if is_there {
            self.is_heard.store(true, Ordering::Relaxed);
            (self.told)(Notice::All);
        }
        while is_there {
            tokio::select! {
                _ = &mut driving => return,
                () = tokio::time::sleep(CHECK) => is_there = is_done(&client, "select 1").await,
            }
        }
        driving.abort();
    }
}

async fn is_done(client: &Client, sql: &str) -> bool {
    matches!(timeout(CONNECT, client.batch_execute(sql)).await, Ok(Ok(())))
}
