import { createHash } from "node:crypto";
import { canonicalJson } from "../../platform/canonical_json.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { ChatBody } from "../../schemas/chat.ts";
import type { Frame } from "../../schemas/frames.ts";
import type { SealStatement } from "../../schemas/run_seal.ts";

/** Separates signatures over statements from those over exports. */
const RUN_PURPOSE = "agent-chat run seal v1";

/** A message as its digest covers it: the files of its attachments are named by their ids. */
export interface SealedMessage {
  role: string;
  content: string;
  attachments?: readonly { id: string }[] | undefined;
}

/** The message of a run whose conversation is not stored. */
export function toSealedMessage({ messages }: Pick<ChatBody, "messages">): SealedMessage {
  const { role, content, attachments } = messages.at(-1)!;
  return { role, content, attachments: attachments?.map((id) => ({ id })) };
}

/** The text that a statement's signature is made of. */
export function statementText(statement: SealStatement): string {
  return `${RUN_PURPOSE}\n${canonicalJson(statement)}`;
}

/** The canonical JSON of a frame (RFC 8785). */
export function canonicalFrame(frame: Frame): string {
  // Most frames are text; the general way takes five times as long.
  if (frame.type === "delta") return `{"text":${JSON.stringify(frame.text)},"type":"delta"}`;
  return canonicalJson(frame);
}

export function questionDigest(
  { role, content, attachments = [] }: SealedMessage,
  nonce: Uint8Array,
): Uint8Array {
  const ids = attachments.map(({ id }) => id);
  const text = canonicalJson({ role, content, ...ids.length > 0 && { attachments: ids } });
  return createHash("sha256").update(nonce).update(text).digest();
}

/** The digest of an agent's version, from the agent as the API returns it. */
export function agentDigest(
  { id: _id, version: _version, createdAt: _created, updatedAt: _updated, ...body }: Agent,
): Uint8Array {
  return createHash("sha256").update(canonicalJson(body)).digest();
}
