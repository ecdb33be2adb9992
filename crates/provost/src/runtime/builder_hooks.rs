//! The hooks of a runtime: closures or types.

use std::sync::Arc;

use provost_runtime::port::{
    AfterModel, BeforeModel, CompletionPolicy, ContinuePolicy, Guard, InterruptSource, Mediator,
    ResultDiagnostics,
};
use serde_json::Value;

use super::Builder;
use crate::hooks::Closure;
use crate::{Completion, FinishedCall, NextTurn, ProposedCall, SpokenResponse, ToolGuard};

/// Hooks. They are called in the order in which they were added; one refusal is enough.
impl Builder {
    /// Called before every model call: the hook may add a message to the model, or refuse the call, which
    /// ends the run as failed. A hook that fails refuses. It may be called again after a crash.
    ///
    /// ```
    /// use provost::{Guard, NextTurn};
    /// let builder = provost::Runtime::builder().before_model(|turn: NextTurn| async move {
    ///     if turn.turn == 1 { Guard::Say("Today is Monday.".to_owned()) } else { Guard::Pass }
    /// });
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn before_model<F, W>(self, hook: F) -> Self
    where
        F: Fn(NextTurn) -> W + Send + Sync + 'static,
        W: Future<Output = Guard> + Send + 'static,
    {
        self.before_model_hook(Closure::new(hook))
    }

