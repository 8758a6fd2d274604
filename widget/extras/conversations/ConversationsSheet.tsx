import { MORE, NEW_CONVERSATION } from "../../string_ids.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { EditableRow, type ListView } from "../EditableRow.tsx";
import { relativeTime } from "../relative_time.ts";
import { RENAME } from "./conversations_ids.ts";
import type { OwnConversation, OwnConversations } from "./own_conversations.ts";

export interface ConversationsView extends ListView {
  /** The conversation that is being opened. */
  opening?: string | undefined;
}

export interface ConversationsSheetProps {
  readonly context: ExtrasContext;
  readonly list: OwnConversations;
  readonly view: ConversationsView;
  /** Shows a conversation in the panel. */
  readonly open: (id: string) => void;
}

/** The service's limit. */
const MAX_TITLE_LENGTH = 80;

/** The visitor's conversations, the last active first. */
export function ConversationsSheet(props: ConversationsSheetProps) {
  const { context: { ui: { locale: { t } } }, list } = props;
  const showMore = (event: Event) => {
    // The button may disappear, so move the focus to the last row instead of losing it to the page.
    const rows = (event.currentTarget as HTMLElement).previousElementSibling!;
    rows.lastElementChild!.querySelector("button")!.focus();
    list.load(list.nextCursor);
  };
  return (
    <div>
      {list.problem && <p role="alert">{t(list.problem)}</p>}
      <div role="list">
        {list.found!.map((one) => <Row key={one.id} {...props} one={one} />)}
      </div>
      {list.nextCursor && <button type="button" class="item" onClick={showMore}>{t(MORE)}</button>}
    </div>
  );
}

interface RowProps extends ConversationsSheetProps {
  readonly one: OwnConversation;
}

/** A conversation, which can be opened, renamed and deleted. */
function Row({ context, list, view, open, one }: RowProps) {
  const { ui: { conversation, handle, locale }, t } = context;
  const { id, title = locale.t(NEW_CONVERSATION), updatedAt } = one;
  const isShown = conversation.state.conversationId === id;
  return (
    <EditableRow
      {...{ context, view, id, text: title, maxLength: MAX_TITLE_LENGTH, label: t(RENAME) }}
      onSave={(text) => list.change(`/${id}`, { method: "PATCH", body: { title: text } })}
      onDelete={async () => {
        if (await list.change(`/${id}`, { method: "DELETE" }) && isShown) handle.newConversation();
      }}
    >
      <button
        type="button"
        class="item"
        aria-current={isShown || undefined}
        onClick={() => open(id)}
      >
        <span>
          <b dir="auto">{title}</b>
          {relativeTime(updatedAt, locale.lang)}
        </span>
        {view.opening === id && <i class="dot" />}
      </button>
    </EditableRow>
  );
}
