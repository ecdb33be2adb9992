//! A model in a configuration file: a provider or a recording.

use std::path::{Path, PathBuf};

use provost_models::ModelConfig;
use serde::Deserialize as _;

use super::suggest::for_unknown_field;
use crate::failure::{Code, Failure};

/// What answers requests.
#[derive(Clone, Debug)]
pub enum ModelEntry {
    /// A provider, over the network.
    Remote(Box<ModelConfig>),
    /// A recording.
    Cassette(PathBuf),
}

impl ModelEntry {
    /// Parses a section of a file; its paths are relative to the folder of the file, and `place` is its
    /// location.
    pub(super) fn read(name: &str, table: &toml::Table, place: &str, folder: &Path) -> Result<Self, Failure> {
        let refused = |what: &str| Failure::new(Code::Config, format!("models.{name}: {what}")).at(place);
        let Some(cassette) = table.get("cassette") else {
            let config = ModelConfig::deserialize(toml::Value::Table(table.clone()));
            return config.map(|config| Self::Remote(Box::new(config))).map_err(|error| {
                let failure = refused(error.message());
                for_unknown_field(error.message()).into_iter().fold(failure, Failure::hint)
            });
        };
        let cassette = cassette.as_str().ok_or_else(|| refused("`cassette` must be the path of a file"))?;
        if let Some(other) = table.keys().find(|key| *key != "cassette") {
            return Err(refused(&format!("a cassette needs no `{other}`")));
        }
        Ok(Self::Cassette(folder.join(cassette)))
    }
}
