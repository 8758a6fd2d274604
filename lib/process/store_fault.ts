/** What the operator must mend before the service can start: told in one sentence, without a stack. */
export class StoreFault extends Error {
  override name: string = "StoreFault";
}

/** Does `work`; what it throws becomes a `StoreFault` that `tell` words, unless it is told already. */
export async function orFault<T>(
  work: () => Promise<T>,
  tell: (why: string) => string,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error) || cause instanceof StoreFault) throw cause;
    throw new StoreFault(tell(cause.message), { cause });
  }
}
