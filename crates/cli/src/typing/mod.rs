//! What a person types: keys from a terminal that shows none of them by itself, and a line that is edited with them.

mod chat_input;
mod complete;
mod field;
mod history;
mod key;
mod keys;
mod line;
mod mode;

use std::io::{self, BufRead as _, Write as _};
use std::time::Duration;

pub(crate) use chat_input::{ChatInput, ChatInputView, Typed};
pub(crate) use complete::Complete;
use field::Field;
pub(crate) use history::History;
pub(crate) use key::Key;
use keys::Keys;
use line::{EditLine, Edited};
pub(crate) use mode::{Quiet, give_back, renew};

/// How long nothing is typed before a question takes keys.
const PAUSE: Duration = Duration::from_millis(500);

/// Waits until nothing is typed: input typed before a question appears was meant for something else.
async fn paused(marks_pastes: bool) -> Option<Keys> {
    let mut keys = Keys::take(marks_pastes)?;
    keys.pause(PAUSE).await;
    Some(keys)
}

/// Asks for a line behind a prompt, which stands there as soon as keys are taken. A paste is put into the line and
/// answers nothing. None at the end of input.
pub(crate) async fn answer(prompt: &str) -> Option<String> {
    let mut keys = paused(true).await?;
    let (mut line, mut field) = (EditLine::default(), Field::new(prompt));
    field.draw(&line);
    let mut entered = None;
    while let Some(key) = keys.next().await {
        match line.take(key) {
            Edited::Changed => field.draw(&line),
            Edited::Entered(text) => {
                entered = Some(text);
                break;
            }
            Edited::End => break,
            Edited::Nothing | Edited::Older | Edited::Newer | Edited::Completes => {}
        }
    }
    field.end();
    entered
}

/// The same where nothing may be drawn: the terminal itself lets a person edit the line.
pub(crate) async fn plain_answer(prompt: &str) -> Option<String> {
    drop(paused(false).await?);
    drop(io::stderr().write_all(prompt.as_bytes()));
    drop(io::stderr().flush());
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).ok().filter(|bytes| *bytes > 0).map(|_| line)
    });
    read.await.ok().flatten()
}
