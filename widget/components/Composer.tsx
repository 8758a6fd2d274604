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
  const submit = (event: Event) => {
    event.preventDefault();
    if (onSend(draft)) setDraft("");
    input.current?.focus();
  };
  return (
    <form class="composer" onSubmit={submit}>
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
          onKeyDown={(event) => sendsOn(event) && submit(event)}
        />
        {busy
          ? (
            <button
              key="stop"
              type="button"
              class="action"
              aria-label={STRINGS.stop}
              onClick={onStop}
            >
              <StopIcon />
            </button>
          )
          : (
            <button
              key="send"
              type="submit"
              class="action"
              aria-label={STRINGS.send}
              disabled={!draft.trim()}
            >
              <SendIcon />
            </button>
          )}
      </div>
      <p class="footnote">{STRINGS.footnote}</p>
    </form>
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
