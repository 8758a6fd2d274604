/** A whole service on an engine that takes fewer checks an atomic than the local file. */
import { assert, assertEquals } from "@std/assert";
import { fastSystem } from "./support/fast_system.ts";
import { readFrames } from "./support/frames.ts";
import { DENOKV, limitedKv } from "./support/limited_kv.ts";
import { TestService } from "./support/service.ts";

const SHOP = "https://shop.example";
const LIMITS = { ipRequests: 1e6, ipMessages: 1e6, keyRequests: 1e6, streams: 500 };

Deno.test("on denokv's limits, 200 messages at once through two processes are 50 answers and 150 429s, never a 503", async () => {
  using store = await Deno.openKv(":memory:");
  const limited = limitedKv(store, DENOKV);
  const { system } = fastSystem();
  const open = () => TestService.start({ system, kv: limited.kv, keepKv: true, limits: LIMITS });
  await using first = await open();
  await using second = await open();
  const key = await first.key();
  const agent = await first.agent(key, { allowedOrigins: [SHOP] });
  const token = await first.mint(key, agent.id, SHOP);
  const send = (service: TestService) =>
    service.fetch("/v1/chat/stream", {
      method: "POST",
      json: {
        agentId: agent.id,
        sessionToken: token,
        messages: [{ role: "user", content: "Hello" }],
      },
      headers: { "x-service-session": token, origin: SHOP },
    });
  const outcomes = await Promise.all(Array.from({ length: 200 }, async (_, n) => {
    const response = await send(n % 2 === 0 ? first : second);
    if (response.status !== 200) return `${response.status} ${(await response.json()).code}`;
    return (await readFrames(response)).at(-1)!.frame.type;
  }));
  const counts = Object.fromEntries(
    [...Map.groupBy(outcomes, String)].map(([outcome, all]) => [outcome, all.length]),
  );
  assertEquals(counts, { done: 50, "429 rate_limit_exceeded": 150 });
  assert(limited.sent.some((checks) => checks > DENOKV.checks), "no batch was too large");
  // Each process learns the limit from the batches it had under way, and stays within it.
  assert(limited.refused <= 16, `${limited.refused} refusals`);
});
