/** A whole service whose three slots are mock providers: what callers and operators see. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { PROVIDER_IDS } from "@/lib/schemas/provider_id.ts";
import { frameTypes, onlyFrame, startFrame } from "./support/frame_types.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { ProviderService } from "./support/provider_service.ts";
import { KEYS } from "./support/provider_connections.ts";

async function startOn(mock: MockProviders) {
  const on = await ProviderService.start(mock);
  return { service: on.service, ask: (...slots: [string, string?]) => on.ask(...slots) };
}

for (const provider of PROVIDER_IDS) {
  Deno.test(`POST /v1/chat/stream answers from ${provider} and charges the usage it reports`, async () => {
    await using mock = await MockProviders.start();
    const { service, ask } = await startOn(mock);
    await using _ = service;
    const frames = await readFrames(await ask(provider));
    assertEquals(frameTypes(frames), ["start", "delta", "usage", "done"]);
    assertEquals([startFrame(frames).provider, startFrame(frames).model], [provider, "mid"]);
    assertEquals(textOf(frames), "Hello there.");
    const { inputTokens, outputTokens, costUsd } = onlyFrame(frames, "usage");
    // 25 tokens at 3 USD a million, 15 at 15.
    assertEquals([inputTokens, outputTokens, costUsd], [25, 15, 0.0003]);
  });

  Deno.test(`POST /v1/chat/stream: ${provider} answering 401 is an error envelope, and the provider's text is only logged`, async () => {
    await using mock = await MockProviders.start();
    const { service, ask } = await startOn(mock);
    await using _ = service;
    const secrets = Object.values(KEYS);
    mock.next({ status: 401, body: `no such key: ${secrets.join(" ")} <provider text>` });
    const answer = await ask(provider);
    assertEquals(answer.status, 502);
    const text = await answer.text();
    assertEquals(JSON.parse(text).code, "provider_error");
    assert(!text.includes("provider text"));
    const logged = service.logged.join("");
    assertStringIncludes(logged, "<provider text>");
    for (const secret of secrets) assert(!logged.includes(secret));
  });

  Deno.test(`POST /v1/chat/stream: ${provider} disconnecting ends the run in error, with usage charged`, async () => {
    await using mock = await MockProviders.start();
    const { service, ask } = await startOn(mock);
    await using _ = service;
    mock.next({ say: [{ text: "Half" }], end: "none", finish: "close" });
    const frames = await readFrames(await ask(provider));
    assertEquals(frameTypes(frames), ["start", "delta", "usage", "error", "done"]);
    assertEquals(onlyFrame(frames, "error").code, "provider_error");
    assert(onlyFrame(frames, "usage").costUsd > 0);
  });
}

Deno.test("POST /v1/chat/stream: a fallback with another protocol answers if the provider is unavailable", async () => {
  await using mock = await MockProviders.start();
  const { service, ask } = await startOn(mock);
  await using _ = service;
  mock.next({ status: 403 }, { say: [{ text: "I am the other." }] });
  const frames = await readFrames(await ask("vendor_a", "vendor_b"));
  assertEquals([startFrame(frames).provider, textOf(frames)], ["vendor_b", "I am the other."]);
});

Deno.test("closing the service closes its connections to providers", async () => {
  await using mock = await MockProviders.start();
  const { service, ask } = await startOn(mock);
  await readFrames(await ask("vendor_a"));
  await service[Symbol.asyncDispose]();
  await mock.requests[0]!.gone;
});

Deno.test("tests/support/mock_providers/serve.ts prints its port, and its models describe their answers", async () => {
  const script = new URL("./support/mock_providers/serve.ts", import.meta.url).pathname;
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script],
    stdout: "piped",
  });
  await using process = command.spawn();
  const reader = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const port = Number((await reader.read()).value);
  const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "mock-3-1" }),
  });
  assertEquals((await answer.text()).match(/word\d/g), ["word0", "word1", "word2"]);
  process.kill();
  await reader.cancel();
});
