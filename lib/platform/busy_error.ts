/** Rejects work because too much of it is already running or waiting. */
export class BusyError extends Error {
  override name = "BusyError";
}

/** Returns the result of `work`; if it throws `BusyError`, the result that says so. */
export async function unlessBusy<T>(work: () => Promise<T>): Promise<T | { rejected: "busy" }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BusyError) return { rejected: "busy" };
    throw error;
  }
}
