import type { DocumentName } from "../keys/keys.ts";
import { type ConversationName, keys, type MemoryName } from "../keys/keys.ts";
import { documentRecordSchema } from "../knowledge/document_record.ts";
import { parseRecord } from "../values/record.ts";

/** Names of a tenant's records that no other list has, and the bytes of its documents. */
export class TenantRecords {
  readonly #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  /** The conversations with a hand-off, also those that are not stored. */
  async *handoffs(tenant: string): AsyncGenerator<ConversationName> {
    for await (const { key } of this.#kv.list({ prefix: keys.tenantHandoffs(tenant) })) {
      const [, , id, agentId, page] = key as [string, string, string, string, string];
      yield { tenant, id, agentId, page };
    }
  }

  async *attachments(tenant: string): AsyncGenerator<string> {
    for await (const { key } of this.#kv.list({ prefix: keys.tenantAttachments(tenant) })) {
      yield String(key[2]);
    }
  }

  async *memories(tenant: string): AsyncGenerator<MemoryName> {
    for await (const { key } of this.#kv.list({ prefix: keys.tenantVisitorMemories(tenant) })) {
      yield { tenant, visitor: String(key[2]), agentId: String(key[3]) };
    }
  }

  /** The uploaded file of a document, one chunk at a time; ends early if it is replaced meanwhile. */
  async *documentFile(of: DocumentName): AsyncGenerator<Uint8Array> {
    const record = parseRecord(documentRecordSchema, await this.#kv.get(keys.document(of)));
    for (let n = 0; n < (record?.source.parts ?? 0); n++) {
      const { value } = await this.#kv.get(keys.documentSourceChunk(of, record!.source.id, n));
      if (!(value instanceof Uint8Array)) return;
      yield value;
    }
  }
}
