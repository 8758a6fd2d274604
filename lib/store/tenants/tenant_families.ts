/**
 * The first parts of all keys, by what they have to do with a tenant. A test compares them with the key
 * builders, so that a new one cannot be forgotten when a tenant is deleted.
 */

/** Their second part is the tenant. What makes processes work is deleted first. */
export const TENANT_FAMILIES = [
  ...["configuration_locks", "configuration_lock_expiries", "resource_keys", "resource_keys_by_id"],
  ...["document_tasks", "web_source_tasks", "knowledge_bases_going", "visitor_erasures"],
  "audit_queue",
  ...["trial_jobs", "search_states", "sessions", "mcp_authorizations", "tool_secrets"],
  ...["oidc_identities_by_user", "account_security", "sign_in_details", "tenant_security"],
  "oidc_connections",
  ...["memberships", "membership_accounts"],
  ...["users", "account_links_by_tenant", "api_keys", "api_key_windows", "shares_by_agent"],
  ...["agents", "agents_by_created", "agents_by_word", "agent_words_built", "agents_by_base"],
  ...["agent_versions", "agent_body_parts"],
  ...["knowledge_bases", "knowledge_bases_by_created", "web_sources", "web_pages"],
  ...["documents", "documents_by_created", "indexed_documents", "document_sources"],
  "document_chunks",
  ...["live_runs", "run_heads", "run_chunks", "waiting_calls", "call_answers", "runs_watched"],
  ...["runs_asked", "runs", "usage_rows", "usage_day_totals", "storage_usage"],
  ...["quota_additions"],
  ...["tenant_ledgers", "ledger_divisions", "session_ledgers", "address_ledgers", "run_holds"],
  ...["visitor_accounts", "erasures", "visitor_memories", "visitor_memories_by_agent"],
  ...["conversations", "conversation_runs", "conversation_parts", "conversations_by_updated"],
  ...["conversations_by_agent", "conversations_by_visitor", "conversations_by_mark"],
  ...["conversations_counted", "failed_runs", "chat_receipts"],
  ...["handoffs", "handoff_entries", "handoff_queue", "handoff_typing"],
  ...["run_feedback", "feedback_counts"],
  ...["search_recent", "search_segments", "search_buckets", "search_places"],
  "search_spans",
  ...["test_sets", "test_set_counts", "test_cases", "test_runs", "test_results"],
  ...["visitor_test_results", "rehearsals", "rehearsal_runs", "rehearsed_runs"],
  ...["unanswered", "unanswered_marks", "asked_again"],
  ...["attachments", "attachment_parts", "attachment_texts", "attachment_uses"],
  ...["conversation_attachments", "session_uploads"],
  ...["attention", "dismissals", "doctor_windows"],
  ...["audit_entries", "audit_entries_by_filter", "audit_entries_by_target"],
  ...["audit_entries_by_address", "audit_links", "audit_heads", "audit_checkpoints"],
  ...["audit_signed_heads", "audit_scans"],
] as const;

/** Of all tenants together: their values or later parts name the tenant, a user, a key or an agent. */
export const SHARED_FAMILIES = [
  ...["users_by_email", "sign_ins", "sign_in_failures", "account_links"],
  ...["oidc_attempts", "oidc_identities", "oidc_sessions", "oidc_sessions_by_name"],
  ...["api_keys_by_prefix", "receipts", "shares", "appearances"],
  ...["attachments_due", "stop_requests"],
] as const;

/** The tenant itself, which is deleted last. */
export const LAST_FAMILIES = ["tenants", "plans", "tenant_deletions"] as const;

/** They name no tenant, apart from the default one, which cannot be deleted. */
export const INSTALLATION_FAMILIES = [
  ...["catalogue_entries", "catalogue_version", "vendor_slots", "installation"],
  ...["script_releases", "script_release_parts", "store_probes"],
  ...["oidc_logout_tokens", "passkey_challenges"],
  ...["address_windows", "process_shards", "process_bells", "watch_bells"],
] as const;
