import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { MAX_CONTENT } from "../history.ts";
import { STRINGS } from "../strings.ts";
import { SendIcon, StopIcon } from "./icons.tsx";

export interface ComposerProps {
  /** An answer is on its way: the button stops it, and the draft is kept. */
  readonly busy: boolean;
  readonly input: RefObject<HTMLTextAreaElement>;
  /** False when the text was not taken; the draft stays. */
  readonly onSend: (text: string) => boolean;
  readonly onStop: () => void;
}

export function Composer({ busy, input, onSend, onStop }: ComposerProps) {
  const [draft, setDraft] = useState("");
  useLayoutEffect(() => fitHeight(input.current), [draft]);
  const send = (event: Event) => {
    event.preventDefault();
    if (onSend(draft)) setDraft("");
  };
  const press = (event: Event) => {
    if (!busy) return send(event);
    event.preventDefault();
    onStop();
  };
  return (
    <form class="composer" onSubmit={press}>
      <div class="field">
        <textarea
          ref={input}
          class="input"
          rows={1}
          dir="auto"
          maxLength={MAX_CONTENT}
          enterkeyhint="send"
          placeholder={STRINGS.placeholder}
          aria-label={STRINGS.placeholder}
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={(event) => sendsOn(event) && send(event)}
        />
        <ActionButton busy={busy} empty={!draft.trim()} />
      </div>
      <p class="footnote">{STRINGS.footnote}</p>
    </form>
  );
}

/**
 * One button for both, never really disabled: one that vanished or went dead under the keyboard
 * focus would drop it onto the page. The second click of a double click must not stop the answer.
 */
function ActionButton({ busy, empty }: { readonly busy: boolean; readonly empty: boolean }) {
  return (
    <button
      type="submit"
      class="action"
      aria-label={busy ? STRINGS.stop : STRINGS.send}
      aria-disabled={!busy && empty}
      onClick={(event) => event.detail > 1 && event.preventDefault()}
    >
      {busy ? <StopIcon /> : <SendIcon />}
    </button>
  );
}

/** Enter that picks a word in an input method belongs to it; Safari marks that one by code 229 only. */
function sendsOn(event: KeyboardEvent): boolean {
  return event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
}

function fitHeight(input: HTMLTextAreaElement | null): void {
  if (!input) return;
  input.style.blockSize = "auto";
  input.style.blockSize = `${input.scrollHeight}px`;
}
