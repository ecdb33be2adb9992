//! What watchers see of runs: typed events of any run, live or over, from any process.
//!
//! One query reads the news of every followed run. A watcher that falls behind loses no event: its position
//! stays where it is, and the rest is read when it has room. Deltas are not stored and may be lost; the
//! watcher is informed of how many.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::stream::{self, Stream, StreamExt};
use provost_engine::event::{Event, EventKind};
use provost_engine::{RunId, Seq};
use tokio::sync::{Notify, broadcast, mpsc};

use crate::actor::{Delta, DeltaSink};
use crate::store::Store;

/// How many events may wait for one watcher.
const EVENTS: usize = 256;
/// How many deltas may wait for one watcher.
const DELTAS: usize = 1_024;
/// The shortest time between two looks at the store.
const LOOK_GAP: Duration = Duration::from_millis(5);
/// The pause after the store failed.
const PAUSE: Duration = Duration::from_millis(200);

/// An event of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEvent {
    /// The run.
    pub run: RunId,
    /// The event: position, time, actor, kind.
    pub event: Event,
}

/// What a watcher gets next.
#[derive(Clone, Debug, PartialEq)]
pub enum Followed {
    /// An event. Numbered, stored, never lost.
    Event(Box<RunEvent>),
    /// A piece of something that is under way in this process.
    Delta(Delta),
    /// So many deltas were dropped because the watcher was too slow.
    Lagged(u64),
    /// A record cannot be read by this program; the rest of the run is not followed.
    Unreadable(String),
}

/// Follows runs for the watchers of one process. Cheap to clone.
#[derive(Clone)]
pub struct EventHub {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn Store>,
    watchers: Mutex<Vec<Watcher>>,
    news: Arc<Notify>,
    deltas: Mutex<HashMap<RunId, broadcast::Sender<Piece>>>,
}

/// The loop looks up once more, finds no hub, and ends.
impl Drop for Inner {
    fn drop(&mut self) {
        self.news.notify_one();
    }
}

struct Watcher {
    run: RunId,
    after: Seq,
    events: mpsc::Sender<Result<RunEvent, String>>,
}

/// A delta, and the model request that it belongs to; an executor's has none.
type Piece = (Option<u32>, Delta);

/// The events of one run, from a position on, and the deltas of this process between them: those of a model call
/// stand between its request and its response.
///
/// It ends behind the event that ended the run, if nothing follows it, and at once if the position is there. A run
/// that rests is not over: the stream waits.
pub struct RunEvents(Pin<Box<dyn Stream<Item = Followed> + Send>>);

/// The state behind the events of one run.
struct Follower {
    events: mpsc::Receiver<Result<RunEvent, String>>,
    run: RunId,
    /// None for a watcher of events alone.
    deltas: Option<broadcast::Receiver<Piece>>,
    requests: Requests,
    hub: EventHub,
    /// Where the run may be over: the position it is followed from, or the event that ended it, once it was given
    /// out.
    end: Option<Seq>,
}

/// Which model requests a watcher has seen.
#[derive(Default)]
struct Requests {
    /// The request that is open; none before the first one was seen.
    open: Option<u32>,
    /// The last one that was answered.
    answered: u32,
    /// Deltas of a request whose event has not been read yet.
    early: VecDeque<Piece>,
    /// The event that is due after the deltas before it.
    event: Option<Box<RunEvent>>,
}

impl Requests {
    /// Takes in an event that is due.
    fn event(&mut self, event: &Event) {
        match &event.kind {
            EventKind::ModelRequested(requested) => self.open = Some(requested.request),
            EventKind::ModelResponded(responded) => {
                self.answered = responded.request;
                self.open.get_or_insert(responded.request);
            }
            _ => {}
        }
    }

    /// Returns a delta that is due, or holds it back.
    fn due(&mut self, piece: Piece) -> Option<Delta> {
        match (piece.0, self.open) {
            (None, _) => Some(piece.1),
            (Some(request), _) if request <= self.answered => None,
            // What streams before the request was seen waits for it.
            (Some(request), open) if open.is_none_or(|open| request > open) => {
                if self.early.len() < DELTAS {
                    self.early.push_back(piece);
                }
                None
            }
            (Some(_), _) => Some(piece.1),
        }
    }

