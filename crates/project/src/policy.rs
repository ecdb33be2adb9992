//! The policy of a project, for the engine and its tools.
//!
//! `provost-policy` makes the decisions; this module supplies the configuration and facts about the disk. It
//! uses the files as they are at the time of the call: a run that continues does so under the current rules.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use provost_contract::canonical;
use provost_contract::json::{self, Object};
use provost_policy::action_policy::{Consulted, Layer, Question, resolve};
use provost_policy::rules::{AgentWords, Applies, Call, Lexical, Places, Rule, RuleSet, RuleSpec, Ruled};
use provost_policy::{ActionPolicy, Decision, Explained, HookAnswer};
use provost_runtime::port::{Boxed, MediatedCall, PolicyProvider, Ruling};
use provost_tools::Bounds;
use serde_json::{Value, json};

use crate::config::{AgentFile, Project, ToolsPart, shape};
use crate::environment;
use crate::failure::{Code, Failure};
use crate::governed::Governed;
use crate::guard::{self, Guard};
use crate::sources::Sources;

/// The maximum number of links to follow.
const LINKS_MAX: usize = 40;

/// How calls may run in a project, optionally for one of its agents.
#[derive(Clone, Debug)]
pub struct ProjectPolicy {
    /// Entries for tools and categories.
    words: Value,
    rules: RuleSet,
    agent: AgentWords,
    tools: ToolsPart,
    places: OnDisk,
    governed: Governed,
    guard: Option<Arc<Guard>>,
    sources: Sources,
    version: String,
}

impl Project {
    /// The policy in the project's own folder, for one of its agents or for any.
    pub fn policy(&self, agent: Option<&AgentFile>) -> Result<ProjectPolicy, Failure> {
        ProjectPolicy::new(self, agent, &self.root())
    }
}

impl ProjectPolicy {
    /// The policy for calls in a folder.
    pub(crate) fn new(project: &Project, agent: Option<&AgentFile>, root: &Path) -> Result<Self, Failure> {
        let part = &project.file.policy;
        let own = agent.into_iter().flat_map(|agent| &agent.head.policy);
        let own = own.filter_map(|(tool, word)| Some((tool.as_str(), ActionPolicy::parse(word)?)));
        let own: Vec<(&str, ActionPolicy)> = own.collect();
        let words = json!({ "tools": part.tools, "categories": part.categories });
        Ok(Self {
            version: version(&words, part.rules.iter().map(|rule| rule.get_ref()), &own, &project.file.tools),
            words,
            rules: part.rule_set.clone(),
            agent: AgentWords::read(own).map_err(|error| Failure::of(Code::AgentFile, &error))?,
            tools: project.file.tools.clone(),
            places: OnDisk::new(root, &project.file.tools.variables()),
            governed: Governed::new(project, root),
            guard: None,
            sources: Sources::of(project, agent),
        })
    }

    /// Adds a guard that checks before every call whether governing files changed.
    pub(crate) fn guarded(self, guard: Option<Arc<Guard>>) -> Self {
        Self { guard, ..self }
    }

    /// Returns how a call may run, and every rule that applies to it.
    pub fn decide(&self, tool: &str, declaration: &Value, arguments: &Object) -> Ruled {
        let shape = shape(&self.tools, tool);
        let call = Call { tool, arguments, shape: &shape, places: &self.places };
        let ruled = self.rules.decide(&call, decision(tool, declaration, &self.words));
        let bound = self.agent.bind(tool, ruled.decision);
        let decision = self.governed.bind(tool, arguments, bound);
        Ruled { decision: self.sources.add(tool, decision), ..ruled }
    }

    /// Returns how a tool may run if no rule about its arguments applies.
    pub fn word(&self, tool: &str, declaration: &Value) -> Decision<ActionPolicy> {
        self.sources.add(tool, self.agent.bind(tool, decision(tool, declaration, &self.words)))
    }

    /// Where a rule is written: `provost.toml:48`.
    pub fn place_of_rule(&self, name: &str) -> Option<&str> {
        self.sources.rule(name)
    }

    /// The rules that may decide about a tool.
    pub fn rules_about(&self, tool: &str) -> Vec<&Rule> {
        self.rules.rules().iter().filter(|rule| rule.concerns(tool)).collect()
    }

