//! What a rule asks of a call.

use super::call::Call;
use super::command::{CommandPattern, Folder};
use super::fit::{Fit, Mode};
use super::host::HostPattern;
use super::path::{self, PathPattern};
use super::text::ArgumentText;
use super::{ConditionSpec, OneOrMany, RuleError};

/// Conditions that all must hold; of the alternatives in one, any.
#[derive(Clone, Debug, Default)]
pub(super) struct Condition {
    pub(super) path: Option<Vec<PathPattern>>,
    command: Option<Vec<CommandPattern>>,
    /// The folders a command starts in.
    cwd: Option<Vec<Folder>>,
    host: Option<Vec<HostPattern>>,
    arguments: Vec<ArgumentText>,
}

impl Condition {
    pub(super) fn read(spec: &ConditionSpec) -> Result<Self, RuleError> {
        let arguments = spec.arguments.iter().map(|(name, text)| ArgumentText::read(name, text));
        if spec.cwd.is_some() && spec.command.is_none() {
            return Err(RuleError::CwdAlone);
        }
        Ok(Self {
            path: patterns(spec.path.as_ref(), PathPattern::read)?,
            command: patterns(spec.command.as_ref(), CommandPattern::read)?,
            cwd: patterns(spec.cwd.as_ref(), Folder::read)?,
            host: patterns(spec.host.as_ref(), HostPattern::read)?,
            arguments: arguments.collect::<Result<_, _>>()?,
        })
    }

    /// Reads what permits something, or excepts it from a refusal. A program of the workspace is what the
    /// agent last wrote there, so a permission about it would never be certain.
    pub(super) fn read_permission(spec: &ConditionSpec) -> Result<Self, RuleError> {
        let condition = Self::read(spec)?;
        match condition.command.iter().flatten().find(|pattern| pattern.is_in_workspace()) {
            Some(pattern) => Err(RuleError::InWorkspace(pattern.text().to_owned())),
            None => Ok(condition),
        }
    }

    pub(super) fn fits(&self, call: &Call<'_>, mode: Mode) -> Fit {
        let path = self.path.as_ref().map(|patterns| path::fits(patterns, call, mode));
        let folders = self.cwd.as_deref();
        let command = self
            .command
            .as_ref()
            .map(|patterns| Fit::any(patterns.iter().map(|pattern| pattern.fits(call, folders, mode))));
        let host = self
            .host
            .as_ref()
            .map(|patterns| Fit::any(patterns.iter().map(|pattern| pattern.fits(call, mode))));
        let arguments = self.arguments.iter().map(|text| text.fits(call.arguments));
        Fit::all([path, command, host].into_iter().flatten().chain(arguments))
    }
}

fn patterns<P>(
    texts: Option<&OneOrMany>,
    read: impl Fn(&str) -> Result<P, RuleError>,
) -> Result<Option<Vec<P>>, RuleError> {
    texts.map(|texts| texts.0.iter().map(|text| read(text)).collect()).transpose()
}
