import { z } from "zod";
import type { KeyedResource, ResourceKind } from "../../schemas/configuration.ts";
import { RESOURCE_KINDS } from "../../schemas/configuration.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";

const boundSchema = z.object({ v: z.literal(1), id: z.uuid() });
const reverseSchema = z.object({ v: z.literal(1), key: z.string() });

/** Names one resource by its key. */
export interface ResourceName {
  tenant: string;
  kind: ResourceKind;
  key: string;
}

/** What a key names, as read: `id` is `undefined` for an unused key. */
export interface BoundKey extends ResourceName {
  entry: Deno.KvEntryMaybe<unknown>;
  id: string | undefined;
}

/** The keys by which files name resources. A key may outlive its resource, and is then used again. */
export class ResourceKeyStore {
  readonly #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  async find(name: ResourceName): Promise<BoundKey> {
    const entry = await this.#kv.get(keys.resourceKey(name.tenant, name.kind, name.key));
    return { ...name, entry, id: parseRecord(boundSchema, entry)?.id };
  }

  async keyOf(
    { tenant, kind, id }: { tenant: string; kind: ResourceKind; id: string },
  ): Promise<string | undefined> {
    const entry = await this.#kv.get(keys.resourceKeyById(tenant, kind, id));
    return parseRecord(reverseSchema, entry)?.key;
  }

  /** Adds to `step` that the key names `id`; the step then fails if the key or the id has changed. */
  bind(step: Deno.AtomicOperation, { tenant, kind, key, entry, id: before }: BoundKey, id: string) {
    const reverse = keys.resourceKeyById(tenant, kind, id);
    step.check(entry, { key: reverse, versionstamp: null })
      .set(entry.key, { v: 1, id })
      .set(reverse, { v: 1, key });
    if (before !== undefined) step.delete(keys.resourceKeyById(tenant, kind, before));
  }

  /** False if the key or the id was bound in between. */
  async bindNow(bound: BoundKey, id: string): Promise<boolean> {
    const step = this.#kv.atomic();
    this.bind(step, bound, id);
    return (await step.commit()).ok;
  }

  /** Frees a key; not if it names something else by now. */
  async unbind({ tenant, kind, entry, id }: BoundKey): Promise<void> {
    const step = this.#kv.atomic().check(entry).delete(entry.key);
    if (id !== undefined) step.delete(keys.resourceKeyById(tenant, kind, id));
    await step.commit();
  }

  /** By kind and key. `cursor` is the kind and key of the last one before. */
  async list(
    tenant: string,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<{ data: KeyedResource[]; nextCursor?: string }> {
    const prefix = keys.resourceKeys(tenant);
    const [kind = "", key = ""] = cursor?.split("/") ?? [];
    const selector = cursor === undefined
      ? { prefix }
      : { prefix, start: [...prefix, kind, key, ""] };
    const data: KeyedResource[] = [];
    for await (const entry of this.#kv.list(selector, { batchSize: Math.min(limit + 1, 100) })) {
      const last = data.at(-1);
      if (last !== undefined && data.length === limit) {
        return { data, nextCursor: `${last.kind}/${last.key}` };
      }
      const [, , entryKind, entryKey] = entry.key;
      const known = RESOURCE_KINDS.find((one) => one === entryKind);
      if (known === undefined) continue;
      data.push({ kind: known, key: String(entryKey), id: parseRecord(boundSchema, entry)!.id });
    }
    return { data };
  }
}
