//! Who holds a claim, in words another process on the machine can check.

use std::fmt;

/// A process: where its number means something, its number, and when it began.
///
/// Numbers of processes are used again; number and begin together are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    machine: String,
    pid: u32,
    began: String,
}

/// What can be said about a holder from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// It is gone, and will not write again.
    Dead,
    /// It lives, or lives elsewhere.
    Unknown,
}

impl Owner {
    /// This process.
    pub fn this_process() -> Self {
        let pid = std::process::id();
        Self { machine: machine(), pid, began: began(pid).unwrap_or_default() }
    }

    /// A process of this machine.
    pub fn of_process(pid: u32) -> Self {
        Self { machine: machine(), pid, began: began(pid).unwrap_or_default() }
    }

    /// The number of a process written with [`Owner::to_string`], if it runs on this machine and can be seen
    /// from here.
    pub fn living(words: &str) -> Option<u32> {
        let owner = Self::read(words).filter(|owner| !owner.machine.is_empty() && !owner.began.is_empty())?;
        let lives = owner.machine == machine() && began(owner.pid).as_ref() == Some(&owner.began);
        lives.then_some(owner.pid)
    }

    /// Whether the process that wrote a claim is known to be gone.
    pub(super) fn life_of(words: &str) -> Life {
        let Some(owner) = Self::read(words).filter(|owner| owner.machine == machine()) else {
            return Life::Unknown;
        };
        if owner.machine.is_empty() || owner.began.is_empty() || is_hidden(owner.pid) {
            return Life::Unknown;
        }
        if began(owner.pid).as_ref() == Some(&owner.began) { Life::Unknown } else { Life::Dead }
    }

    fn read(words: &str) -> Option<Self> {
        let mut parts = words.splitn(3, '/');
        let (machine, pid, began) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { machine: machine.to_owned(), pid: pid.parse().ok()?, began: began.to_owned() })
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}/{}", self.machine, self.pid, self.began)
    }
}

/// The machine since it was started, and the processes one sees there: containers of one machine do not
/// see each other's. Empty where that cannot be told.
fn machine() -> String {
    let started = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let seen = std::fs::read_link("/proc/self/ns/pid");
    match (started, seen) {
        (Ok(started), Ok(seen)) => format!("{}.{}", started.trim(), seen.to_string_lossy()),
        (Err(_), _) | (_, Err(_)) => String::new(),
    }
}

/// Whether there is a process that `/proc` does not show: it may be mounted so that processes whose memory is
/// closed are left out.
fn is_hidden(pid: u32) -> bool {
    let number = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    let exists = number.is_some_and(|number| {
        !matches!(rustix::process::test_kill_process(number), Err(rustix::io::Errno::SRCH))
    });
    exists && !std::path::Path::new(&format!("/proc/{pid}/stat")).exists()
}

/// When a process began, in ticks since the machine was started; none when there is no such process, or
/// only its remains.
fn began(pid: u32) -> Option<String> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in parentheses and may hold anything.
    let after_name = line.get(line.rfind(')')? + 1..)?;
    let mut fields = after_name.split_whitespace();
    let state = fields.next()?;
    let began = fields.nth(18)?;
    (state != "Z" && state != "X").then(|| began.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_one_that_began_at_another_time_is_dead() {
        let owner = Owner::this_process();
        assert_eq!(Owner::read(&owner.to_string()).as_ref(), Some(&owner));
        assert_eq!(Owner::life_of(&owner.to_string()), Life::Unknown);
        let replaced = Owner { began: "1".to_owned(), ..owner.clone() };
        assert_eq!(Owner::life_of(&replaced.to_string()), Life::Dead);
        let elsewhere = Owner { machine: "another".to_owned(), ..replaced };
        assert_eq!(Owner::life_of(&elsewhere.to_string()), Life::Unknown, "nobody can see other machines");
        let started = machine().split_once('.').expect("two parts").0.to_owned();
        let container = Owner { machine: format!("{started}.pid:[1]"), ..elsewhere };
        assert_eq!(Owner::life_of(&container.to_string()), Life::Unknown, "nor into other containers");
        assert_eq!(Owner::life_of("worker_1"), Life::Unknown);
    }

    #[test]
    fn a_process_that_ended_is_dead() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("there is a sleep");
        let owner = Owner { pid: child.id(), began: began(child.id()).expect("it runs"), machine: machine() };
        assert_eq!(Owner::life_of(&owner.to_string()), Life::Unknown);
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        assert_eq!(Owner::life_of(&owner.to_string()), Life::Dead);
    }
}
