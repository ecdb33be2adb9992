//! What a run did, turn by turn, in lines.

use provost_contract::timestamp;
use provost_engine::event::Stop;
use provost_engine::view::{self, Piece};
use provost_runtime::store::RunRow;

use super::arguments::shown;
use crate::failure::{Code, Failure};
use crate::journal::Read;
use crate::pending::describe;

/// The run in lines.
pub(crate) fn story(row: &RunRow, read: &Read) -> Result<String, Failure> {
    let run = &read.run;
    let story = view::story(&run.agent, &run.history, &run.events);
    let story = story.map_err(|error| Failure::of(Code::Journal, &error))?;
    let began = timestamp::date_time(row.created.0.div_euclid(1_000));
    let mut lines = vec![
        format!("{}: {}", row.run, row.status),
        format!("  agent {}, project {}, began {began} UTC", row.agent, row.workspace),
    ];
    let erased = run.events.iter().filter(|event| event.erased).map(|event| event.seq.to_string());
    let erased: Vec<String> = erased.collect();
    if !erased.is_empty() {
        lines.push(format!("  the words of these records were erased: {}", erased.join(", ")));
    }
    lines.extend(story.lines.iter().flat_map(|line| of_piece(&line.piece)));
    lines.push(format!("{} turns, {} results, {} tokens", story.turns, story.results, story.tokens));
    Ok(lines.join("\n"))
}

fn of_piece(piece: &Piece) -> Vec<String> {
    let line = match piece {
        Piece::Turn { turn } => format!("turn {turn}"),
        Piece::Called { call, arguments } => format!("  > {:<10} {}", call.tool, shown(arguments)),
        Piece::Ended { call, success, said } => {
            let mark = if *success { '<' } else { 'x' };
            format!("  {mark} {:<10} {said}", call.tool)
        }
        Piece::Asks { call, preview, .. } => {
            let mut lines = vec![format!("  ? {:<10} asks", call.tool)];
            lines.extend(describe(preview).lines().map(|line| format!("      {line}")));
            return lines;
        }
        Piece::Waits { call, kind } => format!("  ? {:<10} waits for a {}", call.tool, kind.as_str()),
        Piece::Allowed { call, by, .. } => format!("  + {:<10} allowed by {}", call.tool, by.name()),
        Piece::ModelFailed { fault, .. } => format!("  ! {}", fault.message),
        Piece::Stops { stop } => format!("  ! {}", stopped(stop)),
        Piece::CancelAsked { by, .. } => format!("  ! {} wants it stopped", by.name()),
        Piece::Message { by } => format!("  ! {} said something", by.name()),
        Piece::Parked { status } => view::rests_for(status).to_owned(),
        Piece::Resumed => "resumed".to_owned(),
        Piece::RunEnded { status } => format!("ended: {}", <&str>::from(*status)),
    };
    vec![line]
}

fn stopped(stop: &Stop) -> String {
    match stop {
        Stop::Budget { name, used, limit, .. } => format!("budget {name} is used up: {used} of {limit}"),
        Stop::Stalled { .. } => "the model repeats itself".to_owned(),
        Stop::Interrupted { code, message } => {
            let said = message.as_ref().and_then(|message| message.content.as_text());
            said.unwrap_or(code).to_owned()
        }
        Stop::Failed { fault } => fault.message.clone(),
        Stop::Completed { .. } => "it is done".to_owned(),
        Stop::Cancelled { .. } => "it is cancelled".to_owned(),
    }
}
