/** Which agents may ask which: checked when they are saved, and again in each run. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  asks,
  BUDGET,
  callExpert,
  outputs,
  patchAgent,
  startProviders,
  text,
} from "./support/asked_agents.ts";
import { expectInvalid, expectJson } from "./support/expect_response.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { agentBody } from "./support/service.ts";

Deno.test("agent tools: no agent that does not exist, is another tenant's, or leads back", async () => {
  await using mock = await MockProviders.start();
  await using on = await startProviders(mock);
  const { id: elsewhere } = await on.service.service.tenants.create("Elsewhere");
  const foreignKey = await on.service.key(["agents:write"], elsewhere);
  const foreign = await on.service.agent(foreignKey, {
    modelPolicy: { provider: "vendor_a", model: "demo" },
  });
  const [a, b, c] = [
    await on.agent("vendor_a"),
    await on.agent("vendor_a"),
    await on.agent("vendor_a"),
  ];
  const path = ["tools.0.agentId"];
  const save = (agent: { id: string }, asked: string) =>
    patchAgent(on, agent.id, { tools: [asks(asked)] });
  await expectInvalid(await save(a, foreign.id), path);
  await expectInvalid(await save(a, crypto.randomUUID()), path);
  await expectInvalid(await save(a, a.id), path);
  await expectJson(await save(a, b.id), 200);
  await expectInvalid(await save(b, a.id), path);
  await expectJson(await save(b, c.id), 200);
  await expectInvalid(await save(c, a.id), path);
  // a, b, c are two below the first; a fourth would be three.
  const post = { method: "POST", key: on.key, json: { ...agentBody(), tools: [asks(a.id)] } };
  await expectInvalid(await on.service.fetch("/v1/agents", post), path);
  // What was valid when it was saved does not block other changes.
  await on.service.fetch(`/v1/agents/${c.id}`, { method: "DELETE", key: on.key });
  await expectJson(await patchAgent(on, b.id, { name: "New" }), 200);
});

Deno.test("agent tools: two agents that were saved at once to ask each other end the circle in a run", async () => {
  await using mock = await MockProviders.start({
    otherwise: ({ body }) =>
      JSON.stringify(body).includes("tool_call_id") ? text("Done.") : callExpert(),
  });
  await using on = await startProviders(mock);
  const [a, b] = [await on.agent("vendor_a", { budget: BUDGET }), await on.agent("vendor_a")];
  const store = on.service.service.agents;
  const tenant = await on.service.tenant();
  // Both checks pass before either is stored.
  const find = store.find.bind(store);
  await Promise.all([
    store.patch(tenant, a.id, { patch: { tools: [asks(b.id)] } }),
    store.patch(tenant, b.id, { patch: { tools: [asks(a.id)] } }),
  ]);
  assertEquals(
    (await find(tenant, a.id))!.tools.length + (await find(tenant, b.id))!.tools.length,
    2,
  );
  const frames = await readFrames(await on.send(a));
  assertEquals(outputs(frames), [{ answer: "Done." }]);
  assertStringIncludes(JSON.stringify(mock.requests.map(({ body }) => body)), "waiting for this");
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
});

Deno.test("agent tools: the third agent in a row gets no agents to ask", async () => {
  await using mock = await MockProviders.start({
    otherwise: ({ body }) =>
      body.tools === undefined || JSON.stringify(body).includes("tool_call_id")
        ? text("Done.")
        : callExpert(),
  });
  await using on = await startProviders(mock);
  const create = () => on.agent("vendor_a", { budget: BUDGET });
  const [a, b, c, d] = [await create(), await create(), await create(), await create()];
  for (const [from, to] of [[a, b], [b, c], [c, d]] as const) {
    await expectJson(await patchAgent(on, from.id, { tools: [asks(to.id)] }), 200);
  }
  const frames = await readFrames(await on.send(a));
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  const [record] = await on.records();
  assertEquals(record!.asked?.map(({ agentId }) => agentId), [c.id, b.id]);
  assertEquals(mock.requests.filter(({ body }) => body.tools === undefined).length, 1);
});
