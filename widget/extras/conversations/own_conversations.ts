/** The visitor's conversations, as the service has them. Does not touch the DOM. */
import type { SavedState } from "../../state.ts";
import { problemOf } from "../problem_of.ts";
import type { ServiceCall, ServiceRequest } from "../service_call.ts";
import { toSavedState, type Transcript } from "./to_saved_state.ts";

export interface OwnConversation {
  readonly id: string;
  readonly title?: string;
  readonly updatedAt: string;
}

interface ConversationPage {
  readonly data: readonly OwnConversation[];
  readonly nextCursor?: string;
}

export interface OwnConversationsOptions {
  readonly call: ServiceCall;
  /** Called after each change. */
  readonly changed: (save: boolean) => void;
}

export interface OwnConversations {
  found: readonly OwnConversation[];
  nextCursor?: string | undefined;
  /** Why the last request has failed: a string of the panel's. */
  problem?: number | undefined;
  /** The first page, or with a cursor the next one. */
  readonly load: (cursor?: string) => Promise<void>;
  /** Renames or deletes one, and loads the list again. False if that has failed. */
  readonly change: (id: string, request: ServiceRequest) => Promise<boolean>;
  /** What the panel shows of a conversation; its messages have ids from `nextId` on. */
  readonly read: (id: string, nextId: number) => Promise<Partial<SavedState> | undefined>;
}

export function ownConversations({ call, changed }: OwnConversationsOptions): OwnConversations {
  /** The service's answer, or `undefined` after a failure. */
  const ask = async <T>(path: string, request?: ServiceRequest): Promise<T | undefined> => {
    let status = 0;
    let answer: T | undefined;
    try {
      const response = await call(`conversations${path}`, request);
      status = response.status;
      if (response.ok) answer = JSON.parse(await response.text() || "{}");
    } catch { /* there is no connection */ }
    list.problem = answer ? undefined : problemOf(status);
    return answer;
  };
  const list: OwnConversations = {
    found: [],
    async load(cursor) {
      const page = await ask<ConversationPage>(queryOf(cursor));
      if (page) {
        list.found = cursor ? [...list.found, ...page.data] : page.data;
        list.nextCursor = page.nextCursor;
      }
      changed(false);
    },
    async change(id, request) {
      const isDone = !!await ask(`/${id}`, request);
      if (isDone) await list.load();
      else changed(false);
      return isDone;
    },
    async read(id, nextId) {
      const messages: Transcript["messages"][number][] = [];
      let page: Transcript | undefined;
      // The oldest come first.
      do {
        page = await ask<Transcript>(`/${id}${queryOf(page?.nextCursor)}`);
        messages.push(...page?.messages ?? []);
      } while (page?.nextCursor);
      return page && toSavedState({ ...page, messages }, nextId);
    },
  };
  return list;
}

function queryOf(cursor = ""): string {
  return `?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
}
