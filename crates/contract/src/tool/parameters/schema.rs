//! The parameter schema of a tool and what it says, with the declaration around it, about which values
//! are sensitive: by their name, by a declared path, by a mark in the schema.

use serde_json::Value;

use super::json_schema::{facets, item_nodes, member_nodes};
use crate::json::{self, Object};
use crate::sensitivity::is_sensitive_name;

/// Fields of a declaration that list sensitive paths, as a list or as a map from path to level.
const PATH_FIELDS: [&str; 2] = ["sensitive_parameters", "parameter_sensitivity"];
/// Schema keywords that mark a value as sensitive.
const MARKS: [&str; 4] = ["sensitive", "x-sensitive", "secret", "writeOnly"];
/// Levels that say a value is *not* sensitive; every other word says it is.
const HARMLESS_LEVELS: [&str; 4] = ["", "false", "none", "public"];
/// The segment of a path that stands for every item and every member.
pub(super) const ANY: &str = "*";

/// The parameter schema of a tool, knowing which of the values it describes are sensitive.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ParameterSchema {
    root: Object,
    form: Form,
    /// Declared dot paths, `*` matching any segment.
    paths: Vec<String>,
    /// Whether a mark hides all parameters together.
    hides_all: bool,
    /// The described parameters, sorted, each with whether it is hidden: the same for every call.
    hidden: Vec<(String, bool)>,
}

/// What is known of a parameter by its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// It is hidden, whatever it holds.
    Hidden,
    /// It is shown; what is inside it must be looked at.
    Shown,
    /// The schema does not name it.
    Unknown,
}

/// How a declaration holds its schema.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Form {
    /// A JSON Schema under `parameters`.
    #[default]
    Schema,
    /// A plain map of properties under `parameters`.
    Map,
    /// No `parameters`: the declaration is itself the schema.
    Bare,
}

/// What is known about one value inside the parameters: the rest of each path that leads through it,
/// and the schema nodes that describe it.
pub(super) struct View<'a> {
    pub(super) paths: Vec<&'a str>,
    pub(super) nodes: Vec<&'a Object>,
}

impl View<'_> {
    /// Whether a mark hides the value as a whole.
    pub(super) fn hides_all(&self) -> bool {
        self.nodes.iter().any(|node| is_marked(node))
    }
}

/// A view of a member or item, and why it must be hidden, if it must.
pub(super) struct Step<'a> {
    pub(super) view: View<'a>,
    pub(super) by_mark: bool,
    by_path: bool,
    by_name: bool,
}

impl Step<'_> {
    /// Whether the whole value must be hidden.
    pub(super) fn is_hidden(&self) -> bool {
        self.by_mark || self.by_path || self.by_name
    }
}

impl ParameterSchema {
    /// Reads a declaration, or a bare schema. A malformed entry is read as sensitive, never skipped.
    pub(super) fn read(declaration: &Object) -> Self {
        let mut paths: Vec<String> = PATH_FIELDS
            .into_iter()
            .filter_map(|field| declaration.get(field))
            .flat_map(declared_paths)
            .collect();
        let bindings = json::object(declaration, "parameter_bindings").into_iter().flatten();
        let bound = bindings.filter(|(_, binding)| binding.get("sensitive").is_some_and(is_sensitive_level));
        paths.extend(bound.map(|(parameter, _)| parameter.trim().to_owned()));
        let (root, form) = match declaration.get("parameters").and_then(json::object_from) {
            Some(root) if json::object(&root, "properties").is_some() => (root, Form::Schema),
            Some(root) => (root, Form::Map),
            None => (declaration.clone(), Form::Bare),
        };
        let mut schema = Self { root, form, paths, hides_all: false, hidden: Vec::new() };
        schema.forget_hidden_values();
        schema.judge_names();
        schema
    }

    /// The schema itself; none when the declaration has no `parameters`.
    pub(super) fn declared(&self) -> Option<&Object> {
        match self.form {
            Form::Schema | Form::Map => Some(&self.root),
            Form::Bare => None,
        }
    }

    /// Removes the example values of what must be hidden.
    fn forget_hidden_values(&mut self) {
        self.root = self.without_hidden_values(&self.root);
    }

    /// Decides once what every call would ask again.
    fn judge_names(&mut self) {
        let root = self.root();
        let judge = |name: &str| (name.to_owned(), self.member(&root, name).is_hidden());
        let hidden = self.names(&root).into_iter().map(judge).collect();
        self.hides_all = root.hides_all();
        self.hidden = hidden;
    }

