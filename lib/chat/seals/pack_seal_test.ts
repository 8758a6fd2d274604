import { assertEquals, assertThrows } from "@std/assert";
import { CorruptRecordError } from "../../store/values/record.ts";
import { packSeal, type SealParts, unpackSeal } from "./pack_seal.ts";

const bytes = (length: number, first: number) =>
  Uint8Array.from({ length }, (_, n) => (n + first) % 256);

const SEAL: SealParts = {
  nonce: bytes(16, 1),
  key: 3,
  signature: bytes(64, 2),
  frames: 70_000,
  head: bytes(32, 3),
};

Deno.test("packSeal: every combination of optional parts is read as it was written", () => {
  const options: Partial<SealParts>[] = [
    {},
    { question: bytes(32, 4) },
    { agentDigest: bytes(32, 5) },
    { question: bytes(32, 4), agentDigest: bytes(32, 5), ends: [{ type: "delta", text: "é" }] },
  ];
  for (const option of options) {
    const { ends, question, agentDigest, ...rest } = unpackSeal(packSeal({ ...SEAL, ...option }));
    assertEquals(rest, SEAL);
    assertEquals([ends, question, agentDigest], [
      option.ends,
      option.question,
      option.agentDigest,
    ]);
  }
  assertEquals(packSeal({ ...SEAL, ...options[3]!, ends: undefined }).length, 184);
});

Deno.test("unpackSeal: bytes of another version and cut bytes are corrupt", () => {
  const packed = packSeal({ ...SEAL, question: bytes(32, 4) });
  for (const wrong of [packed.with(0, 2), packed.subarray(0, -1), packed.subarray(0, 4)]) {
    assertThrows(() => unpackSeal(wrong), CorruptRecordError);
  }
});
