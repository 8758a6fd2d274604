import type { Stoppable } from "./restarting_server.ts";

/** Tracks requests whose responses are still being sent, where the runtime owns the server. */
export class PendingResponses implements Stoppable {
  #pending = new Set<Promise<void>>();

  /** `completed` settles once the whole response is sent or the client has disconnected. */
  add(completed: Promise<void>): void {
    const ended: Promise<void> = completed.catch(() => {}).then(() =>
      void this.#pending.delete(ended)
    );
    this.#pending.add(ended);
  }

  /** Waits until every response is sent, including those that begin meanwhile. */
  async shutdown(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}
