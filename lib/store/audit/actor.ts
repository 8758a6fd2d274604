import { AsyncLocalStorage } from "node:async_hooks";

/** Who makes a change. The service itself does where nobody else is behind it, as at its start. */
export type Actor =
  | { kind: "user"; id: string; name: string }
  | { kind: "api_key"; id: string }
  | { kind: "command_line" }
  | { kind: "service" }
  /** No signed-in user. */
  | { kind: "anonymous" };

/** Filled in once the credential of a request is known, which is after its work has begun. */
interface ActorScope {
  actor: Actor;
}

const scopes = new AsyncLocalStorage<ActorScope>();

/**
 * Runs `work` as an actor: whatever it changes in the store is recorded under that name. It travels
 * with the work and not as an argument, so that no change can be made without its author by
 * forgetting one.
 */
export function runAs<T>(actor: Actor, work: () => T): T {
  return scopes.run({ actor }, work);
}

/** Names the actor of the work under way, where `actingAs` has begun it; elsewhere it does nothing. */
export function setActor(actor: Actor): void {
  const scope = scopes.getStore();
  if (scope !== undefined) scope.actor = actor;
}

export function currentActor(): Actor {
  return scopes.getStore()?.actor ?? { kind: "service" };
}
