//! What holds for every transcript, whatever happened to it.

use proptest::prelude::*;
use provost_contract::Message;
use provost_contract::provider::{
    Change, Encoded, Growing, Loss, Provider, RepairMode, Rule, repair, request_text, substance,
};
use provost_contract::tool_pair;
use serde_json::Value;
use strum::VariantArray as _;

use super::broken_bodies::broken_body;
use super::names;
use super::transcripts::{any_transcript, plain_transcript};

const MODES: [RepairMode; 2] = [RepairMode::Prune, RepairMode::Synthesise];

fn shown(messages: &[Message]) -> Vec<Value> {
    messages.iter().map(Message::to_value).collect()
}

/// A transcript written turn by turn, each time with the finished steps of the turn before.
struct Written {
    growing: Growing,
    text: String,
    losses: Vec<Loss>,
    changes: Vec<Change>,
}

impl Written {
    fn new(provider: Provider, mode: RepairMode) -> Self {
        let growing = Growing::new(provider, mode);
        Self { growing, text: String::new(), losses: Vec::new(), changes: Vec::new() }
    }

    /// Writes what is new; `None` if a transcript cannot be written even from its beginning.
    fn write(&mut self, transcript: &[Message], mode: RepairMode) -> Option<()> {
        let provider = self.growing.provider();
        if !self.growing.close(&transcript[self.growing.len()..], &names())
            || self.growing.write(&transcript[self.growing.len()..], &names()).is_none()
        {
            self.growing = Growing::new(provider, mode);
        }
        let grown = self.growing.write(&transcript[self.growing.len()..], &names())?;
        self.text = request_text(&grown.body, provider.messages_key(), grown.items);
        self.losses = grown.losses().cloned().collect();
        self.changes = grown.changes().cloned().collect();
        Some(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_repaired_is_never_refused(transcript in any_transcript()) {
        for mode in MODES {
            let repaired = repair(&transcript, mode).messages;
            for provider in Provider::VARIANTS {
                let body = provider.encode(&repaired, &names()).body;
                let mut refusals = provider.validate(&body);
                // A transcript may have nothing to say.
                refusals.retain(|refusal| refusal.rule != Rule::NoMessages);
                prop_assert!(refusals.is_empty(), "{provider}: {refusals:#?}\n{body:#}");
            }
        }
    }

    #[test]
    fn a_transcript_that_grows_is_written_as_a_whole_one(transcript in any_transcript()) {
        for provider in Provider::VARIANTS {
            for mode in MODES {
                let mut written = Written::new(*provider, mode);
                for end in 0..=transcript.len() {
                    let repaired = repair(&transcript[..end], mode);
                    let whole = provider.encode(&repaired.messages, &names());
                    prop_assert!(written.write(&transcript[..end], mode).is_some());
                    let body: Value = serde_json::from_str(&written.text).unwrap();
                    prop_assert_eq!(&body, &whole.body, "{}: {} of {}", provider, end, transcript.len());
                    prop_assert_eq!(&written.losses, &whole.losses);
                    prop_assert_eq!(&written.changes, &repaired.changes);
                }
            }
        }
    }

    #[test]
    fn what_loses_nothing_comes_back_the_same(transcript in any_transcript()) {
        let repaired = repair(&transcript, RepairMode::Synthesise).messages;
        for provider in Provider::VARIANTS {
            let encoded = provider.encode(&repaired, &names());
            let decoded = provider.decode(&encoded.body, &names(), 1).unwrap();
            if encoded.losses.is_empty() {
                prop_assert_eq!(substance(&decoded), substance(&repaired), "{}: {:#}", provider, encoded.body);
            }
        }
    }

    #[test]
    fn plain_talk_and_calls_lose_nothing_anywhere(transcript in plain_transcript()) {
        for provider in Provider::VARIANTS {
            let encoded = provider.encode(&transcript, &names());
            prop_assert!(encoded.losses.is_empty(), "{provider}: {:#?}", encoded.losses);
            prop_assert!(provider.validate(&encoded.body).is_empty());
            let decoded = provider.decode(&encoded.body, &names(), 1).unwrap();
            prop_assert_eq!(substance(&decoded), substance(&transcript));
        }
    }

    #[test]
    fn what_a_provider_wrote_goes_back_word_for_word(transcript in any_transcript()) {
        let repaired = repair(&transcript, RepairMode::Prune).messages;
        for provider in Provider::VARIANTS {
            let Encoded { body, losses } = provider.encode(&repaired, &names());
            // A block in the mouth of somebody who never says such a thing is put back in order.
            if losses.iter().any(|loss| loss.what.starts_with("role")) {
                continue;
            }
            let decoded = provider.decode(&body, &names(), 1).unwrap();
            let again = provider.encode(&decoded, &names());
            prop_assert_eq!(&again.body, &body, "{}", provider);
            prop_assert!(again.losses.is_empty(), "{provider}: {:#?}\n{body:#}", again.losses);
        }
    }

    #[test]
    fn repairing_twice_changes_nothing(transcript in any_transcript()) {
        for mode in MODES {
            let once = repair(&transcript, mode);
            let twice = repair(&once.messages, mode);
            prop_assert!(twice.changes.is_empty(), "{:#?}\n{:#?}", twice.changes, shown(&once.messages));
            prop_assert_eq!(shown(&twice.messages), shown(&once.messages));
        }
    }

    #[test]
    fn a_repaired_transcript_is_paired_and_a_paired_one_keeps_all_its_messages(transcript in any_transcript()) {
        for mode in MODES {
            let repaired = repair(&transcript, mode).messages;
            let Ok(paired) = tool_pair::is_paired(&repaired);
            prop_assert!(paired);
            prop_assert_eq!(repair(&repaired, mode).messages.len(), repaired.len());
        }
    }

    #[test]
    fn no_body_makes_anything_panic_and_what_can_be_read_can_be_sent(body in broken_body()) {
        for reader in Provider::VARIANTS {
            reader.validate(&body);
            let Ok(messages) = reader.decode(&body, &names(), 1) else { continue };
            let repaired = repair(&messages, RepairMode::Synthesise).messages;
            for writer in Provider::VARIANTS {
                let sent = writer.encode(&repaired, &names()).body;
                let mut refusals = writer.validate(&sent);
                refusals.retain(|refusal| refusal.rule != Rule::NoMessages);
                prop_assert!(refusals.is_empty(), "{reader} to {writer}: {refusals:#?}\n{body:#}\n{sent:#}");
            }
        }
    }
}
