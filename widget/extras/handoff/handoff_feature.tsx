/** People: the menu's entry that asks for one, who has the conversation, and a form for when nobody is there. */
import type { Handoff } from "../../state.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { END, type Slot } from "../slot.ts";
import { ContactForm } from "./ContactForm.tsx";
import { describeHandoff } from "./describe_handoff.ts";
import { TALK_TO_A_PERSON } from "./handoff_ids.ts";
import { type VisitorHandoff, visitorHandoff } from "./visitor_handoff.ts";

export function handoffFeature(
  { ui, t, callService, changed, root, menuItems }: ExtrasContext,
): Slot {
  const { conversation } = ui;
  const isOffered = () => ui.read("data-offers")?.includes("handoff");
  const describe = (now: Handoff) =>
    describeHandoff(now, { t, lang: ui.locale.lang, isTyping: handoff.isTyping() });
  const handoff: VisitorHandoff = visitorHandoff({
    ...{ callService, changed, conversation, isOffered, describe },
  });
  ui.handle.on("destroy", handoff.stop);
  root.addEventListener("input", ({ target }) => {
    if (target === ui.input.current) handoff.sendTyping();
  });
  menuItems.push(() =>
    isOffered() && !handoff.isOpen() && {
      label: t(TALK_TO_A_PERSON),
      icon: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20a7.5 7.5 0 0 1 15 0",
      onPress: () => handoff.request(t(TALK_TO_A_PERSON)),
    }
  );
  return (place) => {
    if (place !== END) return;
    handoff.notice();
    const now = conversation.state.handoff;
    const isLive = now?.["state"] === "waiting" || handoff.isTyping();
    return now?.["state"] && [
      <p key="state" class="working" part="handoff">
        {isLive && <i class="dot" />}
        <span>{describe(now)}</span>
      </p>,
      now.form && <ContactForm key="contact" {...{ ui, t, handoff }} />,
    ];
  };
}
