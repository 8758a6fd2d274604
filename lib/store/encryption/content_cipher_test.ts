import { assert, assertEquals, assertFalse, assertRejects } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import { NEW_ENCRYPTION_KEY, TEST_ENCRYPTION_KEY } from "@/tests/support/encryption_keys.ts";
import { Sealer } from "../../platform/crypto/sealing.ts";
import { systemRuntime } from "../../platform/runtime.ts";
import {
  ContentCipher,
  contentContexts,
  createContentSealer,
  openContentCipher,
  UnreadableContentError,
} from "./content_cipher.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const SAID = encode('{"type":"delta","text":"größer 世界"}\n');
const PLACE = contentContexts.logChunk("tenant", "run", 3);

function sealerOf(...keys: string[]): Sealer {
  return createContentSealer(keys, systemRuntime.randomBytes);
}

Deno.test("ContentCipher: a sealed value can be unsealed only in its context, and errors contain no content", async () => {
  const reported: { place: string; reason: string }[] = [];
  const content = contentCipher({ onUnreadable: (one) => reported.push(one) });
  const stored = content.sealSync(SAID, PLACE);
  assertEquals(await content.unseal(stored, PLACE), SAID);
  assertEquals(await content.unseal(await content.seal(SAID, PLACE), PLACE), SAID);
  const others = [
    contentContexts.logChunk("tenant", "run", 4),
    contentContexts.logChunk("tenant", "another", 3),
    contentContexts.logChunk("another", "run", 3),
    contentContexts.transcript("tenant", "run", 3),
    contentContexts.logTail("tenant", "run", 3),
  ];
  for (const other of others) {
    await assertRejects(() => content.unseal(stored, other), UnreadableContentError);
  }
  assertEquals(reported.length, others.length);
  assertEquals(reported[0]!.place, "run_chunks/tenant/run/4");
  assertFalse(JSON.stringify(reported).includes("größer"));
});

Deno.test("ContentCipher: content of releases without encryption is returned unchanged, wherever it was split", async () => {
  const content = contentCipher();
  for (let at = 0; at < SAID.length; at++) {
    assertEquals(await content.unseal(SAID.slice(at), PLACE), SAID.slice(at));
  }
  assertEquals(content.sealSync(new Uint8Array(), PLACE).length, 0);
  assertEquals(await content.unseal(new Uint8Array(), PLACE), new Uint8Array());
});

Deno.test("ContentCipher: reseals values that are plain or sealed with an older key", async () => {
  const [old, both] = [
    contentCipher(),
    contentCipher({ keys: [NEW_ENCRYPTION_KEY, TEST_ENCRYPTION_KEY] }),
  ];
  for (const stored of [SAID, old.sealSync(SAID, PLACE)]) {
    const next = await both.reseal(stored, PLACE);
    assert(next !== undefined);
    assertEquals(await contentCipher({ keys: [NEW_ENCRYPTION_KEY] }).unseal(next, PLACE), SAID);
    assertEquals(await both.reseal(next, PLACE), undefined);
  }
});

Deno.test("openContentCipher: processes that start together share one digest key, also with a new encryption key", async () => {
  using kv = await Deno.openKv(":memory:");
  const open = (...keys: string[]) =>
    openContentCipher(kv, { sealer: sealerOf(...keys), randomBytes: systemRuntime.randomBytes });
  const all = await Promise.all(Array.from({ length: 5 }, () => open(TEST_ENCRYPTION_KEY)));
  all.push(await open(NEW_ENCRYPTION_KEY, TEST_ENCRYPTION_KEY));
  const digests = new Set(all.map((one) => one.digest("text")));
  assertEquals(digests.size, 1);
  const other = new ContentCipher({
    sealer: sealerOf(TEST_ENCRYPTION_KEY),
    digestKey: new Uint8Array(32),
  });
  assertFalse(digests.has(other.digest("text")));
});
