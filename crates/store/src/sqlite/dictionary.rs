//! What the records of every run have in common, so that a short one is compressed as well as a long one.
//!
//! Rows name the dictionary they were written with. A released one never changes, not by a byte; a better
//! one is added beside it under a number of its own.

/// The first: records as [`super::batch`] writes them, the usual ones last, where they are the cheapest to
/// name. Times and hashes are left out, but for the bytes of a time that stay the same for decades.
pub(super) const FIRST: &[u8] = b"\
\x01\0\x11\0\0\0session_contended\
\x01\0\x0e\0\0\0session_locked{\"session\":\"\
\x01\0\x11\0\0\0history_compacted\
\x01\0\x0b\0\0\0turn_failed{\"error\":\"\
\x01\0\x11\0\0\0completion_judged\
\x01\0\x12\0\0\0completion_blocked\
\x01\0\x12\0\0\0continuation_added\
\x01\0\x0f\0\0\0continue_judged\
\x01\0\x0f\0\0\0interrupt_heard\
\x01\0\x0c\0\0\0loop_stalled\
\x01\0\x0a\0\0\0run_broken\
\x01\0\x0f\0\0\0budget_exceeded{\"budget\":\"tokens\",\"dimension\":\"tokens\",\"current\":15,\"ceiling\":15}\
\x01\0\x0c\0\0\0cancel_asked{\"place\":1,\"by\":\"user\",\"reason\":\"\
\x01\0\x0e\0\0\0message_queued{\"place\":1,\"by\":\"user\",\"message\":{\"schema\":\"agents-api.message\",\
\"version\":1,\"type\":\"approval_required\",\"role\":\"tool\",\"content\":\"\
\x01\0\x0a\0\0\0call_waits{\"call\":0,\"waits_for\":{\"client\":{\"status\":\"runtime_tool_pending\",\
\"request_id\":\"runtime-tool-\",\"tool_name\":\"client/\",\"tool_call_id\":\"call_1\",\"parameters\":{},\
\"run_id\":\"run_\",\"timeout_at\":\"\",\"runtime\":{},\"metadata\":{\"turn_count\":1}}},\
\"meanwhile\":\"nothing\"}\
\x01\0\x0a\0\0\0call_waits{\"call\":0,\"waits_for\":{\"approval\":{\"envelope\":{\
\"schema\":\"agents-api.message\",\"version\":1,\"type\":\"approval_required\",\"role\":\"tool\",\"content\":\"\
 wants to run the tool's default says preview\",\"payload\":{\"action_id\":\"act_\",\"kind\":\"tool_call\",\
\"summary\":\"\",\"preview\":{\"tool_name\":\"\",\"parameters\":{}},\"apply_input\":{\"tool_name\":\"\
\x01\0\x0d\0\0\0call_approved{\"call\":0,\"approval\":{\"action_id\":\"act_\",\"decision\":\"accepted\",\
\"by\":\"\",\"at\":\"2026-01-01T00:00:00Z\"},\"edited\":{\"id\":\"call_\
\x01\0\x0b\0\0\0run_resumed{\"epoch\":2}\
\x01\0\x0a\0\0\0run_parked{\"status\":\"approval_required\"}\
\x01\0\x09\0\0\0run_ended{\"status\":\"completed\"}\
\x02\0\x0c\0\0\0call_settled{\"call\":0,\"by\":\"refusal\",\"result\":{\"success\":false,\"tool_name\":\"\
\",\"metadata\":{\"error_type\":\"approval_rejected\",\"approval\":{\"action_id\":\"act_\
\",\"decision\":\"rejected\",\"by\":\"\",\"at\":\"\",\"reason\":\"\"}},\"error\":\"Not run: \
\x02\0\x0c\0\0\0call_settled{\"call\":0,\"by\":\"preparation\",\"result\":{\"success\":false,\"tool_name\":\"\
\",\"metadata\":{\"error_type\":\"tool_not_found\"},\"error\":\"Tool '\
\x01\0\x0b\0\0\0run_started{\"run\":\"run_\",\"messages\":[{\"schema\":\"agents-api.message\",\"version\":1,\
\"type\":\"text\",\"role\":\"system\",\"content\":\"\",\"payload\":{},\"metadata\":{}},{\
\"schema\":\"agents-api.message\",\"version\":1,\"type\":\"text\",\"role\":\"user\",\"content\":\"\
\",\"payload\":{},\"metadata\":{}}],\"max_turns\":50,\"context\":{\"run_id\":\"run_\"},\"tools\":{\"accepted\":{\
\"\":{\"name\":\"\",\"source\":\"client\",\"description\":\"\",\"parameters\":{\"type\":\"object\",\
\"properties\":{\"path\":{\"type\":\"string\",\"description\":\"\"},\"limit\":{\"type\":\"integer\"}},\
\"required\":[\"\"],\"additionalProperties\":false},\"executor\":\"client\",\"scope\":\"run\"\
\x01\0\x0d\0\0\0turn_answered{\"transcript\":{\"append\":[{\"schema\":\"agents-api.message\",\"version\":1,\
\"type\":\"text\",\"role\":\"assistant\",\"content\":\"\",\"payload\":{},\"metadata\":{}}]},\"calls\":[],\
\"asked_for\":0,\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":100,\"total_tokens\":200},\
\"request_metadata\":{},\"provider_diagnostics\":{}}\
\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\"}],\"isError\":false,\"structuredContent\":{\
\"exit_code\":0,\"stdout\":\"\\n\",\"stderr\":\"\",\"path\":\"\",\"lines\":1,\"truncated\":false\
\x01\0\0\x01\0\x0c\0\0\0turn_started\n\0\0\0{\"turn\":1}\
\x01\0\0\x01\0\x0d\0\0\0turn_answered\x02\0\0{\"transcript\":{\"append\":[]},\"calls\":[{\"id\":\"call_1\
\",\"name\":\"\",\"declared\":true,\"parameters\":{\"\":\"\"},\"parameters_sha256\":\"sha256:\
\",\"raw_sha256\":\"sha256:\"}],\"asked_for\":1}\
\x01\0\0\x01\0\x0b\0\0\0call_opened\n\0\0\0{\"call\":0}\
\x01\0\0\x01\0\x0e\0\0\0action_started\0\0\0{\"call\":0,\"key\":\"run_/1/call_1\",\"attempt\":1,\
\"allowed_by\":{\"verdict\":\"direct\",\"layer\":\"provider\",\"rule\":\"\",\"reason\":\"\",\
\"inputs\":{\"provider\":0}}}\
\x01\0\0\x01\0\x0e\0\0\0action_started\0\0\0{\"call\":0,\"key\":\"run_/1/call_1\",\"attempt\":1,\
\"allowed_by\":{\"verdict\":\"direct\",\"layer\":\"default\",\"rule\":\"nothing_else_said\",\
\"reason\":\"no layer has an answer\",\"inputs\":{}}}\
\x01\0\0\x02\0\x0c\0\0\0call_settled\0\0{\"call\":0,\"by\":\"executor\",\"result\":{\"success\":true,\
\"tool_name\":\"\",\"metadata\":{},\"result\":{\"text\":\"\"}},\"result_sha256\":\"sha256:\"}\
";
