import { z } from "zod";
import { type CallReply, WAITS_FOR } from "../../schemas/waiting_call.ts";
import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import { chunkKeys, concatBytes, readChunks, splitChunks } from "../values/chunks.ts";
import { parseRecord } from "../values/record.ts";
import { LOG_TTL_MS } from "./run_log_head.ts";

const MAX_TRIES = 10;
/** Of a page's answer that its owner never reads, because it died. */
const ANSWER_TTL_MS = 10 * 60_000;

const waitingCallSchema = z.object({
  v: z.literal(1),
  runId: z.string(),
  /** The number of its `tool_call`. */
  n: z.int().positive(),
  /** The process that runs the run. */
  owner: z.string(),
  agentId: z.string(),
  conversationId: z.string(),
  /** The tool's name. */
  name: z.string(),
  waitsFor: z.enum(WAITS_FOR),
  /** The schema of a page's output. */
  output: z.record(z.string(), z.unknown()).optional(),
  expiresAt: z.int(),
  /** `over`: not answered in time, or the run was stopped. */
  state: z.enum(["waiting", "answered", "over"]),
  approve: z.boolean().optional(),
  /** The number of chunks of a page's answer. */
  chunks: z.int().positive().optional(),
});
/** A tool call that waits, or did: stored until a while after its end, so that a late answer is known. */
export type WaitingCall = Omit<z.infer<typeof waitingCallSchema>, "v">;

export interface CallName {
  tenant: string;
  runId: string;
  n: number;
}

/** The state of a call, and its entry for checks. */
export interface FoundCall {
  call: WaitingCall;
  /** Still waits, in an active run, of an agent that still exists. */
  waits: boolean;
  checks: Deno.AtomicCheck[];
}

/** Tool calls that wait for an answer. Every change is checked, so that exactly one answer counts. */
export class WaitingCallStore {
  readonly #kv: Deno.Kv;
  readonly #content: ContentCipher;

  constructor(kv: Deno.Kv, content: ContentCipher) {
    this.#kv = kv;
    this.#content = content;
  }

  /** Stores a call before its frame is sent, so that an answer always finds it. */
  async create(tenant: string, call: Omit<WaitingCall, "state">, now: number): Promise<void> {
    const key = keys.waitingCall(tenant, call.runId, call.n);
    const expireIn = call.expiresAt - now + LOG_TTL_MS;
    await this.#kv.set(key, { v: 1, ...call, state: "waiting" }, { expireIn });
  }

  async find({ tenant, runId, n }: CallName, now: number): Promise<FoundCall | undefined> {
    const wanted = [keys.waitingCall(tenant, runId, n), keys.activeRun(tenant, runId)] as const;
    const [entry, active] = await this.#kv.getMany<unknown[]>(wanted);
    const call = parseRecord(waitingCallSchema, entry!);
    if (call === undefined || call.expiresAt + LOG_TTL_MS <= now) return undefined;
    const waits = call.state === "waiting" && call.expiresAt > now && active!.versionstamp !== null;
    const checks = [entry!, active!].map(({ key, versionstamp }) => ({ key, versionstamp }));
    if (!waits) return { call, waits, checks };
    // An agent that was deleted must not act.
    const { versionstamp } = await this.#kv.get(keys.agent(tenant, call.agentId));
    return { call, waits: versionstamp !== null, checks };
  }

  /**
   * Answers a call that waits, and wakes its process. False if it, or its run, has changed since it was
   * found.
   */
  async answer(
    { call, checks }: FoundCall,
    { tenant, reply, now, wake }: { tenant: string; reply: CallReply; now: number; wake: string },
  ): Promise<boolean> {
    const { owner, runId, n } = call;
    const step = this.#kv.atomic().check(...checks);
    const answered = ended(call, "answered");
    if ("approve" in reply) answered.approve = reply.approve;
    else {
      const chunks = splitChunks(new TextEncoder().encode(JSON.stringify(reply)));
      answered.chunks = chunks.length;
      for (const [part, chunk] of chunks.entries()) {
        const context = contentContexts.callAnswer(tenant, runId, n, part);
        const sealed = await this.#content.seal(chunk, context);
        step.set(keys.callAnswerChunk(tenant, runId, n, part), sealed, { expireIn: ANSWER_TTL_MS });
      }
    }
    const expireIn = Math.max(1, call.expiresAt - now + LOG_TTL_MS);
    step.set(keys.waitingCall(tenant, runId, n), { v: 1, ...answered }, { expireIn });
    step.set(keys.answeredCall(owner, runId, n), { v: 1, tenant, runId, call: n }, { expireIn });
    step.set(keys.wakeKey(owner), wake, { expireIn });
    return (await step.commit()).ok;
  }

  /** The answer to a call of this process, which is deleted; `undefined` if there is none. */
  async takeReply(name: CallName): Promise<CallReply | undefined> {
    const { tenant, runId, n } = name;
    const entry = await this.#kv.get(keys.waitingCall(tenant, runId, n));
    const call = parseRecord(waitingCallSchema, entry);
    if (call?.state !== "answered") return undefined;
    const request = keys.answeredCall(call.owner, runId, n);
    if (call.chunks === undefined) {
      await this.#kv.delete(request);
      return { approve: call.approve === true };
    }
    const stored = chunkKeys(call.chunks, (n) => keys.callAnswerChunk(tenant, runId, call.n, n));
    const sealed = await readChunks(this.#kv, stored) ?? [];
    const chunks = await Promise.all(sealed.map((chunk, part) => {
      return this.#content.unseal(chunk, contentContexts.callAnswer(tenant, runId, n, part));
    }));
    const step = this.#kv.atomic().delete(request);
    for (const key of stored) step.delete(key);
    await step.commit();
    return JSON.parse(new TextDecoder().decode(concatBytes(chunks)));
  }

  /** Ends the wait of a call without an answer; false if it was answered before. */
  async end({ tenant, runId, n }: CallName, now: number): Promise<boolean> {
    const key = keys.waitingCall(tenant, runId, n);
    for (let tries = MAX_TRIES; tries > 0; tries--) {
      const entry = await this.#kv.get(key);
      const call = parseRecord(waitingCallSchema, entry);
      if (call?.state === "answered") return false;
      if (call === undefined || call.state === "over") return true;
      const expireIn = Math.max(1, call.expiresAt - now + LOG_TTL_MS);
      const over = { v: 1, ...ended(call, "over") };
      const { ok } = await this.#kv.atomic().check(entry).set(key, over, { expireIn }).commit();
      if (ok) return true;
    }
    throw new Error("a waiting call kept changing");
  }

  /** The calls of a tenant that wait at `now`; those of runs that were interrupted included. */
  async *waiting(tenant: string, now: number): AsyncGenerator<WaitingCall> {
    for await (const entry of this.#kv.list({ prefix: keys.tenantWaitingCalls(tenant) })) {
      const call = parseRecord(waitingCallSchema, entry);
      if (call?.state === "waiting" && call.expiresAt > now) yield call;
    }
  }
}

/** Without the schema, which is most of a record that lists still read. */
function ended({ output: _, ...call }: WaitingCall, state: "answered" | "over"): WaitingCall {
  return { ...call, state };
}
