//! One call, as rules look at it.

use provost_contract::json::Object;

use super::Fit;
use super::command::{Seen, understand};
use super::text::leaves;

/// The arguments that name places, by convention of all tools.
const PATHS: [&str; 2] = ["path", "cwd"];
const COMMAND: &str = "argv";
const ADDRESS: &str = "url";

/// What is asked about.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub tool: &'a str,
    /// What the executor would get.
    pub arguments: &'a Object,
    pub shape: &'a Shape,
    pub places: &'a dyn Places,
}

/// What is known of a tool beside its arguments.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// How much below the place named by `path` it touches.
    pub reach: Reach,
    /// The command it starts whatever its arguments are; none when it starts what it is told, or nothing.
    pub starts: Option<Vec<String>>,
}

impl From<Reach> for Shape {
    fn from(reach: Reach) -> Self {
        Self { reach, starts: None }
    }
}

/// How far a tool goes from the place it is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// It touches that place and no other.
    Place,
    /// It walks everything below, and leaves out what [`RuleSet::hides`](super::RuleSet::hides).
    Filtered,
    /// Nobody knows: everything below may be touched.
    #[default]
    Below,
}

/// Where places lead. Looking at a disk is the caller's business; the same answers give the same decision.
pub trait Places: Send + Sync {
    /// The folder that relative places begin in, absolute.
    fn root(&self) -> &str;

    /// Where an absolute place leads when links are followed; none when it leads nowhere else.
    fn real(&self, place: &str) -> Option<String>;
}

/// Places as they are written: no links.
#[derive(Clone, Debug, Default)]
pub struct Lexical(pub String);

impl Places for Lexical {
    fn root(&self) -> &str {
        &self.0
    }

    fn real(&self, _place: &str) -> Option<String> {
        None
    }
}

impl<'a> Call<'a> {
    /// The places among the arguments. A tool that walks begins at the root when it is not told where.
    pub(super) fn named_places(&self) -> Vec<String> {
        let named: Vec<String> =
            PATHS.iter().filter_map(|name| self.arguments.get(*name)).flat_map(leaves).collect();
        if named.is_empty() && self.shape.reach == Reach::Filtered { vec![String::new()] } else { named }
    }

    /// The one place, when there is exactly one and it is a text.
    pub(super) fn certain_place(&self) -> Option<&'a str> {
        let Some(path) = self.arguments.get("path") else {
            return (self.shape.reach == Reach::Filtered).then_some("");
        };
        path.as_str()
    }

    /// The addresses among the arguments.
    pub(super) fn addresses(&self) -> Vec<String> {
        self.arguments.get(ADDRESS).map(leaves).unwrap_or_default()
    }

    /// The command that would be started, as far as it is one.
    pub(super) fn argv(&self) -> Result<Option<Vec<String>>, Fit> {
        if let Some(argv) = &self.shape.starts {
            return Ok(Some(argv.clone()));
        }
        let Some(given) = self.arguments.get(COMMAND) else { return Ok(None) };
        let words = given.as_array().and_then(|words| {
            words.iter().map(|word| word.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        words.map(Some).ok_or_else(|| Fit::unclear("`argv` is no list of texts"))
    }

    /// Everything the command would start, as far as that can be told.
    pub(super) fn seen(&self) -> Vec<Seen> {
        match self.argv() {
            Ok(Some(argv)) => understand(&argv),
            Ok(None) => Vec::new(),
            Err(_) => vec![Seen::Opaque("`argv` is no list of texts".to_owned())],
        }
    }
}
