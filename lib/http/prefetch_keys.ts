import { dayOf } from "../platform/utc_day.ts";
import { keys } from "../store/keys/keys.ts";

/** What a message says, before anything of it is believed, about what will be read for it. */
export interface PrefetchHints {
  /** The caller's address as it is stored. */
  address: string;
  agentId: string | undefined;
  now: number;
}

/**
 * Everything that a message of a tenant reads or changes besides its credential, so that a process that
 * has none of it in memory reads it at once, together with the credential.
 */
export function prefetchKeys(
  { tenant, source, address, agentId, now }: PrefetchHints & { tenant: string; source: string },
): Deno.KvKey[] {
  const all: Deno.KvKey[] = [
    keys.addressWindows(address),
    keys.tenantLedger(tenant),
    keys.ledgerDivision(tenant),
    keys.plan(tenant),
    keys.catalogueVersion(),
  ];
  if (agentId === undefined) return all;
  return [
    ...all,
    keys.agent(tenant, agentId),
    keys.usageRow({ tenant, day: dayOf(now), agentId, source }),
    keys.conversationUsage(tenant, dayOf(now)),
  ];
}
