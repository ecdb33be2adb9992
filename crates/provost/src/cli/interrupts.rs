//! Ctrl-C, heard also while nobody listens.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Every Ctrl-C since it began to listen. One that comes while something else is done is heard afterwards.
pub(super) struct Interrupts(Option<Signal>);

impl Interrupts {
    /// Begins to listen. On a machine that gives no signals, Ctrl-C ends the program as it always does.
    pub(super) fn listen() -> Self {
        Self(signal(SignalKind::interrupt()).ok())
    }

    /// Resolves at the next Ctrl-C.
    ///
    /// # Cancel safety
    /// Dropping it loses nothing.
    pub(super) async fn next(&mut self) {
        let heard = match &mut self.0 {
            Some(signal) => signal.recv().await,
            None => None,
        };
        if heard.is_none() {
            std::future::pending::<()>().await;
        }
    }
}
