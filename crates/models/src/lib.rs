//! Model providers behind the runtime's port, and the cassette that records and replays any model.
//!
//! [`Remote`] talks to a provider over HTTP. What is the same everywhere is written once: `ask` turns a
//! turn's request into words every provider has, `wire` sends it and survives bad weather, `answer` reads
//! what came back. What differs is an `Api`, one folder each in `api`. How a transcript is written for a
//! provider is not here: the contract crate knows that.
//!
//! [`Recorder`], [`Player`] and [`Priced`] are models around other models, with or without a network.
//!
//! A key is a [`Secret`]: it can be neither printed nor serialised, and is cut out of every text that
//! leaves this crate.

mod answer;
mod api;
mod cassette;
mod config;
mod delivery;
mod fault;
mod forecast;
mod masks;
mod price;
mod provider_state;
mod reach;
mod remote;
mod request;
mod secret;
mod wire;

pub use api::ApiKind;
pub use cassette::{Cassette, CassetteError, Origin, Player, Recorder, ReplayInOrder};
pub use config::{ConfigError, ModelConfig};
pub use delivery::Delivery;
pub(crate) use fault::Fault;
pub use fault::FaultKind;
pub use forecast::{Forecast, Forecasts};
pub use masks::{Masked, Masks};
pub use price::{Price, PriceError, PriceTable, Priced};
pub use reach::ReachError;
pub use remote::Remote;
pub use request::{Effort, ParallelCalls, PromptCache, Reasoning, Settings, ToolChoice};
pub use secret::{KeyError, Secret};
pub use wire::{ClientError, EndpointError, Retry, Timeouts};
