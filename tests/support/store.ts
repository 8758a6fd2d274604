/** Every key of a store, each as text, for what a change must leave behind. */
export async function storedKeys(kv: Deno.Kv): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of kv.list({ prefix: [] })) found.push(key.join("/"));
  return found;
}

/** Everything in a store as one text, for what must never be stored. */
export async function storedText(kv: Deno.Kv): Promise<string> {
  const rows: string[] = [];
  for await (const { key, value } of kv.list({ prefix: [] })) {
    rows.push(JSON.stringify([key, value]));
  }
  return rows.join("\n");
}
