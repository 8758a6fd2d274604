import { z } from "zod";
import { isBinaryKey } from "../../../store/values/is_binary_key.ts";
import { decodeValue } from "../../../store/values/value_codec.ts";
import type { StoredEntry } from "../store_file.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The longest retention of conversations, and a day more. */
const CONTENT = 366 * DAY;
/** Some records stay in the store for minutes or hours after the end that they state. */
const GRACE = DAY;
/** Usage, and what earlier releases wrote to the audit log. */
const RECORDS = 400 * DAY;

/** Their records say when they expire, as `exp` or `expiresAt`. */
const STATED: ReadonlySet<string> = new Set([
  ...["audit_entries", "audit_entries_by_address", "audit_entries_by_filter"],
  ...[
    "audit_entries_by_target",
    "asked_again",
    "chat_receipts",
    "conversation_runs",
    "conversations",
  ],
  ...["account_links", "handoff_entries", "handoffs", "receipts", "rehearsals"],
  ...["rehearsed_runs", "run_feedback", "run_heads", "runs", "search_recent", "sessions"],
  ...["oidc_attempts", "oidc_logout_tokens", "oidc_sessions", "passkey_challenges"],
  ...[
    "sign_in_details",
    "sign_ins",
    "unanswered",
    "unanswered_marks",
    "visitor_memories",
    "waiting_calls",
  ],
]);

/**
 * How long an entry can live, by the first part of its key. Kinds of which some entries never expire are
 * not here: those stay.
 */
const LONGEST_LIFE: Readonly<Record<string, number>> = {
  account_links_by_tenant: 8 * DAY,
  address_windows: HOUR,
  attachment_parts: CONTENT,
  attachment_texts: CONTENT,
  attachments: CONTENT,
  attention: DAY,
  audit_entries: RECORDS,
  audit_entries_by_filter: RECORDS,
  call_answers: HOUR,
  conversation_parts: CONTENT,
  conversations: CONTENT,
  conversations_by_agent: CONTENT,
  conversations_by_mark: CONTENT,
  conversations_by_updated: CONTENT,
  conversations_by_visitor: CONTENT,
  doctor_windows: HOUR,
  failed_runs: CONTENT,
  feedback_counts: RECORDS,
  handoff_queue: CONTENT,
  handoff_typing: HOUR,
  receipts: 2 * DAY,
  oidc_sessions_by_name: 9 * DAY,
  process_bells: HOUR,
  rehearsal_runs: CONTENT,
  run_chunks: CONTENT,
  runs_asked: CONTENT,
  search_buckets: CONTENT,
  search_places: CONTENT,
  search_segments: CONTENT,
  search_spans: CONTENT,
  session_uploads: 2 * DAY,
  sign_in_failures: DAY,
  stop_requests: HOUR,
  usage_day_totals: RECORDS,
  usage_rows: RECORDS,
  visitor_memories_by_agent: CONTENT,
};

/** A time in milliseconds, not a number of seconds or of something else. */
const time = z.number().min(Date.UTC(2020));
const statedSchema = z.union([
  z.object({ exp: time }).transform(({ exp }) => exp),
  z.object({ expiresAt: time }).transform(({ expiresAt }) => expiresAt),
]);

/**
 * When an entry of a KV server expires at the latest: a day after what its record says, or after the longest
 * life of its kind. Nothing if it never does, or if that is not known.
 */
export function expiryOf(
  { key, value }: Pick<StoredEntry, "key" | "value">,
  now: number,
): Pick<StoredEntry, "expiresAt" | "isLatest"> {
  const kind = String(key[0]);
  const stated = STATED.has(kind) ? statedSchema.safeParse(recordOf({ key, value })) : undefined;
  if (stated?.success) return { expiresAt: stated.data + GRACE, isLatest: true };
  const longest = LONGEST_LIFE[kind];
  if (longest === undefined) return {};
  return { expiresAt: (beginOf(key) ?? now) + longest, isLatest: true };
}

/** When an entry of the audit log was written: the last but one part of its key, and of its index rows. */
function beginOf(key: Deno.KvKey): number | undefined {
  if (!String(key[0]).startsWith("audit_entries")) return undefined;
  const at = time.safeParse(key.at(-2));
  return at.success ? at.data : undefined;
}

function recordOf({ key, value }: Pick<StoredEntry, "key" | "value">): unknown {
  if (!(value instanceof Uint8Array)) return value;
  if (isBinaryKey(key)) return undefined;
  try {
    return decodeValue(value);
  } catch {
    return undefined;
  }
}
