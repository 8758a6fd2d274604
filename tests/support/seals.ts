import { assert, assertEquals } from "@std/assert";
import { Sealer } from "@/lib/platform/crypto/sealing.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import type { Agent } from "@/lib/schemas/agent.ts";
import type { Frame } from "@/lib/schemas/frames.ts";
import type { RunSeal } from "@/lib/schemas/run_seal.ts";
import { openSigningKeys, SIGNING_PURPOSE } from "@/lib/store/signing/signing_keys.ts";

const encoder = new TextEncoder();

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}

function textOf(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Canonical JSON by the rules of RFC 8785, written independently of the service. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const sorted = fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`;
}

async function hash(...parts: (Uint8Array | string)[]): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = parts.flatMap((part) => [
    ...(typeof part === "string" ? encoder.encode(part) : part),
  ]);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
}

/** Verifies a seal as its documentation describes, with nothing of the service's code. */
export function sealOf(seal: RunSeal, key: { x: string; kid: string }) {
  const nonce = bytesOf(seal.nonce);
  return {
    async requireProof({ frames, question }: {
      frames: readonly Frame[];
      question: { role: string; content: string };
    }): Promise<void> {
      const { statement } = seal;
      assertEquals(seal.keyId, key.kid);
      const jwk = { kty: "OKP", crv: "Ed25519", x: key.x };
      assertEquals(textOf(await hash(canonical(jwk))), key.kid);
      const publicKey = await crypto.subtle.importKey("jwk", jwk, "Ed25519", false, ["verify"]);
      const signed = encoder.encode(`agent-chat run seal v1\n${canonical(statement)}`);
      assert(await crypto.subtle.verify("Ed25519", publicKey, bytesOf(seal.signature), signed));
      assertEquals(statement.question, textOf(await hash(nonce, canonical(question))));
      let head: Uint8Array = nonce;
      for (const frame of frames) head = await hash(head, canonical(frame));
      assertEquals([statement.frames, statement.head], [frames.length, textOf(head)]);
    },
    async requireAgent(agent: Agent): Promise<void> {
      const { id: _id, version: _v, createdAt: _c, updatedAt: _u, ...body } = agent;
      assertEquals(seal.statement.agentDigest, textOf(await hash(canonical(body))));
    },
  };
}

/** Signs an export again after a change, as someone who has the store and its encryption key could. */
export async function resign(
  bytes: Uint8Array,
  { kv, encryptionKey }: { kv: Deno.Kv; encryptionKey: string },
): Promise<Uint8Array> {
  const { now, randomBytes } = systemRuntime;
  const sealer = new Sealer([encryptionKey], { purpose: SIGNING_PURPOSE, randomBytes });
  const { signer, published } = await openSigningKeys(kv, { sealer, now, randomBytes });
  const lines = new TextDecoder().decode(bytes).trimEnd().split("\n").slice(0, -1);
  const before = lines.map((line) => `${line}\n`).join("");
  const digest = textOf(await hash(before));
  const end = { type: "end", lines: lines.length, digest, keys: published, keyId: signer.jwk.kid };
  const signature = textOf(signer.sign(`agent-chat export v1\n${canonical(end)}`));
  return encoder.encode(`${before}${JSON.stringify({ ...end, signature })}\n`);
}
