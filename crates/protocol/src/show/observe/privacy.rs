//! What may not be shown, whatever the result policy asks.

use provost_contract::policies::{DataVisibility, Effective, OutcomePart, Required, ResultGranularity};

use super::Secrets;

/// The limits of one observation that no wish of the model can move.
#[derive(Clone, Debug)]
pub struct Privacy {
    /// Texts never shown.
    pub secrets: Secrets,
    /// Who may see the result at all.
    pub visibility: DataVisibility,
    /// Parts of the outcome that stay with the runtime.
    pub withheld: Required<OutcomePart>,
    /// The finest result there may be.
    pub granularity: ResultGranularity,
}

impl Privacy {
    /// The limits the policies set, and the secrets the runtime knows.
    pub fn new(policies: &Effective, secrets: Secrets) -> Self {
        Self {
            secrets,
            visibility: policies.data_visibility.clone(),
            withheld: policies.privacy.clone(),
            granularity: policies.result_granularity,
        }
    }
}

impl Default for Privacy {
    fn default() -> Self {
        Self::new(&Effective::default(), Secrets::default())
    }
}
