import HandoffFeed from "@/islands/HandoffFeed.tsx";
import type { RejectedAction } from "@/lib/dashboard/handoff/act_on_handoff.ts";
import { queueLabel, stateText } from "@/lib/dashboard/handoff/handoff_labels.ts";
import type { ShownHandoff } from "@/lib/dashboard/handoff/read_handoff.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";
import { HANDOFF_BOUNDS } from "@/lib/schemas/handoff.ts";
import type { NumberedEntry } from "@/lib/store/handoffs/handoff_record.ts";
import { Field } from "../Field.tsx";
import { PostForm } from "../PostForm.tsx";
import { Time } from "../Time.tsx";
import { HandoffMessage } from "./HandoffMessage.tsx";

export interface HandoffPanelProps {
  handoff: ShownHandoff;
  /** Where the forms are sent, and where the feed is below it. */
  action: string;
  feed: (page: string) => string;
  userId: string;
  /** The user may act. */
  editor: boolean;
  suggestedName: string;
  rejected?: RejectedAction | undefined;
  now: number;
}

/** The part of a conversation that people answer. Works without scripts. */
export function HandoffPanel(props: HandoffPanelProps) {
  const { handoff: { head, entries }, editor, feed, now } = props;
  const isOpen = head.state === "waiting" || head.state === "taken";
  const after = head.next - 1;
  return (
    <section class="run handoff-panel" id="handoff" aria-labelledby="handoff-title">
      <header class="run-head">
        <h2 id="handoff-title">{t("Person: {state}", { state: queueLabel(head) })}</h2>
        <Time at={new Date(head.requestedAt).toISOString()} now={now} />
      </header>
      <div class="said-list">
        {entries.map((entry) => <Entry key={entry.n} entry={entry} now={now} />)}
      </div>
      {isOpen && (
        <HandoffFeed
          src={`${feed("/handoff/stream")}&after=${after}`}
          typingUrl={feed("/handoff/typing")}
          field="text"
        />
      )}
      {editor && <Actions {...props} />}
    </section>
  );
}

function Entry({ entry, now }: { entry: NumberedEntry; now: number }) {
  switch (entry.type) {
    case "visitor":
      return <HandoffMessage from="visitor" text={entry.text} />;
    case "person":
      return <HandoffMessage from="person" name={entry.name} text={entry.text} />;
    case "contact":
      return (
        <div class="said said-user">
          <p class="help">{t("Left a message")}</p>
          <p class="said-text" dir="auto">{`${entry.email}\n${entry.message}`}</p>
        </div>
      );
    case "state":
      return (
        <p class="help handoff-state">
          {stateText(entry)} <Time at={new Date(entry.at).toISOString()} now={now} />
          {entry.reason !== undefined && <span dir="auto">{`“${entry.reason}”`}</span>}
        </p>
      );
    default:
      return entry satisfies never;
  }
}

function Actions(props: HandoffPanelProps) {
  const { handoff: { head }, userId, rejected } = props;
  const isMine = head.state === "taken" && head.person?.id === userId;
  const isShown = head.state === "waiting" || isMine;
  return (
    <div class="stack">
      {rejected !== undefined && !isShown && (
        <>
          <p class="field-error" role="alert">{rejected.issue}</p>
          {rejected.text !== "" && <p class="said-text">{rejected.text}</p>}
        </>
      )}
      {head.state === "waiting" && <TakeForm {...props} />}
      {isMine && <MessageForm {...props} />}
      {(head.state === "taken" || head.state === "waiting") && (
        <div class="form-actions">
          {head.state === "taken" && (
            <ActionForm {...props} name="return" label={t("Hand back to the agent")} />
          )}
          <ActionForm {...props} name="close" label={t("Close conversation")} />
        </div>
      )}
      {head.state !== "taken" && head.contact === "left" && (
        <ActionForm {...props} name="close" label={t("Mark as done")} />
      )}
    </div>
  );
}

function TakeForm({ action, suggestedName, rejected }: HandoffPanelProps) {
  return (
    <PostForm action={action} class="stack" noValidate>
      <input type="hidden" name="action" value="take" />
      <Field
        name="name"
        label={t("Name shown to the visitor")}
        issue={rejected?.issue}
      >
        {(attributes) => (
          <input
            type="text"
            {...attributes}
            value={rejected?.name || suggestedName}
            maxLength={HANDOFF_BOUNDS.personName}
            autocomplete="off"
            required
          />
        )}
      </Field>
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Take conversation")}</button>
      </div>
    </PostForm>
  );
}

function MessageForm({ action, rejected }: HandoffPanelProps) {
  return (
    <PostForm action={action} class="stack" noValidate>
      <input type="hidden" name="action" value="say" />
      <Field name="text" label={t("Message to the visitor")} issue={rejected?.issue}>
        {(attributes) => (
          <textarea {...attributes} rows={3} maxLength={HANDOFF_BOUNDS.personMessage} required>
            {rejected?.text ?? ""}
          </textarea>
        )}
      </Field>
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Send message")}</button>
      </div>
    </PostForm>
  );
}

function ActionForm({ action, name, label }: HandoffPanelProps & { name: string; label: string }) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="action" value={name} />
      <button class="button" type="submit">{label}</button>
    </form>
  );
}
