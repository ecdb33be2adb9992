//! The transcript people meet first: a session that was interrupted, cut and compacted.

use provost_contract::json;
use provost_contract::provider::{IdentityNames, Mend, Provider, RepairMode, Rule, Shape, repair};
use strum::VariantArray as _;

const INTERRUPTED: &str = include_str!("../../../../examples/transcripts/interrupted.anthropic.json");

#[test]
fn an_interrupted_session_is_understood_and_can_go_on_anywhere() {
    let body = json::parse_text(INTERRUPTED).unwrap();
    assert_eq!(Shape::detect(&body), Some(Shape::Of(Provider::Anthropic)));
    let rules: Vec<Rule> = Provider::Anthropic.validate(&body).iter().map(|refusal| refusal.rule).collect();
    let expected = [
        Rule::DanglingCall,
        Rule::ResultsFirst,
        Rule::ThinkingSignature,
        Rule::ThinkingPlace,
        Rule::OrphanResult,
    ];
    assert_eq!(rules, expected);
    let messages = Provider::Anthropic.decode(&body, &IdentityNames, 1).unwrap();
    for (mode, first) in [(RepairMode::Synthesise, Mend::WroteResult), (RepairMode::Prune, Mend::DroppedCall)]
    {
        let repaired = repair(&messages, mode);
        let mends: Vec<Mend> = repaired.changes.iter().map(|change| change.mend).collect();
        assert_eq!(mends, [first, Mend::MovedResult, Mend::DroppedResult]);
        for provider in Provider::VARIANTS {
            let sent = provider.encode(&repaired.messages, &IdentityNames).body;
            assert_eq!(provider.validate(&sent), [], "{provider}");
        }
    }
}
