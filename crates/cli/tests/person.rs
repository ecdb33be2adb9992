//! The person's own models and keys, and what `provost config show` says of them.

use std::fs;

use crate::world::{Printed, World};

const PERSON: &str = r#"[defaults]
model = "mine"

[models.mine]
provider = "anthropic"
settings = { model = "big", max_tokens = 100 }

[models.local]
provider = "openai_compatible"
base_url = "http://ada:hunter22@localhost:1/v1"
settings.model = "small"
headers = { "x-team" = "t-4711" }

[keys.anthropic]
file = "anthropic.key"
"#;

const KEY: &str = "sk-ant-0815-4711";

struct Home(World);

impl Home {
    fn new(person: &str, toml: &str) -> Self {
        let home = Self(World::new());
        home.write("home/.config/provost/config.toml", person);
        home.write("home/.config/provost/anthropic.key", KEY);
        home.0.mode("home/.config/provost/anthropic.key", 0o600);
        home.write("home/p/provost.toml", toml);
        home.write("home/p/agents/a.md", "---\nname: a\nmax_turns: 3\n---\nWork.\n");
        home
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.0.path(path).parent().unwrap()).unwrap();
        fs::write(self.0.path(path), text).unwrap();
    }

    fn provost(&self, words: &[&str]) -> Printed {
        let mut command = self.0.command(words);
        command.current_dir(self.0.path("home/p")).env("HOME", self.0.path("home"));
        self.0.printed(command.env("OTHER_KEY", "other-key-4711"))
    }

    /// The lines about some keys.
    fn shown(&self, beginning: &str) -> Vec<String> {
        let printed = self.provost(&["config", "show", "--origin"]);
        assert_eq!(printed.code, 0, "{}", printed.stderr);
        let lines = printed.stdout.lines().filter(|line| line.starts_with(beginning));
        lines.map(str::to_owned).collect()
    }
}

