//! What `provost doctor` finds: whatever a run would refuse, and whether the models answer.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use provost_contract::provider::Provider;
use serde_json::Value;

use super::server::{End, Reply, Server};
use super::speech::{last_word, refusal};
use crate::world::{Printed, World};

const AGENT: &str = "---\nname: helper\ntools: [fs/read, words/count]\n---\nHelp.\n";
const TOOL: &str = "[[tools.commands]]\nname = \"words/count\"\ndescription = \"Counts\"\nargv = [\"wc\"]\n";

/// A project with a cassette, in which everything is right.
struct Clinic(World);

impl Clinic {
    fn new(toml: &str) -> Self {
        let clinic = Self(World::new());
        fs::create_dir_all(clinic.0.path("p/agents")).unwrap();
        fs::create_dir_all(clinic.0.path("p/work")).unwrap();
        fs::write(clinic.0.path("p/agents/helper.md"), AGENT).unwrap();
        fs::write(clinic.0.path("p/c.json"), "{\"version\": 1, \"turns\": []}").unwrap();
        clinic.write(toml);
        clinic
    }

    fn write(&self, toml: &str) {
        let root = "[workspace]\nroot = \"work\"\n";
        fs::write(self.0.path("p/provost.toml"), format!("{toml}\n{root}\n{TOOL}")).unwrap();
    }

    fn provost(&self, words: &[&str]) -> Printed {
        let mut command = self.0.command(words);
        command.current_dir(self.0.path("p")).env_remove("PROVOST_CLOCK_MS");
        self.0.printed(&mut command)
    }

