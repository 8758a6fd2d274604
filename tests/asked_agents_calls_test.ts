/** The calls of agents that are asked: their keys, and what a crash leaves of them. */
import { assertEquals } from "@std/assert";
import { askAgentTool } from "@/lib/agent/tools/ask_agent_tool.ts";
import {
  asks,
  askThenAnswer,
  BUDGET,
  outputs,
  startProviders,
  text,
  USAGE,
} from "./support/asked_agents.ts";
import { readFrames } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { refundAt, toolServer } from "./support/waiting_calls.ts";

Deno.test("agent tools: calls of the callee have keys below the question, and the id of the run", async () => {
  await using server = toolServer();
  await using mock = await MockProviders.start({
    otherwise: (request) => {
      if (request.protocol !== "anthropic") return askThenAnswer(request);
      const isAnswered = JSON.stringify(request.body).includes("tool_result");
      const calls = ["1", "2"].map((q) => ({ id: q, name: "refund", args: [`{"q":"${q}"}`] }));
      return isAnswered ? text("Refunded.") : { say: [{ calls }], usage: USAGE };
    },
  });
  await using on = await startProviders(mock, { env: { EGRESS_ALLOW: server.host } });
  const expert = await on.agent("vendor_b", {
    ...{ tools: [refundAt(server.host)], allowedDomains: [server.host] },
  });
  const caller = await on.agent("vendor_a", { tools: [asks(expert.id)], budget: BUDGET });
  const frames = await readFrames(await on.send(caller));
  const { id } = frames.find(({ frame }) => frame.type === "tool_call")!;
  const headers = (name: string) => server.requests.map((request) => request.headers.get(name));
  assertEquals(headers("idempotency-key"), [`${id}.1`, `${id}.3`]);
  const [runId] = id!.split(".");
  assertEquals(headers("x-run-id"), [runId!, runId!]);
});

Deno.test("agent tools: a question is stored before it is asked, as the callee may act", () => {
  const definition = asks("0192f3a1-7c1e-7b6f-9a54-3c2d1e0f9a8b") as Parameters<
    typeof askAgentTool
  >[0];
  const { hasEffects } = askAgentTool(definition, () => Promise.resolve({ answer: "" }));
  assertEquals(hasEffects, true);
});

Deno.test("agent tools: an agent with a single step left answers, and calls nothing that it could not report", async () => {
  await using server = toolServer();
  await using mock = await MockProviders.start({
    otherwise: (request) => {
      if (request.protocol !== "anthropic") return askThenAnswer(request);
      const call = { id: "1", name: "refund", args: ['{"q":"1"}'] };
      const isLast = request.body.tool_choice !== undefined;
      return isLast ? text("I cannot refund it now.") : { say: [{ calls: [call] }], usage: USAGE };
    },
  });
  await using on = await startProviders(mock, { env: { EGRESS_ALLOW: server.host } });
  const expert = await on.agent("vendor_b", {
    ...{ tools: [refundAt(server.host)], allowedDomains: [server.host] },
  });
  const budget = { ...BUDGET, maxSteps: 3 };
  const caller = await on.agent("vendor_a", { tools: [asks(expert.id)], budget });
  const frames = await readFrames(await on.send(caller));
  assertEquals(server.requests.length, 0);
  assertEquals(outputs(frames), [{ answer: "I cannot refund it now." }]);
});

Deno.test("agent tools: what the callee says before a call and after it are paragraphs of its answer", async () => {
  await using mock = await MockProviders.start({
    otherwise: (request) => {
      if (request.protocol !== "anthropic") return askThenAnswer(request);
      const isAnswered = JSON.stringify(request.body).includes("tool_result");
      const calls = [{ id: "1", name: "look_up", args: ["{}"] }];
      return isAnswered
        ? text("In Bern.")
        : { say: [{ text: "Let me look." }, { calls }], usage: USAGE };
    },
  });
  await using on = await startProviders(mock);
  const expert = await on.agent("vendor_b");
  const caller = await on.agent("vendor_a", { tools: [asks(expert.id)], budget: BUDGET });
  const frames = await readFrames(await on.send(caller));
  assertEquals(outputs(frames), [{ answer: "Let me look.\n\nIn Bern." }]);
});
