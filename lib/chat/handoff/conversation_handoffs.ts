import type { Runtime } from "../../platform/runtime.ts";
import type { Agent } from "../../schemas/agent.ts";
import { isWithinBusinessHours } from "../../schemas/business_hours.ts";
import {
  DEFAULT_ANSWER_MINUTES,
  type HandoffRequester,
  type HandoffSettings,
} from "../../schemas/handoff.ts";
import type { ChatBody } from "../../schemas/chat.ts";
import type { ContentCipher } from "../../store/encryption/content_cipher.ts";
import {
  conversationHeadSchema,
  conversationName,
} from "../../store/conversations/conversation_record.ts";
import {
  type HandoffHead,
  handoffHeadSchema,
  isHeld,
} from "../../store/handoffs/handoff_record.ts";
import { GuardChangedError, type HandoffStore } from "../../store/handoffs/handoff_store.ts";
import { type ConversationName, keys } from "../../store/keys/keys.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import type { UnansweredStore } from "../../store/unanswered/unanswered_store.ts";
import type { KvReader } from "../../store/tx/read_transaction.ts";
import { parseRecord } from "../../store/values/record.ts";
import { type HeldMessageHook, heldMessageHook } from "./held_message.ts";
import { withWordsOfPeople } from "./words_of_people.ts";

/** A conversation changes with each run that ends; more changes than these in a row do not happen. */
const MAX_TRIES = 20;
const MINUTE_MS = 60_000;
/** The latest entries of a feed in which messages of people are looked for. */
const MAX_QUOTED_ENTRIES = 200;

export interface ConversationHandoffsDeps {
  kv: Deno.Kv;
  runtime: Pick<Runtime, "now">;
  content: ContentCipher;
  store: HandoffStore;
  tenants: Pick<TenantStore, "plan">;
  /** Without it, no questions are listed as unanswered. */
  unanswered?: Pick<UnansweredStore, "recordHandoff">;
}

/** The conversation of a message. */
export interface MessagePlace {
  tenant: string;
  agent: Pick<Agent, "id" | "handoff" | "retentionDays">;
  conversationId: string | undefined;
  origin?: string | undefined;
  /** The visitor's hash. */
  visitor?: string | undefined;
}

/** What a run of a message needs to know of hand-offs. */
export type PreparedHandoff =
  & { system: string }
  & ({ held?: undefined } | { held: "waiting" | "taken"; hook: HeldMessageHook });

/** A request for a person. */
export interface PersonRequest {
  name: ConversationName;
  settings: HandoffSettings;
  /** The agent's own retention, days. */
  retentionDays?: number | undefined;
  by: HandoffRequester;
  reason?: string | undefined;
  origin?: string | undefined;
  /** The visitor's hash. */
  visitor?: string | undefined;
  /** An active run of the conversation, which may exist although nothing of it is stored yet. */
  runId?: string | undefined;
}

/** `gone`: the conversation was deleted. `not_stored`: the plan or the agent stores no conversations. */
export type PersonRequestResult = { head: HandoffHead } | { failed: "gone" | "not_stored" };

/** False if conversations that a person has go back to the agent. */
export function mayHandOff({ handoff, retentionDays }: MessagePlace["agent"]): boolean {
  return handoff !== undefined && retentionDays !== 0;
}

/** The hand-offs of conversations, for runs and for requests of a person. */
export class ConversationHandoffs {
  readonly #deps: ConversationHandoffsDeps;

  constructor(deps: ConversationHandoffsDeps) {
    this.#deps = deps;
  }