    /// Like [`Builder::before_model`], implemented by a type.
    ///
    /// ```
    /// use provost::Guard;
    /// use provost::port::{BeforeModel, Boxed, HostError, ModelTurn};
    /// struct Pass;
    /// impl BeforeModel for Pass {
    ///     fn before<'a>(&'a self, _: ModelTurn<'a>) -> Boxed<'a, Result<Guard, HostError>> {
    ///         Box::pin(async { Ok(Guard::Pass) })
    ///     }
    /// }
    /// let builder = provost::Runtime::builder().before_model_hook(Pass);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn before_model_hook(mut self, hook: impl BeforeModel + 'static) -> Self {
        self.before_model.push(Arc::new(hook));
        self
    }

    /// Called with every response before any of its calls starts. A refused response goes back to the model
    /// with the reason, at most twice; then the run fails. A hook that fails refuses.
    ///
    /// ```
    /// use provost::{Guard, SpokenResponse};
    /// let builder = provost::Runtime::builder().after_model(|said: SpokenResponse| async move {
    ///     if said.text.len() > 9_000 { Guard::Refuse("Be brief.".to_owned()) } else { Guard::Pass }
    /// });
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn after_model<F, W>(self, hook: F) -> Self
    where
        F: Fn(SpokenResponse) -> W + Send + Sync + 'static,
        W: Future<Output = Guard> + Send + 'static,
    {
        self.after_model_hook(Closure::new(hook))
    }

    /// Like [`Builder::after_model`], implemented by a type.
    ///
    /// ```
    /// use provost::Guard;
    /// use provost::port::{AfterModel, Boxed, HostError, SpokenTurn};
    /// struct Pass;
    /// impl AfterModel for Pass {
    ///     fn after<'a>(&'a self, _: SpokenTurn<'a>) -> Boxed<'a, Result<Guard, HostError>> {
    ///         Box::pin(async { Ok(Guard::Pass) })
    ///     }
    /// }
    /// let builder = provost::Runtime::builder().after_model_hook(Pass);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn after_model_hook(mut self, hook: impl AfterModel + 'static) -> Self {
        self.after_model.push(Arc::new(hook));
        self
    }

    /// Called with every call that no rule denied, before it runs: the hook may refuse the call or answer it.
    /// A hook that fails refuses.
    ///
    /// ```
    /// use provost::{ProposedCall, ToolGuard};
    /// let builder = provost::Runtime::builder().before_tool(|call: ProposedCall| async move {
    ///     if call.tool == "mail/send" { ToolGuard::Refuse("Not today.".to_owned()) } else { ToolGuard::Pass }
    /// });
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn before_tool<F, W>(self, hook: F) -> Self
    where
        F: Fn(ProposedCall) -> W + Send + Sync + 'static,
        W: Future<Output = ToolGuard> + Send + 'static,
    {
        self.mediator(Closure::new(hook))
    }

    /// Like [`Builder::before_tool`], implemented by a type that also sees the transcript.
    ///
    /// ```
    /// use provost::HookAnswer;
    /// use provost::port::{Boxed, MediatedCall, Mediation, Mediator};
    /// struct Proceed;
    /// impl Mediator for Proceed {
    ///     fn decide<'a>(&'a self, _: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Mediation>> {
    ///         Box::pin(async { Ok(Some(Mediation::Proceed)) })
    ///     }
    /// }
    /// let builder = provost::Runtime::builder().mediator(Proceed);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn mediator(mut self, mediator: impl Mediator + 'static) -> Self {
        self.mediators.push(Arc::new(mediator));
        self
    }

    /// Called with every result before it is recorded: the hook may attach an object to it. The model does
    /// not read the object. A hook that fails attaches nothing. The object is recorded: do not put secrets
    /// into it.
    ///
    /// ```
    /// let builder = provost::Runtime::builder().after_tool(|done: provost::FinishedCall| async move {
    ///     serde_json::json!({ "ok": done.success })
    /// });
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn after_tool<F, W>(self, hook: F) -> Self
    where
        F: Fn(FinishedCall) -> W + Send + Sync + 'static,
        W: Future<Output = Value> + Send + 'static,
    {
        self.diagnostics(Closure::new(hook))
    }

    /// Like [`Builder::after_tool`], implemented by a type.
    ///
    /// ```
    /// use provost::port::{Boxed, DiagnosedResult, HostError, ResultDiagnostics};
    /// struct Sizes;
    /// impl ResultDiagnostics for Sizes {
    ///     fn diagnose<'a>(&'a self, done: DiagnosedResult<'a>) -> Boxed<'a, Result<serde_json::Value, HostError>> {
    ///         Box::pin(async move { Ok(serde_json::json!({ "fields": done.result.len() })) })
    ///     }
    /// }
    /// let builder = provost::Runtime::builder().diagnostics(Sizes);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn diagnostics(mut self, diagnostics: impl ResultDiagnostics + 'static) -> Self {
        self.diagnostics.push(Arc::new(diagnostics));
        self
    }

    /// Called with every result: the hook decides whether the work of the run is done. Of several hooks one is
    /// enough to complete the run; otherwise the model reads what each of them misses. A hook that fails has no
    /// opinion.
    ///
    /// ```
    /// use provost::{Completion, FinishedCall};
    /// let builder = provost::Runtime::builder().complete_when(|done: FinishedCall| async move {
    ///     if done.tool == "order/ship" && done.success { Completion::Done } else { Completion::Undecided }
    /// });
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn complete_when<F, W>(self, hook: F) -> Self
    where
        F: Fn(FinishedCall) -> W + Send + Sync + 'static,
        W: Future<Output = Completion> + Send + 'static,
    {
        self.completion(Closure::new(hook))
    }

    /// Like [`Builder::complete_when`], with a type.
    ///
    /// ```
    /// use provost::port::{Boxed, CompletionOpinion, CompletionPolicy, HostError, JudgedResult};
    /// struct Never;
    /// impl CompletionPolicy for Never {
    ///     fn judge<'a>(&'a self, _: JudgedResult<'a>) -> Boxed<'a, Result<CompletionOpinion, HostError>> {
    ///         Box::pin(async { Ok(CompletionOpinion::default()) })
    ///     }
    /// }
    /// let builder = provost::Runtime::builder().completion(Never);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn completion(mut self, policy: impl CompletionPolicy + 'static) -> Self {
        self.completion.push(Arc::new(policy));
        self
    }

    /// Called after every turn with calls: the hook decides whether another turn follows. Of several hooks all
    /// must agree. A hook that fails stops the run.
    ///
    /// ```
    /// let builder = provost::Runtime::builder().continue_while(|next: provost::NextTurn| async move { next.turn < 5 });
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn continue_while<F, W>(self, hook: F) -> Self
    where
        F: Fn(NextTurn) -> W + Send + Sync + 'static,
        W: Future<Output = bool> + Send + 'static,
    {
        self.continuation(Closure::new(hook))
    }

    /// Like [`Builder::continue_while`], with a type.
    ///
    /// ```
    /// use provost::port::{Boxed, ContinuePolicy, FinishedTurn, HostError};
    /// struct Always;
    /// impl ContinuePolicy for Always {
    ///     fn go_on<'a>(&'a self, _: FinishedTurn<'a>) -> Boxed<'a, Result<bool, HostError>> {
    ///         Box::pin(async { Ok(true) })
    ///     }
    /// }
    /// let builder = provost::Runtime::builder().continuation(Always);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn continuation(mut self, policy: impl ContinuePolicy + 'static) -> Self {
        self.continuation.push(Arc::new(policy));
        self
    }

    /// Called between turns: the hook may add a message to the model. The messages of several hooks are joined. A
    /// hook that fails adds none.
    ///
    /// ```
    /// let builder = provost::Runtime::builder().interrupt_with(|next: provost::NextTurn| async move {
    ///     (next.turn == 3).then(|| "Hurry up.".to_owned())
    /// });
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn interrupt_with<F, W>(self, hook: F) -> Self
    where
        F: Fn(NextTurn) -> W + Send + Sync + 'static,
        W: Future<Output = Option<String>> + Send + 'static,
    {
        self.interrupts(Closure::new(hook))
    }

    /// Like [`Builder::interrupt_with`], with a type whose message may also cancel or redirect the run
    /// (`interrupt_action` in its metadata).
    ///
    /// ```
    /// use provost::port::{Boxed, FinishedTurn, HostError, InterruptSource};
    /// struct Quiet;
    /// impl InterruptSource for Quiet {
    ///     fn ask<'a>(&'a self, _: FinishedTurn<'a>) -> Boxed<'a, Result<serde_json::Value, HostError>> {
    ///         Box::pin(async { Ok(serde_json::Value::Null) })
    ///     }
    /// }
    /// let builder = provost::Runtime::builder().interrupts(Quiet);
    /// # drop(builder);
    /// ```
    #[must_use]
    pub fn interrupts(mut self, source: impl InterruptSource + 'static) -> Self {
        self.interrupts.push(Arc::new(source));
        self
    }
}
