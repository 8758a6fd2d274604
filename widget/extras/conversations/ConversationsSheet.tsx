import { MORE, NEW_CONVERSATION } from "../../string_ids.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { Icon } from "../IconButton.tsx";
import { relativeTime } from "../relative_time.ts";
import { DELETE, EDIT, REALLY_DELETE, RENAME } from "./conversations_ids.ts";
import type { OwnConversation, OwnConversations } from "./own_conversations.ts";

/** What the visitor does in the list. */
export interface ListView {
  /** The conversation that is being opened. */
  opening?: string | undefined;
  /** The one whose form is open. */
  editing?: string | undefined;
  /** Delete was pressed once. */
  isSure?: boolean;
}

export interface ConversationsSheetProps {
  readonly context: ExtrasContext;
  readonly list: OwnConversations;
  readonly view: ListView;
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
        {list.found.map((one) => <Row key={one.id} {...props} one={one} />)}
      </div>
      {list.nextCursor && <button type="button" class="item" onClick={showMore}>{t(MORE)}</button>}
    </div>
  );
}

interface RowProps extends ConversationsSheetProps {
  readonly one: OwnConversation;
}

/** A conversation, and below it the form that renames or deletes it. */
function Row({ context, list, view, open, one }: RowProps) {
  const { ui: { conversation, handle, locale }, t, changed } = context;
  const { id, title = locale.t(NEW_CONVERSATION), updatedAt } = one;
  const isShown = conversation.state.conversationId === id;
  const isEditing = view.editing === id;
  const label = `${t(EDIT)}: ${title}`;
  const edit = (editing?: string) => {
    Object.assign(view, { editing, isSure: false });
    changed(false);
  };
  const rename = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = form.querySelector("input")!.value.replace(/\s+/g, " ").trim();
    // The form disappears, so move the focus to its button instead of losing it to the page.
    (form.previousElementSibling as HTMLElement).focus();
    if (!name || await list.change(id, { method: "PATCH", body: { title: name } })) edit();
  };
  const remove = async (event: Event) => {
    const sheet = (event.currentTarget as Element).closest(".sheet")!;
    if (!view.isSure) {
      view.isSure = true;
      return conversation.announceText(t(REALLY_DELETE));
    }
    // The row disappears.
    sheet.querySelector("button")!.focus();
    if (await list.change(id, { method: "DELETE" }) && isShown) handle.newConversation();
  };
  return (
    <div class="thread" role="listitem">
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
      <button
        type="button"
        class="tool"
        aria-label={label}
        title={label}
        aria-expanded={isEditing}
        onClick={() => edit(isEditing ? undefined : id)}
      >
        <Icon path="m4 20 1-4L16 5l3 3L8 19z" />
      </button>
      {isEditing && (
        <form onSubmit={rename}>
          <input
            aria-label={t(RENAME)}
            defaultValue={title}
            maxLength={MAX_TITLE_LENGTH}
            dir="auto"
          />
          <button type="submit" class="retry">{t(RENAME)}</button>
          <button type="button" class="retry" onClick={remove}>
            {t(view.isSure ? REALLY_DELETE : DELETE)}
          </button>
        </form>
      )}
    </div>
  );
}
