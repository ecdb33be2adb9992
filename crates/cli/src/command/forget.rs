//! `provost forget`: revokes a standing approval.

use std::path::Path;

use provost_engine::event::Signal;
use provost_project::DataDir;
use provost_runtime::store::RevokePost;
use serde_json::json;

use super::remembered::{id, line, workspace};
use crate::args::ForgetOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::identity;
use crate::screen::Screen;

const ALL: &str = "all";

pub(crate) async fn run(options: &ForgetOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let store = DataDir::find(start)?.open()?;
    let storage = |fault| Failure::storage(&fault);
    let mut remembered = store.all_standing().await.map_err(storage)?;
    remembered.retain(|standing| options.question == ALL || id(standing) == options.question);
    if remembered.is_empty() && options.question != ALL {
        return Err(Failure::new(Code::Decision, format!("nothing is remembered as `{}`", options.question))
            .hint("provost remembered lists what is"));
    }
    for standing in &remembered {
        let (scope, from) = (standing.scope.clone(), identity::actor());
        let signal = Signal::Standing { scope: scope.clone(), grant: None };
        let body = serde_json::to_value(&signal).unwrap_or_default();
        let workspace = workspace(standing);
        store.revoke_standing(RevokePost { workspace, scope, from, body }).await.map_err(storage)?;
        let said = || format!("asked again from now on: {}", line(standing));
        screen.show(&json!({ "forgotten": id(standing) }), said);
    }
    Ok(Exit::Done)
}
