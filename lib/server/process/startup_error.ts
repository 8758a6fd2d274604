/** What the operator must mend before the service can start: told in one sentence, without a stack. */
export class StartupError extends Error {
  override name: string = "StoreFault";
}

/** Does `work`; what it throws becomes a `StartupError` that `tell` words, unless it is told already. */
export async function wrapStartupError<T>(
  work: () => Promise<T>,
  tell: (why: string) => string,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error) || cause instanceof StartupError) throw cause;
    throw new StartupError(tell(cause.message), { cause });
  }
}
