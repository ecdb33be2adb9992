//! Asking a person, one question after the other, until each has an answer or is left for later.

use provost::{Decision, Verdict};
use provost_engine::RunId;
use provost_project::ProjectRuntime;

use crate::failure::{Code, Failure, undecided};
use crate::identity;
use crate::live::Live;
use crate::pending::Pending;
use crate::prompt::{self, Answered};
use crate::question::Question;
use crate::screen::Screen;
use crate::text::{Line, Span};

/// Who answers when a run asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// The person at the terminal, if there is one.
    Asked,
    /// Yes, always.
    Yes,
    /// No, always.
    No,
}

impl Answers {
    pub(crate) fn of(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::Asked }
    }

    /// What the command line answers.
    pub(crate) fn beforehand(yes: bool, no: bool) -> Self {
        if no { Self::No } else { Self::of(yes) }
    }
}

/// Whether everything a run waits for was answered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    Everything,
    Later,
}

/// Gets an answer to everything a run waits for. Without a person it shows every question and returns.
pub(crate) async fn answered(
    setup: &ProjectRuntime,
    run: &RunId,
    answers: Answers,
    live: &mut Live,
    screen: Screen,
) -> Result<Heard, Failure> {
    let waiting = Pending::of(setup, run).await?;
    let mut heard = Heard::Everything;
    for (index, pending) in waiting.iter().enumerate() {
        let beforehand = is_allowed_beforehand(pending, answers);
        if screen.can_ask() && !beforehand {
            if asked(setup, pending, (index + 1, waiting.len()), live, screen).await? == Heard::Later {
                return Ok(Heard::Later);
            }
            continue;
        }
        show(pending, waiting.len(), live, screen);
        if beforehand {
            let said = match answers {
                Answers::No => Decision::reject(identity::person(), "--no"),
                Answers::Yes | Answers::Asked => {
                    Decision { reason: "--yes".to_owned(), ..Decision::approve(identity::person()) }
                }
            };
            decide_or_see(setup, pending, &said, screen).await?;
        } else {
            heard = Heard::Later;
        }
    }
    let questions = Question::of(setup, run).await?;
    for question in &questions {
        question.show(screen);
        loop {
            match prompt::answer(question, screen).await {
                // A number that is no option is a slip: the question stays.
                Some(answer) if question.names_no_option(&answer).is_some() => {
                    screen.tell("there is no such option. Nothing is answered.");
                    continue;
                }
                Some(answer) => question.answer(setup, &answer).await?,
                None => heard = Heard::Later,
            }
            break;
        }
    }
    Ok(if waiting.is_empty() && questions.is_empty() { Heard::Later } else { heard })
}

/// Asks a person until the answer counts, or is left for later. One that does not fit leaves the question open.
async fn asked(
    setup: &ProjectRuntime,
    pending: &Pending,
    place: (usize, usize),
    live: &mut Live,
    screen: Screen,
) -> Result<Heard, Failure> {
    loop {
        let decision = match prompt::asked(setup, pending, place, live, screen).await? {
            Answered::Here(decision) => decision,
            Answered::Elsewhere => {
                screen.tell("another process answered this question");
                return Ok(Heard::Everything);
            }
            Answered::Later => return Ok(Heard::Later),
        };
        match decide_or_see(setup, pending, &decision, screen).await {
            Ok(Recorded::Here) => {
                live.print(&prompt::granted(pending, &decision).into_iter().collect::<Vec<_>>());
                return Ok(Heard::Everything);
            }
            Ok(Recorded::Elsewhere) => return Ok(Heard::Everything),
            Err(failure) if failure.code == Code::Decision => {
                let text = format!("{}. Nothing is decided.", failure.message);
                live.print(&[Line::note("answer", vec![Span::text(text)])]);
            }
            Err(failure) => return Err(failure),
        }
    }
}

/// Whose answer to a question counts.
enum Recorded {
    Here,
    Elsewhere,
}

/// Shows a question that is not asked here; one of several with what it is called.
fn show(pending: &Pending, count: usize, live: &mut Live, screen: Screen) {
    if screen.is_json() || !live.has_asked(pending.wait()) {
        match screen.is_json() {
            true => pending.show(screen),
            false => live.print(&pending.lines().whole()),
        }
    }
    if count > 1 {
        screen.tell(&format!("this one is --action {}", pending.id()));
    }
}

/// Whether `--yes` answers a question. It says what may run; it cannot say what happened, and does not answer for
/// the person who is asked about exactly one call.
pub(crate) fn is_allowed_beforehand(pending: &Pending, answers: Answers) -> bool {
    match answers {
        Answers::Asked => false,
        Answers::Yes => !pending.is_in_doubt() && !pending.is_person_only(),
        Answers::No => !pending.is_in_doubt(),
    }
}

/// A plain yes or no.
pub(crate) fn yes_or_no(words: &str) -> Option<Verdict> {
    match words.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Some(Verdict::Approved),
        "n" | "no" => Some(Verdict::Rejected),
        _ => None,
    }
}

/// Answers a question, or returns why the answer was rejected.
pub(crate) async fn decide(
    setup: &ProjectRuntime,
    pending: &Pending,
    decision: &Decision,
) -> Result<(), Failure> {
    let decision =
        Decision { origin: Some(identity::origin()), via: identity::DOOR.to_owned(), ..decision.clone() };
    // The caller continues the run after the last answer.
    let decided = setup.runtime.record_decision(&pending.wait().to_string(), decision).await;
    decided.map(drop).map_err(|error| undecided(&error))
}

/// Answers a question. One that another process answered is not an error: the run continues with that answer.
async fn decide_or_see(
    setup: &ProjectRuntime,
    pending: &Pending,
    decision: &Decision,
    screen: Screen,
) -> Result<Recorded, Failure> {
    let Err(failure) = decide(setup, pending, decision).await else { return Ok(Recorded::Here) };
    if pending.is_open(setup).await? {
        return Err(failure);
    }
    screen.tell(&failure.message);
    Ok(Recorded::Elsewhere)
}
