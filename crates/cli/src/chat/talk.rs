//! Reading lines, and watching what comes of them.

use provost::{Decision, Outcome, RunStatus, Verdict};
use provost_engine::{RunId, Seq};
use serde_json::json;

use super::conversation::{Conversation, GoingOn};
use super::edit::edited;
use super::input::Input;
use super::line::{Line, Slash, help};
use super::open::Open;
use super::session;
use crate::asking::{self, Answers, Heard};
use crate::exit::Exit;
use crate::failure::{Code, Failure, unread};
use crate::follow::{self, Watched};
use crate::identity;
use crate::interrupts;
use crate::journal;
use crate::live::{Live, Manner};
use crate::pending::Pending;
use crate::prompt;
use crate::screen::Screen;
use crate::text;
use crate::typing::Typed;
use crate::view::{decision_document, decision_line, decisions, gauges};

/// A conversation, its input, and where it is shown.
pub(crate) struct Talk {
    pub(crate) conversation: Conversation,
    pub(crate) input: Input,
    pub(crate) answers: Answers,
    pub(crate) screen: Screen,
    /// How far which run was shown.
    pub(crate) seen: Option<(RunId, Seq)>,
}

/// Whether there is more to say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    GoOn,
    Leave,
}

impl Talk {
    /// Talks until the input ends or the person leaves.
    pub(crate) async fn until_left(mut self) -> Result<Exit, Failure> {
        let left = self.talk().await;
        self.input.release();
        self.conversation.setup.runtime.drain().await;
        left
    }

    async fn talk(&mut self) -> Result<Exit, Failure> {
        let mut exit = self.take_up().await?;
        let mut leaving = false;
        // SIGTERM at a question leaves the question open, and says how to go on.
        while !interrupts::is_leaving() {
            let open = self.conversation.open().await?;
            let line = match self.input.next(open.is_question(), self.screen).await? {
                Typed::Line(line) => line,
                Typed::Interrupted if !leaving => {
                    leaving = true;
                    self.screen.tell("Ctrl-C again leaves; /help lists the commands");
                    continue;
                }
                Typed::Interrupted | Typed::End => break,
            };
            leaving = false;
            match self.answered(open, &line).await {
                Ok((Next::Leave, _)) => break,
                Ok((Next::GoOn, came_of_it)) => exit = came_of_it.unwrap_or(exit),
                // A person can type again; a script must not continue as if it had worked.
                Err(failure) if self.input.is_person() => self.screen.failure(&failure),
                Err(failure) => return Err(failure),
            }
        }
        self.leave().await?;
        if interrupts::is_leaving() {
            return Ok(interrupts::exit_of_cancelled());
        }
        Ok(if self.input.is_person() { Exit::Done } else { exit })
    }

    /// Continues where an earlier process stopped, and shows what waits.
    async fn take_up(&mut self) -> Result<Exit, Failure> {
        let Some(row) = self.conversation.newest().await?.filter(|row| row.ended.is_none()) else {
            return Ok(Exit::Done);
        };
        if self.conversation.is_elsewhere(&row).await? {
            self.screen.tell("another process runs this conversation; your messages are sent to it");
            return Ok(Exit::Done);
        }
        let Some(going_on) = self.conversation.take_up(None).await? else { return Ok(Exit::Done) };
        if row.status != "waiting" {
            self.screen.tell("continuing the interrupted run");
        }
        self.follow(going_on).await
    }

    /// Shows what another process did in the conversation while this one was at its prompt. Returns whether there was
    /// anything.
    async fn catch_up(&mut self) -> Result<bool, Failure> {
        let Some(row) = self.conversation.newest().await? else { return Ok(false) };
        let shown = match &self.seen {
            Some((run, seq)) if *run == row.run => *seq,
            Some(_) => Seq(0),
            None => row.head,
        };
        if row.head <= shown || self.conversation.is_elsewhere(&row).await? {
            return Ok(false);
        }
        self.screen.tell("meanwhile, from another process:");
        let read = journal::read(self.conversation.store(), &row.run).await?;
        let context = follow::context(&self.conversation.setup, &row.run).await;
        let mut live = Live::new(self.screen, Manner::Chat, Vec::new(), context);
        let seq = live.begin(&read.run, shown).map_err(|error| unread(&error))?;
        live.rest();
        self.seen = Some((row.run, seq));
        Ok(true)
    }

