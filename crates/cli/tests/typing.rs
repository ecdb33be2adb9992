//! What a person types, when, and what it means then.

use std::fs;

use serde_json::json;

use super::pty::{CTRL_C, CTRL_D, PROMPT as MESSAGE, Terminal, UP, screen};
use super::script::{call, say};
use super::world::{World, until};

const CTRL_U: &str = "\u{15}";
const PROMPT: &str = "y n e s w l ?";
const SIZE: (u16, u16) = (80, 24);
const WIDE: (u16, u16) = (160, 50);

/// A run that works until the file `go` is there, and then asks whether it may write the file `new`.
struct Asks {
    world: World,
    terminal: Terminal,
}

impl Asks {
    fn new(words: &[&str]) -> Self {
        Self::sized(words, SIZE)
    }

    fn sized(words: &[&str], size: (u16, u16)) -> Self {
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
        let terminal = world.on_terminal(&words, &model, size);
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
        for (answer, written) in [("n no", false), ("y", true)] {
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
    for (then, written) in [(format!("{CTRL_U}n no"), false), (String::new(), true)] {
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

/// What is typed while a run works is shown nowhere, also after another program turned the echo on.
#[test]
fn typing_does_not_disturb_the_lines_of_a_run() {
    [SIZE, WIDE].into_iter().for_each(typing_disturbs_nothing);
}

fn typing_disturbs_nothing(size: (u16, u16)) {
    let mut asks = Asks::sized(&["--yes"], size);
    let mut written = String::new();
    asks.terminal.until_screen(&mut written, size, |screen| screen.contains("running"));
    asks.terminal.0.get_process_mut().set_echo(true, None).unwrap();
    until("the echo is off again", || !asks.terminal.0.get_process().get_echo().unwrap());
    asks.terminal.enters("disturbing words");
    asks.terminal.types("\u{1b}[A\u{1b}[B");
    asks.goes_on();
    let (rest, code) = asks.terminal.end();
    written.push_str(&rest);
    assert_eq!(code, 0, "{written}");
    let shown = screen(&written, size);
    assert!(shown.contains("completed") && !written.contains("disturbing"), "{shown}");
    assert_eq!(shown.matches("✓  shell/run").count(), 1, "{shown}");
}

/// A conversation whose agent runs a program until the file `go` is there, and then answers as often as it is asked.
fn conversation(answers: &[&str]) -> (World, Terminal) {
    sized_conversation(answers, SIZE)
}

fn sized_conversation(answers: &[&str], size: (u16, u16)) -> (World, Terminal) {
    let world = World::new();
    fs::create_dir_all(world.path("typed/agents")).unwrap();
    fs::write(world.path("typed/agents/worker.md"), "---\nname: worker\n---\nYou work.\n").unwrap();
    fs::write(world.path("typed/provost.toml"), "[policy.tools]\n\"shell/run\" = \"direct\"\n").unwrap();
    fs::write(world.path("typed/wait.sh"), "touch started; until [ -e go ]; do :; done").unwrap();
    let mut turns = vec![call("a", "shell/run", &json!({ "argv": ["sh", "wait.sh"] }))];
    turns.extend(answers.iter().map(|answer| say(answer)));
    let model = world.script("one", &turns);
    let mut chat = world.on_terminal(&["chat", "--project", "typed"], &model, size);
    chat.until(MESSAGE);
    chat.enters("begin");
    while !world.path("typed/started").exists() {
        std::thread::yield_now();
    }
    (world, chat)
}

/// The messages of people that the model was asked with, in the last request.
fn asked(world: &World) -> String {
    fs::read_to_string(world.path("one.json")).unwrap()
}

/// While the agent works Enter queues, Up takes the last one back, Esc clears; what is queued is said next, in order.
#[test]
fn messages_are_queued_while_the_agent_works() {
    [SIZE, WIDE].into_iter().for_each(messages_are_queued);
}

fn messages_are_queued(size: (u16, u16)) {
    let (world, mut chat) = sized_conversation(&["First.", "Second.", "Third."], size);
    let mut written = String::new();
    chat.enters("one more");
    chat.enters("taken back");
    chat.until_screen(&mut written, size, |screen| screen.contains("queued  taken back"));
    chat.types(UP);
    chat.until_screen(&mut written, size, |screen| {
        screen.contains("›  taken back") && screen.contains("queued  one more")
    });
    chat.types("\u{1b}");
    chat.until_screen(&mut written, size, |screen| !screen.contains("taken back"));
    chat.enters("two more");
    chat.types("a draft");
    let shown = chat.until_screen(&mut written, size, |screen| screen.contains("›  a draft"));
    assert!(shown.contains("running"), "{shown}");
    fs::write(world.path("typed/go"), "").unwrap();
    let shown = chat.until_screen(&mut written, size, |screen| screen.contains("┃  Third."));
    let order = ["✓  shell/run", "┃  First.", "›  one more", "┃  Second.", "›  two more", "┃  Third."];
    let mut rest = shown.as_str();
    for words in order {
        rest = rest.split_once(words).unwrap_or_else(|| panic!("{words}: {shown}")).1;
    }
    chat.until_screen(&mut written, size, |screen| screen.trim_end().ends_with("›  a draft"));
    chat.types(&format!("{CTRL_U}{CTRL_D}"));
    assert_eq!(chat.end().1, 0);
    let asked = asked(&world);
    assert!(asked.contains("\"two more\"") && !asked.contains("taken back"), "{asked}");
}

/// Ctrl-C stops the work and not the person: what was typed and queued survives it, and is not said by itself.
#[test]
fn typed_text_survives_ctrl_c() {
    let (_world, mut chat) = conversation(&["Still here."]);
    let mut written = String::new();
    chat.enters("queued words");
    chat.types("half a sen");
    chat.until_screen(&mut written, SIZE, |screen| screen.contains("›  half a sen"));
    chat.types(CTRL_C);
    chat.until_screen(&mut written, SIZE, |screen| {
        screen.contains("cancelled; send a message to continue")
            && screen.trim_end().ends_with("›  queued words\n   half a sen")
    });
    chat.enters("tence");
    chat.until_screen(&mut written, SIZE, |screen| screen.contains("┃  Still here."));
    chat.until_screen(&mut written, SIZE, |screen| screen.trim_end().ends_with('›'));
    chat.types(CTRL_D);
    assert_eq!(chat.end().1, 0);
}

/// Lines of one message: pasted, with a backslash, with Alt-Enter; and from the history.
#[test]
fn a_message_may_have_several_lines() {
    let world = World::new();
    let model = world.script("one", &[say("Yes."), say("Again.")]);
    let mut chat = world.chat_on_terminal(&[], &model);
    chat.until(MESSAGE);
    chat.types("\u{1b}[200~one\rtwo\u{1b}[201~");
    chat.types("\\\rthree\u{1b}\rfour");
    chat.enters("");
    chat.until("Yes.");
    chat.until(MESSAGE);
    chat.types(UP);
    chat.until("four");
    chat.enters("!");
    chat.until("Again.");
    chat.until(MESSAGE);
    chat.types("/se\tx");
    chat.until("/sessions x");
    chat.types(&format!("{CTRL_U}look at @READ\t"));
    chat.until("README.md");
    chat.types(&format!("{CTRL_U}{CTRL_D}"));
    assert_eq!(chat.end().1, 0);
    let asked = asked(&world);
    assert!(asked.contains("one\\ntwo\\nthree\\nfour\""), "{asked}");
    assert!(asked.contains("one\\ntwo\\nthree\\nfour!\""), "{asked}");
}

/// A person who types `exit` is asked: it may be a message.
#[test]
fn exit_asks_whether_to_leave() {
    let world = World::new();
    let mut chat = world.chat_on_terminal(&[], &world.script("one", &[]));
    chat.until(MESSAGE);
    for (answer, then) in [("n", MESSAGE), ("y", "")] {
        chat.enters("exit");
        chat.until("leave the conversation?");
        chat.enters(answer);
        chat.until(then);
    }
    assert_eq!(chat.end().1, 0);
}
