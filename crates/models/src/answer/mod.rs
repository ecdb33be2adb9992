//! Reading an answer: any provider's body becomes the turn the engine goes on with.

mod calls;
mod reasoning;
mod spoken;
mod turn;

pub(crate) use turn::{Answer, read};
