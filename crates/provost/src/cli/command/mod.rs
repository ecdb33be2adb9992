//! The commands, one a file.

pub(super) mod agents;
pub(super) mod answer;
pub(super) mod approve;
pub(super) mod cancel;
pub(super) mod chat;
pub(super) mod completions;
pub(super) mod db_erase;
pub(super) mod db_prune;
pub(super) mod db_records;
pub(super) mod db_stats;
mod decide;
pub(super) mod doctor;
pub(super) mod explain;
pub(super) mod export;
pub(super) mod forget;
pub(super) mod import;
pub(super) mod init;
mod input;
mod opening;
pub(super) mod policy_confirm;
pub(super) mod policy_test;
pub(super) mod reject;
pub(super) mod remembered;
mod reopened;
pub(super) mod replay;
pub(super) mod resume;
pub(super) mod run;
pub(super) mod runs;
pub(super) mod show;
pub(super) mod tools;
mod transcript;
pub(super) mod validate;
pub(super) mod verify;

pub(super) use run::{CASSETTE, MODEL};
