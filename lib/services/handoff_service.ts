import { type ConversationHandoffs, mayHandOff } from "../chat/handoff/conversation_handoffs.ts";
import { type FollowOptions, HandoffFollower, isFinal } from "../chat/handoff/handoff_follower.ts";
import type { RunRegistry } from "../chat/run_registry.ts";
import { isoTime, type Runtime } from "../platform/runtime.ts";
import type { Agent } from "../schemas/agent.ts";
import { ApiError } from "../schemas/api_error.ts";
import type { ContactBody, HandoffStatus } from "../schemas/handoff.ts";
import { conversationName } from "../store/conversations/conversation_record.ts";
import {
  type ConversationFilter,
  matchesFilter,
} from "../store/conversations/conversation_filter.ts";
import type { ConversationStore } from "../store/conversations/conversation_store.ts";
import {
  type HandoffHead,
  handoffName,
  isHeld,
  type NumberedEntry,
} from "../store/handoffs/handoff_record.ts";
import type {
  ChangeOptions,
  HandoffResult,
  HandoffStore,
} from "../store/handoffs/handoff_store.ts";
import type { HandoffEvent } from "../store/handoffs/handoff_transition.ts";
import type { ConversationName } from "../store/keys/keys.ts";

/** Entries of a feed that a page shows, the latest. */
const MAX_SHOWN_ENTRIES = 500;
const MAX_QUEUE = 100;

/** A conversation that exists, stored or with a run that is being answered. */
export interface ConversationPlace {
  name: ConversationName;
  origin?: string | undefined;
  /** The visitor's hash. */
  visitor?: string | undefined;
  /** A session without an origin may not reach what a backend began. */
  isPlayground: boolean;
  /** An active run, if nothing is stored yet. */
  runId?: string;
}

export interface HandoffServiceDeps {
  kv: Deno.Kv;
  runtime: Runtime;
  store: HandoffStore;
  conversations: Pick<ConversationStore, "find" | "resolveFilter">;
  handoffs: Pick<ConversationHandoffs, "request">;
  runs: Pick<RunRegistry, "runsInConversation">;
  agents: { findServed(tenant: string, id: string): Promise<Agent | undefined> };
}

/** Hand-offs of conversations for visitors and for people. Methods throw `ApiError`. */
export class HandoffService {
  readonly #deps: HandoffServiceDeps;

  constructor(deps: HandoffServiceDeps) {
    this.#deps = deps;
  }

  /** The conversation with this id that matches the filter; `undefined` if there is none. */
  async locate(
    tenant: string,
    id: string,
    filter: ConversationFilter,
  ): Promise<ConversationPlace | undefined> {
    const { conversations, runs, store } = this.#deps;
    const wanted = conversations.resolveFilter(tenant, filter);
    const stored = await conversations.find(tenant, id, wanted);
    if (stored !== undefined) {
      const { agentId, page, origin, visitor, source } = stored;
      const isPlayground = source === "playground";
      const name = { tenant, id, agentId, page };
      return { name, origin, visitor: visitor?.hash, isPlayground };
    }
    const active = (await runs.runsInConversation(tenant, id)).find((run) =>
      matchesFilter(run, wanted)
    );
    if (active !== undefined) {
      const name = await conversationName(id, { ...active, tenant });
      const { origin, visitor, runId } = active;
      return { name, origin, visitor, isPlayground: false, runId };
    }
    const head = (await store.findById(tenant, id)).find((one) => matchesFilter(one, wanted));
    return head && {
      ...{ name: handoffName(tenant, head), origin: head.origin, visitor: head.visitor },
      isPlayground: false,
    };
  }

  find(name: ConversationName): Promise<HandoffHead | undefined> {
    return this.#deps.store.find(name);
  }

  /** What the visitor may see and do. Records that a wait is over. */
  async status({ name }: ConversationPlace): Promise<HandoffStatus> {
    const agent = await this.#agentOf(name);
    return this.#toStatus(name, { agent, head: await this.#current(name, agent) });
  }

