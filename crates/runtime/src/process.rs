//! Which process a worker is, in words that another process of the machine can check.

use crate::store::About;

/// Returns this process. Pids are used again; pid and start together are not.
pub fn this_process() -> About {
    process(std::process::id())
}

/// Returns a process of this machine.
pub fn process(pid: u32) -> About {
    About { machine: machine(), pid, start: start(pid).unwrap_or_default() }
}

/// Writes a process as text, so that a later process of the machine can find it with [`living`].
pub fn handle(about: &About) -> String {
    format!("{}/{}/{}", about.machine, about.pid, about.start)
}

/// Returns the pid of a process that [`handle`] wrote, if it runs on this machine and can be seen from here.
pub fn living(handle: &str) -> Option<u32> {
    let mut parts = handle.splitn(3, '/');
    let (there, pid, began) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let lives = !there.is_empty() && there == machine() && began != 0 && start(pid) == Some(began);
    lives.then_some(pid)
}

/// Returns whether a process is known to be gone. One on another machine, in another container, or that
/// `/proc` hides, is not.
pub fn is_gone(about: &About) -> bool {
    let seen_from_here = !about.machine.is_empty() && about.machine == machine();
    seen_from_here && about.start != 0 && !is_hidden(about.pid) && start(about.pid) != Some(about.start)
}

/// The machine since it was started, and the pid namespace: containers of one machine do not see each
/// other's processes. Empty where that cannot be read.
fn machine() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let namespace = std::fs::read_link("/proc/self/ns/pid");
    match (boot, namespace) {
        (Ok(boot), Ok(namespace)) => format!("{}.{}", boot.trim(), namespace.to_string_lossy()),
        (Err(_), _) | (_, Err(_)) => String::new(),
    }
}

/// Whether a process exists that `/proc` does not show.
fn is_hidden(pid: u32) -> bool {
    let number = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    let exists = number.is_some_and(|number| {
        !matches!(rustix::process::test_kill_process(number), Err(rustix::io::Errno::SRCH))
    });
    exists && !std::path::Path::new(&format!("/proc/{pid}/stat")).exists()
}

/// When a process began, in ticks since the machine was started; none when there is no such process, or only
/// its remains.
fn start(pid: u32) -> Option<u64> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in parentheses and may hold anything.
    let after_name = line.get(line.rfind(')')? + 1..)?;
    let mut fields = after_name.split_whitespace();
    let state = fields.next()?;
    let start = fields.nth(18)?.parse().ok()?;
    (state != "Z" && state != "X").then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_one_that_began_at_another_time_is_gone() {
        let this = this_process();
        assert!(!is_gone(&this));
        assert!(is_gone(&About { start: this.start + 1, ..this.clone() }));
        let elsewhere = About { machine: "another".into(), start: this.start + 1, ..this };
        assert!(!is_gone(&elsewhere), "other machines cannot be seen from here");
    }

    #[test]
    fn a_handle_finds_its_process_and_no_other() {
        let this = this_process();
        assert_eq!(living(&handle(&this)), Some(this.pid));
        let others =
            [About { start: this.start + 1, ..this.clone() }, About { machine: "another".into(), ..this }];
        assert!(others.iter().all(|other| living(&handle(other)).is_none()));
        assert_eq!(living("worker_1"), None);
    }

    #[test]
    fn a_process_that_ended_is_gone() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("there is a sleep");
        let about = About { pid: child.id(), start: start(child.id()).expect("it runs"), ..this_process() };
        assert!(!is_gone(&about));
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        assert!(is_gone(&about));
    }
}
