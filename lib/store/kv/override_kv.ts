/** `kv` with some methods replaced while `isActive`; everything else runs on `kv` itself. */
export function overrideKv(
  kv: Deno.Kv,
  methods: { readonly [Name in keyof Deno.Kv]?: unknown },
  isActive: () => boolean = () => true,
): Deno.Kv {
  return new Proxy(kv, {
    get(target, name) {
      if (isActive() && Object.hasOwn(methods, name)) return methods[name as keyof Deno.Kv];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

type NextRow<T> = () => Promise<IteratorResult<Deno.KvEntry<T>, undefined>>;

/** `list` with every row read through `read`. */
export function overrideList<T>(
  list: Deno.KvListIterator<T>,
  read: (next: NextRow<T>, isFirst: boolean) => ReturnType<NextRow<T>>,
): Deno.KvListIterator<T> {
  const rows = list[Symbol.asyncIterator]();
  let isFirst = true;
  return {
    get cursor() {
      return list.cursor;
    },
    next() {
      const wasFirst = isFirst;
      isFirst = false;
      return read(() => rows.next(), wasFirst);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  } as Deno.KvListIterator<T>;
}
