/** A `denokv` server that stops responding; `DENOKV_BIN` is the path of its binary. */
import { assert, assertEquals } from "@std/assert";
import { openTestKv } from "./support/open_kv.ts";
import { DenokvServer } from "./support/denokv_server.ts";
import { TestService } from "./support/service.ts";

const bin = Deno.env.get("DENOKV_BIN");
const LIMIT_MS = 5_000;

Deno.test({
  name:
    "DENOKV_BIN: if the server accepts requests but answers none, every route responds within 5 s, with 503 where it needs the store",
  ignore: bin === undefined,
  async fn() {
    await using server = await DenokvServer.start(bin!);
    const kv = await openTestKv(server.url);
    await using service = await TestService.start({ kv, storeTimeoutMs: 5_000 });
    const key = await service.key(["agents:write", "widget:mint"]);
    const { id } = await service.agent(key);
    const messages = [{ role: "user", content: "Hello" }];
    server.signal("SIGSTOP");
    try {
      const requests: [string, Parameters<TestService["fetch"]>[1], number][] = [
        ["/healthz", {}, 200],
        ["/readyz", {}, 503],
        ["/v1/agents", { key }, 503],
        ["/v1/agents", { key, method: "POST", json: { name: "x" } }, 503],
        ["/v1/chat/stream", { key, method: "POST", json: { agentId: id, messages } }, 503],
        ["/agents", { headers: { cookie: "dashboard=x" } }, 503],
        ["/demo", {}, 503],
      ];
      await Promise.all(requests.map(async ([path, init, status]) => {
        const startedAt = performance.now();
        const answer = await service.fetch(path, init);
        await answer.body?.cancel();
        const took = performance.now() - startedAt;
        assertEquals(answer.status, status, path);
        assert(took < LIMIT_MS, `${path} took ${Math.round(took)} ms`);
      }));
    } finally {
      server.signal("SIGCONT");
    }
    assertEquals((await service.fetch("/v1/agents", { key })).status, 200);
  },
});
