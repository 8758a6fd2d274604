import { MAX_MESSAGE_LENGTH } from "../history.ts";
import { isSendKey } from "../send_key.ts";
import { ABOVE_FIELD, FOOTNOTE, MENU } from "../extras/slot.ts";
import { MORE, SEND, STOP, WRITE_MESSAGE } from "../string_ids.ts";
import type { Ui } from "../ui.ts";
import { MoreIcon, SendIcon, StopIcon } from "./icons.tsx";

/**
 * One button sends and stops. It is never disabled or removed, because that would drop the keyboard
 * focus onto the page. The second click of a double click must not stop the answer. The field is
 * uncontrolled: changing its value while the visitor types would break undo into single letters.
 */
export function Composer({ ui }: { readonly ui: Ui }) {
  const { config, conversation: { state }, handle, input, locale: { t } } = ui;
  const { busy } = state;
  const onEdit = (field: HTMLTextAreaElement) => {
    state.draft = field.value;
    fitHeight(field);
    // A taller field shrinks the log. Do not render here: with a long log that is too slow per key.
    ui.stickToEnd();
  };
  const send = (event: Event) => {
    event.preventDefault();
    const field = input.current!;
    if (handle.send(field.value)) field.value = "";
    onEdit(field);
  };
  const sendOrStop = (event: Event) => {
    if (!busy) return send(event);
    event.preventDefault();
    handle.stop();
  };
  return (
    <form class="composer" onSubmit={sendOrStop}>
      {ui.slot(ABOVE_FIELD)}
      <div class="field">
        <button
          type="button"
          class="tool more"
          aria-label={t(MORE)}
          title={t(MORE)}
          onClick={() => ui.slot(MENU)}
        >
          <MoreIcon />
        </button>
        <textarea
          ref={input}
          class="input"
          part="input"
          rows={1}
          dir="auto"
          maxLength={MAX_MESSAGE_LENGTH}
          enterkeyhint="send"
          placeholder={t(WRITE_MESSAGE)}
          aria-label={t(WRITE_MESSAGE)}
          defaultValue={ui.initialDraft}
          onInput={(event) => onEdit(event.currentTarget)}
          onKeyDown={(event) => isSendKey(event) && send(event)}
        />
        <button
          type="submit"
          class={busy ? "action busy" : "action"}
          part="send"
          aria-label={busy ? t(STOP) : t(SEND)}
          onClick={(event) => event.detail > 1 && event.preventDefault()}
        >
          {busy ? <StopIcon /> : <SendIcon />}
        </button>
      </div>
      {ui.slot(FOOTNOTE)}
      {config.privacyText && (
        <p class="footnote" dir="auto">
          {config.privacyUrl
            ? (
              <a href={config.privacyUrl} target="_blank" rel="noopener noreferrer">
                {config.privacyText}
              </a>
            )
            : config.privacyText}
        </p>
      )}
    </form>
  );
}

/** Resets the height before measuring, so that the field can shrink again. */
export function fitHeight(field: HTMLTextAreaElement): void {
  field.style.blockSize = "auto";
  field.style.blockSize = `${field.scrollHeight}px`;
}
