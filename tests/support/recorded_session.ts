import { setImmediate } from "node:timers";
import { FakeTime } from "@std/testing/time";
import { sseResponse } from "@/lib/http/sse_response.ts";
import { DemoModel } from "@/lib/providers/demo_model.ts";
import { EXAMPLES } from "@/lib/openapi/examples.ts";
import { chatRequest, openChat } from "./chat.ts";
import { FakeRuntime } from "./fake_runtime.ts";
import { openTestKv } from "./open_kv.ts";

/** File of the session that the protocol documentation shows and tests replay. */
export const SESSION_FILE = new URL("../fixtures/session.sse", import.meta.url);

/** Steps of both clocks, milliseconds: a divisor of the demo model's pause and of the delta interval. */
const STEP_MS = 6;

/** One run of the demo model that calls a tool, byte for byte as the service streams it. */
export async function recordSession(): Promise<string> {
  using kv = await openTestKv();
  const runtime = new FakeRuntime();
  const shipped = new TextEncoder().encode(`{"status":"shipped"}`);
  const answer = { status: 200, headers: { "content-type": "application/json" }, body: shipped };
  const egress = { fetch: () => Promise.resolve({ ...answer, truncated: false }) };
  const model = new DemoModel(runtime);
  const world = await openChat(kv, { demo: model }, { runtime, egress: egress as never });
  const request = chatRequest("demo");
  const { tools, allowedDomains } = EXAMPLES.agent;
  const content = `use find_order with {"number":"A-1042"}`;
  using time = new FakeTime();
  const run = await world.begin({
    ...request,
    runId: EXAMPLES.runId,
    agent: { ...request.agent, tools, allowedDomains },
    body: {
      agentId: request.agent.id,
      messages: [{ role: "user", content }],
      requestId: "checkout-42",
      conversationId: EXAMPLES.conversationId,
    },
  });
  while (!run.log.closed) {
    await runtime.advance(STEP_MS);
    time.tick(STEP_MS);
    await new Promise((turn) => setImmediate(turn));
  }
  return await sseResponse(run, { runtime }).text();
}

// Records it again: `deno run -A tests/support/recorded_session.ts`.
if (import.meta.main) await Deno.writeTextFile(SESSION_FILE, await recordSession());