    /// Returns every entry and rule that applies to a call, with its location.
    pub fn said(&self, tool: &str, declaration: &Value, arguments: &Object) -> Vec<Decision<ActionPolicy>> {
        let Ruled { decision, matched } = self.decide(tool, declaration, arguments);
        let mut said = words(tool, declaration, &self.words).said;
        said.extend(matched.iter().map(Applies::decision));
        let silent = Decision::new(ActionPolicy::Direct, Layer::Default, "nothing_else_said", "");
        let own = self.agent.bind(tool, silent);
        said.extend(Some(own).filter(|own| own.layer == <&str>::from(Layer::Agent)));
        // A decision of a higher layer is not in the list yet.
        if !said.iter().any(|said| said.layer == decision.layer) {
            said.push(decision);
        }
        said.into_iter().map(|said| self.sources.add(tool, said)).collect()
    }
}

impl PolicyProvider for ProjectPolicy {
    fn rule<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
        // The executor gets the prepared arguments; a call that could not be prepared is not executed.
        let arguments = call.prepared.map_or(call.parameters, |prepared| &prepared.parameters);
        let declaration = call.declaration.map(|declaration| declaration.to_value()).unwrap_or_default();
        let decision = self.decide(call.tool_name, &declaration, arguments).decision;
        let place = self.places.place(call.tool_name, arguments);
        let reads = matches!(call.tool_name, "fs/read" | "fs/list" | "fs/search");
        let guard = self.guard.as_ref().filter(|_| !reads);
        Box::pin(async move {
            let changed = match guard {
                Some(guard) => guard.check(call.context).await,
                None => None,
            };
            let ruling: Ruling = changed.map_or(decision, |files| guard::stopped(&files)).into();
            Ok(Some(place.into_iter().fold(ruling, Ruling::about)))
        })
    }

    fn version(&self) -> String {
        self.version.clone()
    }
}

/// Returns the hash of the rules as written, not of the text of the files. Compiled patterns are no part of it:
/// they hold caches, which change with every use and from process to process.
fn version<'r>(
    words: &Value,
    rules: impl Iterator<Item = &'r RuleSpec>,
    agent: &[(&str, ActionPolicy)],
    tools: &ToolsPart,
) -> String {
    let rules: Vec<&RuleSpec> = rules.collect();
    canonical::sha256_hex(format!("{words:?}{rules:?}{agent:?}{tools:?}").as_bytes())
}

impl Bounds for ProjectPolicy {
    fn guards(&self, path: &str) -> bool {
        self.governed.guards(path)
    }

    fn hides(&self, tool: &str, path: &str) -> bool {
        // A directory walk follows no links.
        self.rules.hides(tool, path, &Lexical(self.places.root.clone()))
    }

    fn closes(&self, tool: &str, url: &str) -> bool {
        let arguments = Object::from_iter([("url".to_owned(), url.into())]);
        let ruled = self.decide(tool, &Value::Null, &arguments);
        ruled.matched.iter().any(|applies| applies.policy != ActionPolicy::Direct)
    }
}

/// Returns how a tool may run under some rules, and which rule decides.
fn decision(name: &str, declaration: &Value, rules: &Value) -> Decision<ActionPolicy> {
    words(name, declaration, rules).decision
}

/// Like `decision`, with all entries considered.
fn words(name: &str, declaration: &Value, rules: &Value) -> Explained<ActionPolicy> {
    let asked = json!({ "tool_name": name, "tool_def": declaration, "action_policy": rules });
    let question = Question::parse(&json::into_object(asked), |_| None);
    resolve(&question, &Consulted::default())
}

/// Resolves paths on this disk.
#[derive(Clone, Debug)]
struct OnDisk {
    root: String,
    /// The search path for programs, as it will be when one starts.
    path: Vec<PathBuf>,
    /// A variable that programs get and that loads code into them.
    loads: Option<String>,
}

