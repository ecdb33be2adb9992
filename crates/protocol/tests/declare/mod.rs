//! Reading declarations: what holds for every message, and the rules of safety, each beside its control.

mod generate;
mod hostile;
mod properties;
mod safety;
mod world;
