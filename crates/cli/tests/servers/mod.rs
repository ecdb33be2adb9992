//! The program against servers that speak the formats of real providers, in good and in bad weather.

mod doctor;
mod encrypted;
mod project;
mod refusals;
mod runs;
#[path = "../../../models/tests/server.rs"]
mod server;
mod speech;
mod weather;
