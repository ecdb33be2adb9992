//! The example shows what it says.

use std::process::Command;

#[test]
fn the_example_runs() {
    let done = Command::new(env!("CARGO_BIN_EXE_embed")).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}\n{}", String::from_utf8_lossy(&done.stderr));
    assert!(said.ends_with("everything was as it should be\n"), "{said}");
}
