//! What a person types, when, and what it means then.

use std::fs;

use serde_json::json;

use super::pty::{Terminal, screen};
use super::script::{call, say};
use super::world::World;

const CTRL_U: &str = "\u{15}";
const PROMPT: &str = "y n e w l ?";
const SIZE: (u16, u16) = (80, 24);

/// A run that works until the file `go` is there, and then asks whether it may write the file `new`.
struct Asks {
    world: World,
    terminal: Terminal,
}

impl Asks {
    fn new(words: &[&str]) -> Self {
        let world = World::new();
        fs::create_dir_all(world.path("typed/agents")).unwrap();
        fs::write(world.path("typed/agents/worker.md"), "---\nname: worker\n---\nYou work.\n").unwrap();
        let config = "[policy.categories]\nwrite = \"preview\"\n[policy.tools]\n\"shell/run\" = \"direct\"\n";
        fs::write(world.path("typed/provost.toml"), config).unwrap();
        let argv = json!({ "argv": ["sh", "-c", "touch started; until [ -e go ]; do :; done"] });
        let written = json!({ "path": "new", "content": "x" });
        let model = world
            .script("typed", &[call("a", "shell/run", &argv), call("b", "fs/write", &written), say("done")]);
        let words: Vec<&str> = ["run", "-C", "typed", "go"].iter().chain(words).copied().collect();
        let terminal = world.on_terminal(&words, &model, SIZE);
        while !world.path("typed/started").exists() {
            std::thread::yield_now();
        }
        Self { world, terminal }
    }

    fn goes_on(&self) {
        fs::write(self.world.path("typed/go"), "").unwrap();
    }

    /// Answers, and says whether the file was written.
    fn answers(mut self, answer: &str) -> (String, bool) {
        self.terminal.enters(answer);
        let (rest, code) = self.terminal.end();
        assert_eq!(code, 0, "{rest}");
        (rest, self.world.path("typed/new").exists())
    }
}

/// A yes that was typed before the prompt stood there was meant for something else; one that is typed there counts.
#[test]
fn keys_typed_before_a_question_do_not_answer_it() {
    for words in [&[][..], &["--plain"]] {
        for (answer, written) in [("n", false), ("y", true)] {
            // While a program runs; when the question was just shown; and both.
            for (early, late) in [(true, false), (false, true), (true, true)] {
                let mut asks = Asks::new(words);
                if early {
                    asks.terminal.enters("y");
                }
                asks.goes_on();
                asks.terminal.until("asks because");
                if late {
                    asks.terminal.enters("y");
                }
                asks.terminal.until(PROMPT);
                assert!(!asks.world.path("typed/new").exists(), "{words:?} {early} {late}");
                let (rest, is_written) = asks.answers(answer);
                assert_eq!(is_written, written, "{words:?} {answer} {early} {late}: {rest}");
            }
        }
    }
}

/// A text with a yes and a line end is put into the line; only a typed Enter answers.
#[test]
fn a_paste_never_answers() {
    for (then, written) in [(format!("{CTRL_U}n"), false), (String::new(), true)] {
        let mut asks = Asks::new(&[]);
        asks.goes_on();
        asks.terminal.until(PROMPT);
        asks.terminal.types("\u{1b}[200~y\ry\r\u{1b}[201~");
        asks.terminal.until("y y");
        // The last of the two is taken away: `y y` is no answer.
        let (rest, is_written) =
            asks.answers(&if then.is_empty() { "\u{7f}\u{7f}".to_owned() } else { then });
        assert_eq!(is_written, written, "{rest}");
    }
}

/// What is typed while a run works is shown nowhere.
#[test]
fn typing_does_not_disturb_the_lines_of_a_run() {
    let mut asks = Asks::new(&["--yes"]);
    let mut written = String::new();
    asks.terminal.until_screen(&mut written, SIZE, |screen| screen.contains("running"));
    asks.terminal.enters("disturbing words");
    asks.terminal.types("\u{1b}[A\u{1b}[B");
    asks.goes_on();
    let (rest, code) = asks.terminal.end();
    written.push_str(&rest);
    assert_eq!(code, 0, "{written}");
    let shown = screen(&written, SIZE);
    assert!(shown.contains("completed") && !written.contains("disturbing"), "{shown}");
    assert_eq!(shown.matches("✓  shell/run").count(), 1, "{shown}");
}
