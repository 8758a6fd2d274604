/** The visitor's conversations, as the service has them. Does not touch the DOM. */
import type { SavedState } from "../../state.ts";
import { GENERIC_ERROR, OFFLINE, RELOAD_PAGE } from "../../string_ids.ts";
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

export class OwnConversations {
  found: readonly OwnConversation[] = [];
  nextCursor: string | undefined;
  /** Why the last request has failed: a string of the panel's. */
  problem: number | undefined;
  #options: OwnConversationsOptions;

  constructor(options: OwnConversationsOptions) {
    this.#options = options;
  }

  /** The first page, or with a cursor the next one. */
  load(cursor?: string): Promise<unknown> {
    const before = this.found;
    return this.#ask<ConversationPage>(queryOf(cursor), ({ data, nextCursor }) => {
      // Not if another page has arrived, or the visitor has changed the list since.
      if (this.found !== before) return;
      this.found = cursor ? [...before, ...data] : data;
      this.nextCursor = nextCursor;
    });
  }

  rename(id: string, title: string): Promise<unknown> {
    const replace = (renamed: OwnConversation) => {
      this.found = this.found.map((one) => one.id === id ? renamed : one);
    };
    return this.#ask(`/${id}`, replace, { method: "PATCH", body: { title } });
  }

  /** Resolves with `undefined` if that has failed. */
  delete(id: string): Promise<unknown> {
    const drop = () => {
      this.found = this.found.filter((one) => one.id !== id);
    };
    return this.#ask(`/${id}`, drop, { method: "DELETE" });
  }

  /** What the panel shows of a conversation; its messages have ids from `nextId` on. */
  async read(id: string, nextId: number): Promise<Partial<SavedState> | undefined> {
    const messages: Transcript["messages"][number][] = [];
    let page: Transcript | undefined;
    // The oldest come first.
    do {
      page = await this.#ask<Transcript>(
        `/${id}${queryOf(page?.nextCursor)}`,
        (read) => messages.push(...read.messages),
      );
    } while (page?.nextCursor);
    return page && toSavedState({ ...page, messages }, nextId);
  }

  /** The service's answer, after `use` has had it; `undefined` after a failure. */
  async #ask<T>(
    path: string,
    use: (answer: T) => void,
    request?: ServiceRequest,
  ): Promise<T | undefined> {
    const { call, changed } = this.#options;
    let status = 0;
    let answer: T | undefined;
    try {
      const response = await call(`conversations${path}`, request);
      status = response.status;
      if (response.ok) use(answer = JSON.parse(await response.text() || "{}"));
    } catch { /* there is no connection */ }
    const why = status === 401 ? RELOAD_PAGE : status ? GENERIC_ERROR : OFFLINE;
    this.problem = answer ? undefined : why;
    changed(false);
    return answer;
  }
}

function queryOf(cursor = ""): string {
  return `?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
}