    /// What is known of a parameter by its name alone.
    pub(super) fn sight_of(&self, name: &str) -> Sight {
        let described = self.hidden.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok();
        match described.and_then(|at| self.hidden.get(at)) {
            _ if self.hides_all => Sight::Hidden,
            Some((_, true)) => Sight::Hidden,
            Some((_, false)) => Sight::Shown,
            None => Sight::Unknown,
        }
    }

    /// The declared paths, apart from the marks in the schema.
    pub(super) fn listed_paths(&self) -> &[String] {
        &self.paths
    }

    /// The view of the parameters as a whole.
    pub(super) fn root(&self) -> View<'_> {
        View { paths: self.paths.iter().map(String::as_str).collect(), nodes: self.facets(vec![&self.root]) }
    }

    /// The step to a member of an object.
    pub(super) fn member<'a>(&'a self, view: &View<'a>, name: &str) -> Step<'a> {
        let described = view.nodes.iter().flat_map(|node| self.members_of(node, name)).collect();
        let mut step = self.step(view, name, described);
        step.by_name = is_sensitive_name(name);
        step
    }

    /// The step to an item of a list, by its index or [`ANY`].
    pub(super) fn item<'a>(&'a self, view: &View<'a>, index: &str) -> Step<'a> {
        self.step(view, index, view.nodes.iter().flat_map(|node| item_nodes(node)).collect())
    }

    /// The names of the members that are described.
    pub(super) fn names<'a>(&'a self, view: &View<'a>) -> Vec<&'a str> {
        let maps = view.nodes.iter().filter_map(|node| {
            let properties = json::object(node, "properties");
            properties.or_else(|| self.is_root_map(node).then_some(*node))
        });
        let mut names: Vec<&str> =
            maps.flatten().filter(|(_, node)| node.is_object()).map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn step<'a>(&'a self, view: &View<'a>, segment: &str, nodes: Vec<&'a Object>) -> Step<'a> {
        let mut paths: Vec<&str> = view.paths.iter().flat_map(|path| rest_of(path, segment)).collect();
        // A star can be matched twice over; without this the paths would double with every step.
        paths.sort_unstable();
        paths.dedup();
        let nodes = self.facets(nodes);
        Step {
            by_mark: nodes.iter().any(|node| is_marked(node)),
            by_path: paths.contains(&""),
            by_name: false,
            view: View { paths, nodes },
        }
    }

    /// A plain map describes its members under their names, beside whatever else it says as a schema.
    fn members_of<'a>(&'a self, node: &'a Object, name: &str) -> Vec<&'a Object> {
        let mut nodes = member_nodes(node, name);
        nodes.extend(node.get(name).filter(|_| self.is_root_map(node)).and_then(Value::as_object));
        nodes
    }

    fn is_root_map(&self, node: &Object) -> bool {
        self.form == Form::Map && std::ptr::eq(node, &raw const self.root)
    }

    fn facets<'a>(&'a self, nodes: Vec<&'a Object>) -> Vec<&'a Object> {
        facets(&self.root, nodes)
    }
}

/// What is left of a path after this segment: nothing when it ends here. A member may have dots in its
/// name, so the segment may use up more than one step of the path.
fn rest_of<'a>(path: &'a str, segment: &str) -> impl Iterator<Item = &'a str> {
    [ANY, segment].map(|start| path.strip_prefix(start)).into_iter().flatten().filter_map(|rest| {
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.').filter(|rest| !rest.is_empty()) }
    })
}

fn declared_paths(value: &Value) -> Vec<String> {
    let Value::Object(levels) = value else { return json::string_list(value) };
    let sensitive = levels.iter().filter(|(_, level)| is_sensitive_level(level));
    sensitive.map(|(path, _)| path.trim().to_owned()).filter(|path| !path.is_empty()).collect()
}

/// Whether a level says "sensitive". In doubt it does.
fn is_sensitive_level(level: &Value) -> bool {
    match level {
        Value::Null => false,
        Value::Bool(sensitive) => *sensitive,
        Value::String(word) => !HARMLESS_LEVELS.contains(&word.trim().to_lowercase().as_str()),
        Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
    }
}

fn is_marked(node: &Object) -> bool {
    let marks = MARKS.into_iter().filter_map(|mark| node.get(mark));
    let scalars = marks.filter(|mark| !json::is_container(mark));
    scalars.into_iter().any(is_sensitive_level) || json::text(node, "format") == Some("password")
}
