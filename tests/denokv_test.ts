/** Tests on a real `denokv` server, which production processes share: `deno task test:denokv`. */
import { assertEquals } from "@std/assert";
import { openTestKv } from "./support/open_kv.ts";
import { cutAndCompare } from "./support/cut_streams.ts";
import { DenokvServer } from "./support/denokv_server.ts";
import { floodSession } from "./support/flood_session.ts";
import { DENOKV_BIN } from "./support/shared_store.ts";

const bin = DENOKV_BIN;

if (bin === undefined) {
  console.warn(
    "SKIPPED: tests on a real denokv server (slow, needs the denokv binary). Run them before each " +
      "release: deno task test:denokv",
  );
}

Deno.test({
  name:
    "denokv: a client disconnected at 200 points, reconnecting to any process, receives the same frames",
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
      `denokv: 200 concurrent messages through ${processes} processes give 50 answers and no 503`,
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
