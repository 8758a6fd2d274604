import { MAX_MESSAGE_LENGTH } from "../history.ts";
import { MESSAGES_LEFT, SEND, STOP, WRITE_MESSAGE } from "../string_ids.ts";
import type { Ui } from "../mount.tsx";
import { SendIcon, StopIcon } from "./icons.tsx";

/** Messages left are told from here on. */
const LOW_MESSAGES_LEFT = 5;

/**
 * One button sends and stops, and is never really disabled: one that vanished or went dead under the
 * keyboard focus would drop it onto the page. The second click of a double click must not stop the
 * answer. While an answer arrives the draft can be written on, and drawing leaves the field alone: a
 * default value that changed would cut what undo takes back into single letters.
 */
export function Composer({ ui }: { readonly ui: Ui }) {
  const { conversation: { state }, handle, input, session, locale: { t } } = ui;
  const { busy } = state;
  const written = (field: HTMLTextAreaElement) => {
    state.draft = field.value;
    fitHeight(field);
    // A taller field leaves less of the log. Nothing is drawn: a long one takes too long for each key.
    ui.keepEnd();
  };
  const send = (event: Event) => {
    event.preventDefault();
    const field = input.current!;
    if (handle.send(field.value)) field.value = "";
    written(field);
  };
  const press = (event: Event) => {
    if (!busy) return send(event);
    event.preventDefault();
    handle.stop();
  };
  return (
    <form class="composer" onSubmit={press}>
      <div class="field">
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
          defaultValue={ui.written}
          onInput={(event) => written(event.currentTarget)}
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
      {session.left <= LOW_MESSAGES_LEFT && (
        <p class="footnote">{t(MESSAGES_LEFT)}: {Math.max(0, session.left)}</p>
      )}
    </form>
  );
}

/** Enter that picks a word in an input method belongs to it; Safari marks that one by code 229 only. */
function isSendKey(event: KeyboardEvent): boolean {
  return event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
}

/** Measured without the height that it has: only so does it shrink again. */
export function fitHeight(field: HTMLTextAreaElement): void {
  field.style.blockSize = "auto";
  field.style.blockSize = `${field.scrollHeight}px`;
}
