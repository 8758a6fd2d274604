/** A tone for an answer that is complete while nobody sees it, if the visitor has switched it on. */
import type { ExtrasContext } from "../extras_context.ts";
import { addSwitch } from "./add_switch.ts";
import { playTone } from "./play_tone.ts";
import { SOUND } from "./switch_ids.ts";

export function soundFeature(context: ExtrasContext): undefined {
  const { ui } = context;
  const isOn = addSwitch(context, {
    name: "sound",
    textId: SOUND,
    icon: "M18 16v-6a6 6 0 0 0-12 0v6l-2 2h16zm-8 5h4",
    isOffered: () => ui.read("data-sound") === "on",
  });
  ui.handle.on("answer", ({ text, finishReason }) => {
    const isSeen = ui.conversation.state.open && !document.hidden;
    if (text && finishReason !== "cancelled" && !isSeen && isOn()) playTone();
  });
}
