//! A piece of work for whoever writes.

use std::sync::Arc;

use provost_runtime::port::Fault;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::broken::Broken;
use super::ledger::Ledger;

/// It may be asked to work again in another transaction when the first was rolled back.
pub(super) trait Job: Send {
    fn work(&mut self, connection: &Connection, ledger: &mut Ledger) -> Result<(), Broken>;
    fn answer(self: Box<Self>, outcome: Result<(), Fault>);
}

/// Lives as long as a piece of work is not answered.
#[derive(Clone, Default)]
pub(super) struct Open(Arc<()>);

impl Open {
    /// Whether this is the only one: nothing waits for its answer.
    pub(super) fn is_alone(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

/// Work of somebody who waits for its answer.
pub(super) struct Asked<T, Work> {
    work: Work,
    done: Option<T>,
    reply: oneshot::Sender<Answer<T, Work>>,
    open: Open,
}

/// What came of some work, and the work itself: whoever made it takes it apart, and not the writer.
pub(super) struct Answer<T, Work> {
    pub(super) outcome: Result<T, Fault>,
    _work: Work,
}

impl<T, Work> Asked<T, Work> {
    pub(super) fn new(work: Work, open: Open) -> (Box<Self>, oneshot::Receiver<Answer<T, Work>>) {
        let (reply, answer) = oneshot::channel();
        (Box::new(Self { work, done: None, reply, open }), answer)
    }
}

impl<T, Work> Job for Asked<T, Work>
where
    T: Send,
    Work: FnMut(&Connection, &mut Ledger) -> Result<T, Broken> + Send,
{
    fn work(&mut self, connection: &Connection, ledger: &mut Ledger) -> Result<(), Broken> {
        self.done = Some((self.work)(connection, ledger)?);
        Ok(())
    }

    fn answer(self: Box<Self>, outcome: Result<(), Fault>) {
        let Self { work, done, reply, open } = *self;
        // Whoever hears the answer may come with the next piece at once.
        drop(open);
        // Whoever asked may have stopped listening.
        let _ = reply.send(Answer { outcome: outcome.and_then(|()| done.ok_or(Fault::Closed)), _work: work });
    }
}
