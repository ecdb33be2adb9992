//! One model of `provost.toml`: a provider, or a recording.

use std::path::{Path, PathBuf};

use provost_models::ModelConfig;
use serde::Deserialize as _;

use super::file::line_at;
use super::suggest::for_unknown_field;
use crate::failure::{Code, Failure};

/// Who answers.
#[derive(Clone, Debug)]
pub enum ModelEntry {
    /// A provider, over the network.
    Remote(Box<ModelConfig>),
    /// A recording.
    Cassette(PathBuf),
}

impl ModelEntry {
    /// Reads a section of the file; its paths begin in the folder of the project.
    pub(super) fn read(
        name: &str,
        section: &toml::Spanned<toml::Table>,
        text: &str,
        (path, folder): (&Path, &Path),
    ) -> Result<Self, Failure> {
        let place = format!("{}:{}", path.display(), line_at(text, section.span().start));
        let refused = |what: &str| Failure::new(Code::Config, format!("{place}: models.{name}: {what}"));
        let table = section.as_ref();
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
