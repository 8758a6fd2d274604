/** What stands below an answer: copy, and where it was found. The menu copies all messages. */
import { COPY } from "../../string_ids.ts";
import type { TranscriptMessage } from "../../state.ts";
import { panelTitle } from "../../ui.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { BELOW, FOOTNOTE, type Slot } from "../slot.ts";
import { AnswerRow } from "./AnswerRow.tsx";
import { COPY_CONVERSATION, MESSAGES_LEFT, YOU } from "./answer_ids.ts";
import { conversationMarkdown } from "./conversation_markdown.ts";

/** The number of messages left is shown from here on. */
const LOW_MESSAGES_LEFT = 5;
/** How long the panel says that the messages were copied. */
const COPIED_MS = 2000;

export function answerFeature({ ui, t, changed, menuItems, answerActions }: ExtrasContext): Slot {
  const { conversation } = ui;
  const { clipboard } = navigator;
  let copied = "";
  const copyAll = async () => {
    const names = { user: t(YOU), assistant: panelTitle(ui) };
    await clipboard.writeText(conversationMarkdown(conversation.state.turns, names));
    copied = `${ui.locale.t(COPY)} ✓`;
    conversation.announceText(copied);
    setTimeout(() => {
      copied = "";
      changed(false);
    }, COPIED_MS);
  };
  menuItems.push(() =>
    clipboard && conversation.state.turns[0] && {
      label: t(COPY_CONVERSATION),
      icon: "M9 9h11v11H9zM5 15H4V4h11v1",
      onPress: copyAll,
    }
  );
  return (place, value) => {
    const turn = value as TranscriptMessage;
    if (place === BELOW && turn.role === "assistant") {
      return (
        <AnswerRow {...{ ui, t, turn }}>{answerActions.map((action) => action(turn))}</AnswerRow>
      );
    }
    const { left } = ui.session;
    return place === FOOTNOTE && [
      copied && <p key="copied" class="footnote">{copied}</p>,
      left <= LOW_MESSAGES_LEFT && (
        <p key="left" class="footnote">{t(MESSAGES_LEFT)}: {Math.max(0, left)}</p>
      ),
    ];
  };
}