    fn doctor(&self, further: &[&str]) -> (i32, Vec<Value>) {
        let printed = self.provost(&[&["doctor", "--json"], further].concat());
        assert_eq!(printed.stderr, "", "everything is in the documents");
        (printed.code, printed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    /// What is wrong, with where it is written.
    fn wrong(&self, further: &[&str]) -> (i32, Vec<(String, String, String)>) {
        let (code, checks) = self.doctor(further);
        let text = |check: &Value, key: &str| check[key].as_str().unwrap_or_default().to_owned();
        let wrong = checks.iter().filter(|check| check["ok"] == false);
        let told = |check| (text(check, "what"), text(check, "found"), text(check, "source"));
        (code, wrong.map(told).collect())
    }
}

const MODEL: &str = "[models.m]\ncassette = \"c.json\"\n";

#[test]
fn what_a_run_refuses_is_found_with_its_place_and_nothing_else_is() {
    let clinic = Clinic::new(MODEL);
    let remote =
        |more: &str| format!("[models.m]\nprovider = \"openai_compatible\"\n{more}settings.model = \"m\"\n");
    fs::write(clinic.0.path("p/key"), "k\n").unwrap();
    let mode = |mode| fs::set_permissions(clinic.0.path("p/key"), fs::Permissions::from_mode(mode)).unwrap();
    let key = format!("key_file = {:?}\n", clinic.0.path("p/key"));
    let keyed = remote(&format!("base_url = \"http://127.0.0.1:1/v1\"\n{key}"));
    mode(0o644);
    let cases: [(String, &str, &str, &str); 10] = [
        (format!("{MODEL}[defaults]\nmodel = \"n\"\n"), "project", "there is no model `n`", "provost.toml:4"),
        (format!("{MODEL}[defaults]\nagent = \"n\"\n"), "project", "there is no agent `n`", "provost.toml:4"),
        (remote(""), "models", "m: provider openai_compatible needs a base_url", "provost.toml:1"),
        (
            remote("base_url = \"127.0.0.1:1\"\n"),
            "models",
            "is not an http or https address",
            "provost.toml:3",
        ),
        (format!("{MODEL}[budgets]\nturns = 0\n"), "project", "the budget `turns` must be", "provost.toml:4"),
        (keyed.clone(), "models", "has mode 0644, so others may read it", "provost.toml:4"),
        (
            format!("{MODEL}[storage]\nanchor = \"../none/a\"\n"),
            "anchor",
            "cannot be written",
            "provost.toml:4",
        ),
        (MODEL.replace("c.json", "d.json"), "models", "d.json", "provost.toml:1"),
        (String::new(), "models", "does not say which model to use", ""),
        (
            format!("{}[budgets]\ncost_microusd = 5\n", remote("base_url = \"http://127.0.0.1:1\"\n")),
            "models",
            "the budget `cost_microusd` would not hold",
            "",
        ),
    ];
    for (toml, what, found, place) in cases {
        clinic.write(&toml);
        let run = clinic.provost(&["run", "x"]);
        assert!([1, 2].contains(&run.code) && run.stderr.contains("error[PV"), "{toml}: {}", run.stderr);
        let (code, wrong) = clinic.wrong(&["--offline"]);
        assert_eq!(code, 1, "{toml}: {wrong:?}");
        let is_it =
            |(of, told, at): &(String, String, String)| of == what && told.contains(found) && at == place;
        assert!(wrong.iter().any(is_it), "{toml}: {wrong:?}");
    }
    mode(0o600);
    for toml in [MODEL, &keyed] {
        clinic.write(toml);
        assert_eq!(clinic.wrong(&["--offline"]), (0, Vec::new()), "{toml}");
    }
}

/// A tool that cannot run stops no run, but the agent that has it does not work as its file says.
#[test]
fn the_program_of_every_command_tool_is_looked_for() {
    let clinic = Clinic::new(MODEL);
    let toml = fs::read_to_string(clinic.0.path("p/provost.toml")).unwrap();
    fs::write(clinic.0.path("p/provost.toml"), toml.replace("\"wc\"", "\"wc-words\"")).unwrap();
    let found = "words/count: program wc-words is not on the PATH".to_owned();
    let missing = vec![("tools".to_owned(), found, "provost.toml:7".to_owned())];
    assert_eq!(clinic.wrong(&[]), (1, missing.clone()));
    fs::write(clinic.0.path("p/agents/helper.md"), AGENT.replace(", words/count", "")).unwrap();
    assert_eq!(clinic.wrong(&[]), (0, missing), "the default agent does not have the tool");
}

#[test]
fn a_folder_without_a_project_has_no_agent_to_run() {
    let clinic = Clinic::new(MODEL);
    for name in ["agents", "work"] {
        fs::remove_dir_all(clinic.0.path("p").join(name)).unwrap();
    }
    fs::remove_file(clinic.0.path("p/provost.toml")).unwrap();
    assert_eq!(clinic.provost(&["run", "x"]).code, 2);
    let (code, wrong) = clinic.wrong(&[]);
    let named = |(what, found, _): &(String, String, String)| format!("{what}: {found}");
    let wrong: Vec<String> = wrong.iter().map(named).collect();
    assert_eq!(code, 1);
    assert_eq!(wrong[0], "agents: the project has no agents");
    assert!(!clinic.0.path("p/.provost").exists(), "nothing was made");
}

/// A governing file that changed while a run was under way stops every other run until a person confirms it.
#[test]
fn an_unconfirmed_change_is_found_until_it_is_confirmed() {
    let world = World::new();
    let audit = world.path("examples/audit");
    let provost = |words: &[&str]| world.printed(world.command(words).current_dir(&audit));
    assert_eq!(provost(&["run"]).code, 3);
    assert_eq!(provost(&["doctor", "--offline"]).code, 0);
    let toml = fs::read_to_string(audit.join("provost.toml")).unwrap();
    fs::write(audit.join("provost.toml"), format!("{toml}\n# changed\n")).unwrap();
    assert!(provost(&["resume", "last"]).stderr.contains("PV0017"));
    assert!(provost(&["run"]).stderr.contains("PV0017"));
    let doctor = provost(&["doctor", "--offline"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.stdout.contains("examples/audit/provost.toml changed while"), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("\nwaits: 1 approval\n"), "{}", doctor.stdout);
    assert_eq!(provost(&["policy", "confirm", "--yes"]).code, 0);
    assert_eq!(provost(&["doctor", "--offline"]).code, 0, "the control");
}

fn served(url: &str, name: &str) -> String {
    format!(
        "[models.{name}]\nprovider = \"openai_compatible\"\nbase_url = \"{url}\"\nsettings = {{ model = \"{name}-1\" }}\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn every_model_is_asked_once_for_a_word() {
    let chat = Provider::OpenaiChat;
    let good = Server::with([last_word(chat), last_word(chat)]).await;
    let denied = Server::with([refusal(chat, 401, "invalid_api_key", "no such key")]).await;
    let models =
        [served(&good.url, "good"), served(&denied.url, "denied"), served("http://127.0.0.1:1", "gone")];
    let clinic = Clinic::new(&format!("[defaults]\nmodel = \"good\"\n{}", models.concat()));
    let (code, wrong) = clinic.wrong(&[]);
    assert_eq!(code, 0, "the default model answers: {wrong:?}");
    let gone = "gone: cannot reach http://127.0.0.1:1 (connection refused)";
    let told: Vec<(&str, &str)> = wrong.iter().map(|(_, found, at)| (found.as_str(), at.as_str())).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].0.starts_with("denied: ") && told[0].0.contains("no such key"), "{told:?}");
    assert_eq!(told[1], (gone, "provost.toml:13"));
    let asked = good.asked();
    assert_eq!((asked.len(), &asked[0].body["max_tokens"]), (1, &16.into()));
    assert_eq!(denied.asked().len(), 1, "it is not asked again");
    let (code, checks) = clinic.doctor(&[]);
    let found = |check: &Value| {
        check["found"].as_str().is_some_and(|found| found.starts_with("good: good-1 answered"))
    };
    assert!(code == 0 && checks.iter().any(found), "{checks:?}");
    clinic.write(&format!("[defaults]\nmodel = \"gone\"\n{}", models.concat()));
    assert_eq!(clinic.wrong(&[]).0, 1, "the model of the default agent does not answer");
    assert_eq!(clinic.wrong(&["--offline"]), (0, Vec::new()), "none is asked");
    assert_eq!(good.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_answer_is_no_answer() {
    let server =
        Server::with([last_word(Provider::OpenaiChat).ending(End::Cut), Reply::stream("data: {}\n\n")]).await;
    let clinic = Clinic::new(&served(&server.url, "m"));
    assert_eq!(clinic.wrong(&[]).0, 1);
}

/// A server that accepts a request and never answers it is waited for no longer than its configuration says.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_never_answers_is_not_waited_for_without_end() {
    let silent = Reply::stream("").ending(End::Silence);
    let answer = last_word(Provider::OpenaiChat);
    let limits = "timeouts = { connect_ms = 10000, idle_ms = 150, total_ms = 10000 }\n";
    for (reply, wrong) in [(silent, 1), (answer, 0)] {
        // The server hangs up with its last reply, so it has one more.
        let server = Server::with([reply, last_word(Provider::OpenaiChat)]).await;
        let clinic = Clinic::new(&format!("{}{limits}", served(&server.url, "m")));
        let (code, found) = clinic.wrong(&[]);
        assert_eq!((code, found.len(), server.asked().len()), (wrong, wrong as usize, 1), "{found:?}");
        let told = |(what, found, at): &(String, String, String)| {
            what == "models" && found.contains("150 ms") && at == "provost.toml:3"
        };
        assert!(found.iter().all(told), "{found:?}");
    }
}
