//! Keys come from the environment or from a file that is its owner's alone.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use provost_models::{ApiKind, ConfigError, KeyError, ModelConfig, Secret};

use crate::clock::WatchedClock;

/// A secret, by the only door there is without an environment.
pub(crate) fn secret(text: &str) -> Secret {
    let folder = tempfile::tempdir().unwrap();
    file_of_mode(&folder, text, 0o600).unwrap()
}

fn file_of_mode(folder: &tempfile::TempDir, text: &str, mode: u32) -> Result<Secret, KeyError> {
    let path = folder.path().join("key");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    Secret::from_file(&path)
}

#[test]
fn a_file_that_others_may_read_is_refused_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    for mode in [0o644, 0o640, 0o604, 0o700, 0o620] {
        let error = file_of_mode(&folder, "sk-1", mode).unwrap_err().to_string();
        assert!(error.contains(&format!("mode {mode:04o}")) && error.contains("chmod 600 "), "{error}");
    }
    for mode in [0o600, 0o400] {
        assert!(file_of_mode(&folder, "sk-1", mode).is_ok(), "{mode:o}");
        fs::remove_file(folder.path().join("key")).unwrap();
    }
}

#[test]
fn what_is_no_key_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(file_of_mode(&folder, " \n", 0o600), Err(KeyError::NoKey { .. })));
    assert!(matches!(file_of_mode(&folder, &"x".repeat(20_000), 0o600), Err(KeyError::NoKey { .. })));
    assert!(matches!(Secret::from_file(folder.path()), Err(KeyError::NoKey { .. })));
    let missing = folder.path().join("none");
    assert!(matches!(Secret::from_file(&missing), Err(KeyError::Unreadable { .. })));
}

#[test]
fn a_missing_variable_is_named() {
    let error = Secret::from_env("PROVOST_TEST_NO_SUCH_KEY").unwrap_err().to_string();
    assert!(error.contains("PROVOST_TEST_NO_SUCH_KEY"), "{error}");
    // Every machine has this one.
    assert!(Secret::from_env("PATH").is_ok());
}

#[test]
fn a_key_no_header_can_carry_is_refused_without_showing_it() {
    let clock = std::sync::Arc::new(WatchedClock::new());
    let built = ModelConfig::new(ApiKind::Anthropic, "model-1").build_with(Some(secret("sk\u{7}1")), clock);
    let error = built.err().unwrap();
    assert!(matches!(error, ConfigError::Endpoint(_)), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("sk\u{7}1"));
}