    /// Returns a delta that was held back and is due now.
    fn held(&mut self) -> Option<Delta> {
        while let Some((Some(request), _)) = self.early.front() {
            if self.open.is_none_or(|open| *request > open) {
                return None;
            }
            let (request, delta) = self.early.pop_front()?;
            if request.is_some_and(|request| request > self.answered) {
                return Some(delta);
            }
        }
        None
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EventHub {
    /// Starts following runs in a store. It ends with its last handle.
    pub fn start(store: Arc<dyn Store>) -> Self {
        let inner = Arc::new(Inner {
            store: store.clone(),
            watchers: Mutex::default(),
            news: Arc::new(Notify::new()),
            deltas: Mutex::default(),
        });
        let weak = Arc::downgrade(&inner);
        #[expect(clippy::disallowed_methods, reason = "the hub owns its loop and ends with its last handle")]
        tokio::spawn(follow_all(store, weak));
        Self { inner }
    }

    /// Follows a run behind a position; `Seq(0)` is its beginning.
    pub fn follow(&self, run: &RunId, after: Seq) -> RunEvents {
        let deltas = lock(&self.inner.deltas)
            .entry(run.clone())
            .or_insert_with(|| broadcast::channel(DELTAS).0)
            .subscribe();
        self.follower(run, after, Some(deltas)).into_events()
    }

    /// The same without deltas.
    pub fn follow_stored(&self, run: &RunId, after: Seq) -> RunEvents {
        self.follower(run, after, None).into_events()
    }

    fn follower(&self, run: &RunId, after: Seq, deltas: Option<broadcast::Receiver<Piece>>) -> Follower {
        let (sender, events) = mpsc::channel(EVENTS);
        lock(&self.inner.watchers).push(Watcher { run: run.clone(), after, events: sender });
        self.inner.news.notify_one();
        let (run, requests, hub) = (run.clone(), Requests::default(), self.clone());
        // A run that is followed from its beginning has something to give, now or when it starts.
        let end = (after > Seq(0)).then_some(after);
        Follower { run, events, deltas, requests, hub, end }
    }
}

impl DeltaSink for EventHub {
    fn delta(&self, run: &RunId, request: Option<u32>, delta: Delta) {
        let mut deltas = lock(&self.inner.deltas);
        let Some(sender) = deltas.get(run) else { return };
        if sender.send((request, delta)).is_err() {
            deltas.remove(run);
        }
    }
}

impl Stream for RunEvents {
    type Item = Followed;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Followed>> {
        self.0.as_mut().poll_next(context)
    }
}

impl RunEvents {
    /// Returns what comes next; none behind the end of the run. A run that rests is not over: this waits.
    ///
    /// # Cancel safety
    /// Dropping it loses nothing.
    pub async fn next(&mut self) -> Option<Followed> {
        StreamExt::next(&mut self.0).await
    }

    /// Returns the next event, without deltas.
    ///
    /// # Cancel safety
    /// Dropping it loses deltas at most.
    pub async fn next_event(&mut self) -> Option<RunEvent> {
        loop {
            match self.next().await? {
                Followed::Event(event) => return Some(*event),
                Followed::Unreadable(_) => return None,
                Followed::Delta(_) | Followed::Lagged(_) => {}
            }
        }
    }
}

impl Follower {
    fn into_events(self) -> RunEvents {
        let step = async |mut follower: Self| {
            let followed = follower.next().await?;
            Some((followed, follower))
        };
        RunEvents(Box::pin(stream::unfold(self, step)))
    }

    /// Whether nothing follows the end of the run. A run that was taken up again goes on.
    async fn is_over(&self) -> bool {
        let Some(end) = self.end else { return false };
        match self.hub.inner.store.run(self.run.clone()).await {
            Ok(listed) => listed.is_none_or(|listed| listed.row.head <= end && listed.row.ended.is_some()),
            Err(_) => false,
        }
    }

    async fn next(&mut self) -> Option<Followed> {
        loop {
            if let Some(delta) = self.requests.held() {
                return Some(Followed::Delta(delta));
            }
            if self.requests.event.is_some() {
                return self.due_event();
            }
            if self.is_over().await {
                return None;
            }
            self.end = None;
            tokio::select! {
                biased;
                event = self.events.recv() => {
                    // There is room for more.
                    self.hub.inner.news.notify_one();
                    match event? {
                        Ok(event) => self.requests.event = Some(Box::new(event)),
                        Err(problem) => return Some(Followed::Unreadable(problem)),
                    }
                }
                piece = streamed(&mut self.deltas) => match piece {
                    Ok(piece) => if let Some(delta) = self.requests.due(piece) {
                        return Some(Followed::Delta(delta));
                    },
                    Err(broadcast::error::RecvError::Lagged(count)) => return Some(Followed::Lagged(count)),
                    // No deltas come any more; events do.
                    Err(broadcast::error::RecvError::Closed) => self.deltas = None,
                },
            }
        }
    }

    /// Returns the event that is due: the response of a model after everything that was streamed of it.
    fn due_event(&mut self) -> Option<Followed> {
        let responds = |event: &RunEvent| matches!(event.event.kind, EventKind::ModelResponded(_));
        while self.requests.event.as_deref().is_some_and(responds) {
            let Some(deltas) = &mut self.deltas else { break };
            match deltas.try_recv() {
                Ok(piece) => {
                    if let Some(delta) = self.requests.due(piece) {
                        return Some(Followed::Delta(delta));
                    }
                }
                Err(broadcast::error::TryRecvError::Lagged(count)) => return Some(Followed::Lagged(count)),
                Err(_) => break,
            }
        }
        let event = self.requests.event.take()?;
        self.requests.event(&event.event);
        self.end = matches!(event.event.kind, EventKind::RunEnded(_)).then_some(event.event.seq);
        Some(Followed::Event(event))
    }
}

/// Nothing stays in memory of a run that is not followed any more.
impl Drop for Follower {
    fn drop(&mut self) {
        self.events.close();
        lock(&self.hub.inner.watchers).retain(|watcher| !watcher.events.is_closed());
        if self.deltas.take().is_some() {
            let mut deltas = lock(&self.hub.inner.deltas);
            if deltas.get(&self.run).is_some_and(|sender| sender.receiver_count() == 0) {
                deltas.remove(&self.run);
            }
        }
    }
}

/// The next delta; never for a watcher of events alone.
async fn streamed(
    deltas: &mut Option<broadcast::Receiver<Piece>>,
) -> Result<Piece, broadcast::error::RecvError> {
    match deltas {
        Some(deltas) => deltas.recv().await,
        None => std::future::pending().await,
    }
}

/// Reads the news of every followed run in one query, whenever something was written.
async fn follow_all(store: Arc<dyn Store>, hub: Weak<Inner>) {
    let mut changes = store.watch();
    loop {
        let Some(inner) = hub.upgrade() else { return };
        let news = inner.news.clone();
        let read = deliver(&*store, &inner).await;
        drop(inner);
        match read {
            Read::More => {}
            Read::All => tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = news.notified() => {}
            },
            Read::Failed => tokio::time::sleep(PAUSE).await,
        }
        tokio::time::sleep(LOOK_GAP).await;
    }
}

enum Read {
    All,
    More,
    Failed,
}

async fn deliver(store: &dyn Store, inner: &Inner) -> Read {
    let positions: Vec<(RunId, Seq)> = {
        let mut watchers = lock(&inner.watchers);
        watchers.retain(|watcher| !watcher.events.is_closed());
        let room = watchers.iter().filter(|watcher| watcher.events.capacity() > 0);
        room.map(|watcher| (watcher.run.clone(), watcher.after)).collect()
    };
    if positions.is_empty() {
        return Read::All;
    }
    let Ok(records) = store.tails(positions, EVENTS).await else { return Read::Failed };
    let more = records.len() >= EVENTS;
    let mut watchers = lock(&inner.watchers);
    for (run, record) in records {
        let event = Event::from_record(&record);
        for watcher in watchers.iter_mut().filter(|watcher| watcher.run == run) {
            if record.seq != watcher.after.plus(1) {
                continue;
            }
            let next = match &event {
                Ok(event) => Ok(RunEvent { run: run.clone(), event: event.clone() }),
                Err(error) => Err(error.to_string()),
            };
            if watcher.events.try_send(next).is_ok() {
                watcher.after = record.seq;
            }
        }
    }
    if more { Read::More } else { Read::All }
}
