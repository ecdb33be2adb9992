//! The engine without a driver: given events, what is to be done, and what is stored of them.

mod chain;
mod next;
mod sample;
