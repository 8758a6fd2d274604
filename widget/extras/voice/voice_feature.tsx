/** Answers read aloud, and messages that are spoken, where the browser can and the site allows it. */
import type { ExtrasContext } from "../extras_context.ts";
import { ABOVE_FIELD, type Slot } from "../slot.ts";
import { createFocus } from "../focus_once.ts";
import { IconButton } from "../IconButton.tsx";
import { findRecognizer, type SpeechRecognizer, startDictation } from "./dictation.ts";
import { createReader } from "./read_aloud.ts";
import {
  LISTENING,
  NO_MICROPHONE,
  NOTHING_HEARD,
  READ_ALOUD,
  SPEAK,
  STOP_LISTENING,
} from "./voice_ids.ts";

/** The browser's errors for a microphone that is missing, or that may not be used. */
const MICROPHONE = /allowed|audio/;

export function voiceFeature(context: ExtrasContext): Slot {
  const { ui, t, changed, root, menuItems, answerActions } = context;
  const { conversation, handle, input } = ui;
  const redraw = () => changed(false);
  const reader = createReader(redraw);
  const Recognizer = findRecognizer();
  let recognizer: SpeechRecognizer | undefined;
  const focus = createFocus();
  /** Why nothing was written, until something is sent or said. */
  let problem = "";
  const isOn = () => ui.read("data-voice") !== "off";
  const ended = (error: string) => {
    // The bar disappears.
    if (root.activeElement?.closest(".voice")) input.current!.focus();
    recognizer = undefined;
    // Otherwise it was heard, or ended on purpose.
    problem = MICROPHONE.test(error)
      ? t(NO_MICROPHONE)
      : /speech|net/.test(error)
      ? t(NOTHING_HEARD)
      : "";
    if (problem) conversation.announceText(problem);
    redraw();
  };
  const speak = () => {
    reader.stop();
    problem = "";
    focus.next = true;
    recognizer = new Recognizer!();
    startDictation(recognizer, { field: input.current!, lang: ui.locale.lang, ended });
    conversation.announceText(t(LISTENING));
  };
  const end = () => {
    problem = "";
    reader.stop();
    recognizer?.abort();
  };
  handle.on("close", end);
  handle.on("message", end);
  handle.on("destroy", end);
  menuItems.push(() =>
    Recognizer && isOn() && !recognizer && {
      label: t(SPEAK),
      icon: "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3M5 11a7 7 0 0 0 14 0M12 18v3",
      onPress: speak,
    }
  );
  answerActions.push((answer) =>
    "speechSynthesis" in globalThis && isOn() && (
      <IconButton
        label={t(READ_ALOUD)}
        icon="M4 9v6h4l5 4V5L8 9zM17 9a4 4 0 0 1 0 6"
        isPressed={reader.answer === answer}
        onPress={() => reader.toggle(answer, ui.locale.lang)}
      />
    )
  );
  return (place) => {
    if (place !== ABOVE_FIELD) return;
    // A conversation that was left is not read on.
    if (reader.answer && !conversation.state.turns.includes(reader.answer)) reader.stop();
    if (!recognizer) return problem && <p class="footnote">{problem}</p>;
    return (
      <div class="working voice">
        <i class="dot" />
        {t(LISTENING)}
        <button type="button" class="retry" ref={focus.ref} onClick={() => recognizer!.stop()}>
          {t(STOP_LISTENING)}
        </button>
      </div>
    );
  };
}
