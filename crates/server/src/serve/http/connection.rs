//! A WebSocket connection (CP-6).
//!
//! Decision: one task reads and writes. Everything that has arrived is taken before anything is sent,
//! and all output is flushed once; so a burst of small messages costs little more than one.

use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::reply::Reply;
use crate::serve::exchange::{receive, unread};
use crate::serve::frontend::calls;
use crate::serve::frontend::target::is_in_background;
use crate::serve::message::{answering, draining};
use crate::serve::phase::Phase;
use crate::serve::session::{Ended, Session};
use bytes::Bytes;
use contexture_protocol::content::Welcome;
use contexture_protocol::{Batch, Body, ErrorCode, Message, Refusal, SenderType, VERSION, Version};
use futures_util::{FutureExt as _, SinkExt as _};
use serde_json::Map;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, MissedTickBehavior, timeout};
use yawc::close::CloseCode;
use yawc::{Frame, HttpStream, OpCode, WebSocket, WebSocketError};

/// The time that a connection has to close.
const FAREWELL: Duration = Duration::from_secs(2);
/// The close code of a connection whose token is no longer valid.
const TOKEN_OVER: u16 = 4401;
/// The close code of an idle connection.
const SILENT: u16 = 4408;
/// The most messages that are taken before anything is sent.
const BURST: usize = 64;
/// The approximate bytes that are written to the socket at once.
const PORTION: usize = 256 << 10;

pub(super) struct Connection {
    app: Arc<App>,
    caller: Caller,
    socket: WebSocket<HttpStream>,
    /// The number of the connection within its session.
    number: u64,
    heard: Instant,
    /// The time of the last ping.
    asked: Instant,
    timeouts: Timeouts,
    /// The id of its first message, which unsolicited messages answer.
    greeting: Option<String>,
    /// The answer to HELLO, which is sent before anything else.
    welcome: Option<Message>,
    /// A refusal after which the connection ends.
    is_refused: bool,
    /// True if the client announced that it will not return.
    is_done: bool,
    /// True if the client knows that the server is about to end.
    is_warned: bool,
    /// True if the server ends; pending output is still sent.
    is_ending: bool,
}

#[derive(Clone, Copy)]
struct Timeouts {
    /// The idle time before a ping.
    quiet: Duration,
    /// The idle time after which a client counts as gone.
    gone: Duration,
    /// The time after which a client that reads nothing counts as gone.
    stuck: Duration,
}

impl Timeouts {
    fn of(app: &App) -> Self {
        let limits = &app.project.config.serve.limits;
        let gone = Duration::from_secs(limits.silence_seconds.get());
        Self {
            // Whoever is to be closed was asked before.
            quiet: Duration::from_secs(limits.ping_seconds.get()).min(gone / 2),
            gone,
            stuck: Duration::from_secs(limits.write_seconds.get()),
        }
    }

    /// Returns the interval of checks.
    fn beat(self) -> Duration {
        self.quiet.min(self.gone) / 3
    }
}

/// The reason why a connection ends.
enum End {
    /// The client closed the connection, or it was lost.
    Gone,
    Close(CloseCode, &'static str),
}

impl From<Ended> for End {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Replaced => {
                Self::Close(CloseCode::Policy, "another connection took the session over")
            }
            Ended::TooSlow => Self::Close(CloseCode::Again, "the client reads too slowly"),
        }
    }
}

/// Returns the end of a connection after a protocol error.
fn broken(error: &WebSocketError) -> End {
    match error {
        WebSocketError::InvalidUTF8 => End::Close(CloseCode::Invalid, "the text is not UTF-8"),
        WebSocketError::FrameTooLarge => End::Close(CloseCode::Size, "the message is too large"),
        error if error.is_protocol_error() => {
            End::Close(CloseCode::Protocol, "the frames are not as RFC 6455 says")
        }
        _ => End::Gone,
    }
}

/// Reports whether an invalid message is meant to be a HELLO.
fn is_hello(text: &[u8]) -> bool {
    let read = serde_json::from_slice::<serde_json::Value>(text);
    read.is_ok_and(|message| message.get("type").and_then(|kind| kind.as_str()) == Some("HELLO"))
}

/// Returns the result of a write, which ends the connection when it fails or takes too long.
fn written(result: Result<Result<(), WebSocketError>, Elapsed>) -> Result<(), End> {
    result.map_err(|_| End::Gone)?.map_err(|_| End::Gone)
}

impl Connection {
    pub(super) fn new(app: Arc<App>, caller: Caller, socket: WebSocket<HttpStream>) -> Self {
        let (now, timeouts) = (Instant::now(), Timeouts::of(&app));
        Self {
            app,
            caller,
            socket,
            number: 0,
            heard: now,
            asked: now,
            timeouts,
            greeting: None,
            welcome: None,
            is_refused: false,
            is_done: false,
            is_warned: false,
            is_ending: false,
        }
    }

