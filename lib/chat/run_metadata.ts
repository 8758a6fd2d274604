import type { Truncation } from "../agent/fit_step.ts";
import type { EgressCall } from "../egress/egress_error.ts";
import type { Coverage } from "../schemas/coverage.ts";
import { AGENT_TOOL_BOUNDS } from "../schemas/limits.ts";
import type { GuardrailHit } from "../schemas/guardrails.ts";
import type { AskedAgent, RunDetails } from "../store/runs/run_record.ts";

const MAX_EGRESS_CALLS = 100;
/** In characters. A record over 64 KiB could not be written, nor its run settled. */
const MAX_CALLS_LENGTH = 24_576;
const MAX_NOTES_LENGTH = 8_192;

/**
 * The details stored with a run: the first entries of each list, as far as they fit. Strangers control
 * the lengths: tools may be redirected to any host, and MCP servers list any names.
 */
export function runMetadata(
  {
    droppedMessages: droppedBefore,
    truncation,
    egressCalls,
    notes,
    asked = [],
    guardrails = [],
    coverage,
  }: {
    /** Messages dropped before the first step. */
    droppedMessages: number;
    truncation: Truncation;
    egressCalls: readonly EgressCall[];
    notes: readonly string[];
    asked?: readonly AskedAgent[];
    guardrails?: readonly GuardrailHit[];
    coverage?: Coverage | undefined;
  },
): RunDetails {
  const egress = takeFitting(egressCalls.slice(0, MAX_EGRESS_CALLS), MAX_CALLS_LENGTH);
  const omitted = truncation.omittedTools.map((name) =>
    `${name} is left out: it does not fit into the context`
  );
  const storedNotes = takeFitting([...notes, ...omitted], MAX_NOTES_LENGTH);
  const storedAgents = takeFitting(asked.slice(0, AGENT_TOOL_BOUNDS.recorded), MAX_NOTES_LENGTH);
  const droppedMessages = droppedBefore + truncation.droppedMessages;
  const { truncatedResults: cutResults } = truncation;
  return {
    ...(droppedMessages === 0 ? {} : { droppedMessages }),
    ...(cutResults === 0 ? {} : { cutResults }),
    ...(egress.length === 0 ? {} : { egress }),
    ...(storedAgents.length === 0 ? {} : { asked: storedAgents }),
    ...(storedNotes.length === 0 ? {} : { notes: storedNotes }),
    ...(coverage === undefined ? {} : { coverage }),
    ...(guardrails.length === 0 ? {} : { guardrails: [...guardrails] }),
  };
}

/** The first of `items` whose JSON together has at most `maxLength` characters. */
function takeFitting<T>(items: readonly T[], maxLength: number): T[] {
  let left = maxLength;
  const end = items.findIndex((item) => (left -= JSON.stringify(item).length) < 0);
  return items.slice(0, end === -1 ? items.length : end);
}
