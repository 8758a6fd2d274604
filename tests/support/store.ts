/** Every key of a store, each as text, for what a change must leave behind; of changes the log stays. */
export async function storedKeys(kv: Deno.Kv): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of kv.list({ prefix: [] })) found.push(key.join("/"));
  return found.filter((key) => !key.startsWith("audit_entries"));
}

/** Everything in a store as one text, for what must never be stored. */
export async function storedText(kv: Deno.Kv): Promise<string> {
  const rows: string[] = [];
  for await (const { key, value } of kv.list({ prefix: [] })) {
    rows.push(JSON.stringify([key, value], bytesAsText));
  }
  return rows.join("\n");
}

/** One letter a byte: as JSON an array of bytes would hide any word in it. */
function bytesAsText(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : value;
}
