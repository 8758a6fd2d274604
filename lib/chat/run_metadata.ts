import type { Truncation } from "../agent/fit_step.ts";
import type { EgressCall } from "../egress/egress_error.ts";
import type { RunDetails } from "../store/runs/run_record.ts";

const NOTHING: Truncation = { droppedMessages: 0, truncatedResults: 0, omittedTools: [] };

/** Calls of tools that are kept with a run. */
const MAX_CALLS = 100;
/** A record has room for 64 KiB; one that is larger could not be written, nor its run settled. */
const MAX_CALLS_LENGTH = 24_576;
const MAX_NOTES_LENGTH = 8_192;

/**
 * What of a run's details is kept with it: the first of each list, as far as they fit. Hosts that
 * tools are led to and names that servers list are strangers' to choose, and so is their length.
 */
export function runMetadata(
  { dropped, left = NOTHING, ledger, notes }: {
    /** Before the run began. */
    dropped: number;
    /** What did not fit into its steps. */
    left?: Truncation;
    ledger: readonly EgressCall[];
    notes: readonly string[];
  },
): RunDetails {
  const egress = fitting(ledger.slice(0, MAX_CALLS), MAX_CALLS_LENGTH);
  const unfit = left.omittedTools.map((name) =>
    `${name} is left out: it does not fit into the context`
  );
  const kept = fitting([...notes, ...unfit], MAX_NOTES_LENGTH);
  const droppedMessages = dropped + left.droppedMessages;
  return {
    ...(droppedMessages === 0 ? {} : { droppedMessages }),
    ...(left.truncatedResults === 0 ? {} : { cutResults: left.truncatedResults }),
    ...(egress.length === 0 ? {} : { egress }),
    ...(kept.length === 0 ? {} : { notes: kept }),
  };
}

/** The first of `items` that together take at most `room` characters of JSON. */
function fitting<T>(items: readonly T[], room: number): T[] {
  let left = room;
  const end = items.findIndex((item) => (left -= JSON.stringify(item).length) < 0);
  return items.slice(0, end === -1 ? items.length : end);
}
