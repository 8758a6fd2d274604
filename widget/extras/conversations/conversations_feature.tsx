/** The visitor's earlier conversations: found again in a new tab and on another device. */
import { type ExtrasContext, showSheet } from "../extras_context.ts";
import { OVER, type Slot } from "../slot.ts";
import { EARLIER_CONVERSATIONS } from "./conversations_ids.ts";
import { ConversationsSheet, type ConversationsView } from "./ConversationsSheet.tsx";
import { ownConversations } from "./own_conversations.ts";

export function conversationsFeature(context: ExtrasContext): Slot {
  const { ui, t, changed, menuItems } = context;
  const { conversation } = ui;
  const list = ownConversations(context);
  /** Since the menu was opened. */
  let isAsked = false;
  const showList = () => {
    const view: ConversationsView = {};
    const open = async (id: string) => {
      if (view.opening) return;
      view.opening = id;
      changed(false);
      const other = await list.read(id, conversation.state.nextId);
      view.opening = undefined;
      // The visitor may have closed the list since.
      if (!other || context.sheet !== sheet) return changed(false);
      showSheet(context, undefined);
      conversation.restart(other);
      ui.log.current!.focus({ preventScroll: true });
    };
    const sheet = {
      label: t(EARLIER_CONVERSATIONS),
      render: () => <ConversationsSheet {...{ context, list, view, open }} />,
    };
    showSheet(context, sheet);
  };
  menuItems.push(() => {
    if (ui.read("data-history") === "off") return;
    if (!isAsked) list.load();
    isAsked = true;
    return list.found?.[0] && {
      label: t(EARLIER_CONVERSATIONS),
      icon: "M5 9a8 8 0 1 1-1 3.5M4 5v4h4m4-1v4.5l3 2",
      onPress: showList,
    };
  });
  return (place) => {
    if (place !== OVER || context.sheet) return;
    // The next menu asks again: the page may have another visitor by then.
    isAsked = false;
    list.found = undefined;
  };
}
