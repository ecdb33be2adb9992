//! The ports in RAM keep every promise, and refuse what does not fit.

use std::task::{Context, Waker};

use provost_runtime::RunId;
use provost_runtime::memory::{ManualClock, Storage};
use provost_runtime::port::{Append, AppendError, Boxed, Clock, Epoch, Fault, Record, Seq, Stores, contract};

#[tokio::test]
async fn every_promise_holds() {
    contract::hold(|| (Storage::stores(), ())).await;
}

#[tokio::test]
async fn what_does_not_fit_is_refused_whole() {
    let stores = Stores::of(&Storage::with_bytes_max(1_000));
    let record = |seq| Record {
        seq: Seq(seq),
        at_ms: 0,
        epoch: Epoch::NONE,
        kind: "note".into(),
        version: 1,
        body: vec![b'x'; 600].into(),
        hash: [0; 32],
    };
    let run: RunId = "run-1".parse().unwrap();
    let append = |expected, records: &[u64]| {
        let batch = records.iter().map(|seq| record(*seq)).collect();
        stores.journal.append(Append::new(run.clone(), Epoch::NONE, Seq(expected), batch))
    };
    let full = append(0, &[1, 2]).await.unwrap_err();
    assert!(matches!(full, AppendError::Storage(Fault::Full { .. })), "{full}");
    assert_eq!(append(0, &[1]).await.unwrap(), Seq(1), "a refused batch takes no room");
    assert!(matches!(stores.artifacts.put(vec![0; 600]).await, Err(Fault::Full { .. })));
}

#[tokio::test]
async fn a_sleeper_wakes_when_its_time_comes_and_not_before() {
    let clock = ManualClock::at(1_000);
    clock.sleep_until(1_000).await;
    let mut sleeper = Polled(clock.sleep_until(2_000));
    assert!(!sleeper.is_done());
    clock.advance(999);
    assert!(!sleeper.is_done());
    clock.advance(1);
    assert!(sleeper.is_done());
}

/// A future polled by hand.
struct Polled(Boxed<'static, ()>);

impl Polled {
    fn is_done(&mut self) -> bool {
        self.0.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }
}
