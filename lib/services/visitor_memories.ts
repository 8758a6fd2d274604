import { maskInput } from "../agent/guardrails/guard_input.ts";
import { isoTime } from "../platform/runtime.ts";
import { ApiError } from "../schemas/api_error.ts";
import { type Fact, toFactText } from "../schemas/memory.ts";
import type { AgentService } from "./agent_service.ts";
import type { Session } from "../store/credentials/session_store.ts";
import type { MemoryName } from "../store/keys/keys.ts";
import type { ContentCipher } from "../store/encryption/content_cipher.ts";
import { visitorHash } from "../store/visitors/visitor_ids.ts";
import type { MemoryStore, StoredFact } from "../store/visitors/memory_store.ts";

interface NamedVisitor {
  tenant: string;
  agentId: string;
  /** As its backend calls it. */
  visitorId: string;
}

type Memories = Pick<MemoryStore, "list" | "edit" | "forget" | "clear">;

/**
 * What an agent remembers about the visitor of a session, which the visitor owns: it can be read, changed
 * and deleted also after the agent has stopped remembering. A session without a visitor has nothing.
 * Throws `ApiError` 404 for a fact that does not exist or is another's.
 */
export class VisitorMemories {
  readonly #memories: Memories;
  readonly #content: ContentCipher;
  readonly #agents: Pick<AgentService, "findForSession">;

  constructor(
    memories: Memories,
    { content, agents }: { content: ContentCipher; agents: Pick<AgentService, "findForSession"> },
  ) {
    this.#memories = memories;
    this.#content = content;
    this.#agents = agents;
  }

  /** Oldest first; empty if they cannot be decrypted. */
  async list(session: Session): Promise<Fact[]> {
    const name = nameOf(session);
    return name === undefined ? [] : await this.#list(name);
  }

  /** The visitor writes it, so the rules of the agent's input apply. */
  async edit(session: Session, id: string, text: string): Promise<void> {
    const name = nameOf(session);
    if (name === undefined) return notFound();
    const agent = await this.#agents.findForSession(session);
    // A mask may be longer than what it replaces.
    const masked = toFactText(maskInput(text, agent?.guardrails?.input));
    if (!await this.#memories.edit(name, id, masked)) notFound();
  }

  async forget(session: Session, id: string): Promise<void> {
    const name = nameOf(session);
    if (name === undefined || !await this.#memories.forget(name, id)) notFound();
  }

  async clear(session: Session): Promise<void> {
    const name = nameOf(session);
    if (name !== undefined) await this.#memories.clear(name);
  }

  /** What an agent remembers about a visitor, for people. */
  listOf(of: NamedVisitor): Promise<Fact[]> {
    return this.#list(this.#nameOf(of));
  }

  /** Deletes it, and records who did in the same step. */
  async clearOf(of: NamedVisitor, record: (step: Deno.AtomicOperation) => void): Promise<void> {
    await this.#memories.clear(this.#nameOf(of), record);
  }

  async #list(name: MemoryName): Promise<Fact[]> {
    return (await this.#memories.list(name) ?? []).map(toFact);
  }

  #nameOf({ tenant, agentId, visitorId }: NamedVisitor): MemoryName {
    return { tenant, agentId, visitor: visitorHash(this.#content, tenant, visitorId) };
  }
}

export function toFact({ id, text, createdAt, updatedAt }: StoredFact): Fact {
  return { id, text, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}

function nameOf({ tenant, agentId, visitor }: Session): MemoryName | undefined {
  return visitor && { tenant, agentId, visitor: visitor.hash };
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such fact");
}
