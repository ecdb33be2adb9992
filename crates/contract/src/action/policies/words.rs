//! Policies that are one word, ordered from lenient to strict, and the words sets are made of.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::rule::Severity;
use crate::action::Idempotency;

/// Declares a word policy: the variants stand from lenient to strict.
macro_rules! severity {
    ($(#[$about:meta])* $name:ident { $($(#[$why:meta])* $variant:ident,)+ }) => {
        words!($(#[$about])* $name { $($(#[$why])* $variant,)+ });
        impl Severity for $name {}
    };
}

/// Declares a closed vocabulary with snake-case wire words.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$why:meta])* $variant:ident,)+ }) => {
        $(#[$about])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, EnumString, IntoStaticStr,
            VariantArray,
        )]
        #[serde(rename_all = "snake_case")]
        #[strum(serialize_all = "snake_case")]
        pub enum $name { $($(#[$why])* $variant,)+ }
    };
}

severity! {
    /// Whether an action may start without being asked for.
    PermissionPolicy {
        /// It may.
        Allow,
        /// A person says yes first.
        Ask,
        /// It may not.
        Deny,
    }
}

severity! {
    /// What a cancel does to an action that has been started.
    CancellationPolicy {
        /// It ends by itself; only nothing new starts.
        LetFinish,
        /// It is stopped and counts as canceled.
        Stop,
        /// It is stopped, and unless it changes nothing its effect is in doubt.
        StopAndMarkInDoubt,
    }
}

severity! {
    /// What happens when two actions that are not ordered want the same resource and one of them writes.
    ConflictResolution {
        /// Both run; what was written last holds.
        LastWriter,
        /// They run one after the other, in declaration order.
        Serialise,
        /// The declaration is refused.
        Refuse,
    }
}

severity! {
    /// How a declaration of a newer minor version is read.
    SchemaEvolution {
        /// Unknown fields are kept; an unknown major version is refused.
        KeepUnknownFields,
        /// Unknown fields are refused as well.
        RefuseUnknownFields,
    }
}

severity! {
    /// What is returned of a graph that did not end well.
    PartialResults {
        /// Everything that ended, with its status.
        EverythingEnded,
        /// What completed.
        CompletedOnly,
        /// Statuses alone.
        StatusesOnly,
    }
}

severity! {
    /// The finest result the model may be given, whatever its result policy asks.
    ResultGranularity {
        /// The whole output.
        Full,
        /// Excerpts at most.
        Excerpt,
        /// Structured fields at most.
        Structured,
        /// A summary at most.
        Summary,
        /// The status alone.
        None,
    }
}

impl Severity for Idempotency {}

words! {
    /// A part of an outcome that can be kept from the model.
    OutcomePart {
        /// The output itself, text or JSON.
        Output,
        /// Every summary of it.
        Summary,
        /// What went wrong.
        Error,
        /// Chosen pieces of the output.
        Excerpts,
        /// The reference by which the output could be asked for.
        Artifacts,
    }
}

words! {
    /// A field a user interface may show.
    ProjectedField {
        /// The short label.
        Title,
        /// What the action does.
        Description,
        /// Where it stands.
        Status,
        /// How far it is.
        Progress,
        /// What it came to.
        Summary,
        /// The way to everything else.
        DetailsRef,
    }
}
