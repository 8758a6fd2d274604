import { AsyncLocalStorage } from "node:async_hooks";

/** Who makes a change. `service` is the process itself, at its start for example. */
export type Actor =
  | { kind: "user"; id: string; name: string }
  | { kind: "api_key"; id: string }
  | { kind: "command_line" }
  | { kind: "service" }
  /** No signed-in user. */
  | { kind: "anonymous" };

const contexts = new AsyncLocalStorage<{ actor: Actor }>();

/**
 * Runs `work` as an actor: the audit log records its changes under that name. The actor is part of the
 * async context rather than an argument, so that no change can forget it.
 */
export function runAs<T>(actor: Actor, work: () => T): T {
  return contexts.run({ actor }, work);
}

/**
 * Changes the actor of the current `runAs`, once the credential of a request is known. Does nothing
 * outside of `runAs`.
 */
export function setActor(actor: Actor): void {
  const context = contexts.getStore();
  if (context !== undefined) context.actor = actor;
}

export function currentActor(): Actor {
  return contexts.getStore()?.actor ?? { kind: "service" };
}
