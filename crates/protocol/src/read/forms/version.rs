//! The version of a full declaration.

use provost_contract::json::{self, Object};

use crate::Code;
use crate::read::notes::{Fault, Spot};

/// The supported version, in which unknown fields are refused.
pub(crate) const VERSION: &str = "1";
/// The supported version and its minor versions, as a pattern of a schema.
pub(crate) const VERSION_PATTERN: &str = "^1(\\.[0-9]+)?$";

/// Returns the version: `1`, or a minor version `1.<number>`, whose unknown fields have no meaning here.
pub(super) fn read_version(raw: &Object) -> Result<String, Fault> {
    let fault = |code, message: &str| Fault::new(code, Spot::Pointer("/version".to_owned()), message);
    let Some(version) = json::text(raw, "version") else {
        return Err(fault(Code::InvalidSchema, "version must be the text \"1\""));
    };
    let minor = version.strip_prefix("1.");
    let is_minor =
        minor.is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit()));
    if version == VERSION || is_minor {
        return Ok(version.to_owned());
    }
    let message = format!("version {version:?} is not supported");
    Err(fault(Code::UnsupportedVersion, &message).hint("set \"version\": \"1\""))
}