    /// Applies a line to the questions shown. An answer is dropped if other questions are open now: its author has
    /// not seen them.
    async fn answered(&mut self, shown: Open, line: &str) -> Result<(Next, Option<Exit>), Failure> {
        if !self.catch_up().await? {
            return self.heed(&shown, line).await;
        }
        let open = self.conversation.open().await?;
        if open.asks() == shown.asks() || !Line::read(line).can_answer() {
            return self.heed(&open, line).await;
        }
        open.show(self.screen);
        let what = format!("ignored `{line}`: it was typed before this question appeared");
        Err(Failure::new(Code::Decision, what).hint("type it again if you still mean it"))
    }

    /// Applies a line: a command, an answer or a message.
    async fn heed(&mut self, open: &Open, line: &str) -> Result<(Next, Option<Exit>), Failure> {
        let exit = match Line::read(line) {
            Line::Blank => None,
            Line::Words(words) if self.input.is_person() && is_farewell(&words) => {
                return Ok((self.farewell().await, None));
            }
            Line::Words(words) => Some(self.words(open, &words).await?),
            Line::Unknown { word, meant } => return Err(unknown(&word, meant)),
            Line::Command(Slash::Quit, _) => return Ok((Next::Leave, None)),
            Line::Command(Slash::Approve, rest) => Some(self.approve(open, &rest).await?),
            Line::Command(Slash::Reject, rest) => Some(self.reject(open, &rest).await?),
            Line::Command(Slash::Happened, rest) => Some(self.happened(open, &rest).await?),
            Line::Command(command, _) => {
                self.show(command).await?;
                None
            }
        };
        Ok((Next::GoOn, exit))
    }

    /// Asks whether `exit` means to leave.
    async fn farewell(&mut self) -> Next {
        self.input.release();
        match self.screen.ask("leave the conversation? [y]es, [n]o: ").await.as_deref().map(asking::yes_or_no)
        {
            Some(Some(Verdict::Approved)) => Next::Leave,
            _ => {
                self.screen.tell("not sent; to send the word, write it in a sentence");
                Next::GoOn
            }
        }
    }

    /// Text answers a question, decides if it is a plain yes or no, and is a message otherwise.
    async fn words(&mut self, open: &Open, words: &str) -> Result<Exit, Failure> {
        if let Some(question) = open.questions.first() {
            let head = self.conversation.newest().await?.map(|row| row.head);
            question.answer(&self.conversation.setup, words).await?;
            return self.go_on(head).await;
        }
        match asking::yes_or_no(words).filter(|_| !open.approvals.is_empty()) {
            // A call in doubt cannot be answered by yes or no.
            Some(_) if open.approvals.iter().any(Pending::is_in_doubt) => Err(nothing(open, words)),
            Some(Verdict::Approved) => self.approve(open, "").await,
            Some(Verdict::Rejected) => self.reject(open, "").await,
            None => {
                let going_on = self.conversation.say(words).await?;
                self.follow(going_on).await
            }
        }
    }

    async fn approve(&mut self, open: &Open, rest: &str) -> Result<Exit, Failure> {
        let (chosen, change) = open.chosen(rest);
        let [action] = &chosen[..] else {
            if !change.is_empty() {
                return Err(nothing(open, change));
            }
            return self.decide(open, &chosen, &yes("")).await;
        };
        let parameters = edited(action.arguments(), change).map_err(|error| {
            Failure::new(Code::Decision, error).hint("/approve [ID] [KEY=VALUE … or a JSON object]")
        })?;
        let decision = Decision { parameters, ..yes("") };
        self.decide(open, &[action], &decision).await
    }

