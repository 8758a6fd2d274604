import { sha256 } from "@/lib/platform/crypto/signer.ts";
import { authenticateChat, checkSessionOrigin, checkTokens } from "@/lib/http/authenticate_chat.ts";
import { chatIdempotency } from "@/lib/http/idempotency_key.ts";
import { RateLimiter } from "@/lib/http/rate_limiter.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import type { RunEnd } from "@/lib/store/runs/run_record.ts";
import type { Chatter, ChatWorld } from "./chat_world.ts";

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
export async function chatOnce(world: ChatWorld, { address, headers, body }: Chatter) {
  const { service, agents, prepare } = world;
  const runId = systemRuntime.uuid();
  const meter = new RateLimiter(world.meter, address);
  await meter.admitRequest();
  const req = new Request("http://127.0.0.1/v1/chat/stream", { method: "POST", headers });
  const stored = await meter.hashedAddress();
  const admitted = await meter.transact(async (view) => {
    const hints = { address: stored, agentId: body.agentId, now: systemRuntime.now() };
    const caller = await authenticateChat(req, { service, rateLimiter: meter }, { view, hints });
    checkTokens(caller, body);
    const receipt = await chatIdempotency(req, { caller, body, keyed: world.keyedDigest });
    const { kind, id, tenant } = caller;
    const agent = await agents.get(tenant, body.agentId, view);
    if (agent === undefined) throw new Error("the agent has gone");
    if (kind === "session") checkSessionOrigin(req, caller.session, agent);
    const request = { tenant, agent, body, runId, requestId: runId, source: { kind, id } };
    const prepared = await prepare(request, view);
    return await meter.admitRun(view, {
      run: prepared.facts,
      hold: prepared.hold,
      minHold: prepared.minFirstStepCost,
      idempotency: receipt,
      sessionHash: kind === "session" ? await sha256(caller.sessionToken) : undefined,
    });
  });
  if (admitted.kind !== "admitted") throw new Error(`not let in: ${admitted.kind}`);
  const { charged } = await world.meter.admission.settle(runId, { end: END, ...COST });
  if (charged !== COST.cost) throw new Error(`charged ${charged} instead of ${COST.cost}`);
}
