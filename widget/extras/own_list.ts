/** What the service has of the visitor, as a list that they can change. Does not touch the DOM. */
import type { ExtrasContext } from "./extras_context.ts";
import { problemOf } from "./problem_of.ts";
import type { ServiceRequest } from "./service_call.ts";

/** A list of the service's names its entries after their kind. */
interface Page<T> {
  readonly data?: readonly T[];
  readonly facts?: readonly T[];
  readonly nextCursor?: string;
}

export interface OwnList<T> {
  /** Undefined until the service has answered. */
  found: readonly T[] | undefined;
  nextCursor?: string | undefined;
  /** Why the last request has failed: a string of the panel's. */
  problem?: number | undefined;
  /** The service's answer, or `undefined` after a failure. */
  readonly ask: <A>(path: string, request?: ServiceRequest) => Promise<A | undefined>;
  /** The first page, or with a cursor the next one. */
  readonly load: (cursor?: string) => Promise<void>;
  /** Changes or deletes what is at a path, and loads the list again. False if that has failed. */
  readonly change: (path: string, request: ServiceRequest) => Promise<boolean>;
}

export interface OwnListOptions extends Pick<ExtrasContext, "callService" | "changed"> {
  /** Below `/v1/chat/`. */
  readonly base: string;
  readonly query: (cursor?: string) => string;
}

export function ownList<T>({ callService, changed, base, query }: OwnListOptions): OwnList<T> {
  const list: OwnList<T> = {
    found: undefined,
    async ask<A>(path: string, request?: ServiceRequest) {
      let status = 0;
      let answer: A | undefined;
      try {
        const response = await callService(base + path, request);
        status = response.status;
        if (response.ok) answer = JSON.parse(await response.text() || "{}");
      } catch { /* there is no connection */ }
      list.problem = answer ? undefined : problemOf(status);
      return answer;
    },
    async load(cursor) {
      const page = await list.ask<Page<T>>(query(cursor));
      if (page) {
        list.found = [...cursor && list.found || [], ...page.data ?? page.facts!];
        list.nextCursor = page.nextCursor;
      }
      changed(false);
    },
    async change(path, request) {
      const isDone = !!await list.ask(path, request);
      if (isDone) await list.load();
      else changed(false);
      return isDone;
    },
  };
  return list;
}
