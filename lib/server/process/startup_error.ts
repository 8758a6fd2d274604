/** A problem that the operator must fix before the service can start. Printed without a stack. */
export class StartupError extends Error {
  override name: string = "StartupError";
}

/** Other errors of `work` become a `StartupError` with the message of `describe`. */
export async function wrapStartupError<T>(
  work: () => Promise<T>,
  describe: (why: string) => string,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error) || cause instanceof StartupError) throw cause;
    throw new StartupError(describe(cause.message), { cause });
  }
}
