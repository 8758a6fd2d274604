/** What processes share in production is a `denokv` server: `deno task test:denokv` has one. */
import { assertEquals } from "@std/assert";
import { openTestKv } from "./support/open_kv.ts";
import { cutAndCompare } from "./support/cut_streams.ts";
import { DenokvServer } from "./support/denokv_server.ts";
import { floodSession } from "./support/flood_session.ts";
import { DENOKV_BIN } from "./support/shared_store.ts";

const bin = DENOKV_BIN;

if (bin === undefined) {
  console.warn(
    "SKIPPED: the tests on a genuine denokv server, which are slow and need its program. Run them " +
      "before each release: deno task test:denokv",
  );
}

Deno.test({
  name: "denokv: a client cut at 200 places, coming back to any process, has what an uncut one has",
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
    name: `denokv: 200 messages at once through ${processes} processes are 50 answers, never a 503`,
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