impl OnDisk {
    /// `names` are the variables that programs get.
    fn new(root: &Path, names: &[String]) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let given = |name: &str| names.iter().any(|given| given == name);
        let variables: Vec<(String, std::ffi::OsString)> = environment::variables()
            .filter_map(|(name, value)| Some((name.into_string().ok().filter(|name| given(name))?, value)))
            .collect();
        let path = variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value);
        Self {
            root: root.to_string_lossy().into_owned(),
            path: path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default(),
            loads: variables.iter().map(|(name, _)| name).find(|name| loads_code(name)).cloned(),
        }
    }

    /// Returns the file or folder that a call of a file tool concerns, relative to the workspace and with
    /// links resolved. For the whole workspace it returns `None`.
    fn place(&self, tool: &str, arguments: &Object) -> Option<String> {
        let path = json::text(arguments, "path").filter(|_| tool.starts_with("fs/"))?;
        let real = resolved(&Path::new(&self.root).join(path), LINKS_MAX);
        let inside = real.strip_prefix(&self.root).ok()?.to_str()?;
        (!inside.is_empty()).then(|| inside.to_owned())
    }

    fn is_outside(&self, path: &Path) -> bool {
        path.is_absolute()
            && !path.starts_with(&self.root)
            && !resolved(path, LINKS_MAX).starts_with(&self.root)
    }
}

/// Variables that make a loader or a library load code or tables into every program.
fn loads_code(name: &str) -> bool {
    ["LD_", "DYLD_"].iter().any(|beginning| name.starts_with(beginning))
        || ["GCONV_PATH", "LOCPATH", "NLSPATH"].contains(&name)
}

impl Places for OnDisk {
    fn root(&self) -> &str {
        &self.root
    }

    fn real(&self, place: &str) -> Option<String> {
        let path = Path::new(place);
        let real = resolved(path, LINKS_MAX);
        (real != path).then(|| real.to_string_lossy().into_owned())
    }

    /// Searches as the system will. A folder of the workspace on the search path makes the result unclear: a
    /// program may be written there before the call runs.
    fn program(&self, name: &str) -> Result<(), String> {
        if let Some(variable) = &self.loads {
            return Err(format!("programs get `{variable}`, which can load other code into them"));
        }
        let inside = || format!("`{name}` may be a program of the workspace");
        if name.contains('/') {
            return if self.is_outside(Path::new(name)) { Ok(()) } else { Err(inside()) };
        }
        for folder in &self.path {
            let program = folder.join(name);
            if !self.is_outside(folder) || !self.is_outside(&program) {
                return Err(inside());
            }
            if is_executable(&program) {
                return Ok(());
            }
        }
        Err(format!("no program `{name}` is found"))
    }
}

pub(crate) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Resolves the links of a path, also if its end does not exist yet. A link into `/proc` or `/dev` is
/// not followed: it has another target for the program than for this process.
fn resolved(path: &Path, links: usize) -> PathBuf {
    let mut place = PathBuf::new();
    let mut parts = path.components();
    while let Some(part) = parts.next() {
        match part {
            Component::ParentDir => drop(place.pop()),
            Component::CurDir => {}
            part => place.push(part),
        }
        let Ok(target) = place.read_link() else { continue };
        let target = place.parent().unwrap_or(Path::new("/")).join(target).join(parts.as_path());
        if links == 0 || ["/proc", "/dev"].iter().any(|folder| place.starts_with(folder)) {
            return place.join(parts.as_path());
        }
        return resolved(&target, links - 1);
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_also_to_what_is_not_there_yet() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("secrets")).unwrap();
        std::os::unix::fs::symlink("secrets", root.join("notes")).unwrap();
        std::os::unix::fs::symlink("secrets/new", root.join("dangling")).unwrap();
        let places = OnDisk::new(&root, &[]);
        let real = |place: &str| places.real(&format!("{}/{place}", places.root));
        let wanted = |place: &str| Some(format!("{}/{place}", places.root));
        assert_eq!(real("notes/key"), wanted("secrets/key"));
        assert_eq!(real("dangling"), wanted("secrets/new"));
        assert_eq!(real("secrets/key"), None);
        std::os::unix::fs::symlink("/proc/self/cwd", root.join("process")).unwrap();
        assert_eq!(real("process/key").as_deref(), Some("/proc/self/cwd/key"));
        assert_eq!(real("nowhere/key"), None);
        let place = |tool: &str, path: &str| places.place(tool, &json::into_object(json!({ "path": path })));
        assert_eq!(place("fs/edit", "./secrets/../notes/key").as_deref(), Some("secrets/key"));
        assert_eq!(place("fs/edit", "dangling").as_deref(), Some("secrets/new"));
        assert_eq!(
            (place("fs/edit", "."), place("fs/edit", "../x"), place("words/count", "notes")),
            (None, None, None)
        );
    }
}
