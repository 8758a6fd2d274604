import { isoTime, type Runtime } from "../platform/runtime.ts";
import type { HandoffTranscript, HandoffTranscriptEntry } from "../schemas/handoff.ts";
import { type HandoffHead, isHeld, type NumberedEntry } from "../store/handoffs/handoff_record.ts";
import type { HandoffStore } from "../store/handoffs/handoff_store.ts";
import type { ConversationName } from "../store/keys/keys.ts";

/** Entries of a transcript, the latest. */
const MAX_ENTRIES = 500;

/** What people and the visitor wrote while people had a conversation. */
export class HandoffTranscripts {
  readonly #store: Pick<HandoffStore, "find" | "entries">;
  readonly #runtime: Pick<Runtime, "now">;

  constructor(
    store: Pick<HandoffStore, "find" | "entries">,
    runtime: Pick<Runtime, "now">,
  ) {
    this.#store = store;
    this.#runtime = runtime;
  }

  /** The latest entries, or with `all` every one; `undefined` if nobody has asked for a person. */
  async read(
    name: ConversationName,
    { all = false }: { all?: boolean } = {},
  ): Promise<HandoffTranscript | undefined> {
    const head = await this.#store.find(name);
    if (head === undefined) return undefined;
    const { tenant } = name;
    const entries = all
      ? await this.#store.entries(tenant, head.feed)
      : (await this.#store.entries(tenant, head.feed, { limit: MAX_ENTRIES, reverse: true }))
        .reverse();
    return { ...this.#toFacts(head), entries: toEntries(entries) };
  }

  /** A wait that is over counts as returned, even if nothing has recorded that yet. */
  #toFacts(head: HandoffHead): Omit<HandoffTranscript, "entries"> {
    const isOver = head.state === "waiting" && !isHeld(head, this.#runtime.now());
    const cause = isOver ? "no_answer" as const : head.cause;
    return {
      state: isOver ? "returned" : head.state,
      ...cause && { cause },
      requestedAt: isoTime(head.requestedAt),
      ...head.person && { person: head.person.name },
    };
  }
}

function toEntries(entries: readonly NumberedEntry[]): HandoffTranscriptEntry[] {
  const shown: HandoffTranscriptEntry[] = [];
  for (const entry of entries) {
    const next = toEntry(entry);
    const last = shown.at(-1);
    // A long message was stored in pieces.
    const isSame = next.type === "visitor" && last?.type === "visitor" && last.runId === next.runId;
    if (isSame) shown[shown.length - 1] = { ...last, text: last.text + next.text };
    else shown.push(next);
  }
  return shown;
}

function toEntry({ n: _n, at: time, ...entry }: NumberedEntry): HandoffTranscriptEntry {
  const at = isoTime(time);
  switch (entry.type) {
    case "state": {
      const { form: _form, ...rest } = entry;
      return { ...rest, at };
    }
    case "person":
      return { type: "person", text: entry.text, person: entry.name, at };
    case "visitor":
    case "contact":
      return { ...entry, at };
    default:
      return entry satisfies never;
  }
}
