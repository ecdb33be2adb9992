//! Why a set of tools cannot be made.

use provost_contract::ContractError;
use provost_runtime::port::BoxError;

/// Why a tool was not taken in.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// Its declaration is wrong.
    #[error("the declaration is refused")]
    Declaration(#[from] ContractError),
    /// There can be no HTTP client on this machine.
    #[error("the HTTP client cannot be made")]
    Http(#[source] BoxError),
    /// There is one of this name.
    #[error("there are two tools named {0}")]
    Twice(String),
}
