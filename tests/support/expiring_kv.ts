interface Written {
  key: Deno.KvKey;
  expireIn: number | undefined;
}

/** A store whose entries expire by the test's clock. */
export function expiringKv(kv: Deno.Kv, now: () => number) {
  const ends = new Map<string, { key: Deno.KvKey; end: number }>();
  const note = ({ key, expireIn }: Written) => {
    ends.set(JSON.stringify(key), { key, end: now() + (expireIn ?? Infinity) });
  };
  const atomic = () => {
    const operation = kv.atomic();
    const { set, commit } = operation;
    const written: Written[] = [];
    return Object.assign(operation, {
      set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }) {
        written.push({ key, expireIn: options?.expireIn });
        return set.call(operation, key, value);
      },
      async commit() {
        const result = await commit.call(operation);
        if (result.ok) written.forEach(note);
        return result;
      },
    });
  };
  const expiring = new Proxy(kv, {
    get(target, name) {
      if (name === "atomic") return atomic;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  /** Deletes expired entries. */
  const expire = async () => {
    for (const [text, { key, end }] of ends) {
      if (end > now()) continue;
      ends.delete(text);
      await kv.delete(key);
    }
  };
  return { kv: expiring, expire };
}