    /// Serves until the connection ends.
    pub(super) async fn serve(mut self) {
        let _open = OpenSocket::new(&self.app);
        let end = self.talk().await;
        // The client may reconnect before the close is complete.
        if let Some(session) = self.caller.session.take() {
            session.disconnect(self.number);
            calls::left(&self.app, &session);
            // A client that works in the background may come back with its results (CP-15).
            let is_busy = is_in_background(&session) && session.has_calls();
            if self.is_done && !is_busy {
                self.app.end_session(&session);
            }
        }
        let farewell = async {
            if let End::Close(code, reason) = end {
                // A framing error may have been answered with a close already.
                let _ = self.socket.send(Frame::close(code, reason)).await;
            }
            // The close is written while the other side's answer is read.
            while self.socket.next_frame().await.is_ok() {}
            self.socket.close().await
        };
        let _ = timeout(FAREWELL, farewell).await;
    }

    async fn talk(&mut self) -> End {
        let mut phase = self.app.phase.subscribe();
        let (app, grant) = (Arc::clone(&self.app), Arc::clone(&self.caller.grant));
        let mut revoked = std::pin::pin!(app.revoked(&grant));
        let mut beat = tokio::time::interval(self.timeouts.beat());
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let session = self.caller.session.clone();
            let ready = async {
                match &session {
                    Some(session) => session.ready().await,
                    None => std::future::pending().await,
                }
            };
            let step = tokio::select! {
                biased;
                // Before the input of the client, so that a busy client is ended, too.
                () = &mut revoked => {
                    let reason = "the token expired or was revoked";
                    Err(End::Close(CloseCode::from(TOKEN_OVER), reason))
                }
                changed = phase.changed() => self.phase(changed.is_ok().then(|| *phase.borrow_and_update())),
                frame = poll_fn(|cx| self.socket.poll_next_frame(cx)) => self.take(frame),
                () = ready => Ok(()),
                _ = beat.tick() => self.beat().await,
            };
            let step = step.and_then(|()| self.more());
            let sent = match step {
                Ok(()) => self.send().await,
                Err(end) => Err(end),
            };
            if let Err(end) = sent {
                return end;
            }
        }
    }

    /// Takes further messages that have arrived.
    fn more(&mut self) -> Result<(), End> {
        for _ in 0..BURST {
            let next = poll_fn(|cx| self.socket.poll_next_frame(cx)).now_or_never();
            let Some(frame) = next else { break };
            self.take(frame)?;
        }
        Ok(())
    }

    fn take(&mut self, frame: Result<Frame, WebSocketError>) -> Result<(), End> {
        self.heard = Instant::now();
        let frame = frame.map_err(|error| broken(&error))?;
        match frame.opcode() {
            OpCode::Text | OpCode::Binary => self.message(frame.payload()),
            OpCode::Close => {
                self.is_done = frame.close_code() == Some(CloseCode::Normal);
                Err(End::Gone)
            }
            _ => Ok(()),
        }
    }

    fn message(&mut self, text: &Bytes) -> Result<(), End> {
        let is_first = self.caller.session.is_none();
        match Batch::parse(text, &self.app.limits) {
            // A wrong HELLO is answered, and the client has to start over.
            Ok(Batch::One(message)) if is_first && message.is_err() && is_hello(text) => {
                self.is_refused = true;
                self.one(*message)
            }
            Ok(Batch::One(message)) => self.one(*message),
            Ok(Batch::Many(messages)) => messages.into_iter().try_for_each(|one| self.one(one)),
            Err(refused) => self.one(Err(refused)),
        }
    }

    fn one(&mut self, read: Result<Message, Box<Refusal>>) -> Result<(), End> {
        // Invalid messages before it do not count: the client may send HELLO again.
        let is_first = self.greeting.is_none();
        if let (true, Ok(message)) = (is_first, &read) {
            self.greeting = Some(message.message_id.clone());
        }
        match read {
            Ok(message) if matches!(message.body, Body::Hello(_)) && !is_first => {
                let refused =
                    Refusal::new(ErrorCode::ValidationFailed, "HELLO is the first message alone");
                self.refuse(refused.about(&message));
            }
            Ok(message) if matches!(message.body, Body::Hello(_)) => return self.hello(&message),
            Ok(message) => {
                let session = self.session(None).0;
                let reply = Reply::new(session, self.app.maker.clone(), &message);
                receive(&self.app, &self.caller, message, reply);
            }
            Err(refused) => {
                let session = self.session(None).0;
                session.send(unread(&self.app, &self.caller, *refused));
            }
        }
        if self.caller.meter.is_flooded() {
            return Err(End::Close(
                CloseCode::Again,
                "the client keeps sending although it is to wait",
            ));
        }
        Ok(())
    }

    fn refuse(&mut self, refused: Refusal) {
        let session = self.session(None).0;
        session.send(self.app.maker.refusal(refused));
    }

    /// Returns the session; the first message starts one, unless it is a HELLO that resumes one.
    fn session(&mut self, asked: Option<(&str, u64)>) -> (Arc<Session>, u64) {
        if let Some(session) = &self.caller.session {
            return (Arc::clone(session), 0);
        }
        let fresh = || self.app.maker.id("ses");
        let taken = self.app.sessions.open(self.caller.owner(), asked, fresh);
        if let Some(ended) = &taken.ended {
            self.app.forget(ended);
        }
        taken.session.set_model(self.caller.grant.senders.contains(&SenderType::Model));
        self.number = taken.connection;
        self.caller.session = Some(Arc::clone(&taken.session));
        (taken.session, taken.last_seq)
    }

    /// Handles HELLO: negotiates the version, and starts or resumes the session.
    fn hello(&mut self, message: &Message) -> Result<(), End> {
        let Body::Hello(hello) = &message.body else { return Ok(()) };
        if let Err(refused) = Version::negotiate(&hello.protocol_version) {
            self.refuse(refused.about(message));
            self.is_refused = true;
            return Ok(());
        }
        let seen = hello.last_seq.as_ref().map_or(0, |seq| seq.get());
        let (session, last_seq) = self.session(hello.session_id.as_deref().map(|id| (id, seen)));
        let welcome = Welcome {
            protocol_version: VERSION.to_string(),
            session_id: session.id().to_owned(),
            last_seq: last_seq.into(),
            extra: Map::new(),
        };
        // It has no number of its own, but that of the message before the next ones.
        let is_resumed = hello.session_id.as_deref() == Some(session.id());
        let answer = self.app.maker.message(None, welcome.into());
        let answer = answer.with_meta("seq", if is_resumed { seen } else { 0 });
        self.welcome = Some(answering(answer, &message.message_id));
        session.set_name(&message.sender.id);
        self.app.sessions.notify();
        if let Some(client) = session.client_name() {
            calls::back(&self.app, &session, client, true);
        }
        Ok(())
    }

    /// Sends pending output.
    async fn send(&mut self) -> Result<(), End> {
        let Some(session) = self.caller.session.clone() else { return Ok(()) };
        if let Some(welcome) = self.welcome.take() {
            self.feed(Bytes::from(welcome.to_json())).await?;
        }
        let mut portion = Vec::new();
        session.take(self.number, PORTION, &mut portion)?;
        for message in portion {
            self.feed(message).await?;
        }
        self.flush(&session).await?;
        if self.is_ending {
            return Err(End::Close(CloseCode::Away, "the server ends"));
        }
        if self.is_refused {
            self.is_done = true;
            return Err(End::Close(CloseCode::Policy, "the HELLO is not accepted"));
        }
        Ok(())
    }

    /// Flushes the output. A client that reads nothing is not waited for when what is
    /// stored for it exceeds its limits meanwhile.
    async fn flush(&mut self, session: &Session) -> Result<(), End> {
        let flush = timeout(self.timeouts.stuck, self.socket.flush());
        let mut flush = std::pin::pin!(flush);
        let mut is_more = false;
        let flushed = loop {
            tokio::select! {
                biased;
                flushed = &mut flush => break flushed,
                () = session.ready() => {
                    is_more = true;
                    session.holds(self.number)?;
                }
            }
        };
        if is_more {
            session.wake();
        }
        written(flushed)
    }

    async fn feed(&mut self, text: Bytes) -> Result<(), End> {
        let feed = self.socket.feed(Frame::text(text));
        written(timeout(self.timeouts.stuck, feed).await)
    }

    /// Pings a quiet client.
    async fn beat(&mut self) -> Result<(), End> {
        let Timeouts { quiet, gone, stuck } = self.timeouts;
        let silent = self.heard.elapsed();
        if silent >= gone {
            return Err(End::Close(CloseCode::from(SILENT), "nothing was received for too long"));
        }
        if silent >= quiet && self.asked.elapsed() >= quiet {
            self.asked = Instant::now();
            let ping = self.socket.send(Frame::ping(Bytes::new()));
            return written(timeout(stuck, ping).await);
        }
        Ok(())
    }

    /// Handles the end of the server.
    fn phase(&mut self, phase: Option<Phase>) -> Result<(), End> {
        match phase {
            Some(Phase::Open) => Ok(()),
            Some(Phase::Draining) => {
                self.warn();
                Ok(())
            }
            Some(Phase::Closed) if self.caller.session.is_some() => {
                self.warn();
                self.is_ending = true;
                Ok(())
            }
            Some(Phase::Closed) | None => Err(End::Close(CloseCode::Away, "the server ends")),
        }
    }

    /// Announces the end of the server, once.
    fn warn(&mut self) {
        if let Some(session) = self.caller.session.as_ref().filter(|_| !self.is_warned) {
            let warning = self.app.maker.message(None, draining().into());
            session.send(match &self.greeting {
                Some(greeting) => answering(warning, greeting),
                None => warning,
            });
            self.is_warned = true;
        }
    }
}

/// An open WebSocket for the metrics.
struct OpenSocket(Arc<App>);

impl OpenSocket {
    fn new(app: &Arc<App>) -> Self {
        app.metrics.sockets.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(app))
    }
}

impl Drop for OpenSocket {
    fn drop(&mut self) {
        self.0.metrics.sockets.fetch_sub(1, Ordering::Relaxed);
    }
}
