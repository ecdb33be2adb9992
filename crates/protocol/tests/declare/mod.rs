//! Reading declarations: what holds for every message, and the rules of safety, each beside its control.

mod data_flow;
mod documented;
mod generate;
mod hostile;
mod policies;
mod properties;
mod refusals;
mod safety;
mod schemas;
mod world;
