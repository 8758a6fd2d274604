/** Overrides of an agent's settings in one request, over real sockets: CONTRACT section 4. */
import { assertEquals } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import { catalogueEntry } from "./support/chat.ts";
import { expectInvalid } from "./support/expect_response.ts";
import { startFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { MockProviders, type MockRequest } from "./support/mock_providers/mock_providers.ts";
import { ProviderService } from "./support/provider_service.ts";
import { onPage, ORIGIN } from "./support/widget_calls.ts";

const OVERRIDES = { provider: "vendor_b", model: "small", temperature: 0.5, maxOutputTokens: 77 };

/** A service with an expensive and a cheap model, and an agent whose model is priced between them. */
async function startOverrides(visitorOverrides?: string) {
  const mock = await MockProviders.start();
  const expensive = catalogueEntry({ model: "dear", outputUsdPerMTok: 75 });
  const small = catalogueEntry({ vendor: "vendor_b", model: "small", outputUsdPerMTok: 5 });
  const on = await ProviderService.start(mock, { catalogue: [catalogueEntry(), expensive, small] });
  if (visitorOverrides !== undefined) {
    const plan = { v: 1, models: "all", limits: {}, visitorOverrides };
    await on.kv.set(keys.plan(await on.service.tenant()), plan);
  }
  const agent = await on.agent("vendor_a", {
    modelPolicy: { provider: "vendor_a", model: "mid", maxOutputTokens: 500 },
    allowedOrigins: [ORIGIN],
  });
  const sessionToken = await on.service.mint(on.key, agent.id, ORIGIN);
  const visit = (body: Record<string, unknown>) =>
    onPage(on.service, { agent, sessionToken, body });
  const dispose = async () => {
    await on[Symbol.asyncDispose]();
    await mock[Symbol.asyncDispose]();
  };
  return { mock, on, agent, visit, [Symbol.asyncDispose]: dispose };
}

function outputOf({ body }: MockRequest): number {
  return body.max_completion_tokens ?? body.max_tokens;
}

Deno.test("overrides: a key's and a visitor's overrides reach the named provider", async () => {
  await using fixture = await startOverrides();
  const { mock, on, agent, visit } = fixture;
  for (const answer of [await on.send(agent, OVERRIDES), await visit(OVERRIDES)]) {
    const { provider, model } = startFrame(await readFrames(answer));
    assertEquals([provider, model], ["vendor_b", "small"]);
    const { protocol, body } = mock.requests.at(-1)!;
    assertEquals([protocol, body.model], ["anthropic", "small"]);
    assertEquals([body.temperature, body.max_tokens], [0.5, 77]);
  }
});

Deno.test("overrides: a key may choose a more expensive model and more output, a visitor neither", async () => {
  await using fixture = await startOverrides();
  const { mock, on, agent, visit } = fixture;
  const more = { model: "dear", maxOutputTokens: 4_000 };
  await readFrames(await on.send(agent, more));
  assertEquals(outputOf(mock.requests[0]!), 4_000);
  await expectInvalid(await visit(more), ["model"]);
  await readFrames(await visit({ maxOutputTokens: 4_000 }));
  const request = mock.requests.at(-1)!;
  assertEquals([request.model, outputOf(request)], ["mid", 500]);
  assertEquals(mock.requests.length, 2);
});

Deno.test("overrides: visitorOverrides none rejects each with 400, all allows more expensive models", async () => {
  {
    await using fixture = await startOverrides("none");
    await expectInvalid(await fixture.visit(OVERRIDES), Object.keys(OVERRIDES));
    assertEquals(fixture.mock.requests, []);
    const frames = await readFrames(await fixture.visit({}));
    assertEquals(startFrame(frames).model, "mid");
    const byKey = await readFrames(await fixture.on.send(fixture.agent, OVERRIDES));
    assertEquals(startFrame(byKey).model, "small");
  }
  await using fixture = await startOverrides("all");
  const frames = await readFrames(await fixture.visit({ model: "dear" }));
  assertEquals(startFrame(frames).model, "dear");
  await expectInvalid(await fixture.visit({ model: "unpriced" }), ["model"]);
});
