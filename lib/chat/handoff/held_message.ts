import type { StartHook } from "../../billing/decide_run.ts";
import { cutText } from "../../platform/cut_text.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { ContentCipher } from "../../store/encryption/content_cipher.ts";
import type { HandoffHead } from "../../store/handoffs/handoff_record.ts";
import { decideHandoff } from "../../store/handoffs/handoff_transition.ts";
import { type HandoffWriter, writeHandoff } from "../../store/handoffs/write_handoff.ts";
import { type ConversationName, keys } from "../../store/keys/keys.ts";
import { ConflictError } from "../../store/tx/read_transaction.ts";
import type { RunStartHook } from "../run_start_hook.ts";

/** Characters of one entry: at most 48 KB of UTF-8, which one value of the store takes. */
const MAX_ENTRY_LENGTH = 16_000;

export interface HeldMessage {
  name: ConversationName;
  /** What the `start` frame will say. */
  state: HandoffHead["state"];
  text: string;
  runId: string;
}

/** What a held message stores when its run is admitted. */
export type HeldMessageHook = Required<Pick<StartHook, "keys" | "estimatedBytes" | "write">>;

/** Stores the run and the message in one commit. */
export function combineStartHooks(run: RunStartHook, message: HeldMessageHook): RunStartHook {
  return {
    ...run,
    keys: [...run.keys ?? [], ...message.keys],
    estimatedBytes: (run.estimatedBytes ?? 0) + message.estimatedBytes,
    write(tx) {
      message.write(tx);
      run.write?.(tx);
    },
  };
}

/**
 * Stores a message for a person in the commit that admits its run, so that an accepted message is never
 * lost, and never shown to a person if a model answers it.
 */
export function heldMessageHook(
  { name, state, text, runId }: HeldMessage,
  { content, runtime }: { content: ContentCipher; runtime: Pick<Runtime, "now"> },
): HeldMessageHook {
  const key = keys.handoff(name);
  const texts = splitText(text);
  return {
    keys: [key],
    estimatedBytes: 2_048 + 3 * text.length,
    write(tx) {
      const before = tx.get<HandoffHead>(key);
      const now = runtime.now();
      const change = decideHandoff(before, { type: "visitor", texts, runId }, now);
      // It was read from the cache, or ended in between: the message is prepared again.
      if (before?.state !== state || !("entries" in change)) {
        throw new ConflictError("the hand-off has changed");
      }
      const writer: HandoffWriter = {
        setHead: (at, value, options) => tx.set(at, value, options),
        set: (at, value, options) => tx.blindWrite(at, value, options),
        delete: (at) => tx.blindWrite(at, undefined),
      };
      writeHandoff(writer, { name, before, change, now, content, created: before });
    },
  };
}

function splitText(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const part = cutText(text, at, at + MAX_ENTRY_LENGTH);
    parts.push(part);
    at += part.length;
  }
  return parts;
}
