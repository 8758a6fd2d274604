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
  async load(cursor?: string): Promise<void> {
    const page = await this.#ask<ConversationPage>(queryOf(cursor));
    if (page) {
      this.found = cursor ? [...this.found, ...page.data] : page.data;
      this.nextCursor = page.nextCursor;
    }
    this.#options.changed(false);
  }

  /** Renames or deletes one, and loads the list again. False if that has failed. */
  async change(id: string, request: ServiceRequest): Promise<boolean> {
    const isDone = !!await this.#ask(`/${id}`, request);
    if (isDone) await this.load();
    else this.#options.changed(false);
    return isDone;
  }

  /** What the panel shows of a conversation; its messages have ids from `nextId` on. */
  async read(id: string, nextId: number): Promise<Partial<SavedState> | undefined> {
    const messages: Transcript["messages"][number][] = [];
    let page: Transcript | undefined;
    // The oldest come first.
    do {
      page = await this.#ask<Transcript>(`/${id}${queryOf(page?.nextCursor)}`);
      messages.push(...page?.messages ?? []);
    } while (page?.nextCursor);
    return page && toSavedState({ ...page, messages }, nextId);
  }

  /** The service's answer, or `undefined` after a failure. */
  async #ask<T>(path: string, request?: ServiceRequest): Promise<T | undefined> {
    let status = 0;
    let answer: T | undefined;
    try {
      const response = await this.#options.call(`conversations${path}`, request);
      status = response.status;
      if (response.ok) answer = JSON.parse(await response.text() || "{}");
    } catch { /* there is no connection */ }
    const why = status === 401 ? RELOAD_PAGE : status ? GENERIC_ERROR : OFFLINE;
    this.problem = answer ? undefined : why;
    return answer;
  }
}

function queryOf(cursor = ""): string {
  return `?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
}