#[test]
fn the_effective_configuration_names_the_origin_of_every_value() {
    let home = Home::new(
        PERSON,
        "[workspace]\nroot = \"w\"\n[policy.tools]\n\"fs/edit\" = \"deny\"\n\n[models.mine.settings]\nmax_tokens = 7\n",
    );
    fs::create_dir(home.0.path("home/p/w")).unwrap();
    let printed = home.provost(&["config", "show", "--origin"]);
    insta::assert_snapshot!(printed.stdout, @r#"
    agents.a.max_turns = 3  # [here]/home/p/agents/a.md:3
    defaults.agent = "a"  # default
    defaults.model = "mine"  # default
    defaults.repetition_limit = 20  # default
    models.local.base_url = "http://[redacted]@localhost:1/v1"  # [here]/home/.config/provost/config.toml:10
    models.local.delivery = "streamed"  # default
    models.local.headers.x-team = "[redacted]"  # [here]/home/.config/provost/config.toml:12
    models.local.key = "not needed"  # default
    models.local.provider = "openai_compatible"  # [here]/home/.config/provost/config.toml:9
    models.local.retry.attempts_max = 5  # default
    models.local.retry.retry_after_ms_max = 120000  # default
    models.local.retry.wait_ms = 1000  # default
    models.local.retry.wait_ms_max = 30000  # default
    models.local.settings.model = "small"  # [here]/home/.config/provost/config.toml:11
    models.local.settings.parallel_calls = "allowed"  # default
    models.local.settings.prompt_cache = "five_minutes"  # default
    models.local.settings.tool_choice = "auto"  # default
    models.local.timeouts.connect_ms = 10000  # default
    models.local.timeouts.idle_ms = 180000  # default
    models.local.timeouts.total_ms = 900000  # default
    models.mine.delivery = "streamed"  # default
    models.mine.key = "set"  # [here]/home/.config/provost/anthropic.key
    models.mine.key_file = "[here]/home/.config/provost/anthropic.key"  # [here]/home/.config/provost/config.toml:15
    models.mine.provider = "anthropic"  # [here]/home/.config/provost/config.toml:5
    models.mine.retry.attempts_max = 5  # default
    models.mine.retry.retry_after_ms_max = 120000  # default
    models.mine.retry.wait_ms = 1000  # default
    models.mine.retry.wait_ms_max = 30000  # default
    models.mine.settings.max_tokens = 7  # [here]/home/p/provost.toml:7
    models.mine.settings.model = "big"  # [here]/home/.config/provost/config.toml:6
    models.mine.settings.parallel_calls = "allowed"  # default
    models.mine.settings.prompt_cache = "five_minutes"  # default
    models.mine.settings.tool_choice = "auto"  # default
    models.mine.timeouts.connect_ms = 10000  # default
    models.mine.timeouts.idle_ms = 180000  # default
    models.mine.timeouts.total_ms = 900000  # default
    policy.approvers = []  # default
    policy.categories.write = "ask"  # default
    policy.tools."fs/edit" = "deny"  # [here]/home/p/provost.toml:4
    storage.anchor = null  # default
    storage.database = "[here]/home/p/.provost/provost.db"  # default
    storage.seal_key = "[here]/home/.config/provost/seal.key"  # default
    tools.environment = []  # default
    tools.hosts = []  # default
    tools.human = false  # default
    tools.shell = true  # default
    workspace.copy = false  # default
    workspace.root = "w"  # [here]/home/p/provost.toml:2
    "#);
    assert!(
        !printed.stdout.contains(KEY)
            && !printed.stdout.contains("hunter22")
            && !printed.stdout.contains("t-4711")
    );
    let json = home.provost(&["config", "show", "--origin", "--json"]).stdout;
    assert!(
        json.contains(r#"{"key":"models.mine.settings.max_tokens","value":7,"origin":{"kind":"file","name":"[here]/home/p/provost.toml:7"}}"#),
        "{json}"
    );
    assert!(!home.provost(&["config", "show"]).stdout.contains('#'));
}

#[test]
fn the_environment_goes_before_files() {
    let home = Home::new("", "[storage]\nanchor = \"../anchors\"\n");
    assert_eq!(
        home.shown("storage.anchor"),
        [r#"storage.anchor = "../anchors"  # [here]/home/p/provost.toml:2"#]
    );
    let mut command = home.0.command(&["config", "show", "--origin"]);
    command.current_dir(home.0.path("home/p")).env("PROVOST_ANCHOR_FILE", "/var/anchors");
    let printed = home.0.printed(command.env("PROVOST_DATABASE_URL", "/var/p.db"));
    for line in [
        r#"storage.anchor = "/var/anchors"  # environment variable PROVOST_ANCHOR_FILE"#,
        r#"storage.database = "/var/p.db"  # environment variable PROVOST_DATABASE_URL"#,
    ] {
        assert!(printed.stdout.lines().any(|shown| shown == line), "{line} in {}", printed.stdout);
    }
}

#[test]
fn a_model_of_the_project_goes_before_the_persons_and_gets_no_key_for_another_address() {
    let whole = "[models.mine]\nprovider = \"anthropic\"\nsettings.model = \"own\"\n";
    let home = Home::new(PERSON, whole);
    assert_eq!(
        home.shown("models.mine.settings.model "),
        [r#"models.mine.settings.model = "own"  # [here]/home/p/provost.toml:3"#]
    );
    assert_eq!(home.shown("models.mine.settings.max_tokens"), [""; 0]);
    assert_eq!(
        home.shown("models.mine.key "),
        [r#"models.mine.key = "set"  # [here]/home/.config/provost/anthropic.key"#]
    );
    let elsewhere = format!("{whole}base_url = \"https://example.com\"\n");
    let home = Home::new(PERSON, &elsewhere);
    assert_eq!(
        home.shown("models.mine.key"),
        [r#"models.mine.key = "not set"  # environment variable ANTHROPIC_API_KEY"#]
    );
    let home = Home::new(PERSON, "[models.mine]\nbase_url = \"https://example.com\"\n");
    let refused = home.provost(&["config", "show"]);
    assert!(refused.stderr.contains("models.mine: missing field `provider`"), "{}", refused.stderr);
    let home = Home::new(PERSON, "[models.mine]\nkey_env = \"OTHER_KEY\"\n");
    assert_eq!(
        home.shown("models.mine.key "),
        [r#"models.mine.key = "set"  # environment variable OTHER_KEY"#]
    );
}

#[test]
fn a_mistake_in_the_persons_file_is_reported_with_its_line() {
    for (person, expected) in [
        ("[modls.x]\n", "config.toml:1: unknown field `modls`"),
        ("[keys.antropic]\nenv = \"A\"\n", "config.toml:1: keys.antropic: there is no provider `antropic`"),
        (
            "\n[keys.gemini]\nenv = \"A\"\nfile = \"b\"\n",
            "config.toml:2: keys.gemini: name a variable with `env`",
        ),
        ("[defaults]\nmodel = \"x\"\n", "config.toml: there is no model `x`"),
        ("[models.x]\nprovidr = \"gemini\"\n", "config.toml:1: models.x: unknown field `providr`"),
    ] {
        let printed = Home::new(person, "").provost(&["agents"]);
        assert_eq!(printed.code, 2, "{person}");
        assert!(printed.stderr.contains(expected), "{expected} in {}", printed.stderr);
    }
}

#[test]
fn a_persons_file_in_the_workspace_is_refused() {
    let home = Home::new(PERSON, "");
    home.write("home/provost.toml", "");
    let printed = home.provost(&["agents", ".."]);
    assert_eq!(printed.code, 2, "{}", printed.stderr);
    assert!(printed.stderr.contains("config.toml is in the workspace, where an agent could change it"));
    assert_eq!(home.provost(&["agents"]).code, 0, "outside it is read");
}

#[test]
fn a_file_of_the_home_folder_makes_no_project_of_the_folders_below() {
    let home = Home::new("", "");
    home.write("home/provost.toml", "[defaults]\nprompt = \"x\"\n");
    fs::remove_file(home.0.path("home/p/provost.toml")).unwrap();
    fs::remove_dir_all(home.0.path("home/p/agents")).unwrap();
    let shown = home.provost(&["config", "show"]).stdout;
    assert!(!shown.contains("defaults.prompt"), "{shown}");
}

#[test]
fn a_persons_file_that_changed_while_a_run_waited_stops_it() {
    let world = World::new();
    let provost = |words: &[&str]| {
        let mut command = world.command(words);
        world.printed(command.env("HOME", world.path("home")))
    };
    fs::create_dir_all(world.path("home/.config/provost")).unwrap();
    assert_eq!(provost(&["run", "-C", "examples/audit"]).code, 3);
    fs::write(world.path("home/.config/provost/config.toml"), "[models.x]\ncassette = \"x.json\"\n").unwrap();
    let stopped = provost(&["approve", "last"]);
    assert!(
        stopped.stderr.contains("error[PV0017]: [here]/home/.config/provost/config.toml changed"),
        "{}",
        stopped.stderr
    );
    fs::remove_file(world.path("home/.config/provost/config.toml")).unwrap();
    assert_eq!(provost(&["approve", "last"]).code, 0, "it is as it was");
}

/// The colours of a terminal are its person's; a role or a colour that does not exist is refused with its line.
#[test]
fn a_person_chooses_the_colours_of_the_five_roles() {
    let run = |person: &str| {
        let world = World::new();
        fs::create_dir_all(world.path("home/.config/provost")).unwrap();
        fs::write(world.path("home/.config/provost/config.toml"), person).unwrap();
        let mut command = world.command(&["run", "-C", "examples/audit", "--color", "always"]);
        world.printed(command.env("HOME", world.path("home")))
    };
    let usual = run("");
    assert_eq!(usual.code, 3, "{}", usual.stderr);
    assert!(
        usual.stderr.contains("\u{1b}[33masks") && usual.stderr.contains("\u{1b}[32m✓"),
        "{}",
        usual.stderr
    );
    let chosen = run("[terminal.colors]\nyou = \"bright_blue\"\ndone = \"none\"\n");
    assert_eq!(chosen.code, 3, "{}", chosen.stderr);
    assert!(chosen.stderr.contains("\u{1b}[94masks"), "{}", chosen.stderr);
    assert!(
        !chosen.stderr.contains("\u{1b}[32m") && chosen.stderr.contains("\u{1b}[31m"),
        "{}",
        chosen.stderr
    );
    for (person, problem) in [
        ("[terminal.colors]\nyou = \"yelow\"\n", "config.toml:2: unknown variant `yelow`"),
        ("[terminal.colors]\ndanger = \"red\"\n", "config.toml:2: unknown field `danger`"),
        ("[terminal]\ncolours = 1\n", "config.toml:2: unknown field `colours`"),
    ] {
        let refused = run(person);
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        let said = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(problem), "{}", refused.stderr);
    }
}
