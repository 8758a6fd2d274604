import type { Stoppable } from "./restarting_server.ts";

/** Tracks responses that are still being sent, for hosts that own the server. */
export class PendingResponses implements Stoppable {
  #pending = new Set<Promise<void>>();

  /** `completed` settles when the response is sent or the client has disconnected. */
  add(completed: Promise<void>): void {
    const ended: Promise<void> = completed.catch(() => {}).then(() =>
      void this.#pending.delete(ended)
    );
    this.#pending.add(ended);
  }

  async shutdown(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}
