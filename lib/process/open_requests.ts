import type { Stoppable } from "./lasting_server.ts";

/** Requests whose answers are still being sent, where the runtime listens and gives no server to stop. */
export class OpenRequests implements Stoppable {
  #open = new Set<Promise<void>>();

  /** `completed` settles once the whole answer was sent, or its client has gone. */
  add(completed: Promise<void>): void {
    const ended: Promise<void> = completed.catch(() => {}).then(() =>
      void this.#open.delete(ended)
    );
    this.#open.add(ended);
  }

  /** Waits until every answer that has begun, also meanwhile, was sent. */
  async shutdown(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }
}
