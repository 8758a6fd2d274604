/** What processes share in production is a `denokv` server: `DENOKV_BIN` names its program. */
import { cutAndCompare } from "./support/cut_streams.ts";
import { DenokvServer } from "./support/denokv_server.ts";

const bin = Deno.env.get("DENOKV_BIN");

Deno.test({
  name:
    "DENOKV_BIN: a client cut at 200 places, coming back to any process, has what an uncut one has",
  ignore: bin === undefined,
  async fn() {
    await using server = await DenokvServer.start(bin!);
    using first = await Deno.openKv(server.url);
    using second = await Deno.openKv(server.url);
    await cutAndCompare(3, [first, second]);
  },
});
