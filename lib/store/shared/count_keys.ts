/** The number of entries under a prefix. */
export async function countKeys(kv: Deno.Kv, prefix: Deno.KvKey): Promise<number> {
  let count = 0;
  for await (const _entry of kv.list({ prefix }, { batchSize: 500 })) count++;
  return count;
}
