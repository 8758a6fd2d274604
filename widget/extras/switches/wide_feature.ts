/** A wider panel, if the site offers it and the visitor wants it. */
import type { ExtrasContext } from "../extras_context.ts";
import { OVER, type Slot } from "../slot.ts";
import { addSwitch } from "./add_switch.ts";
import { WIDE } from "./switch_ids.ts";

export function wideFeature(context: ExtrasContext): Slot {
  const { ui, root } = context;
  const isWide = addSwitch(context, {
    name: "wide",
    textId: WIDE,
    icon: "m8 8-4 4 4 4m8-8 4 4-4 4M4 12h16",
    // On a phone the panel is as wide as the window.
    isOffered: () =>
      ui.read("data-wide") === "on" && !ui.config.page && matchMedia("(min-width:521px)").matches,
  });
  return (place) => {
    if (place === OVER) root.host.toggleAttribute("wide", isWide());
  };
}
