/** What processes share in production is a `denokv` server: `DENOKV_BIN` names its program. */
import { assertEquals } from "@std/assert";
import { openTestKv } from "./support/open_kv.ts";
import { cutAndCompare } from "./support/cut_streams.ts";
import { DenokvServer } from "./support/denokv_server.ts";
import { floodSession } from "./support/flood_session.ts";

const bin = Deno.env.get("DENOKV_BIN");

Deno.test({
  name:
    "DENOKV_BIN: a client cut at 200 places, coming back to any process, has what an uncut one has",
  ignore: bin === undefined,
  async fn() {
    await using server = await DenokvServer.start(bin!);
    using first = await openTestKv(server.url);
    using second = await openTestKv(server.url);
    await cutAndCompare(3, [first, second]);
  },
});

for (const processes of [1, 2, 3]) {
  Deno.test({
    name:
      `DENOKV_BIN: 200 messages at once through ${processes} processes are 50 answers, never a 503`,
    ignore: bin === undefined,
    async fn() {
      await using server = await DenokvServer.start(bin!);
      using handles = new DisposableStack();
      const stores: Deno.Kv[] = [];
      for (let n = 0; n < processes; n++) stores.push(handles.use(await openTestKv(server.url)));
      const outcomes = await floodSession(200, stores);
      assertEquals(outcomes, { done: 50, "429 rate_limit_exceeded": 150 });
    },
  });
}
