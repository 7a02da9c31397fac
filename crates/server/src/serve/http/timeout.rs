//! A stream with a timeout for writing.
//!
//! Decision: hyper has a timeout for the head of a request, and none for a client that never
//! reads. A write that makes no progress for a while ends the connection. And a connection that is
//! closed while the other side still sends is reset, which discards the last response: after the
//! last write, further input is read for a moment and discarded.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// The time for which further input is discarded after the last write.
const LINGER: Duration = Duration::from_secs(1);
/// The bytes that are discarded at once.
const DISCARDED: usize = 8 << 10;

pub(super) struct TimeoutStream<S> {
    stream: S,
    timeout: Duration,
    /// Runs while a write waits.
    late: Option<Pin<Box<Sleep>>>,
    /// Runs after the last write.
    linger: Option<Pin<Box<Sleep>>>,
}

impl<S> TimeoutStream<S> {
    pub(super) const fn new(stream: S, timeout: Duration) -> Self {
        Self { stream, timeout, late: None, linger: None }
    }

    /// Returns the result of a write, or an error when it waited too long.
    fn timed<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.late = None;
            return written;
        }
        let timeout = self.timeout;
        let late = self.late.get_or_insert_with(|| Box::pin(sleep(timeout)));
        late.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TimeoutStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.timed(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.timed(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.timed(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger.is_none() {
            let over = Pin::new(&mut self.stream).poll_shutdown(cx);
            if let Err(error) = std::task::ready!(self.timed(cx, over)) {
                return Poll::Ready(Err(error));
            }
        }
        self.drain(cx)
    }
}

impl<S: AsyncRead + Unpin> TimeoutStream<S> {
    /// Discards further input until the other side has ended too, for a moment.
    fn drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let linger = self.linger.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        if linger.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        loop {
            let mut discarded = [MaybeUninit::uninit(); DISCARDED];
            let mut discarded = ReadBuf::uninit(&mut discarded);
            match Pin::new(&mut self.stream).poll_read(cx, &mut discarded) {
                Poll::Ready(Ok(())) if !discarded.filled().is_empty() => {}
                // The other side has ended, or is gone.
                Poll::Ready(_) => return Poll::Ready(Ok(())),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    #[test]
    fn cp_6_input_after_last_write_is_discarded_until_close() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (ours, mut theirs) = tokio::io::duplex(64);
            let mut ours = TimeoutStream::new(ours, Duration::from_secs(600));
            let rest = async {
                theirs.write_all(&[b'x'; 100_000]).await.unwrap();
                let mut said = String::new();
                theirs.read_to_string(&mut said).await.unwrap();
                drop(theirs);
                said
            };
            let end = async {
                ours.write_all(b"the last word").await.unwrap();
                ours.shutdown().await.unwrap();
            };
            let (said, ()) = tokio::join!(rest, end);
            assert_eq!(said, "the last word");
        });
    }

    #[test]
    fn cp_19_reader_that_reads_nothing_is_disconnected() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (ours, mut theirs) = tokio::io::duplex(8);
            let mut slow = TimeoutStream::new(ours, Duration::from_secs(600));
            slow.write_all(b"12345678").await.unwrap();
            let mut taken = [0; 8];
            let (sent, read) = tokio::join!(slow.write_all(b"9"), theirs.read_exact(&mut taken));
            sent.unwrap();
            assert_eq!(read.unwrap(), 8, "whoever reads is waited for");
            let mut hasty = TimeoutStream::new(slow.stream, Duration::from_millis(30));
            let sent = hasty.write_all(b"and much more than fits").await;
            assert_eq!(sent.unwrap_err().kind(), io::ErrorKind::TimedOut);
        });
    }
}
