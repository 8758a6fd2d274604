/** Rejects work because too much of it is already running or waiting. */
export class BusyError extends Error {
  override name = "BusyError";
}

/** Returns the result of `work`, or `{ refused: "busy" }` if it throws `BusyError`. */
export async function unlessBusy<T>(work: () => Promise<T>): Promise<T | { refused: "busy" }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BusyError) return { refused: "busy" };
    throw error;
  }
}
