import { toUsd } from "../../billing/micro_usd.ts";
import { isoTime } from "../../platform/runtime.ts";
import type { Canary, CanaryAnswers, Publication } from "../../schemas/publication.ts";
import type { CanaryCounts } from "../../store/agents/canary_counts.ts";
import type {
  PublicationState,
  StoredCanary,
  StoredEndedCanary,
} from "../../store/agents/stored_publication.ts";

interface Counts {
  canary: CanaryCounts | undefined;
  lastCanary: CanaryCounts | undefined;
}

/** The publication as the API returns it. */
export function toPublication(
  { publication, version, latestVersion }: PublicationState,
  counts: Counts,
): Publication {
  const { mode = "automatic", previousVersion, changedAt, gate, canary, lastCanary } =
    publication ?? {};
  return {
    ...{ mode, version, latestVersion },
    ...previousVersion !== undefined && { previousVersion },
    ...changedAt !== undefined && { changedAt: isoTime(changedAt) },
    ...gate && { gate },
    ...canary && counts.canary && { canary: toCanary(canary, counts.canary) },
    ...lastCanary && counts.lastCanary && {
      lastCanary: { ...toCanary(lastCanary, counts.lastCanary), ...endOf(lastCanary) },
    },
  };
}

function toCanary(
  { version, percent, limits, startedAt }: StoredCanary,
  { canary, published }: CanaryCounts,
): Canary {
  const answers = { canary: toAnswers(canary), published: toAnswers(published) };
  return { version, percent, limits, startedAt: isoTime(startedAt), answers };
}

function endOf({ endedAt, outcome, reason }: StoredEndedCanary) {
  return { endedAt: isoTime(endedAt), outcome, ...reason && { reason } };
}

function toAnswers({ cost, ...counts }: CanaryCounts["canary"]): CanaryAnswers {
  return { ...counts, costUsd: toUsd(cost) };
}