    async fn reject(&mut self, open: &Open, rest: &str) -> Result<Exit, Failure> {
        let (chosen, reason) = open.chosen(rest);
        let no = Decision::reject(identity::person(), reason);
        self.decide(open, &chosen, &no).await
    }

    async fn happened(&mut self, open: &Open, rest: &str) -> Result<Exit, Failure> {
        let (chosen, result) = open.chosen(rest);
        let [action] = &chosen[..] else { return Err(nothing(open, rest)) };
        if !action.is_in_doubt() || result.is_empty() {
            return Err(Failure::new(Code::Decision, "/happened needs a call in doubt and its result")
                .hint("/happened [ID] RESULT"));
        }
        let decision = prompt::happened(identity::person(), result, "");
        self.decide(open, &[action], &decision).await
    }

    /// Records the decision and continues the run once nothing waits.
    async fn decide(
        &mut self,
        open: &Open,
        chosen: &[&Pending],
        decision: &Decision,
    ) -> Result<Exit, Failure> {
        if chosen.is_empty() {
            return Err(nothing(open, ""));
        }
        // Only events after this position are shown.
        let head = self.conversation.newest().await?.map(|row| row.head);
        for action in chosen {
            asking::decide(&self.conversation.setup, action, decision).await?;
        }
        self.go_on(head).await
    }

    /// Continues the run that was answered.
    async fn go_on(&mut self, head: Option<Seq>) -> Result<Exit, Failure> {
        match self.conversation.take_up(head).await? {
            Some(going_on) => self.follow(going_on).await,
            None => Ok(Exit::Done),
        }
    }

    /// Watches a run until it waits or ends, and answers what `--yes` allows.
    async fn follow(&mut self, GoingOn { handle, news }: GoingOn) -> Result<Exit, Failure> {
        let run = handle.run().clone();
        if self.screen.is_json() {
            self.screen.document(&self.conversation.run_document(&run));
        }
        let setup = &self.conversation.setup;
        let (limits, context) = (follow::gauges_of(setup, &run).await, follow::context(setup, &run).await);
        let live = Live::new(self.screen, Manner::Chat, limits, context);
        let mut watched = Watched::begin(setup, &run, news, live).await?;
        loop {
            let setup = &self.conversation.setup;
            let going_on = format!("to continue: provost chat --session {}", self.conversation.session);
            let typed = (self.input.chat_input(), self.screen);
            let outcome = watched.until_rest(setup, &handle, &going_on, typed).await?;
            self.seen = Some((run.clone(), watched.live.seq()));
            let setup = &self.conversation.setup;
            if let Some(changed) = setup.guard.as_ref().and_then(|guard| guard.found()) {
                return Err(changed);
            }
            if outcome.is_waiting() && self.input.is_person() {
                self.input.release();
                let live = &mut watched.live;
                if asking::answered(setup, &run, self.answers, live, self.screen).await? == Heard::Everything
                {
                    continue;
                }
                return self.left_for_later(&outcome).await;
            }
            let open = self.conversation.open().await?;
            let allowed = |pending: &&Pending| asking::is_allowed_beforehand(pending, self.answers);
            let allowed: Vec<&Pending> = open.approvals.iter().filter(allowed).collect();
            if allowed.is_empty() {
                return self.stopped(&outcome, &mut watched.live).await;
            }
            open.show(self.screen);
            for action in allowed {
                asking::decide(&self.conversation.setup, action, &yes("--yes")).await?;
                self.screen.tell("allowed by --yes");
            }
        }
    }

    /// Prints how a run stopped, and what it waits for.
    async fn stopped(&mut self, outcome: &Outcome, live: &mut Live) -> Result<Exit, Failure> {
        self.tell(outcome);
        if let Some(chat_input) = self.input.chat_input().filter(|_| outcome.status != RunStatus::Completed) {
            chat_input.take_back();
        }
        if outcome.is_waiting() {
            self.conversation.open().await?.show(self.screen);
        } else if self.input.is_person() {
            live.print(&[text::Line::blank()]);
        }
        Ok(follow::exit_of(outcome.status))
    }

