//! One call, as rules look at it.

use provost_contract::json::Object;

use super::command::CommandLine;
use super::text::leaves;

/// The arguments that name places, by convention of all tools.
const PATHS: [&str; 2] = ["path", "cwd"];
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
    /// Whether the operator declared the program it starts. Such a tool is judged by its parameters; an
    /// `argv` among them is data like any other.
    pub declared: bool,
}

impl From<Reach> for Shape {
    fn from(reach: Reach) -> Self {
        Self { reach, declared: false }
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

    /// Whether the program that starts under this name lies outside the workspace, where no agent can have
    /// put it.
    ///
    /// # Errors
    /// Why that is not certain.
    fn program(&self, name: &str) -> Result<(), String>;
}

/// Places as they are written: no links, and every program that is named without a folder is the system's.
#[derive(Clone, Debug, Default)]
pub struct Lexical(pub String);

impl Places for Lexical {
    fn root(&self) -> &str {
        &self.0
    }

    fn real(&self, _place: &str) -> Option<String> {
        None
    }

    fn program(&self, name: &str) -> Result<(), String> {
        let is_outside = !name.contains('/') || name.starts_with('/') && !name.starts_with(&self.0);
        if is_outside { Ok(()) } else { Err(format!("`{name}` lies in the workspace")) }
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

    /// The command that the model asks for; none when the tool starts none, or one that was declared.
    pub(super) fn command(&self) -> Option<Result<CommandLine<'a>, String>> {
        // An `argv` for a tool that goes to places starts nothing, and must not change how its places are judged.
        if self.shape.declared || self.shape.reach != Reach::Below {
            return None;
        }
        CommandLine::read(self.arguments, self.places.root())
    }
}
