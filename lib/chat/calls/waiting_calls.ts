import { compileWhenNeeded } from "../../agent/tools/arguments/validator_cache.ts";
import type { CallAnswer, HeldCall } from "../../agent/held_call.ts";
import { type Runtime, setTimer } from "../../platform/runtime.ts";
import { ApiError, validationError } from "../../schemas/api_error.ts";
import type { CallReply } from "../../schemas/waiting_call.ts";
import type { ContentCipher } from "../../store/encryption/content_cipher.ts";
import {
  type CallName,
  type WaitingCall,
  WaitingCallStore,
} from "../../store/runs/waiting_call_store.ts";

/** A reply that meets a change of its call finds it again; the call is over after one or two. */
const MAX_TRIES = 5;

export interface WaitingCallsDeps {
  kv: Deno.Kv;
  content: ContentCipher;
  runtime: Runtime;
  /** The id of this process. */
  owner: string;
}

/** Who answers: a session may not decide what a person must, and a person decides nothing else. */
export type Replier = "session" | "key" | "person";

export type NewCall = Omit<WaitingCall, "state" | "owner">;

/**
 * The tool calls that wait for a visitor, a person or a page. An answer may arrive at any process: it is
 * stored by a checked change of the call's record, and then reaches the process that runs the run once.
 */
export class WaitingCalls {
  readonly #deps: WaitingCallsDeps;
  readonly #store: WaitingCallStore;
  /** Wakes the calls that wait in this process. */
  readonly #waiting = new Map<string, () => void>();

  constructor(deps: WaitingCallsDeps) {
    this.#deps = deps;
    this.#store = new WaitingCallStore(deps.kv, deps.content);
  }

  /** Makes a call of this process wait, until it is answered, its time is up or `signal` is aborted. */
  async hold(tenant: string, call: NewCall, signal: AbortSignal): Promise<HeldCall> {
    const { owner, runtime } = this.#deps;
    await this.#store.create(tenant, { ...call, owner }, runtime.now());
    const name = { tenant, runId: call.runId, n: call.n };
    const { expiresAt, waitsFor } = call;
    return { waitsFor, expiresAt, answer: this.#answerOf(name, { expiresAt, signal }) };
  }

  async #answerOf(
    name: CallName,
    { expiresAt, signal }: { expiresAt: number; signal: AbortSignal },
  ): Promise<CallAnswer> {
    const key = keyOf(name);
    const { runtime } = this.#deps;
    const woken = Promise.withResolvers<void>();
    this.#waiting.set(key, woken.resolve);
    const cancelTimer = setTimer(runtime, Math.max(0, expiresAt - runtime.now()), woken.resolve);
    const finished = new AbortController();
    const onAbort = () => woken.resolve();
    signal.addEventListener("abort", onAbort, { once: true, signal: finished.signal });
    if (signal.aborted) woken.resolve();
    try {
      await woken.promise;
      if (signal.aborted) {
        // The run is over for its clients at once, whatever the store does. An answer that arrived is
        // taken, so that it does not stay.
        void this.#takeAnswer(name).catch(() => {});
        return { kind: "stopped" };
      }
      return await this.#takeAnswer(name);
    } finally {
      finished.abort();
      cancelTimer();
      this.#waiting.delete(key);
    }
  }

  async #takeAnswer(name: CallName): Promise<CallAnswer> {
    const { runtime } = this.#deps;
    // An answer that was accepted in the last moment counts.
    if (await this.#store.end(name, runtime.now())) return { kind: "silence" };
    const reply = await this.#store.takeReply(name);
    if (reply === undefined) throw new Error("an answered call has no answer");
    if ("approve" in reply) return { kind: reply.approve ? "approved" : "refused" };
    if ("error" in reply) return { kind: "failed", message: reply.error };
    return { kind: "output", output: reply.output };
  }

  /** A call of this process may have been answered. */
  wake(runId: string, n: number): void {
    this.#waiting.get(keyOf({ runId, n }))?.();
  }

  /**
   * Answers a call in whichever process it waits. Throws 404 if there is no such call, 409 if it no longer
   * waits, 403 if `by` may not decide, and 400 for an output that does not match the tool's schema.
   */
  async reply(
    name: CallName,
    { reply, by }: { reply: CallReply; by: Replier },
  ): Promise<WaitingCall> {
    const { runtime } = this.#deps;
    const { tenant, runId, n } = name;
    for (let tries = MAX_TRIES; tries > 0; tries--) {
      const found = await this.#store.find(name, runtime.now());
      const isDecision = "approve" in reply;
      // A decision is no output, and an output no decision: such a call does not exist there.
      if (found === undefined || isDecision === (found.call.waitsFor === "page")) throw unknown();
      assertMayReply(found.call, by);
      if (!found.waits) throw new ApiError("already_decided", "this call does not wait any more");
      await assertMatches(found.call, reply);
      const options = { tenant, reply, now: runtime.now(), wake: runtime.uuid() };
      if (!await this.#store.answer(found, options)) continue;
      this.wake(runId, n);
      return found.call;
    }
    throw new ApiError("already_decided", "this call does not wait any more");
  }

  /** The calls of a tenant that wait now, in all processes. */
  async waiting(tenant: string): Promise<WaitingCall[]> {
    return await Array.fromAsync(this.#store.waiting(tenant, this.#deps.runtime.now()));
  }
}

function keyOf({ runId, n }: Pick<CallName, "runId" | "n">): string {
  return `${runId}.${n}`;
}

function unknown(): ApiError {
  return new ApiError("not_found", "there is no such call that waits for this");
}

function assertMayReply({ waitsFor }: WaitingCall, by: Replier): void {
  if (waitsFor === "person" && by === "session") {
    throw new ApiError("insufficient_scope", "a person of the team decides about this call");
  }
  // A user of the dashboard is not the visitor.
  if (waitsFor !== "person" && by === "person") throw unknown();
}

/** Throws 400 for an output that does not match; the call still waits. */
async function assertMatches({ output: schema }: WaitingCall, reply: CallReply): Promise<void> {
  if (schema === undefined || !("output" in reply)) return;
  const compiled = await compileWhenNeeded(schema);
  const issue = "validate" in compiled ? compiled.validate(reply.output) : compiled.message;
  if (issue === undefined) return;
  const message = issue.replaceAll("the arguments", "the output");
  throw validationError([{ path: "output", code: "output_mismatch", message }]);
}
