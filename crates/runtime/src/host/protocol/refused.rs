//! Why a declaration is not accepted.

use provost_engine::Fault;
use provost_protocol::{Finding, Refused};
use serde_json::{Value, json};

/// A declaration that is not accepted. Nothing of it runs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct RefusedDeclaration {
    /// The code of the first reason.
    pub code: String,
    /// What a model reads.
    pub message: String,
    /// Every reason: `{code, message, pointer?, line?, column?, hint?}`.
    pub findings: Vec<Value>,
}

impl RefusedDeclaration {
    pub(in crate::host) fn new(code: &str, message: impl Into<String>, pointer: Option<String>) -> Self {
        let message = message.into();
        let finding = json!({ "code": code, "message": message, "pointer": pointer });
        Self {
            code: code.to_owned(),
            message: format!("Nothing was run. {code}: {message}"),
            findings: vec![finding],
        }
    }

    /// Returns the reasons that a check found.
    pub fn of_findings(findings: &[Finding]) -> Self {
        let code = findings.first().map_or("invalid_schema", |finding| <&str>::from(finding.code));
        let told = findings.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("; ");
        Self {
            code: code.to_owned(),
            message: format!("Nothing was run. {told}"),
            findings: findings.iter().map(Finding::to_value).collect(),
        }
    }

    /// Returns the refusal as the engine records it.
    pub(in crate::host) fn into_fault(self) -> Fault {
        let mut fault = Fault::new(self.code, self.message);
        fault.fields.insert("violations".into(), self.findings.into());
        fault
    }
}

impl From<Refused> for RefusedDeclaration {
    fn from(refused: Refused) -> Self {
        Self {
            code: <&str>::from(refused.code).to_owned(),
            message: refused.message,
            findings: refused.findings.iter().map(Finding::to_value).collect(),
        }
    }
}
