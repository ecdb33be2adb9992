//! The program, as a person or a script meets it.

mod configuration;
mod quick_start;
mod world;
