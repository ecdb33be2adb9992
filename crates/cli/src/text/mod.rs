//! Text on a terminal: one type of line, made from typed values, and two writers.

mod line;
mod mark;
mod paint;
mod plain;
mod safe;
mod styled;
mod time;
mod words;
mod wrap;

pub(super) use line::{Column, Line, Overflow, Role, Shown, Span};
pub(super) use mark::Mark;
pub(super) use paint::{ColorChoice, Paint, Style};
pub(super) use safe::{escaped, is_plain, of_program};
pub(super) use styled::{Writer, styled};
pub(super) use time::{Local, zone};
pub(super) use words::{
    count, counted, duration, elapsed, first_line, money, padded, quoted, short_count, spoken_limit,
};
pub(super) use wrap::{cut, width};
