import { sha256 } from "@/lib/platform/crypto/signer.ts";
import { authenticateChat, checkSessionOrigin, checkTokens } from "@/lib/http/authenticate_chat.ts";
import { chatIdempotency } from "@/lib/http/idempotency_key.ts";
import { RateLimiter } from "@/lib/http/rate_limiter.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import type { RunEnd } from "@/lib/store/runs/run_record.ts";
import type { ChatEnvironment, Chatter } from "./chat_environment.ts";

const END: RunEnd = {
  provider: "vendor_a",
  model: "priced",
  steps: 1,
  toolCalls: 0,
  inputTokens: 120,
  outputTokens: 40,
  finishReason: "stop",
};
const COST = { cost: 320, ceiling: 50_000 };

/**
 * Admits and settles one message with the calls of `routes/v1/chat/stream.ts`, except parsing the body,
 * the model's answer and the stream.
 */
export async function chatOnce(environment: ChatEnvironment, { address, headers, body }: Chatter) {
  const { service, agents, prepare } = environment;
  const runId = systemRuntime.uuid();
  const limiter = new RateLimiter(environment.rateLimiterDeps, address);
  await limiter.admitRequest();
  const req = new Request("http://127.0.0.1/v1/chat/stream", { method: "POST", headers });
  const hashedAddress = await limiter.hashedAddress();
  const admitted = await limiter.transact(async (reads) => {
    const { agentId } = body;
    const now = systemRuntime.now();
    const hints = { address: hashedAddress, agentId, protocol: "native" as const, now };
    const state = {
      ...{ service, clientAddress: address, rateLimiter: limiter },
    };
    const caller = await authenticateChat(req, state, { view: reads, hints });
    checkTokens(caller, body);
    const idempotency = await chatIdempotency(req, {
      caller,
      body,
      keyed: environment.keyedDigest,
    });
    const { kind, id, tenant } = caller;
    const agent = await agents.get(tenant, body.agentId, reads);
    if (agent === undefined) throw new Error("the agent does not exist");
    if (kind === "session") checkSessionOrigin(req, caller.session, agent);
    const request = { tenant, agent, body, runId, requestId: runId, source: { kind, id } };
    const prepared = await prepare(request, reads);
    return await limiter.admitRun(reads, {
      run: prepared.facts,
      hold: prepared.hold,
      minHold: prepared.minFirstStepCost,
      idempotency,
      sessionHash: kind === "session" ? await sha256(caller.sessionToken) : undefined,
    });
  });
  if (admitted.kind !== "admitted") throw new Error(`not admitted: ${admitted.kind}`);
  const { charged } = await environment.rateLimiterDeps.admission.settle(runId, {
    end: END,
    ...COST,
  });
  if (charged !== COST.cost) throw new Error(`charged ${charged} instead of ${COST.cost}`);
}
