//! The runs, and what must hold of each.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use super::install::{interpreter, succeed};
use super::served::Served;
use crate::Failure;

const BEDS: &str = "bed 1: free\nbed 2: roses\n";
const AGENT: &str = "---\nname: gardener\ntools: [fs/list, fs/read, fs/edit]\nmax_turns: 6\n---\n\
    You tend a garden. The beds are listed in beds.txt. Read it, then answer.\n";
const PROMPTS: [&str; 3] =
    ["Which beds are free?", "Plant tulips in bed 1: edit beds.txt.", "Which files are there?"];
const PROVIDERS: [&str; 4] = ["anthropic", "openai_chat", "openai_responses", "gemini"];
/// Done, waiting for a person, stopped by a limit. A model may come to any of these ends.
const ENDS: [i32; 3] = [0, 3, 4];

/// Lets the model talk, and lets it work.
pub(crate) fn run() -> Result<(), Failure> {
    let python = interpreter()?;
    succeed(Command::new(env!("CARGO")).args(["build", "--quiet", "--package", "provost-cli"]))?;
    let served = Served::start(&python)?;
    let garden = Garden::new(&served)?;
    garden.talk()?;
    for prompt in PROMPTS {
        garden.work(prompt)?;
    }
    println!("real model: {} runs, all governed", PROMPTS.len() + 1);
    Ok(())
}

/// A project with a file that nobody allows to be changed.
struct Garden(TempDir);

impl Garden {
    fn new(served: &Served) -> Result<Self, Failure> {
        let garden = Self(tempfile::tempdir()?);
        fs::create_dir_all(garden.path("agents"))?;
        fs::create_dir_all(garden.path("land"))?;
        fs::write(garden.path("land/beds.txt"), BEDS)?;
        fs::write(garden.path("agents/gardener.md"), AGENT)?;
        let model = |name: &str, url: &str, tokens: u32| {
            format!(
                "[models.{name}]\nprovider = \"openai_compatible\"\nbase_url = \"{url}\"\n\
                 settings = {{ model = \"smollm2\", max_tokens = {tokens} }}\n"
            )
        };
        let models = model("plain", &served.plain, 60) + &model("calls", &served.calls, 300);
        let rest = "[workspace]\nroot = \"land\"\n[budgets]\nturns = 6\ntool_calls = 12\n";
        fs::write(garden.path("provost.toml"), format!("{rest}{models}"))?;
        Ok(garden)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn provost(&self, words: &[&str]) -> Result<Output, Failure> {
        let program = crate::workspace_root().join("target/debug/provost");
        Ok(Command::new(program).args(words).current_dir(self.0.path()).output()?)
    }

    /// Streams an answer in words, as the server of the model sends it.
    fn talk(&self) -> Result<(), Failure> {
        let run = self.provost(&["run", "--model", "plain", "Say hello."])?;
        expect(run.status.code() == Some(0), "a talk ends well", &run)?;
        expect(!run.stdout.trim_ascii().is_empty(), "something was said", &run)?;
        self.check_kept("a talk")
    }

    /// Lets the model choose calls until it answers, waits or is stopped.
    fn work(&self, prompt: &str) -> Result<(), Failure> {
        let run = self.provost(&["run", "--model", "calls", prompt])?;
        let ended = run.status.code().is_some_and(|code| ENDS.contains(&code));
        expect(ended, "the run ends in a way that is documented", &run)?;
        let beds = fs::read_to_string(self.path("land/beds.txt"))?;
        expect(beds == BEDS, "nothing is changed that nobody allowed", &run)?;
        self.check_kept(prompt)
    }

    /// The journal is whole, folds to what was kept, and every provider would take the transcript.
    fn check_kept(&self, what: &str) -> Result<(), Failure> {
        for words in [&["verify"][..], &["replay", "last"]] {
            let checked = self.provost(words)?;
            expect(checked.status.success(), &format!("provost {}", words.join(" ")), &checked)?;
        }
        for provider in PROVIDERS {
            let export = self.provost(&["export", "last", "--to", provider, "--json"])?;
            fs::write(self.path("exported.json"), &export.stdout)?;
            let checked = self.provost(&["import", "exported.json", "--from", provider, "--check"])?;
            expect(checked.status.success(), &format!("{provider} takes the transcript"), &checked)?;
        }
        let shown = self.provost(&["show", "last", "--json"])?;
        let shown: Value = serde_json::from_slice(&shown.stdout)?;
        let at = |pointer: &str| shown.pointer(pointer).cloned().unwrap_or_default();
        self.check_paired(&at("/result/messages"), at("/run/status") == "approval_required")?;
        let results = at("/result/tool_execution_results").as_array().map_or(0, Vec::len);
        println!("{what}: {}, {} turns, {results} results", at("/run/status"), at("/result/turn_count"));
        Ok(())
    }

    /// The transcript needs no repair as it was kept; only a run that waits has calls without a result.
    fn check_paired(&self, messages: &Value, waits: bool) -> Result<(), Failure> {
        fs::write(self.path("messages.json"), messages.to_string())?;
        let checked = self.provost(&["import", "messages.json", "--from", "messages"])?;
        let repaired = String::from_utf8_lossy(&checked.stderr).contains("repaired:");
        expect(checked.status.success() && (waits || !repaired), "each call has its result", &checked)
    }
}

fn expect(holds: bool, what: &str, output: &Output) -> Result<(), Failure> {
    if holds {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Err(format!("not so: {what}\n{}{}", text(&output.stdout), text(&output.stderr)).into())
}
