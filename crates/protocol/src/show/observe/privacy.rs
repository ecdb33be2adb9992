//! What must not be shown, whatever the result policy requests.

use provost_contract::policies::{DataVisibility, Effective, OutcomePart, Required, ResultGranularity};

use super::Secrets;

/// The limits of one observation, which the model cannot change.
#[derive(Clone, Debug)]
pub struct Privacy {
    /// Texts that are never shown.
    pub secrets: Secrets,
    /// The permitted readers of the result.
    pub visibility: DataVisibility,
    /// Parts of the outcome that are hidden from the model.
    pub withheld: Required<OutcomePart>,
    /// The finest permitted granularity.
    pub granularity: ResultGranularity,
}

impl Privacy {
    /// Combines the limits of the policies with the secrets that the runtime knows.
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
