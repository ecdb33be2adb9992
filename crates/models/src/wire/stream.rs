//! An answer that comes in events.

use provost_contract::json;
use reqwest::Response;
use serde_json::Value;

use super::attempt::next_chunk;
use super::classify::{classify, error_in};
use super::exchange::Exchange;
use super::sse::{Splitter, TooLarge};
use crate::api::{Assembler, OnDelta, Progress};
use crate::{Fault, FaultKind};

/// How large a streamed answer may be in all.
const STREAM_BYTES_MAX: usize = 256 * 1024 * 1024;
/// What OpenAI's servers say at the end.
const DONE: &str = "[DONE]";

/// Reads a stream to its end, or as far as the answer goes.
pub(super) async fn read(
    exchange: &Exchange<'_>,
    mut response: Response,
    hear: OnDelta<'_>,
) -> Result<Value, Fault> {
    let mut reader = Reader::new(exchange.api.assembler());
    loop {
        let chunk = match exchange.idle().keep(next_chunk(&mut response)).await {
            Ok(chunk) => chunk,
            // The answer was whole before the connection broke.
            Err(_) if reader.progress == Progress::Whole => None,
            Err(fault) => return Err(fault),
        };
        let Some(chunk) = chunk else { return reader.ended(hear) };
        reader.take(&chunk, hear)?;
        if reader.progress == Progress::Over {
            return Ok(reader.assembler.body());
        }
    }
}

struct Reader {
    splitter: Splitter,
    assembler: Box<dyn Assembler>,
    progress: Progress,
    bytes: usize,
}

impl Reader {
    fn new(assembler: Box<dyn Assembler>) -> Self {
        Self { splitter: Splitter::default(), assembler, progress: Progress::Open, bytes: 0 }
    }

    fn take(&mut self, chunk: &[u8], hear: OnDelta<'_>) -> Result<(), Fault> {
        self.bytes += chunk.len();
        let mut found = Vec::new();
        let split = self.splitter.take(chunk, &mut found);
        if split == Err(TooLarge) || self.bytes > STREAM_BYTES_MAX {
            return Err(Fault::new(FaultKind::MalformedAnswer, "the stream is larger than any answer"));
        }
        found.iter().try_for_each(|data| self.event(data, hear))
    }

    fn event(&mut self, data: &str, hear: OnDelta<'_>) -> Result<(), Fault> {
        if data.trim() == DONE {
            // Said too early it means nothing: the answer is cut all the same.
            if self.progress == Progress::Whole {
                self.progress = Progress::Over;
            }
            return Ok(());
        }
        // What is no JSON is nothing of the provider's: proxies send such signs of life.
        let Ok(data) = json::parse_text(data) else { return Ok(()) };
        if let Some(error) = error_in(&data) {
            return Err(classify(None, error));
        }
        if self.progress != Progress::Over {
            self.progress = self.assembler.take(&data, hear);
        }
        Ok(())
    }

    /// The stream is over; the answer must be whole by now.
    fn ended(mut self, hear: OnDelta<'_>) -> Result<Value, Fault> {
        let last = std::mem::take(&mut self.splitter).end();
        last.iter().try_for_each(|data| self.event(data, hear))?;
        match self.progress {
            Progress::Open => {
                let why = "the stream ended before the answer did; nothing of it counts";
                Err(Fault::new(FaultKind::CutStream, why))
            }
            Progress::Whole | Progress::Over => Ok(self.assembler.body()),
        }
    }
}