  /** The visitor asks for a person; repeated, it returns the state. 409 if the agent does not offer it. */
  async request(place: ConversationPlace): Promise<HandoffStatus> {
    const { name, origin, visitor, runId } = place;
    const agent = await this.#agentOf(name);
    const settings = agent?.handoff;
    const current = await this.#current(name, agent);
    if (isHeld(current, this.#deps.runtime.now())) {
      return this.#toStatus(name, { agent, head: current });
    }
    if (settings === undefined || !isOffered(agent)) {
      throw conflictError("this agent does not offer to ask for a person", current);
    }
    const { retentionDays } = agent!;
    const of = { name, origin, visitor, runId };
    const request = { ...of, settings, retentionDays, by: "visitor" as const };
    const asked = await this.#deps.handoffs.request(request);
    if ("head" in asked) return this.#toStatus(name, { agent, head: asked.head });
    if (asked.failed === "gone") throw notFound();
    throw conflictError(
      "conversations of this plan are not stored, so nobody could answer",
      current,
    );
  }

  /** Stores contact details once. 409 unless the visitor was asked for them. */
  async leaveContact({ name }: ConversationPlace, body: ContactBody): Promise<void> {
    await this.#current(name, await this.#agentOf(name));
    const result = await this.#deps.store.change(name, { type: "contact", ...body });
    if ("head" in result || await this.#isRepeated(name, body)) return;
    throw conflictError(
      "this conversation does not ask for contact details",
      await this.find(name),
    );
  }

  /** Shows to the other side that someone types. Does nothing unless a person waits or has it. */
  async recordTyping(name: ConversationName, who: "visitor" | "person"): Promise<void> {
    const head = await this.find(name);
    if (isHeld(head, this.#deps.runtime.now())) await this.#deps.store.recordTyping(name, who);
  }

  /** Follows the feed; `undefined` if there is none, or if it is over and the client has all of it. */
  async follow(
    name: ConversationName,
    options: Omit<FollowOptions, "head" | "tenant">,
  ): Promise<HandoffFollower | undefined> {
    const head = await this.#current(name, await this.#agentOf(name));
    if (head === undefined) return undefined;
    // A later number is that of a feed that was deleted.
    const after = options.after < head.next ? options.after : 0;
    if (isFinal(head.state) && after === head.next - 1) return undefined;
    return new HandoffFollower(this.#deps, { ...options, tenant: name.tenant, head, after });
  }

  /** The hand-off with the latest part of its feed, for a page. */
  async read(
    name: ConversationName,
  ): Promise<{ head: HandoffHead; entries: NumberedEntry[] } | undefined> {
    const head = await this.#current(name, await this.#agentOf(name));
    if (head === undefined) return undefined;
    const { store } = this.#deps;
    const options = { limit: MAX_SHOWN_ENTRIES, reverse: true };
    const entries = (await store.entries(name.tenant, head.feed, options)).reverse();
    return { head, entries: entries.filter(({ n }) => n < head.next) };
  }

  /** Conversations that people should look at, the longest waiting first. */
  async queue(tenant: string): Promise<HandoffHead[]> {
    const { store, runtime } = this.#deps;
    const all = await store.queue(tenant, MAX_QUEUE);
    const current = await Promise.all(all.map(async (head) => {
      const isOver = head.state === "waiting" && runtime.now() >= head.answerBy;
      if (!isOver) return head;
      const ended = await store.change(handoffName(tenant, head), { type: "expire" });
      return "head" in ended ? ended.head : undefined;
    }));
    return current.filter((head) => head?.queuedAt !== undefined) as HandoffHead[];
  }

  /** What a person does; `undefined` if the state no longer allows it. */
  async act(
    name: ConversationName,
    event: Extract<HandoffEvent, { type: "take" | "say" | "return" | "close" }>,
    extend?: ChangeOptions["extend"],
  ): Promise<HandoffHead | undefined> {
    await this.#current(name, await this.#agentOf(name));
    const result: HandoffResult = await this.#deps.store.change(name, event, {
      ...extend && { extend },
    });
    return "head" in result ? result.head : undefined;
  }

  /** The hand-off as it is now: ends a wait that is over, and all if the agent's setting is gone. */
  async #current(
    name: ConversationName,
    agent: Agent | undefined,
  ): Promise<HandoffHead | undefined> {
    const { store, runtime } = this.#deps;
    const head = await store.find(name);
    if (head === undefined || isFinal(head.state)) return head;
    const isOver = head.state === "waiting" && runtime.now() >= head.answerBy;
    const isOff = agent === undefined || !mayHandOff(agent);
    if (!isOver && !isOff) return head;
    const ended = await store.change(name, { type: isOff ? "switch_off" : "expire" });
    return "head" in ended ? ended.head : undefined;
  }

  #agentOf({ tenant, agentId }: ConversationName): Promise<Agent | undefined> {
    return this.#deps.agents.findServed(tenant, agentId);
  }

  #toStatus(
    { id }: ConversationName,
    { agent, head }: { agent: Agent | undefined; head: HandoffHead | undefined },
  ): HandoffStatus {
    const message = agent?.handoff?.message;
    const isOpen = head !== undefined && !isFinal(head.state);
    return {
      conversationId: id,
      offered: !isOpen && isOffered(agent),
      state: head?.state ?? "none",
      ...head?.cause && { cause: head.cause },
      ...head?.state === "taken" && head.person && { person: head.person.name },
      ...head && { requestedAt: isoTime(head.requestedAt) },
      ...head?.state === "waiting" && { answerBy: isoTime(head.answerBy) },
      ...message !== undefined && { message },
      form: head?.contact === "open",
    };
  }

  /** A client that got no answer sends the same details again. */
  async #isRepeated(name: ConversationName, { email, message }: ContactBody): Promise<boolean> {
    const { store } = this.#deps;
    const head = await store.find(name);
    if (head === undefined || head.contact === "open") return false;
    const entries = await store.entries(name.tenant, head.feed, { limit: 50, reverse: true });
    const last = entries.find((entry) => entry.type === "contact");
    return last?.type === "contact" && last.email === email && last.message === message;
  }
}

/** Whether the agent lets visitors ask for a person. */
function isOffered(agent: Agent | undefined): boolean {
  const settings = agent?.handoff;
  return settings !== undefined && settings.enabled && settings.by.includes("visitor") &&
    mayHandOff(agent!);
}

function conflictError(message: string, head: HandoffHead | undefined): ApiError {
  return new ApiError("handoff_conflict", message, { details: { state: head?.state ?? "none" } });
}

function notFound(): ApiError {
  return new ApiError("not_found", "there is no such conversation");
}
