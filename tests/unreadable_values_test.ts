/** A stored value that this release cannot decode affects no other record. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { expectJson } from "./support/expect_response.ts";
import { readFrames } from "./support/frames.ts";
import { TestService } from "./support/service.ts";
import { byKey } from "./support/widget_calls.ts";

/** A record in a format of a later release. */
const NEWER = new Uint8Array([0x92, 99, 1, 2, 3]);

async function start() {
  const raw = await Deno.openKv(":memory:");
  const service = await TestService.start({ kv: withValueEncoding(raw) });
  const key = await service.key(["agents:write"]);
  const [broken, whole] = [await service.agent(key), await service.agent(key)];
  const agentKey = keys.agent(await service.tenant(), broken.id);
  await raw.set(agentKey, NEWER);
  return { raw, service, key, broken, whole, agentKey };
}

Deno.test("an agent written by a newer release: its chats and reads fail with 500, and other agents keep working", async () => {
  const { raw, service, key, broken, whole, agentKey } = await start();
  await using _ = service;
  const failed = await byKey(service, { key, body: { agentId: broken.id } });
  assertEquals((await expectJson(failed, 500)).code, "internal_error");
  await expectJson(await service.fetch(`/v1/agents/${broken.id}`, { key }), 500);
  const lines = service.logged.filter((line) => line.includes("cannot be decoded"));
  assertStringIncludes(
    lines.join(),
    "stored record agents cannot be decoded: its format 99 was written by a newer release",
  );
  const both = [broken.id, whole.id].map((agentId) => byKey(service, { key, body: { agentId } }));
  const [still, answered] = await Promise.all(both);
  await expectJson(still!, 500);
  assertEquals((await readFrames(answered!)).at(-1)?.frame.type, "done");
  assertEquals((await raw.get(agentKey)).value, NEWER);
});