    /// Prints how to answer a question that was left for later.
    async fn left_for_later(&self, outcome: &Outcome) -> Result<Exit, Failure> {
        if let Some(how) = self.conversation.open().await?.later() {
            self.screen.note(&how);
        }
        Ok(follow::exit_of(outcome.status))
    }

    fn tell(&self, outcome: &Outcome) {
        let status = outcome.status.as_str();
        if self.screen.is_json() {
            return self.screen.document(&follow::outcome_document(outcome));
        }
        match outcome.status {
            RunStatus::Completed
            | RunStatus::Queued
            | RunStatus::Running
            | RunStatus::Waiting
            | RunStatus::Cancelling => {}
            // The failure was already printed.
            RunStatus::Failed
            | RunStatus::BudgetExceeded
            | RunStatus::Stalled
            | RunStatus::Interrupted
            | RunStatus::Cancelled => {
                self.screen.note(&format!("{status}; send a message to continue"));
            }
        }
    }

    async fn show(&mut self, command: Slash) -> Result<(), Failure> {
        match command {
            Slash::Why => self.why().await,
            Slash::Budget => self.budget().await,
            Slash::Sessions => self.sessions().await,
            Slash::Compact => {
                self.conversation.sum_up();
                self.screen.tell("the next message begins with a summary of the older ones");
                Ok(())
            }
            Slash::Help | Slash::Approve | Slash::Reject | Slash::Happened | Slash::Quit => {
                self.screen.show(&json!({ "type": "help", "text": help() }), help);
                Ok(())
            }
        }
    }

    async fn why(&self) -> Result<(), Failure> {
        for decision in decisions(&self.journal().await?)? {
            let document = json!({ "type": "decision", "decision": decision_document(&decision) });
            self.screen.show(&document, || decision_line(&decision));
        }
        Ok(())
    }

    async fn budget(&self) -> Result<(), Failure> {
        for gauge in gauges(&self.journal().await?) {
            self.screen.show(&gauge.document(), || gauge.line());
        }
        Ok(())
    }

    async fn sessions(&self) -> Result<(), Failure> {
        let sessions = session::list(self.conversation.store(), &self.conversation.folder).await?;
        let current = &self.conversation.session;
        for stored in &sessions {
            self.screen.show(&session::document(stored, current), || session::line(stored, current));
        }
        if sessions.is_empty() {
            self.screen.tell("no conversations yet");
        }
        Ok(())
    }

    /// Returns the journal of the newest run.
    async fn journal(&self) -> Result<journal::Read, Failure> {
        let silent = || Failure::new(Code::UnknownRun, "there is no message yet");
        let row = self.conversation.newest().await?.ok_or_else(silent)?;
        journal::read(self.conversation.store(), &row.run).await
    }

    async fn leave(&self) -> Result<(), Failure> {
        let Some(row) = self.conversation.newest().await? else { return Ok(()) };
        let waits = if row.status == "waiting" { "it waits for you; " } else { "" };
        let session = &self.conversation.session;
        self.screen.tell(&format!("{waits}to continue: provost chat --session {session}"));
        Ok(())
    }
}

fn is_farewell(words: &str) -> bool {
    matches!(words, "exit" | "quit")
}

fn yes(reason: &str) -> Decision {
    Decision { reason: reason.to_owned(), ..Decision::approve(identity::person()) }
}

fn unknown(word: &str, meant: Option<&str>) -> Failure {
    let failure = Failure::new(Code::Config, format!("there is no command /{word}"));
    failure.hint(match meant {
        Some(meant) => format!("did you mean /{meant}?"),
        None => "/help lists them; // starts a message that begins with a slash".to_owned(),
    })
}

fn nothing(open: &Open, words: &str) -> Failure {
    if open.approvals.is_empty() {
        return Failure::new(Code::Decision, "no call waits for approval");
    }
    let ids: Vec<String> = open.approvals.iter().map(Pending::id).collect();
    Failure::new(Code::Decision, format!("`{words}` does not say what is meant"))
        .hint(format!("name one of {}, or all", ids.join(", ")))
}
