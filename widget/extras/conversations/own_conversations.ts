/** The visitor's conversations, as the service has them. Does not touch the DOM. */
import type { SavedState } from "../../state.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { type OwnList, ownList } from "../own_list.ts";
import { toSavedState, type Transcript } from "./to_saved_state.ts";

export interface OwnConversation {
  readonly id: string;
  readonly title?: string;
  readonly updatedAt: string;
}

export interface OwnConversations extends OwnList<OwnConversation> {
  /** What the panel shows of a conversation; its messages have ids from `nextId` on. */
  readonly read: (id: string, nextId: number) => Promise<Partial<SavedState> | undefined>;
}

export function ownConversations(context: ExtrasContext): OwnConversations {
  const query = (cursor = "") => `?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
  const list = ownList<OwnConversation>({ ...context, base: "conversations", query });
  return Object.assign(list, {
    async read(id: string, nextId: number) {
      const messages: Transcript["messages"][number][] = [];
      let page: Transcript | undefined;
      // The oldest come first.
      do {
        page = await list.ask<Transcript>(`/${id}${query(page?.nextCursor)}`);
        messages.push(...page?.messages ?? []);
      } while (page?.nextCursor);
      return page && toSavedState({ ...page, messages }, nextId);
    },
  });
}
