import { parseOptions, rejectExtra, unknownAction, UsageError } from "./arguments.ts";

export interface AuditVerifyArgs {
  action: "verify";
  /** An exported log; without it, the store is verified. */
  file?: string;
  /** A tenant's id, or `installation`; all logs without it. */
  log?: string;
  /** The ids of the keys that may have signed. */
  keys?: string[];
}

export const AUDIT_HELP =
  `Verifies audit logs against their chains of hashes and signed heads, whether or not the service is
running. Names the first entry that was removed, changed, replaced or added.

  deno task audit verify [--tenant ID] [--key ID]
      the logs of the store: the installation's and every tenant's
  deno task audit verify FILE [--key ID]
      a log that was downloaded as JSON lines, without filters

  --tenant  only this tenant's log, or only the log "installation"
  --key     the id of a key that you trust, may be repeated: a "kid" of your service's
            GET /v1/seal-keys. Without it, every key that the store has is trusted

Exit codes: 0 proven, 1 broken, 2 wrong usage.`;

/** Parses the arguments of `deno task audit`. Throws `UsageError`. */
export function parseAuditArgs(words: string[]): AuditVerifyArgs | { action: "help" } {
  const { values, positionals } = parseOptions(joinKeys(words), {
    tenant: { type: "string" },
    key: { type: "string", multiple: true },
  });
  const [action, file, ...rest] = positionals;
  if (values.help || action === "help") return { action: "help" };
  if (action !== "verify") throw unknownAction(action, "verify");
  rejectExtra(rest);
  const { tenant: log, key: keys } = values;
  if (file !== undefined && log !== undefined) {
    throw new UsageError("--tenant is only valid without a file: a file has one log");
  }
  if (keys?.some((key) => !/^[A-Za-z0-9_-]{43}$/.test(key))) {
    throw new UsageError("--key takes an id of 43 characters, from GET /v1/seal-keys");
  }
  return {
    action,
    ...file !== undefined && { file },
    ...log !== undefined && { log },
    ...keys !== undefined && { keys },
  };
}

/** A key's id may begin with a dash, which would pass for an option. */
function joinKeys(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    if (joined.at(-1) === "--key") joined[joined.length - 1] = `--key=${word}`;
    else joined.push(word);
  }
  return joined;
}