  /** What a message needs: to reach the person, or the prompt with what people wrote before. */
  async prepare(
    place: MessagePlace,
    { message: { system, body, runId }, reader }: {
      message: { system: string; body: ChatBody; runId: string };
      reader: KvReader | undefined;
    },
  ): Promise<PreparedHandoff> {
    const found = await this.find(place, reader);
    if (found === undefined) return { system };
    const { name, head } = found;
    const { store } = this.#deps;
    if (found.held) {
      const text = body.messages.at(-1)!.content;
      const held = head.state === "taken" ? "taken" : "waiting";
      const hook = heldMessageHook({ name, state: held, text, runId }, this.#deps);
      return { system, hook, held };
    }
    if (head.said === 0) return { system };
    const entries = await store.entries(name.tenant, head.feed, {
      limit: MAX_QUOTED_ENTRIES,
      reverse: true,
    });
    return { system: withWordsOfPeople(system, entries.reverse()) };
  }

  /**
   * The hand-off of a message's conversation, as part of the transaction that admits the message. Nothing
   * is read for an agent without the setting, or one that keeps nothing: conversations are the agent's again.
   */
  async find(
    { tenant, agent, conversationId: id, origin, visitor }: MessagePlace,
    reader: KvReader = this.#deps.kv,
  ): Promise<{ name: ConversationName; head: HandoffHead; held: boolean } | undefined> {
    if (!mayHandOff(agent) || id === undefined) return undefined;
    const name = await conversationName(id, { tenant, agentId: agent.id, origin, visitor });
    const head = parseRecord(handoffHeadSchema, await reader.get(keys.handoff(name)));
    const now = this.#deps.runtime.now();
    if (head === undefined || head.exp <= now) return undefined;
    return { name, head, held: isHeld(head, now) };
  }

  /** Asks for a person. Outside business hours the agent keeps the conversation. */
  async request(request: PersonRequest): Promise<PersonRequestResult> {
    const { store, tenants } = this.#deps;
    const { name, by, reason, origin, visitor, settings } = request;
    const { conversationDays } = await tenants.plan(name.tenant);
    const days = Math.min(conversationDays, request.retentionDays ?? conversationDays);
    if (days === 0) return { failed: "not_stored" };
    for (let tries = MAX_TRIES; tries > 0; tries--) {
      const guards = await this.#existence(request);
      if (guards === undefined) return { failed: "gone" };
      const now = this.#deps.runtime.now();
      const minutes = settings.answerWithinMinutes ?? DEFAULT_ANSWER_MINUTES;
      const { businessHours: hours, form = false } = settings;
      const isOpen = hours === undefined || isWithinBusinessHours(hours, now);
      const answerBy = now + minutes * MINUTE_MS;
      try {
        const event = { type: "request" as const, by, reason, isOpen, answerBy, form };
        const created = { days, origin, visitor };
        const result = await store.change(name, event, { created, guards });
        if ("conflict" in result) throw new Error("a request for a person met a conflict");
        if (by === "visitor") await this.#deps.unanswered?.recordHandoff(name);
        return { head: result.head };
      } catch (error) {
        if (!(error instanceof GuardChangedError)) throw error;
      }
    }
    throw new Error("the conversation kept changing");
  }

  /**
   * What proves that the conversation exists: its record, an active run, or its hand-off. It must be
   * unchanged when the request is stored, so that nothing is written for a deleted one. `undefined` if there
   * is none; a run of a deleted conversation is listed in its tombstone.
   */
  async #existence({ name, runId }: PersonRequest): Promise<Deno.AtomicCheck[] | undefined> {
    const { kv, runtime } = this.#deps;
    const found = [keys.conversation(name), keys.handoff(name)];
    const [conversation, handoff] = await kv.getMany([found[0]!, found[1]!]);
    const head = parseRecord(conversationHeadSchema, conversation!);
    if (runId !== undefined && head?.gone?.includes(runId)) return undefined;
    const { key, versionstamp } = conversation!;
    const guards = [{ key, versionstamp }];
    if (head !== undefined && "id" in head && head.exp > runtime.now()) return guards;
    const active = runId && await kv.get(keys.activeRun(name.tenant, runId));
    const proof = active && active.versionstamp !== null ? active : handoff!;
    if (proof.versionstamp === null) return undefined;
    return [...guards, { key: proof.key, versionstamp: proof.versionstamp }];
  }
}
